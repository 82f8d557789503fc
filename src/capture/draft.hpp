#pragma once

#include <cstddef>
#include <cstdint>

#include "capture/signature_table.hpp"
#include "trace/encoding.hpp"
#include "trace/name_template.hpp"

namespace weir::capture {

// A call signature in the making, with the plain values it was made from. Nothing is initialised that is not
// used: one is built for every call.
struct Draft {
  static constexpr std::size_t kPaths = 3;
  struct Name {
    std::uint32_t name_template;
    std::uint32_t numbers;
    std::int64_t values[trace::NameTemplate::kNumbers];
  };

  std::uint64_t words[SignatureTable::kLongest];
  std::int64_t values[trace::Head::kArguments];  // arguments as numbers; handles as their ids
  std::int64_t result;                           // of an opened handle the descriptor
  std::int64_t pair[2];                          // two opened descriptors
  Name names[kPaths];                            // of the path arguments, in their order
  std::size_t count;
  std::size_t arguments;
  std::size_t name_count;
  bool columns;  // whether the record has any

  void begin(std::uint32_t function, std::uint32_t depth, std::size_t argument_count) {
    arguments = argument_count;
    count = trace::Head::words(argument_count);
    words[0] = trace::Head::first(function, depth);
    if (count > 1) words[1] = 0;
    result = 0;
    pair[0] = pair[1] = 0;
    name_count = 0;
    columns = false;
  }
  void put(std::size_t argument, trace::Encoding encoding) {
    words[trace::Head::word_of(argument)] |= static_cast<std::uint64_t>(encoding)
                                             << trace::Head::shift_of(argument);
  }
  void put(std::size_t argument, trace::Encoding encoding, std::uint64_t word) {
    put(argument, encoding);
    words[count++] = word;
  }
  void put_result(trace::Encoding encoding) { words[0] |= trace::Head::result_bits(encoding); }
  void put_result(trace::Encoding encoding, std::uint64_t word) {
    put_result(encoding);
    words[count++] = word;
  }

  std::uint32_t function() const { return trace::Head::function(words[0]); }
  trace::Encoding encoding(std::size_t argument) const {
    return static_cast<trace::Encoding>(
        (words[trace::Head::word_of(argument)] >> trace::Head::shift_of(argument)) & 15);
  }

  // The values that go to the record itself, in the order of the arguments, the result last.
  template <class Put>
  void for_each_column(Put&& put_value) const;

  // The same call with the values taken out of the signature that change from call to call: offsets and the
  // numbers in names, and with `sizes` also sizes, counts and results.
  void holed(bool sizes, Draft& out) const;
  void assign(const Draft& other);  // copies what is in use

 private:
  void copy_values(const Draft& other);
};

template <class Put>
void Draft::for_each_column(Put&& put_value) const {
  using trace::Encoding;
  std::size_t name = 0;
  const auto put_one = [&](Encoding one, std::int64_t value) {
    switch (one) {
      case Encoding::column:
        put_value(value);
        break;
      case Encoding::opened:
        put_value(value);
        break;
      case Encoding::opened_pair:
        put_value(pair[0]);
        put_value(pair[1]);
        break;
      case Encoding::path:
        ++name;
        break;
      case Encoding::path_column:
        for (std::uint32_t i = 0; i < names[name].numbers; ++i) put_value(names[name].values[i]);
        ++name;
        break;
      default:
        break;
    }
  };
  for (std::size_t i = 0; i < arguments; ++i) put_one(encoding(i), values[i]);
  put_one(trace::Head::result(words[0]), result);
}

}  // namespace weir::capture
