// Writes the built page as text into a C++ source: node embed.js page.html page_text.cpp
import { readFileSync, writeFileSync } from "node:fs";

const [, , page, source] = process.argv;
const bytes = readFileSync(page);
const mark = Buffer.from("@WEIR_RESULTS@");
const at = bytes.indexOf(mark);
if (at < 0 || bytes.indexOf(mark, at + 1) >= 0) throw new Error(`${page}: not one place for the results`);

// A literal is at most so long as every compiler takes; adjacent ones would count as one.
const literals = (part) => {
  const made = [];
  for (let i = 0; i < part.length; i += 8000) {
    const text = part.subarray(i, i + 8000);
    if (text.includes(')weir"')) throw new Error(`${page}: holds the end of a literal`);
    made.push(Buffer.from('    R"weir('), text, Buffer.from(')weir"sv,\n'));
  }
  return Buffer.concat(made);
};
const pieces = (name, part) => Buffer.concat([
  Buffer.from(`std::span<const std::string_view> ${name}() {\n  static constexpr std::string_view kPieces[] = {\n`),
  literals(part),
  Buffer.from("  };\n  return kPieces;\n}\n"),
]);
writeFileSync(source, Buffer.concat([
  Buffer.from('#include "report/detail/page_text.hpp"\n\nnamespace weir::report::detail {\nusing std::string_view_literals::operator""sv;\n'),
  pieces("page_before", bytes.subarray(0, at)),
  pieces("page_after", bytes.subarray(at + mark.length)),
  Buffer.from("}  // namespace weir::report::detail\n"),
]));
