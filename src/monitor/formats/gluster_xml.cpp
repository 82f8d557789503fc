#include <optional>

#include "monitor/detail/formats.hpp"
#include "monitor/detail/text.hpp"
#include "monitor/formats/gluster_calls.hpp"

namespace weir::monitor::detail {
namespace {

// Walks through elements without building a tree: the text before a closing tag is that element's.
// Attributes, comments and declarations are stepped over; a document cut off in the middle ends there.
class Elements {
 public:
  explicit Elements(std::string_view text) : rest_(text) {}

  struct Tag {
    std::string_view name;
    std::string_view text;  // since the tag before
    bool closes = false;
  };

  std::optional<Tag> next() {
    const std::size_t open = rest_.find('<');
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t close = rest_.find('>', open);
    if (close == std::string_view::npos) return std::nullopt;
    Tag tag{.name = rest_.substr(open + 1, close - open - 1), .text = trimmed(rest_.substr(0, open))};
    rest_.remove_prefix(close + 1);
    if (tag.name.starts_with('/')) {
      tag.closes = true;
      tag.name.remove_prefix(1);
    }
    tag.name = tag.name.substr(0, tag.name.find_first_of(" \t\r\n/"));
    return tag;
  }
  bool cut_off() const { return !trimmed(rest_).empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

class Profile {
 public:
  explicit Profile(Sink& sink) : sink_(sink) {}

  void closing(const Elements::Tag& tag) {
    if (tag.name == "opRet" && whole(tag.text) != 0U) return sink_.damaged(tag.text);  // the command failed
    if (tag.name == "brickName") brick_ = !tag.text.empty() && sink_.source("gluster:", tag.text);
    if (!brick_ || !cumulative_) return;
    if (tag.name == "name") call_.name = tag.text;
    if (tag.name == "hits") call_.hits = whole(tag.text);
    if (tag.name == "avgLatency") call_.mean = real(tag.text);
    if (tag.name == "fop") return put_call(tag);
    if (tag.name == "reads") return put_sum("read", "_operations", tag);
    if (tag.name == "writes") return put_sum("write", "_operations", tag);
    if (tag.name == "totalRead") return put_sum("read", "_bytes", tag);
    if (tag.name == "totalWrite") return put_sum("write", "_bytes", tag);
    if (tag.name == "cumulativeStats") cumulative_ = false;
  }

  void opening(const Elements::Tag& tag) {
    if (tag.name == "brick") brick_ = cumulative_ = false;
    if (tag.name == "cumulativeStats") cumulative_ = true;
    if (tag.name == "fop") call_ = {};
  }

 private:
  struct Call {
    std::string_view name;
    std::optional<std::uint64_t> hits;
    std::optional<double> mean;  // nanoseconds since version 10; nothing in the document says so
  };

  void put_call(const Elements::Tag& tag) {
    if (!call_.hits || !call_.mean ||
        !put_gluster_call(call_.name, number(*call_.hits), *call_.mean / 1e9, sink_))
      sink_.damaged(call_.name.empty() ? tag.name : call_.name);
  }
  void put_sum(std::string_view stem, std::string_view ending, const Elements::Tag& tag) {
    const auto value = whole(tag.text);
    if (value)
      sink_.add({stem, ending}, number(*value));
    else
      sink_.damaged(tag.text.empty() ? tag.name : tag.text);
  }

  Sink& sink_;
  bool brick_ = false, cumulative_ = false;
  Call call_;
};

}  // namespace

void parse_gluster_xml(std::string_view text, std::string_view /*instance*/, Sink& sink) {
  Elements elements(text);
  Profile profile(sink);
  while (const auto tag = elements.next()) {
    if (tag->closes)
      profile.closing(*tag);
    else
      profile.opening(*tag);
  }
  if (elements.cut_off()) sink.damaged(elements.rest());
}

}  // namespace weir::monitor::detail
