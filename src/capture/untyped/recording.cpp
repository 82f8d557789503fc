#include "capture/untyped/recording.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "capture/memory_names.hpp"
#include "capture/put.hpp"
#include "trace/shape.hpp"

namespace weir::capture {

using trace::Encoding;

UntypedRecording::UntypedRecording(Call call, std::span<const Form> forms,
                                   std::span<const std::uint64_t> given)
    : info_(info(call)),
      arguments_(arguments(call)),
      forms_(forms),
      given_(given),
      library_(library_of(info(call).layer)) {
  for (std::size_t i = 0; i < arguments_.size() && ending_ == kNone; ++i)
    if (is_ended(i)) ending_ = i;
  if (ending_ == kNone) return;
  const bool is_value = !forms_[ending_].is_address;
  if (!is_value && given_[ending_] == 0) return;
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(is_value ? 1 : items(ending_), 0));
  before_ = before_memory_.make(count);
  if (before_ == nullptr) return;
  for (std::size_t i = 0; i < count; ++i)
    before_[i] = is_value ? given_[ending_] : item_at(forms_[ending_], given_[ending_], i);
  before_count_ = count;
}

bool UntypedRecording::is_object(std::size_t at) const {
  const Role role = arguments_[at].role;
  return is_library_object(role) || role == Role::request;
}

bool UntypedRecording::is_ended(std::size_t at) const {
  if (!is_object(at)) return false;
  if (info_.completes) return arguments_[at].role == Role::request;
  return info_.closes && library_.owns(arguments_[at].role);
}

bool UntypedRecording::is_failure(std::int64_t result) const {
  if (info_.failure == Failure::nonzero) return info_.result_type == "int" && result != 0;
  return result < 0;
}

bool UntypedRecording::is_list(std::size_t at) const {
  return arguments_[at].many.many != Many::one || arguments_[at].items > 1;
}

std::int64_t UntypedRecording::items(std::size_t at) const {
  const Items& many = arguments_[at].many;
  switch (many.many) {
    case Many::one:
      return static_cast<std::int64_t>(arguments_[at].items);
    case Many::argument: {
      const std::int64_t count = static_cast<std::int64_t>(given_[many.of]) * many.factor;
      return arguments_[many.of].role == Role::room ? std::min(count, filled_) : count;
    }
    case Many::pointed:
      if (failed_ || given_[many.of] == 0) return -1;
      return static_cast<std::int64_t>(item_at(forms_[many.of], given_[many.of], 0));
    case Many::rank:
      return rank_of(many.of, given_[many.with]);
    default:
      return -1;
  }
}

std::int64_t UntypedRecording::rank_of(std::size_t object, std::uint64_t variable) const {
  // To ask HDF5 would clear the errors that the program may look at.
  if (failed_ && info_.failure == Failure::negative) return -1;
  return library_.rank_of(static_cast<std::int64_t>(given_[object]), static_cast<std::int64_t>(variable));
}

Objects::Object UntypedRecording::object(std::size_t at, std::uint64_t bits, Lane& lane) const {
  const Role role = arguments_[at].role;
  if (library_.owns(role)) return library_.find(role, static_cast<std::int64_t>(bits), arguments_[at].name);
  const MpiObjects* const mpi = mpi_objects.load(std::memory_order_acquire);
  return mpi == nullptr ? Objects::Object() : mpi->find(role, bits, lane);
}

Objects::Object UntypedRecording::new_object(Role role, std::uint64_t bits, Lane& lane) const {
  if (library_.owns(role)) return library_.add(role, static_cast<std::int64_t>(bits));
  const MpiObjects* const mpi = mpi_objects.load(std::memory_order_acquire);
  return mpi == nullptr ? Objects::Object() : mpi->add(role, bits, lane);
}

