#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/record.hpp"

namespace weir::semantics::detail {

// Where the bytes of an MPI datatype lie: runs in the order of the type map, neighbours joined.
struct Datatype {
  struct Run {
    std::int64_t at = 0;
    std::int64_t bytes = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };

  std::vector<Run> runs;
  std::int64_t size = 0;  // bytes of data
  std::int64_t lower = 0;
  std::int64_t extent = 0;
  std::int64_t alignment =
      1;  // the extent of what is made of it is a multiple; 1 where the program chose one
};

using DatatypePointer = std::shared_ptr<const Datatype>;

// The datatypes of a process, rebuilt from the calls that made them.
class Datatypes {
 public:
  // As a call names it: predefined or made; null when it was not seen.
  DatatypePointer find(const trace::Value& value) const;
  // A call that makes one, and that succeeded.
  void make(const trace::Record& record);
  void free(const trace::Value& value);

 private:
  std::optional<Datatype> built(const trace::Record& record) const;

  std::unordered_map<std::int64_t, DatatypePointer> made_;
};

// Bytes of a predefined datatype; none for what is not known.
std::optional<std::int64_t> predefined_size(std::string_view name);

// A file as a process sees it through MPI_File_set_view.
struct FileView {
  std::int64_t displacement = 0;
  std::int64_t etype_bytes = 1;
  DatatypePointer filetype;  // null: bytes one after the other

  // The ranges of the file that `bytes` of data from position `at` (in etypes) lie in, ascending where the
  // type is. None where they are too many to be followed, or beyond any file.
  std::optional<std::vector<Datatype::Run>> ranges(std::int64_t at, std::int64_t bytes) const;
};

}  // namespace weir::semantics::detail
