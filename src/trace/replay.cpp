#include "trace/replay.hpp"

#include <algorithm>
#include <cstring>

#include <aio.h>

#include "trace/detail/take_plain.hpp"
#include "trace/list_text.hpp"

namespace weir::trace {
namespace {

constexpr std::size_t kLongestName = 1 << 16;

std::int64_t plus(std::int64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + b);
}

// Source and tag of a receive, in one word.
void set_status(Value& value, std::uint64_t word, std::int64_t source_from) {
  value.kind = Value::Kind::status;
  value.number = source_from + static_cast<std::int32_t>(word >> 32);
  value.second = static_cast<std::int32_t>(word);
}

}  // namespace

Replay::HandleState& Replay::handle(std::int64_t id) {
  if (id < 0 || id >= Shape::kNoHandle) return no_handle_;
  const auto index = static_cast<std::size_t>(id);
  if (index >= handles_.size()) handles_.resize(index + 1);
  return handles_[index];
}

std::array<std::int64_t, NameTemplate::kNumbers>& Replay::numbers(std::uint32_t name_template) {
  if (name_template >= last_numbers_.size()) last_numbers_.resize(tables_->templates.size());
  return last_numbers_[name_template];
}

std::string Replay::absolute(std::string_view name, std::string_view under) const {
  if (name.starts_with('/') || under.empty()) return std::string(name);
  while (name.starts_with("./")) name.remove_prefix(2);
  std::string made(under);
  if (!made.ends_with('/')) made.push_back('/');
  if (name != ".") made.append(name);
  return made;
}

Result<void> Replay::apply(const Event& event) {
  std::string_view payload = event.payload;
  switch (event.type) {
    case live::Definition::handle: {
      const auto about = detail::take_plain<live::HandleDefinition>(payload, "an event");
      if (!about) return about.error();
      if (about->id > Shape::kNoHandle) return Error{Errc::bad_data, "a handle id that is too large"};
      handle(about->id) = {about->position, about->descriptor, std::string(payload.substr(0, kLongestName)),
                           about->flags};
      return {};
    }
    case live::Definition::directory:
      directory_ = payload.substr(0, kLongestName);
      return {};
    case live::Definition::thread: {
      const auto thread = detail::take_plain<std::uint64_t>(payload, "an event");
      if (!thread) return thread.error();
      thread_ = *thread;
      return {};
    }
    case live::Definition::restart:
      handles_.clear();
      no_handle_ = {};
      last_numbers_.clear();
      return {};
    case live::Definition::reset:
      for (HandleState& one : handles_) one.end = 0;
      no_handle_.end = 0;
      last_numbers_.clear();
      return {};
    default:
      return {};
  }
}

void Replay::open(std::int64_t id, std::int64_t descriptor, const Function& function) {
  // Named after the path it was opened by, or after what it is a copy of.
  std::string name;
  std::string_view under = directory_;
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    const Value& value = values_[i];
    const bool is_directory = function.arguments[i].role == Role::directory;
    if (value.kind == Value::Kind::path) {
      name = absolute(value.text, under);
      break;
    }
    if (value.kind != Value::Kind::handle) continue;
    if (is_directory)
      under = value.text;
    else if (name.empty())
      name = value.text;
  }
  if (name.empty()) name = "<" + function.name + ">";
  // The record's own handles keep their names: the list may grow and move them, and the new handle may take
  // the place of one of them (dup2).
  for (std::size_t i = 0; i < function.arguments.size(); ++i) {
    if (values_[i].kind != Value::Kind::handle) continue;
    if (values_[i].text.data() != made_[i].data()) made_[i] = values_[i].text;
    values_[i].text = made_[i];
  }
  handle(id) = {0, descriptor, std::move(name)};
}

// Names the file of an asynchronous request, and says what the request does, also when it is only asked
// about.
int Replay::follow_request(const Function& function, Value& request) {
  constexpr std::size_t kMostRequests = 1 << 16;
  std::int64_t asked[5] = {};
  const bool is_list = function.means == "lio_listio";
  if (request.text.size() % sizeof asked != 0 || (!is_list && request.text.size() != sizeof asked))
    return function.moves;
  for (std::size_t at = 0; at < request.text.size(); at += sizeof asked) {
    std::memcpy(asked, request.text.data() + at, sizeof asked);
    for (const HandleState& one : handles_)
      if (at == 0 && one.descriptor == asked[0]) request.file = one.name;
    int moves = function.moves;
    if (is_list) moves = asked[1] == LIO_READ ? -1 : (asked[1] == LIO_WRITE ? 1 : 0);
    if (moves == 0) continue;
    if (requests_.size() >= kMostRequests) requests_.clear();
    requests_[asked[4]] = moves;
  }
  if (function.moves != 0 || is_list) return 0;  // it moves nothing yet
  const auto found = requests_.find(asked[4]);
  return found != requests_.end() && function.result == Role::bytes ? found->second : 0;
}

