#include "proxy/emit.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json.hpp"
#include "proxy/call_writer.hpp"
#include "proxy/rules.hpp"
#include "proxy/runtime_text.hpp"

namespace weir::proxy {
namespace {

using trace::Encoding;

// Tables of which equal ones are there once.
class Shared {
 public:
  explicit Shared(std::string prefix) : prefix_(std::move(prefix)) {}

  // The name of the array; "nullptr" for an empty one.
  std::string name(std::string_view type, const std::string& items, std::string& out) {
    if (items.empty()) return "nullptr";
    const auto [at, is_new] = known_.try_emplace(items, fmt::format("{}{}", prefix_, known_.size()));
    if (is_new) out += fmt::format("static const {} {}[] = {{{}}};\n", type, at->second, items);
    return at->second;
  }

 private:
  std::string prefix_;
  std::map<std::string, std::string> known_;
};

std::string joined(const auto& values) {
  std::string out;
  std::size_t on_line = 0;
  for (const auto& value : values) {
    if (!out.empty()) out += ',';
    if (++on_line % 20 == 0) out += '\n';
    out += number_text(static_cast<std::int64_t>(value));
  }
  return out;
}

std::string inner_names(const Plan& plan, std::uint32_t number) {
  const trace::Signature& signature = plan.trace->tables().signatures[number];
  std::string out;
  for (const trace::Signature::Part& part : signature.parts) {
    if (part.numbers == 0 || part.encoding != Encoding::path) continue;
    std::string differences;
    for (std::uint32_t k = 0; k < part.numbers; ++k)
      differences +=
          (k > 0 ? ", " : "") + number_text(static_cast<std::int64_t>(signature.words[part.word + 1 + k]));
    out += fmt::format("  t.pass_name({}, {{{}}});\n", signature.words[part.word], differences);
  }
  return out;
}

class ProgramWriter {
 public:
  explicit ProgramWriter(const Plan& plan) : plan_(plan), rules_(plan) {}

  std::string write() {
    std::string processes = write_processes();
    std::string signatures = write_signatures();
    std::string out = head();
    out += runtime_text();
    if (plan_.has_ranks) out += mpi_runtime_text();
    if (plan_.libraries.contains("hdf5")) out += hdf5_runtime_text();
    out += library_headers();
    out += "\nusing namespace weir_proxy;\n\n";
    for (const std::string& one : declarations_.functions) out += one + "\n";
    for (const std::string& one : declarations_.pools) out += one + "\n";
    out += "\n" + signatures + "\n";
    for (const std::string& one : rules_.texts()) out += one;
    out += "\n" + tables_ + processes + write_plan();
    out += "\nint main(int argc, char** argv) { return run(kPlan, argc, argv); }\n";
    return out;
  }

 private:
  std::string head() const {
    std::string out =
        "// A proxy application, made by 'weir proxy': it makes the calls of a recorded program again.\n";
    const Json& facts = plan_.trace->facts();
    if (facts.contains("command") && facts["command"].is_array()) {
      std::string words;
      for (const Json& word : facts["command"])
        if (word.is_string()) words += " " + word.get<std::string>();
      for (char& one : words)
        if (one == '\\' || one == '\n' || one == '\r') one = '/';  // would end the line, or carry it on
      out += "// Recorded:" + words + "\n";
    }
    out += "// Compile: " + compile_command(plan_, "app.cpp") + "\n";
    for (const std::string& one : plan_.left_out) out += "// Left out: " + one + "\n";
    return out + "\n";
  }

  std::string library_headers() const {
    std::string out;
    for (const std::string& header : plan_.headers) out += fmt::format("#include <{}>\n", header);
    return out;
  }

  std::string write_signatures() {
    std::string out;
    const trace::Tables& tables = plan_.trace->tables();
    for (std::uint32_t i = 0; i < rules_.used().size(); ++i) {
      if (!rules_.used()[i]) continue;
      const trace::Signature& signature = tables.signatures[i];
      const std::string body =
          signature.depth > 0 ? inner_names(plan_, i) : CallWriter(plan_, i, declarations_).write();
      out += fmt::format("static void s{}(Stream& t) {{\n{}}}\n", i, body);
    }
    return out;
  }

  std::string write_stream(const StreamPlan& stream, std::uint32_t class_number) {
    std::string columns;
    for (const auto& [slot, values] : stream.columns)
      columns +=
          fmt::format("{{{}, {}, {}}},\n", slot, values_.name("i64", joined(values), tables_), values.size());
    std::string actions;
    for (const Action& one : stream.actions)
      actions += fmt::format("{{{}, Action::{}, {}, {}, {}, {}}},\n", one.before, one.kind, one.id, one.part,
                             number_text(one.value), one.name.empty() ? "nullptr" : c_string(one.name));
    const std::string function = rules_.function_of(stream, class_number);
    return fmt::format("{{{}, {}, {}, {}, {}}},\n", function, columns_.name("Column", columns, tables_),
                       stream.columns.size(), actions_.name("Action", actions, tables_),
                       stream.actions.size());
  }

