#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "proxy/plan.hpp"
#include "trace/signature.hpp"

namespace weir::proxy {

// What the calls of a program need at its head.
struct Declarations {
  std::set<std::string> functions;
  std::set<std::string> pools;  // tables of the objects of a library
};

// Writes one signature as C++: the call with its arguments, and what it leaves in the stream's state.
class CallWriter {
 public:
  CallWriter(const Plan& plan, std::uint32_t signature, Declarations& declarations);

  // The statements of the function's body.
  std::string write();

 private:
  using Part = trace::Signature::Part;

  // A word of the signature as an expression; `k` counts the words of the part.
  std::string word(const Part& part, std::uint32_t k = 0) const;
  std::uint32_t column_slot(std::size_t part) const;
  std::string differences(std::size_t part) const;

  // An argument as the call is given it.
  std::string argument(std::size_t at);
  std::string plain_argument(std::size_t at);
  std::string nothing(std::size_t at);
  bool names_memory(std::size_t at) const;
  std::string plain_text(std::size_t at);
  std::string path(std::size_t at);
  std::string handle(std::size_t at);
  std::string varargs(std::size_t at);

  // Those of libraries with objects of their own (call_writer_library.cpp).
  std::string library_argument(std::size_t at);
  std::string object_argument(std::size_t at);
  std::string file_argument(std::size_t at);
  std::string list(std::size_t at);
  std::string lists(std::size_t at, const std::vector<trace::ListItem>& items);
  std::string library_nothing(std::size_t at);
  std::string pool(std::size_t at);
  std::string pool_of(std::string_view type, Role role);
  std::string own_rank();
  void note_completion();

  std::string end_of_handle(std::int8_t at) const;
  std::string wanted() const;
  void check_result(std::string_view call);
  std::string call_text(std::string given, bool has_list) const;
  void advance(std::string_view result);

  void line(std::string text) { lines_ += "  " + std::move(text) + "\n"; }

  const Plan* plan_;
  const trace::Tables* tables_;
  const trace::Signature* signature_;
  const trace::Function* function_;
  Declarations* declarations_;
  std::uint32_t number_;
  bool is_library_;
  std::string lines_;
  std::vector<std::string> handles_;  // that it is given, by their numbers
  std::vector<std::string> paths_;
  std::vector<std::string> given_;   // each argument
  std::vector<std::string> before_;  // the call, when all its arguments are made
  std::vector<std::string> after_;   // behind it
};

// Which argument says what type the data has that argument `at` points to, where the data depends on it.
std::optional<std::size_t> type_of_data(const trace::Function& function, std::size_t at);
// Whether it is given the addresses of lists, or of data in several places; and which argument says of how
// many.
bool has_addresses_of_lists(const Argument& about);
std::optional<std::size_t> count_of_places(const trace::Function& function, std::size_t at);
// Text as a C string literal; bytes that are not printable as octal.
std::string c_string(std::string_view text);
std::string number_text(std::int64_t value);
// "MPI_Comm" of "const MPI_Comm*".
std::string base_type(std::string_view type);

}  // namespace weir::proxy