void Replay::apply(const OwnSignature& own, const std::int64_t* columns, Record* record) {
  const Signature& signature = *own.signature;
  const Function& function = tables_->functions[signature.function];
  const std::size_t count = function.arguments.size();
  std::int64_t raw[Head::kArguments];
  if (values_.size() < count) values_.resize(count);
  if (made_.size() < count) made_.resize(count);
  const std::uint64_t* const words = own.words;
  Value result;

  const auto number_at = [&](const Signature::Part& part, std::uint32_t k) {
    return static_cast<std::int64_t>(words[part.word + k]);
  };
  const auto set_handle = [&](Value& value, std::int64_t id) {
    const HandleState& state = handle(id);
    value.handle = static_cast<std::uint32_t>(id);
    value.number = state.descriptor;
    value.text = state.name;
  };

  bool opens = false;
  int moves = function.moves;
  for (std::size_t i = 0; i < count; ++i) {
    const Signature::Part& part = signature.parts[i];
    const Argument& argument = function.arguments[i];
    Value& value = values_[i];
    value = {};
    raw[i] = value_of_nothing(argument);
    switch (part.encoding) {
      case Encoding::absent:
        break;
      case Encoding::null:
        value.kind = Value::Kind::null;
        break;
      case Encoding::literal:
        if (argument.role == Role::status) {
          set_status(value, words[part.word], 0);
          break;
        }
        value.kind = (function.objects >> i & 1) != 0 ? Value::Kind::object : Value::Kind::number;
        value.number = number_at(part, 0);
        if (!is_handle(argument)) raw[i] = value.number;
        break;
      case Encoding::relative:
        if (argument.role == Role::status) {
          set_status(value, words[part.word], own.rank);
          break;
        }
        value.kind = Value::Kind::number;
        value.number = plus(own.rank, words[part.word]);
        break;
      case Encoding::list:
        if (record == nullptr) break;
        value.kind = Value::Kind::list;
        if (lists_.size() <= i) lists_.resize(count);
        take_list(tables_->texts[words[part.word]], own.rank, lists_[i]);
        value.items = lists_[i];
        break;
      case Encoding::column:
        value.kind = (function.objects >> i & 1) != 0 ? Value::Kind::object : Value::Kind::number;
        value.number = *columns++;
        if (!is_handle(argument)) raw[i] = value.number;
        break;
      case Encoding::handle:
        value.kind = Value::Kind::handle;
        raw[i] = number_at(part, 0);
        set_handle(value, raw[i]);
        break;
      case Encoding::distance:
        value.kind = Value::Kind::number;
        raw[i] = plus(handle(raw[function.shape.handle_of[i]]).end, words[part.word]);
        value.number = raw[i];
        break;
      case Encoding::text:
        value.kind = Value::Kind::text;
        value.text = tables_->texts[words[part.word]];
        if (argument.role == Role::request) moves = follow_request(function, value);
        break;
      case Encoding::path:
      case Encoding::path_column: {
        value.kind = Value::Kind::path;
        const auto name_template = static_cast<std::uint32_t>(words[part.word]);
        std::array<std::int64_t, NameTemplate::kNumbers> now{};
        if (part.numbers > 0) {
          const auto& last = numbers(name_template);
          for (std::uint32_t k = 0; k < part.numbers; ++k)
            now[k] = part.encoding == Encoding::path ? plus(last[k], words[part.word + 1 + k]) : *columns++;
        }
        made_[i].clear();
        expand(tables_->templates[name_template], {now.data(), part.numbers}, process_id_, made_[i]);
        value.text = made_[i];
        // Two names of one template in a record are both counted from what was before it: kept till the end.
        std::copy_n(now.data(), part.numbers, raw_numbers_[i].data());
        break;
      }
      case Encoding::opened_pair:
        value.kind = Value::Kind::pair;
        value.handle = static_cast<std::uint32_t>(words[part.word]);
        value.number = columns[0];
        value.second = columns[1];
        columns += 2;
        opens = true;
        break;
      case Encoding::opened:  // MPI_File_open leaves the new file where an argument points
        value.kind = Value::Kind::opened;
        value.handle = static_cast<std::uint32_t>(words[part.word]);
        value.number = *columns++;
        opens = true;
        break;
      default:
        break;
    }
  }
  if (opens) {
    for (std::size_t i = 0; i < count; ++i) {
      const Signature::Part& part = signature.parts[i];
      if (part.encoding != Encoding::opened_pair && part.encoding != Encoding::opened) continue;
      open(number_at(part, 0), values_[i].number, function);
      if (part.encoding == Encoding::opened_pair)
        open(number_at(part, 1), values_[i].second, function);
      else
        set_handle(values_[i], number_at(part, 0));
    }
  }

  const Signature::Part& end = signature.parts[count];
  bool succeeded = true;
  switch (end.encoding) {
    case Encoding::literal:
      result.kind = function.makes_object ? Value::Kind::object : Value::Kind::number;
      result.number = number_at(end, 0);
      break;
    case Encoding::relative:
      result.kind = Value::Kind::number;
      result.number = plus(own.rank, words[end.word]);
      break;
    case Encoding::text:
      result.kind = Value::Kind::text;
      result.text = tables_->texts[words[end.word]];
      break;
    case Encoding::null:
      if (function.makes_object) result.kind = Value::Kind::null;
      break;
    case Encoding::column:
      result.kind = Value::Kind::number;
      result.number = *columns++;
      break;
    case Encoding::full:
      result.kind = Value::Kind::number;
      result.number = asked_for(function.shape, raw);
      break;
    case Encoding::distance:
      result.kind = Value::Kind::number;
      result.number = plus(handle(raw[function.shape.handle]).end, words[end.word]);
      break;
    case Encoding::failed:
      result.kind = Value::Kind::failed;
      result.number = number_at(end, 0);
      succeeded = false;
      break;
    case Encoding::opened:
      result.kind = Value::Kind::opened;
      open(number_at(end, 0), *columns++, function);
      set_handle(result, number_at(end, 0));
      break;
    case Encoding::unfinished:
      result.kind = Value::Kind::unfinished;
      succeeded = false;
      break;
    default:
      break;
  }

  if (record != nullptr) {
    record->function = &function;
    record->moves = moves;
    record->signature = own.number;
    record->depth = signature.depth;
    record->thread = thread_;
    record->arguments = {values_.data(), count};
    record->result = result;
  }
  if (succeeded)
    advance(function.shape, raw, result.number,
            [&](std::int64_t id) -> std::int64_t& { return handle(id).end; });
  for (std::size_t i = 0; i < count; ++i) {
    const Signature::Part& part = signature.parts[i];
    if (part.numbers > 0)
      std::copy_n(raw_numbers_[i].data(), part.numbers,
                  numbers(static_cast<std::uint32_t>(words[part.word])).data());
  }
}

