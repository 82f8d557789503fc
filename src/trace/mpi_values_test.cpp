// Ranks, objects, statuses and lists, from their words to what people and machines read. The functions are
// described as a trace describes them, so that no call table needs to have them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/compress.hpp"
#include "trace/list_text.hpp"
#include "trace/made_run_test.hpp"
#include "trace/own_signatures.hpp"
#include "trace/raw_lane_test.hpp"
#include "trace/record_text.hpp"
#include "trace/tables.hpp"

namespace weir::trace {
namespace {

using made::RawPart;

struct Described {
  std::string_view name;
  std::string_view layer;
  std::string_view result;
  std::vector<std::array<std::string_view, 3>> arguments;  // name, role, direction
};

std::vector<Function> functions(const std::vector<Described>& all) {
  ByteWriter plain;
  plain.varint(all.size());
  for (const Described& one : all) {
    plain.string(one.name);
    plain.string(one.name);
    plain.string(one.layer);
    plain.string("int");
    plain.string(one.result);
    plain.u8(0);
    plain.varint(one.arguments.size());
    for (const auto& [name, role, direction] : one.arguments) {
      plain.string(name);
      plain.string("int");
      plain.string(role);
      plain.string(direction);
    }
  }
  ByteWriter packed;
  put_packed(packed, plain.view());
  ByteReader in(packed.view());
  return *take_functions(in);
}

class MpiValues : public testing::Test {
 protected:
  enum : std::uint32_t { recv, waitall, alltoallv, write_at, make, open };

  MpiValues() {
    tables_.functions = functions(
        {{"MPI_Recv",
          "mpi",
          "value",
          {{{"source", "rank", "in"}},
           {{"tag", "tag", "in"}},
           {{"comm", "communicator", "in"}},
           {{"status", "status", "out"}}}},
         {"MPI_Waitall", "mpi", "value", {{{"requests", "request", "inout"}}}},
         {"MPI_Alltoallv", "mpi", "value", {{{"counts", "count", "in"}}, {{"comm", "communicator", "in"}}}},
         {"MPI_File_write_at",
          "mpiio",
          "value",
          {{{"fh", "file", "in"}},
           {{"offset", "offset", "in"}},
           {{"count", "count", "in"}},
           {{"type", "datatype", "in"}}}},
         {"H5Gcreate", "hdf5", "object", {{{"loc", "object", "in"}}}},
         {"MPI_File_open", "mpiio", "value", {{{"filename", "path", "in"}}, {{"file", "file", "out"}}}}});
    tables_.templates = {"out.dat"};
    tables_.numbers_in = {0};
    process_.rank = 5;
    process_.world_size = 8;
    process_.communicators = {0, 1};
    communicators_ = {{1, 0, {{1, 2, 4}}, {}}, {2, 0, {{0, 1, 8}}, {}}};  // 5 is rank 2 of the first
  }

  std::uint32_t text(std::string_view text) {
    tables_.texts.emplace_back(text);
    return static_cast<std::uint32_t>(tables_.texts.size() - 1);
  }

  // Adds a signature; `parts` are the arguments and the result.
  void add(std::uint32_t function, const std::vector<RawPart>& parts) {
    auto words = made::signature_words(static_cast<Call>(0), parts);
    words[0] |= function;
    auto parsed = parse_signature(words, tables_.functions, tables_.numbers_in, tables_.texts.size());
    ASSERT_TRUE(parsed) << parsed.error().text();
    tables_.signatures.push_back(std::move(*parsed));
    numbers_.push_back(static_cast<std::uint32_t>(numbers_.size()));
  }

  // The calls as text, and as JSON.
  std::vector<std::string> shown(bool json = false) {
    const OwnSignatures own = own_signatures(tables_, numbers_, process_, communicators_);
    Replay replay(tables_, 1);
    std::vector<std::string> lines;
    for (const OwnSignature& one : own.list) {
      Record record;
      const std::int64_t columns[live::kMostColumns] = {-1};
      replay.apply(one, columns, &record);
      fmt::memory_buffer out;
      if (!json) {
        append_call(out, record);
        fmt::format_to(fmt::appender(out), " = ");
        append_result(out, record);
      } else {
        for (std::size_t i = 0; i < record.arguments.size(); ++i) {
          if (i > 0) out.push_back(' ');
          append_json_argument(out, *record.function, record.function->arguments[i], record.arguments[i]);
        }
      }
      lines.push_back(to_string(out));
    }
    return lines;
  }

  static RawPart literal(std::int64_t value) {
    return {Encoding::literal, {static_cast<std::uint64_t>(value)}};
  }
  static RawPart relative(std::int64_t value) {
    return {Encoding::relative, {static_cast<std::uint64_t>(value)}};
  }
  static RawPart status(Encoding encoding, std::int32_t source, std::int32_t tag) {
    return {encoding, made::status(encoding, source, tag).words};
  }
  RawPart named(std::string_view name) { return {Encoding::text, {text(name)}}; }
  RawPart list(const std::string& items) { return {Encoding::list, {text(items)}}; }