  std::string write_processes() {
    const trace::Tables& tables = plan_.trace->tables();
    std::string out = "static const ProcessPlan kProcesses[] = {\n";
    for (const ProcessPlan& process : plan_.processes) {
      const trace::ProcessInfo& about = plan_.trace->processes()[process.process];
      std::string streams;
      for (const StreamPlan& stream : process.streams) streams += write_stream(stream, about.class_number);
      std::vector<std::uint32_t> slots;
      for (const std::uint32_t number : plan_.trace->classes()[about.class_number]) {
        std::uint32_t slot = plan_.places[number].first_own;
        for (const trace::Signature::Varying& one : tables.signatures[number].varying)
          if (one.own) slots.push_back(slot++);
      }
      out += fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}}},\n", about.rank, about.world_size,
                         c_string(about.directory), streams_.name("StreamPlan", streams, tables_),
                         process.streams.size(), slots_.name("int", joined(slots), tables_),
                         values_.name("i64", joined(about.own_words), tables_), about.own_words.size());
    }
    return out + "};\n";
  }

  std::string write_plan() {
    const trace::Tables& tables = plan_.trace->tables();
    std::string out = "static const char* const kTemplates[] = {\n";
    std::string lengths;
    for (const std::string& one : tables.templates) {
      out += c_string(one) + ",\n";
      lengths += fmt::format("{},", one.size());
    }
    out += fmt::format("nullptr}};\nstatic const std::size_t kLengths[] = {{{}0}};\n", lengths);
    out += "static const char* const kCalls[] = {\n";
    for (std::uint32_t i = 0; i < tables.signatures.size(); ++i)
      out += i < rules_.used().size() && rules_.used()[i]
                 ? c_string(tables.functions[tables.signatures[i].function].name) + ",\n"
                 : std::string("0,");
    out += "nullptr};\n";
    std::string needs;
    for (const auto& [path, need] : plan_.needs) {
      constexpr std::array kKinds = {"directory", "file", "link"};
      std::string made;
      const std::string ends = values_.name("i64", joined(need.line_ends), made);
      out += made;
      needs += fmt::format("{{Need::{}, {}, {}, {}, {}}},\n", kKinds[static_cast<std::size_t>(need.kind)],
                           c_string(path), number_text(need.size), ends, need.line_ends.size());
    }
    if (!needs.empty()) out += "static const Need kNeeds[] = {\n" + needs + "};\n";
    constexpr std::int64_t kMostFilled = 64 << 20;
    out += fmt::format(
        "static const Plan kPlan = {{kProcesses, {}, {}, {}, kTemplates, kLengths, {}, kCalls, {}, {}, {}, "
        "{}, {}}};\n",
        plan_.processes.size(), needs.empty() ? "nullptr" : "kNeeds", plan_.needs.size(),
        tables.templates.size(), plan_.handles, plan_.shared_handles, plan_.column_slots, plan_.own_slots,
        std::min(plan_.largest_write + 8, kMostFilled));
    return out;
  }

  const Plan& plan_;
  Rules rules_;
  Declarations declarations_;
  std::string tables_;
  Shared values_{"kValues"};
  Shared columns_{"kColumns"};
  Shared actions_{"kActions"};
  Shared streams_{"kStreams"};
  Shared slots_{"kSlots"};
};

}  // namespace

std::string compile_command(const Plan& plan, const std::string& source) {
  std::string program = source;
  if (const std::size_t dot = program.rfind('.'); dot != std::string::npos) program.resize(dot);
  std::string libraries;
  for (const std::string& layer : plan.libraries) {
    constexpr std::string_view kAsk = "pkg-config --cflags --libs";
    // Debian has HDF5 with and without MPI under names of their own; others have it once.
    if (layer == "hdf5")
      libraries += fmt::format(" $({0} hdf5-{1} || {0} hdf5)", kAsk, plan.has_ranks ? "mpi" : "serial");
    else
      libraries += fmt::format(" $({} {})", kAsk, layer);
  }
  return fmt::format("{} -std=c++17 -O1 -o {} {} -pthread -ldl{}", plan.has_ranks ? "mpicxx" : "c++", program,
                     source, libraries);
}

std::string write_program(const Plan& plan) { return ProgramWriter(plan).write(); }

}  // namespace weir::proxy