void Replay::save(ByteWriter& out, std::span<const std::uint32_t> own_number) const {
  out.string(directory_);
  std::uint64_t known = 0;
  const auto worth_saving = [](const HandleState& one) {
    return one.end != 0 || one.descriptor != -1 || !one.name.empty();
  };
  for (const HandleState& one : handles_) known += worth_saving(one) ? 1 : 0;
  out.varint(known);
  for (std::size_t id = 0; id < handles_.size(); ++id) {
    const HandleState& one = handles_[id];
    if (!worth_saving(one)) continue;
    out.varint(id);
    out.signed_varint(one.end);
    out.signed_varint(one.descriptor);
    out.string(one.name);
  }
  out.signed_varint(no_handle_.end);
  std::vector<std::pair<std::uint32_t, std::size_t>> used;
  for (std::size_t i = 0; i < last_numbers_.size() && i < own_number.size(); ++i)
    if (own_number[i] != kNoNumber && std::any_of(last_numbers_[i].begin(), last_numbers_[i].end(),
                                                  [](std::int64_t number) { return number != 0; }))
      used.emplace_back(own_number[i], i);
  std::sort(used.begin(), used.end());
  out.varint(used.size());
  for (const auto& [number, name_template] : used) {
    out.varint(number);
    for (const std::int64_t last : last_numbers_[name_template]) out.signed_varint(last);
  }
}

Result<void> Replay::restore(ByteReader& in, std::span<const std::uint32_t> templates) {
  *this = Replay(*tables_, process_id_);
  const auto directory = in.string(kLongestName);
  if (!directory) return directory.error();
  directory_ = *directory;
  const auto known = in.count(4);
  if (!known) return known.error();
  for (std::uint64_t i = 0; i < *known; ++i) {
    const auto id = in.varint();
    if (!id) return id.error();
    if (*id >= static_cast<std::uint64_t>(Shape::kNoHandle))
      return Error{Errc::bad_data, "a handle id that is too large"};
    const auto end = in.signed_varint();
    if (!end) return end.error();
    const auto descriptor = in.signed_varint();
    if (!descriptor) return descriptor.error();
    const auto name = in.string(kLongestName);
    if (!name) return name.error();
    handle(static_cast<std::int64_t>(*id)) = {*end, *descriptor, std::string(*name)};
  }
  const auto none = in.signed_varint();
  if (!none) return none.error();
  no_handle_.end = *none;
  const auto used = in.count(1 + NameTemplate::kNumbers);
  if (!used) return used.error();
  for (std::uint64_t i = 0; i < *used; ++i) {
    const auto name_template = in.varint();
    if (!name_template) return name_template.error();
    if (*name_template >= templates.size()) return Error{Errc::bad_data, "a name that is not there"};
    for (std::int64_t& number : numbers(templates[*name_template])) {
      const auto value = in.signed_varint();
      if (!value) return value.error();
      number = *value;
    }
  }
  return {};
}

}  // namespace weir::trace
