#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "calls/call.hpp"
#include "proxy/call_writer.hpp"
#include "trace/communicator.hpp"
#include "trace/list_text.hpp"

// Arguments of libraries with objects of their own, such as MPI.
namespace weir::proxy {

using trace::Encoding;

namespace {

struct OfType {
  std::string_view type;
  std::string_view value;
};

constexpr std::array kNulls = {
    OfType{"MPI_Comm", "MPI_COMM_NULL"},
    OfType{"MPI_Group", "MPI_GROUP_NULL"},
    OfType{"MPI_Datatype", "MPI_DATATYPE_NULL"},
    OfType{"MPI_Info", "MPI_INFO_NULL"},
    OfType{"MPI_Op", "MPI_OP_NULL"},
    OfType{"MPI_Win", "MPI_WIN_NULL"},
    OfType{"MPI_Request", "MPI_REQUEST_NULL"},
    OfType{"MPI_Errhandler", "MPI_ERRHANDLER_NULL"},
    OfType{"MPI_Message", "MPI_MESSAGE_NULL"},
    OfType{"MPI_File", "MPI_FILE_NULL"},
    OfType{"hid_t", "-1"},
    OfType{"int", "-1"},  // of NetCDF and PnetCDF
};

// Functions in place of the program's.
constexpr std::array kFunctions = {
    OfType{"MPI_Comm_copy_attr_function", "MPI_COMM_NULL_COPY_FN"},
    OfType{"MPI_Comm_delete_attr_function", "MPI_COMM_NULL_DELETE_FN"},
    OfType{"MPI_Type_copy_attr_function", "MPI_TYPE_NULL_COPY_FN"},
    OfType{"MPI_Type_delete_attr_function", "MPI_TYPE_NULL_DELETE_FN"},
    OfType{"MPI_Win_copy_attr_function", "MPI_WIN_NULL_COPY_FN"},
    OfType{"MPI_Win_delete_attr_function", "MPI_WIN_NULL_DELETE_FN"},
    OfType{"MPI_Copy_function", "MPI_NULL_COPY_FN"},
    OfType{"MPI_Delete_function", "MPI_NULL_DELETE_FN"},
    OfType{"MPI_Comm_errhandler_function", "ignore_error<MPI_Comm>"},
    OfType{"MPI_Handler_function", "ignore_error<MPI_Comm>"},
    OfType{"MPI_Win_errhandler_function", "ignore_error<MPI_Win>"},
    OfType{"MPI_File_errhandler_function", "ignore_error<MPI_File>"},
};

template <std::size_t N>
std::string_view find(const std::array<OfType, N>& list, std::string_view type, std::string_view otherwise) {
  for (const OfType& one : list)
    if (one.type == type) return one.value;
  return otherwise;
}

std::string null_of(std::string_view type) { return std::string(find(kNulls, type, "{}")); }

bool is_pointer(const Argument& about) {
  return about.type.ends_with('*') || about.type.find("(*)") != std::string_view::npos;
}

}  // namespace

std::string CallWriter::pool_of(std::string_view type, Role role) {
  const std::string base = base_type(type);
  // MPI has numbers of their own for each role, other libraries one row of them for all their objects.
  const bool by_role = base.starts_with("MPI_") || role == Role::request;
  const std::string library = function_->layer.substr(0, function_->layer.find('_'));
  std::string made = by_role ? fmt::format("{}_{}", base, name(role)) : fmt::format("{}_objects", library);
  // Threads use the numbers of requests one after the other, at other moments than when they were recorded.
  declarations_->pools.insert(fmt::format(
      "static {}Pool<{}> {}({});", role == Role::request ? "thread_local " : "", base, made, null_of(base)));
  return made;
}

std::string CallWriter::pool(std::size_t at) {
  const Argument& about = function_->arguments[at];
  return pool_of(about.type, about.role);
}

// The caller's rank in the communicator of the call.
std::string CallWriter::own_rank() {
  for (std::size_t i = 0; i < function_->arguments.size(); ++i) {
    const Argument& about = function_->arguments[i];
    if (about.role != Role::communicator || about.direction != Direction::in) continue;
    const Part& part = signature_->parts[i];
    if (part.encoding == Encoding::text)
      return tables_->texts[signature_->words[part.word]] == "MPI_COMM_SELF" ? "0" : "world.rank";
    if (part.encoding == Encoding::literal)
      return fmt::format("rank_in(known_comm({}({})))", pool(i), word(part));
    break;
  }
  return "world.rank";
}

std::string CallWriter::object_argument(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const Part& part = signature_->parts[at];
  const std::string base = base_type(about.type);
  const bool by_value = !is_pointer(about);
  if (part.encoding == Encoding::list) return list(at);
  if (part.encoding == Encoding::literal || part.encoding == Encoding::column) {
    const std::string id = part.encoding == Encoding::column ? fmt::format("a{}", at) : word(part);
    std::string made = fmt::format("{}({})", pool(at), id);
    if (base == "MPI_Comm" && about.direction != Direction::out) made = fmt::format("known_comm({})", made);
    return (by_value ? "" : "&") + made;
  }
  std::string value = null_of(base);
  if (part.encoding == Encoding::text) value = tables_->texts[signature_->words[part.word]];
  if (by_value)
    return part.encoding == Encoding::absent && about.role == Role::communicator ? "MPI_COMM_WORLD" : value;
  if (part.encoding == Encoding::absent && function_->name == "MPI_Comm_idup") return "later_comm()";
  return fmt::format("t.out_object<{}>({}, {})", base, at, value);
}

std::string CallWriter::file_argument(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const Part& part = signature_->parts[at];
  const std::string reference = is_pointer(about) ? "&" : "";
  if (part.encoding == Encoding::handle) return fmt::format("{}mpi_file({})", reference, word(part));
  if (part.encoding == Encoding::opened) {
    after_.push_back(fmt::format("t.end({}) = 0;", word(part)));
    return fmt::format("{}mpi_file({})", reference, word(part));
  }
  return is_pointer(about) ? fmt::format("t.out_object<MPI_File>({}, MPI_FILE_NULL)", at) : "MPI_FILE_NULL";
}

// Points, blocks: one behind the other, or the address of each.
std::string CallWriter::lists(std::size_t at, const std::vector<trace::ListItem>& items) {
  const Argument& about = function_->arguments[at];
  const bool has_addresses = has_addresses_of_lists(about);
  std::string made;
  for (const trace::ListItem& item : items) {
    const bool is_head = item.kind != trace::ListItem::Kind::number;
    if (is_head && !has_addresses) continue;
    if (!made.empty()) made += ", ";
    made += item.kind == trace::ListItem::Kind::nothing ? "-1" : number_text(item.number);
  }
  const std::string base = base_type(about.type);
  if (!has_addresses) return fmt::format("t.list<{}>({}, {{{}}})", base, at, made);
  return fmt::format("t.lists<{}>({}, {{{}}})", base_type(base), at, made);
}

std::string CallWriter::list(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const Part& part = signature_->parts[at];
  const std::string base = base_type(about.type);
  const bool of_objects = (function_->objects >> at & 1) != 0 || about.role == Role::request;
  std::vector<trace::ListItem> with_zero;
  std::vector<trace::ListItem> with_one;
  const std::string& text = tables_->texts[signature_->words[part.word]];
  // A relative item is the one that depends on the own rank.
  trace::take_list(text, 0, with_zero);
  trace::take_list(text, 1, with_one);
  const bool has_lists = !with_zero.empty() && with_zero[0].kind == trace::ListItem::Kind::list;
  if (has_lists || has_addresses_of_lists(about)) return lists(at, with_zero);
  std::int64_t lowest = 0;
  if (about.role == Role::displacement)
    for (const trace::ListItem& item : with_zero)
      if (item.number > (std::int64_t{1} << 40))
        lowest = lowest == 0 ? item.number : std::min(lowest, item.number);
  std::string items;
  for (std::size_t i = 0; i < with_zero.size(); ++i) {
    const trace::ListItem& item = with_zero[i];
    if (i > 0) items += ", ";
    if (item.kind == trace::ListItem::Kind::name)
      items += item.text;
    else if (item.kind == trace::ListItem::Kind::nothing)
      items += of_objects ? null_of(base) : "0";
    else if (of_objects)
      items += fmt::format("{}({})", pool(at), item.number);
    else if (item.number != with_one[i].number)
      items += fmt::format("{} + {}", own_rank(), item.number);
    else if (lowest > 0 && item.number >= lowest)
      items += fmt::format("(i64)world.windows + {}", item.number - lowest);
    else
      items += number_text(item.number);
  }
  if (!of_objects) {
    if (about.direction == Direction::out) return fmt::format("({})t.out({})", about.type, at);
    const std::string made =
        fmt::format("t.list<{}>({}, {{{}}})", about.type.starts_with("int (*)") ? "int" : base, at, items);
    return about.type.find("(*)") != std::string_view::npos ? fmt::format("({}){}", about.type, made) : made;
  }
  if (about.direction != Direction::in)
    for (std::size_t i = 0; i < with_zero.size(); ++i)
      if (with_zero[i].kind == trace::ListItem::Kind::number)
        after_.push_back(fmt::format("{}({}) = static_cast<{}*>(t.out({}))[{}];", pool(at),
                                     with_zero[i].number, base, at, i));
  return fmt::format("t.objects<{}>({}, {{{}}})", base, at, items);
}

bool has_addresses_of_lists(const Argument& about) {
  return std::count(about.type.begin(), about.type.end(), '*') == 2;
}

std::optional<std::size_t> count_of_places(const trace::Function& function, std::size_t at) {
  if (!has_addresses_of_lists(function.arguments[at]) || function.layer.starts_with("mpi"))
    return std::nullopt;
  for (std::size_t i = 0; i < at; ++i)
    if (function.arguments[i].role == Role::count && !is_pointer(function.arguments[i])) return i;
  return std::nullopt;
}

std::optional<std::size_t> type_of_data(const trace::Function& function, std::size_t at) {
  if (function.layer != "hdf5" || !function.arguments[at].type.starts_with("const ")) return std::nullopt;
  for (std::size_t i = 0; i < at; ++i)
    if (function.arguments[i].role == Role::datatype) return i;
  return std::nullopt;
}

std::string CallWriter::library_nothing(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const bool is_const = about.type.starts_with("const ");
  if (about.role == Role::varargs) return {};
  if (about.role == Role::function) {
    const bool is_asked_for = !function_->layer.starts_with("mpi") && about.type.ends_with('*');
    if (is_asked_for) return fmt::format("({})t.out({})", about.type, at);
    const std::string base = base_type(about.type);
    return std::string(find(kFunctions, base, "IgnoredFunction{}"));
  }
  if (about.role == Role::stream) return "stderr";
  if (!is_pointer(about)) return fmt::format("{}{{}}", about.type);
  if (about.name.find("weights") != std::string_view::npos) return "MPI_UNWEIGHTED";
  if (const auto count = count_of_places(*function_, at)) {
    const bool is_data = about.role == Role::buffer;
    return fmt::format("({})t.places({}, {}, {})", about.type, at, given_[*count],
                       !is_data                           ? "nullptr"
                       : about.direction == Direction::in ? "world.source"
                                                          : "world.sink");
  }
  if (about.role == Role::buffer) {
    if (function_->name == "MPI_Free_mem") return "allocated_memory()";
    if (about.direction == Direction::in && !is_const) return fmt::format("({})world.windows", about.type);
    if (const auto type = type_of_data(*function_, at)) return fmt::format("data_of({})", given_[*type]);
    return fmt::format("({})world.{}", about.type, is_const ? "source" : "sink");
  }
  if (function_->name == "H5Tenum_insert") return fmt::format("new_value(t, {})", at);
  if (about.name == "baseptr" || about.name == "argv" || about.name == "argvs") {
    if (about.name == "baseptr") return "new_memory()";
    return about.direction == Direction::inout ? "arguments()" : fmt::format("({})nullptr", about.type);
  }
  return fmt::format("({})t.out({})", about.type, at);
}

std::string CallWriter::library_argument(std::size_t at) {
  const Argument& about = function_->arguments[at];
  const Part& part = signature_->parts[at];
  const bool by_value = !is_pointer(about);
  if (about.role == Role::file && about.type.find("MPI_File") != std::string_view::npos)
    return file_argument(at);
  if ((function_->objects >> at & 1) != 0 || about.role == Role::request) return object_argument(at);
  if (about.role == Role::status &&
      about.type.find("MPI_Status") == std::string_view::npos)  // as Fortran has it
    return fmt::format("({})t.out({})", about.type, at);
  if (about.role == Role::status) {
    if (about.direction == Direction::in || about.direction == Direction::inout) return "&last_status";
    const bool single = part.encoding != Encoding::list;
    if (single) after_.push_back(fmt::format("last_status = *static_cast<MPI_Status*>(t.out({}));", at));
    return fmt::format("static_cast<{}>(t.out({}))", about.type, at);
  }
  switch (part.encoding) {
    case Encoding::list:
      return list(at);
    case Encoding::path:
    case Encoding::path_column:
      return path(at);
    case Encoding::text: {
      if (names_memory(at)) return library_nothing(at);
      const std::string& text = tables_->texts[signature_->words[part.word]];
      if (about.role == Role::text) return plain_text(at);
      return about.role == Role::buffer || by_value
                 ? text
                 : fmt::format("t.out_object<{}>({}, {})", base_type(about.type), at, text);
    }
    case Encoding::null:
      return fmt::format("({})nullptr", about.type);
    case Encoding::relative:
      if (by_value) return fmt::format("({})({} + {})", about.type, own_rank(), word(part));
      return fmt::format("({})t.out({})", about.type, at);
    case Encoding::literal:
    case Encoding::column:
    case Encoding::distance:
      if (about.role == Role::whence) return fmt::format("whence(a{})", at);
      if (by_value && about.role == Role::displacement)
        return fmt::format("({})memory_at(a{})", about.type, at);
      if (by_value && about.name == "keyval") return fmt::format("keyval(a{})", at);
      if (by_value) return fmt::format("({})a{}", about.type, at);
      if (about.name == "keyval") return fmt::format("&keyval(a{})", at);
      if (about.direction == Direction::out) return fmt::format("({})t.out({})", about.type, at);
      return fmt::format("t.out_of<{}>({}, a{})", base_type(about.type), at, at);
    default:
      return library_nothing(at);
  }
}

}  // namespace weir::proxy