void UntypedRecording::record(Lane& lane, std::uint32_t depth, Tick begin, Tick end, const Form& form,
                              std::uint64_t result) {
  Draft draft;
  draft.begin(static_cast<std::uint32_t>(&info_ - &info(Call{})), depth, arguments_.size());
  failed_ =
      form.kind == Form::Kind::integer && !form.is_address && is_failure(static_cast<std::int64_t>(result));
  // Calls that fill what room they are given say how much there was; the others answer with a code.
  if (info_.failure == Failure::negative && (info_.result_type == "int" || info_.result_type == "ssize_t"))
    filled_ = static_cast<std::int64_t>(result);
  for (std::size_t i = 0; i < arguments_.size(); ++i) put_argument(i, lane, draft);
  put_result(form, result, lane, draft);
  const std::uint32_t symbol = lane.symbol_of(draft);
  lane.begin_change();
  lane.keep_numbers(draft);
  lane.append(symbol, draft, begin, end);
  if (!failed_ && !outlives(result)) forget_ended();
}

// A call that counts references down tells how many are left.
bool UntypedRecording::outlives(std::uint64_t result) const {
  return info_.failure == Failure::negative && info_.result_type == "int" && result > 0;
}

std::size_t UntypedRecording::room_of_text(std::size_t at) const {
  if (arguments_[at].direction == Direction::in) return kNone;
  for (std::size_t i = at + 1; i < arguments_.size(); ++i)
    if (arguments_[i].role == Role::room && !forms_[i].is_address) return given_[i];
  return kNone;
}

void UntypedRecording::put_argument(std::size_t at, Lane& lane, Draft& draft) {
  draft.values[at] = trace::value_of_nothing(arguments_[at]);
  const Role role = arguments_[at].role;
  if (role == Role::buffer && forms_[at].is_address) {
    put_memory(at, reinterpret_cast<const void*>(given_[at]), lane, draft);
  } else if (role == Role::buffer || role == Role::function || role == Role::varargs ||
             role == Role::stream) {
    draft.put(at, forms_[at].is_address && given_[at] == 0 ? Encoding::null : Encoding::absent);
  } else if (!forms_[at].is_address) {
    put_value(at, forms_[at], given_[at], lane, draft);
  } else if (given_[at] == 0) {
    draft.put(at, Encoding::null);
  } else {
    put_pointed(at, lane, draft);
  }
}

void UntypedRecording::put_value(std::size_t at, const Form& form, std::uint64_t bits, Lane& lane,
                                 Draft& draft) {
  if (is_object(at)) {
    put_object(at, object(at, bits, lane), lane, draft);
  } else if (form.kind == Form::Kind::real) {
    char text[32];
    const int length = std::snprintf(text, sizeof text, "%.17g", std::bit_cast<double>(bits));
    draft.put(at, Encoding::text, lane.number_of_text({text, static_cast<std::size_t>(length)}));
  } else if (form.kind == Form::Kind::other || form.kind == Form::Kind::address) {
    draft.put(at, Encoding::absent);
  } else {
    draft.values[at] = static_cast<std::int64_t>(bits);
    draft.put(at, Encoding::literal, bits);
  }
}

void UntypedRecording::put_pointed(std::size_t at, Lane& lane, Draft& draft) {
  const Argument& argument = arguments_[at];
  const Form& form = forms_[at];
  const bool ended = at == ending_;
  const bool is_there = argument.direction == Direction::in || ended || !failed_;
  if (!is_there || form.bytes == 0) {
    draft.put(at, Encoding::absent);
  } else if ((argument.role == Role::path || argument.role == Role::text) &&
             form.kind == Form::Kind::character) {
    const char* const begin = reinterpret_cast<const char*>(given_[at]);
    const std::string_view text(begin, strnlen(begin, room_of_text(at)));
    if (argument.role == Role::path) {
      draft.put(at, Encoding::path);
      lane.put_path(text, draft);
    } else {
      draft.put(at, Encoding::text, lane.number_of_text(text));
    }
  } else if (argument.many.lists) {
    put_lists(at, lane, draft);
  } else if (form.kind == Form::Kind::other) {
    draft.put(at, Encoding::absent);
  } else if (is_object(at)) {
    put_objects(at, lane, draft);
  } else if (is_list(at)) {
    put_numbers(at, lane, draft);
  } else {
    put_value(at, form, item_at(form, given_[at], 0), lane, draft);
  }
}