  Tables tables_;
  std::vector<std::uint32_t> numbers_;
  ProcessInfo process_;
  std::vector<Communicator> communicators_;
};

TEST_F(MpiValues, RanksCountFromTheCallersOwnInTheCommunicatorOfTheCall) {
  for (const RawPart& comm : {named("MPI_COMM_WORLD"), named("MPI_COMM_SELF"), literal(1), literal(2),
                              literal(99), RawPart{Encoding::null, {}}})
    add(recv, {relative(-1), literal(7), comm, {Encoding::absent, {}}, literal(0)});
  EXPECT_THAT(shown(), testing::ElementsAre("MPI_Recv(4, 7, MPI_COMM_WORLD, …) = 0",
                                            "MPI_Recv(-1, 7, MPI_COMM_SELF, …) = 0",
                                            "MPI_Recv(1, 7, comm#1, …) = 0", "MPI_Recv(4, 7, comm#2, …) = 0",
                                            "MPI_Recv(4, 7, comm#99, …) = 0", "MPI_Recv(4, 7, NULL, …) = 0"));
}

TEST_F(MpiValues, AStatusIsSourceAndTag) {
  add(recv, {literal(-1), literal(-2), literal(1), status(Encoding::relative, -2, 70), literal(0)});
  add(recv, {named("MPI_ANY_SOURCE"), named("MPI_ANY_TAG"), literal(1), status(Encoding::literal, -2, -1),
             literal(0)});
  EXPECT_THAT(shown(), testing::ElementsAre("MPI_Recv(-1, -2, comm#1, {0, 70}) = 0",
                                            "MPI_Recv(MPI_ANY_SOURCE, MPI_ANY_TAG, comm#1, {-2, -1}) = 0"));
  EXPECT_THAT(
      shown(true),
      testing::ElementsAre("-1 -2 \"comm#1\" {\"source\": 0, \"tag\": 70}",
                           "\"MPI_ANY_SOURCE\" \"MPI_ANY_TAG\" \"comm#1\" {\"source\": -2, \"tag\": -1}"));
}

TEST_F(MpiValues, ListsHoldNumbersRanksNamesAndNothing) {
  add(waitall, {list(made::item(3) + made::null_item() + made::item(12)), literal(0)});
  add(alltoallv, {list(made::item(-1) + made::relative_item(2) + made::name_item("MPI_IN_PLACE")), literal(1),
                  literal(0)});
  add(alltoallv, {list(""), literal(1), literal(0)});
  EXPECT_THAT(shown(), testing::ElementsAre("MPI_Waitall([request#3, NULL, request#12]) = 0",
                                            "MPI_Alltoallv([-1, 4, MPI_IN_PLACE], comm#1) = 0",
                                            "MPI_Alltoallv([], comm#1) = 0"));
  EXPECT_THAT(shown(true), testing::ElementsAre("[\"request#3\", null, \"request#12\"]",
                                                "[-1, 4, \"MPI_IN_PLACE\"] \"comm#1\"", "[] \"comm#1\""));
}

TEST_F(MpiValues, ListsMayHoldLists) {
  add(alltoallv, {list(made::inner_list(2) + made::item(1) + made::item(-2) + made::null_item() +
                       made::inner_list(0) + made::item(7)),
                  literal(1), literal(0)});
  EXPECT_THAT(shown(), testing::ElementsAre("MPI_Alltoallv([[1, -2], NULL, [], 7], comm#1) = 0"));
  EXPECT_THAT(shown(true), testing::ElementsAre("[[1, -2], null, [], 7] \"comm#1\""));
}

// A file of MPI has a name and a place where the last access began, like a descriptor, but no number.
TEST_F(MpiValues, FilesOfMpiAreHandles) {
  add(open, {{Encoding::path, {0}}, {Encoding::opened, {3}}, literal(0)});
  add(write_at,
      {{Encoding::handle, {3}}, {Encoding::distance, {4096}}, literal(10), named("MPI_INT"), literal(0)});
  add(write_at, {{Encoding::handle, {3}}, {Encoding::distance, {100}}, literal(10), literal(2), literal(0)});
  EXPECT_THAT(shown(), testing::ElementsAre("MPI_File_open(\"out.dat\", <out.dat>) = 0",
                                            "MPI_File_write_at(<out.dat>, 4096, 10, MPI_INT) = 0",
                                            "MPI_File_write_at(<out.dat>, 4196, 10, datatype#2) = 0"));
}

TEST_F(MpiValues, ResultsAreObjectsToo) {
  add(make, {named("H5P_DEFAULT"), literal(12)});
  add(make, {literal(3), {Encoding::failed, {0}}});
  EXPECT_THAT(shown(),
              testing::ElementsAre("H5Gcreate(H5P_DEFAULT) = object#12", "H5Gcreate(object#3) = -1"));
}

TEST(ListText, DamagedOnesGiveWhatCameBefore) {
  const std::string whole = made::item(1) + made::name_item("abc") + made::item(1 << 20);
  std::vector<ListItem> items;
  take_list(whole, 0, items);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[1].text, "abc");
  EXPECT_EQ(items[2].number, 1 << 20);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = whole.substr(0, length);
    take_list(cut, 0, items);
    EXPECT_LT(items.size(), 3U);
  }
}

TEST(ListText, AListInsideHasNoMoreItemsThanFollow) {
  const std::string cut = made::inner_list(UINT64_MAX >> 3) + made::item(1);
  std::vector<ListItem> items;
  take_list(cut, 0, items);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].kind, ListItem::Kind::list);
  EXPECT_EQ(items[0].number, 1);
}

}  // namespace
}  // namespace weir::trace
