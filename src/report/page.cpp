#include "report/page.hpp"

#include "base/version.hpp"
#include "report/detail/page_text.hpp"

namespace weir::report {
namespace {

Json part_json(const Part& part) {
  Json made = {{"source", part.source}, {"document", part.document}};
  made["written"] = part.written.empty() ? Json(nullptr) : Json(part.written);
  made["problem"] = part.problem.empty() ? Json(nullptr) : Json(part.problem);
  return made;
}

}  // namespace

std::string script_safe(const Json& document) {
  // Only ASCII, so the separators U+2028 and U+2029 are escaped with the rest; bytes that are no text are
  // replaced.
  const std::string text = document.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string made;
  made.reserve(text.size());
  // A '<' is always inside a string, where its escape means the same.
  for (const char c : text) {
    if (c == '<')
      made += "\\u003c";
    else
      made += c;
  }
  return made;
}

std::string compose(const Page& page) {
  const BuildFacts build = build_facts();
  Json document = json_document("page");
  document["title"] = page.title;
  document["made"] = {{"command", page.command},
                      {"weir", build.version},
                      {"compiler", build.compiler},
                      {"host", page.host},
                      {"date", page.date}};
  document["parts"] = Json::array();
  for (const Part& part : page.parts) document["parts"].push_back(part_json(part));
  std::string made;
  for (const std::string_view piece : detail::page_before()) made += piece;
  made += script_safe(document);
  for (const std::string_view piece : detail::page_after()) made += piece;
  return made;
}

}  // namespace weir::report
