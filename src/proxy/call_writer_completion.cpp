#include <fmt/format.h>

#include "calls/call.hpp"
#include "proxy/call_writer.hpp"
#include "trace/list_text.hpp"

// Calls whose outcome depends on what has completed by then.
namespace weir::proxy {

using trace::Encoding;

// What a completion call brought when it was recorded, so that the proxy waits for the same.
void CallWriter::note_completion() {
  const auto call = find_call(function_->name);
  const auto found_something = [&](std::size_t flag) {
    const Part& part = signature_->parts[flag];
    return part.encoding == Encoding::literal && signature_->words[part.word] != 0;
  };
  if (function_->name == "MPI_Iprobe" || function_->name == "MPI_Improbe") {
    if (found_something(3))
      before_.push_back(fmt::format("wait_for_message({}, {}, {});", given_[0], given_[1], given_[2]));
    return;
  }
  const bool asks = function_->name == "MPI_Request_get_status";
  if (!asks && (!call || !info(*call).completes)) return;
  std::size_t requests = 0;
  while (requests < function_->arguments.size() && function_->arguments[requests].role != Role::request)
    ++requests;
  if (requests == function_->arguments.size()) return;
  std::string over = "{}";  // which of the requests; all if nothing says so
  bool some = false;
  for (std::size_t i = 0; i < function_->arguments.size(); ++i) {
    const Part& part = signature_->parts[i];
    const std::string_view name = function_->arguments[i].name;
    if (name == "flag" && part.encoding == Encoding::literal && signature_->words[part.word] == 0) return;
    if (name == "index" && part.encoding == Encoding::literal) {
      over = fmt::format("{{{}}}", word(part));
      some = true;
    } else if (name == "indices" && part.encoding == Encoding::list) {
      std::vector<trace::ListItem> items;
      trace::take_list(tables_->texts[signature_->words[part.word]], 0, items);
      over.clear();
      for (const trace::ListItem& item : items) over += (over.empty() ? "" : ", ") + number_text(item.number);
      over = "{" + over + "}";
      some = true;
    }
  }
  const bool tests = asks || function_->name.find("Test") != std::string::npos;
  if (!some && !tests) return;  // MPI_Wait and MPI_Waitall wait by themselves
  const Part& part = signature_->parts[requests];
  const std::string array =
      part.encoding == Encoding::list      ? fmt::format("static_cast<MPI_Request*>(t.out({}))", requests)
      : part.encoding == Encoding::literal ? fmt::format("&{}({})", pool(requests), word(part))
                                           : std::string();
  if (array.empty()) return;
  std::size_t count = 1;
  if (part.encoding == Encoding::list) {
    std::vector<trace::ListItem> items;
    trace::take_list(tables_->texts[signature_->words[part.word]], 0, items);
    count = items.size();
  }
  before_.push_back(
      fmt::format("wait_until_over({}, {}, {});", array, count, some ? over : std::string("{}")));
}

}  // namespace weir::proxy