void UntypedRecording::put_objects(std::size_t at, Lane& lane, Draft& draft) {
  const Argument& argument = arguments_[at];
  const bool ended = at == ending_;
  const bool made = (info_.opens || info_.starts) && argument.direction == Direction::out;
  const auto item = [&](std::size_t i) {
    const std::uint64_t bits = ended ? before_[i] : item_at(forms_[at], given_[at], i);
    return made ? new_object(argument.role, bits, lane) : object(at, bits, lane);
  };
  if (!is_list(at)) return put_object(at, item(0), lane, draft);
  const std::int64_t count = ended ? static_cast<std::int64_t>(before_count_) : items(at);
  if (count < 0) return draft.put(at, Encoding::absent);
  ListText list(lane.list_room());
  for (std::int64_t i = 0; i < count; ++i) put_item(list, item(static_cast<std::size_t>(i)));
  put_list(at, list, lane, draft);
}

void UntypedRecording::put_numbers(std::size_t at, Lane& lane, Draft& draft) {
  const std::int64_t count = items(at);
  if (count < 0 || forms_[at].kind != Form::Kind::integer) return draft.put(at, Encoding::absent);
  ListText list(lane.list_room());
  for (std::int64_t i = 0; i < count; ++i)
    list.put_number(static_cast<std::int64_t>(item_at(forms_[at], given_[at], static_cast<std::size_t>(i))));
  put_list(at, list, lane, draft);
}

// Lists stand one behind the other, or the argument has the address of each; there may be none of one.
void UntypedRecording::put_lists(std::size_t at, Lane& lane, Draft& draft) {
  const Items& many = arguments_[at].many;
  const bool has_addresses = forms_[at].kind == Form::Kind::address;
  const Form form = has_addresses ? forms_[at].pointed() : forms_[at];
  const std::int64_t count = items(at);
  const bool is_of_one = !forms_[many.each_with].is_address;
  std::int64_t rank = is_of_one ? rank_of(many.each_of, given_[many.each_with]) : -1;
  if (count < 0 || form.bytes == 0 || (is_of_one && rank < 0)) return draft.put(at, Encoding::absent);
  ListText list(lane.list_room());
  for (std::size_t i = 0; i < static_cast<std::size_t>(count) && list.is_whole(); ++i) {
    if (!is_of_one) rank = rank_of(many.each_of, item_at(forms_[many.each_with], given_[many.each_with], i));
    if (rank < 0) return draft.put(at, Encoding::absent);
    const auto length = static_cast<std::size_t>(rank);
    const std::uint64_t address = has_addresses
                                      ? item_at(forms_[at], given_[at], i)
                                      : given_[at] + static_cast<std::uint64_t>(i * length * form.bytes);
    if (address == 0) {
      list.put_nothing();
      continue;
    }
    list.begin_list(length);
    for (std::size_t k = 0; k < length; ++k)
      list.put_number(static_cast<std::int64_t>(item_at(form, address, k)));
  }
  put_list(at, list, lane, draft);
}

void UntypedRecording::put_result(const Form& form, std::uint64_t result, Lane& lane, Draft& draft) {
  draft.result = static_cast<std::int64_t>(result);
  if (failed_) {
    const bool has_code = info_.failure == Failure::nonzero;
    draft.put_result(Encoding::failed, has_code ? result : 0);
  } else if (is_library_object(info_.result)) {
    Objects::Object made;
    if (info_.opens)
      made = new_object(info_.result, result, lane);
    else
      made = library_.find(info_.result, draft.result);
    if (made.name != nullptr || !made.used)
      draft.put_result(Encoding::absent);
    else
      draft.put_result(Encoding::literal, made.id);
  } else if (form.kind == Form::Kind::integer && !form.is_address) {
    draft.put_result(Encoding::literal, result);
  } else {
    draft.put_result(Encoding::absent);
  }
}

void UntypedRecording::forget_ended() {
  if (ending_ == kNone) return;
  for (std::size_t i = 0; i < before_count_; ++i)
    library_.remove(arguments_[ending_].role, static_cast<std::int64_t>(before_[i]));
}

}  // namespace weir::capture
