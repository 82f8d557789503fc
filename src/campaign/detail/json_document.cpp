#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "campaign/detail/document.hpp"

namespace weir::campaign::detail {
namespace {

struct Cursor {
  Place next{1, 1};  // of the character to be read
  Place last{1, 1};  // of the one read last
};

// Lets the parser pull characters and keeps count of lines, which it does not tell its handler.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    cursor_->last = cursor_->next;
    if (*at_ == '\n')
      cursor_->next = {cursor_->next.line + 1, 1};
    else
      ++cursor_->next.column;
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  Cursor* cursor_;
};

class Handler {
 public:
  explicit Handler(const Cursor& cursor) : cursor_(cursor) {}

  bool null() { return put({}, cursor_.next); }
  bool boolean(bool value) {
    Node node;
    node.kind = Node::Kind::boolean;
    node.boolean = value;
    return put(std::move(node), cursor_.next);
  }
  bool number_integer(std::int64_t value) { return whole(value); }
  bool number_unsigned(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) return whole(static_cast<std::int64_t>(value));
    return number_float(static_cast<double>(value), {});
  }
  bool number_float(double value, const std::string& /*spelled*/) {
    Node node;
    node.kind = Node::Kind::real;
    node.real = value;
    return put(std::move(node), cursor_.last);
  }
  bool string(std::string& value) {
    Node node;
    node.kind = Node::Kind::text;
    node.text = std::move(value);
    return put(std::move(node), cursor_.next);
  }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return false; }
  bool start_object(std::size_t /*size*/) { return open(Node::Kind::table); }
  bool end_object() { return close(); }
  bool start_array(std::size_t /*size*/) { return open(Node::Kind::array); }
  bool end_array() { return close(); }
  bool key(std::string& value) {
    Node& table = *open_.back();
    const Place at{cursor_.last.line,
                   cursor_.last.column -
                       std::min(cursor_.last.column - 1, static_cast<std::uint32_t>(value.size() + 1))};
    if (table.find(value) != nullptr) {
      error_ = error_at(at, fmt::format("'{}' stands here a second time", value));
      return false;
    }
    table.fields.push_back({std::move(value), Node{}});
    table.fields.back().node.at = at;
    return true;
  }
  bool parse_error(std::size_t /*byte*/, const std::string& token,
                   const nlohmann::detail::exception& /*what*/) {
    error_ = error_at(cursor_.last,
                      fmt::format("not JSON{}", token.empty() ? "" : " near '" + token.substr(0, 40) + "'"));
    return false;
  }

  Result<Node> finish() && {
    if (error_) return *error_;
    return std::move(root_);
  }

 private:
  static constexpr std::size_t kDeepest = 16;

  bool whole(std::int64_t value) {
    Node node;
    node.kind = Node::Kind::integer;
    node.integer = value;
    node.real = static_cast<double>(value);
    return put(std::move(node), cursor_.last);
  }
  // Where the value being read belongs: the root, the field whose key came last, or a new item.
  Node& place(Place at) {
    if (open_.empty()) {
      root_.at = at;
      return root_;
    }
    if (open_.back()->kind == Node::Kind::table) return open_.back()->fields.back().node;
    Node& item = open_.back()->items.emplace_back();
    item.at = at;
    return item;
  }
  bool put(Node node, Place at) {
    Node& here = place(at);
    node.at = here.at;
    here = std::move(node);
    return true;
  }
  bool open(Node::Kind kind) {
    if (open_.size() == kDeepest) {
      error_ = error_at(cursor_.last, fmt::format("nested deeper than {} levels", kDeepest));
      return false;
    }
    Node& here = place(cursor_.last);
    here.kind = kind;
    open_.push_back(&here);  // stays where it is: nothing is added to its parent until it is closed
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const Cursor& cursor_;
  Node root_;
  std::vector<Node*> open_;
  std::optional<Error> error_;
};

}  // namespace

Result<Node> parse_json_document(std::string_view text) {
  Cursor cursor;
  Handler handler(cursor);
  Json::sax_parse(CountingIterator(text.data(), &cursor),
                  CountingIterator(text.data() + text.size(), &cursor), &handler);
  return std::move(handler).finish();
}

}  // namespace weir::campaign::detail
