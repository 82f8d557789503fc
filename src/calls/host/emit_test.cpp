#include "calls/host/emit.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calls/host/parser.hpp"

namespace weir::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CallCatalog : public testing::Test {
 protected:
  void table(const std::string& file, std::string_view text) {
    tables_.push_back(parse_table(file, text, problems_));
  }
  Catalog made() { return make_catalog(tables_, problems_); }
  std::vector<std::string> problems() {
    made();
    std::vector<std::string> texts;
    for (const Problem& problem : problems_) texts.push_back(problem.to_string());
    return texts;
  }
  std::string shims() { return emit_shims(made(), tables_.front(), problems_); }

  std::vector<Table> tables_;
  Problems problems_;
};

TEST_F(CallCatalog, ACallListedTwiceNamesBothPlaces) {
  table("calls/a.calls", "int close(int fd: file)\n");
  table("calls/b.calls", "# again\nint close(int fd: file)\n");
  EXPECT_THAT(problems(), ElementsAre("calls/b.calls:2: 'close' is already in calls/a.calls:1"));
}

TEST_F(CallCatalog, AnAliasMayNotBeAnotherCall) {
  table("calls/a.calls", "int open64(int x: value)\nint open(int x: value) @alias(open64)\n");
  EXPECT_THAT(problems(), ElementsAre("calls/a.calls:2: 'open64' is already in calls/a.calls:1"));
}

TEST_F(CallCatalog, MeansMustNameARow) {
  table("calls/a.calls", "ssize_t read(int fd: file)\nssize_t __read_chk(int fd: file) @means(raed)\n");
  EXPECT_THAT(problems(), ElementsAre("calls/a.calls:2: @means(raed): no row 'raed'; did you mean 'read'"));
}

TEST_F(CallCatalog, MeansMustAgreeInArgumentsOfOneName) {
  table("calls/a.calls",
        "int read(int fd: file, int n: bytes)\nint r2(int fd: file, int n: count) @means(read)\n");
  EXPECT_THAT(
      problems(),
      ElementsAre("calls/a.calls:2: @means(read): argument 'n' is 'int: count' here and 'int: bytes' there"));
}

TEST_F(CallCatalog, MeansMayAddAndLeaveOutArgumentsButNotMoveThem) {
  table("calls/a.calls",
        "int open(int path: path, int flags: flags, int mode: mode)\n"
        "int open2(int room: room, int path: path, int flags: flags) @means(open)\n"
        "int open3(int flags: flags, int path: path) @means(open)\n"
        "int open4(int other: value) @means(open)\n");
  EXPECT_THAT(problems(),
              ElementsAre("calls/a.calls:3: @means(open): argument 'path' stands in another order there",
                          "calls/a.calls:4: @means(open): no argument has the name of one there"));
}

TEST_F(CallCatalog, ALayerIsOneTable) {
  table("calls/a.calls", "int f(int x: value)\n");
  table("more/a.calls", "int g(int x: value)\n");
  EXPECT_THAT(problems(), ElementsAre("more/a.calls:1: layer 'a' is already calls/a.calls"));
}

TEST_F(CallCatalog, AShimHoldsNoLogic) {
  table("calls/posix.calls",
        "@include <unistd.h>\nssize_t pread(int fd: file, void* buf: buffer, size_t count: bytes, off_t "
        "offset: offset)\n");
  EXPECT_THAT(
      shims(),
      HasSubstr(
          "[[maybe_unused]] constexpr ssize_t (*header_agrees_pread)(int, void*, size_t, off_t) = &::pread;\n"
          "extern \"C\" ssize_t shim_pread(int, void*, size_t, off_t) __asm__(\"pread\") WEIR_EXPORT;\n"
          "extern \"C\" ssize_t shim_pread(int fd, void* buf, size_t count, off_t offset) {\n"
          "  return intercept<Call::pread, ssize_t(int, void*, size_t, off_t)>(fd, buf, count, offset);\n"
          "}\n"));
  EXPECT_THAT(shims(), HasSubstr("#include <unistd.h>\n"));
}

TEST_F(CallCatalog, AnAliasCallsItsOwnRealFunction) {
  table("calls/posix.calls", "int creat(const char* path: path, mode_t mode: mode) @opens @alias(creat64)\n");
  EXPECT_THAT(shims(),
              HasSubstr("intercept<Call::creat, int(const char*, mode_t), Symbol::creat64>(path, mode)"));
}

TEST_F(CallCatalog, AVariadicShimTakesItsLastArgumentByHand) {
  table("calls/posix.calls",
        "int open(const char* path: path, int flags: flags, mode_t mode: mode) @opens @variadic\n");
  EXPECT_THAT(shims(), HasSubstr("constexpr int (*header_agrees_open)(const char*, int, ...) = &::open;"));
  EXPECT_THAT(shims(), HasSubstr("const mode_t mode = weir::take_last<Call::open>(weir_rest, path, flags);"));
}

TEST_F(CallCatalog, AnUndeclaredCallIsNotComparedWithAHeader) {
  table("calls/posix.calls", "int __open_2(const char* path: path, int flags: flags) @opens @undeclared\n");
  EXPECT_THAT(shims(), Not(HasSubstr("header_agrees")));
}

TEST_F(CallCatalog, ACallDoneByHandHasNeitherShimNorExport) {
  table("calls/posix.calls", "pid_t vfork() @by_hand\npid_t fork()\n");
  EXPECT_THAT(shims(), Not(HasSubstr("vfork")));
  EXPECT_EQ(emit_exports(made(), tables_[0]), "fork\n");
}

TEST_F(CallCatalog, ATwinIsNotComparedWithAHeader) {
  table("calls/posix.calls", "int close(int fd: file) @closes @twin(__close)\n");
  EXPECT_THAT(shims(), HasSubstr("header_agrees_close)"));
  EXPECT_THAT(shims(), Not(HasSubstr("header_agrees___close")));
  EXPECT_THAT(shims(), HasSubstr("__asm__(\"__close\") WEIR_EXPORT;"));
  EXPECT_EQ(emit_exports(made(), tables_[0]), "__close\nclose\n");
}

TEST_F(CallCatalog, AListOfStringsArrivesAsOneArray) {
  table("calls/posix.calls",
        "int execle(const char* path: path, char* const argv[]: text in, char* const envp[]: text in) @list "
        "@real(execve) @leaves\n");
  const std::string text = shims();
  EXPECT_THAT(text, HasSubstr("(*header_agrees_execle)(const char*, const char*, ...) = &::execle;"));
  EXPECT_THAT(text, HasSubstr("(*header_agrees_execle_real)(const char*, char* const*, char* const*) = "
                              "&::execve;"));
  EXPECT_THAT(text, HasSubstr("shim_execle(const char* path, const char* weir_first, ...) {"));
  EXPECT_THAT(text, HasSubstr("weir::collect_strings(argv, weir_first, weir_rest);"));
  EXPECT_THAT(text, HasSubstr("char* const* const envp = va_arg(weir_rest, char* const*);"));
  EXPECT_THAT(text, HasSubstr("int(const char*, char* const*, char* const*)>(path, argv, envp)"));
}

TEST_F(CallCatalog, ALibraryThatMayBeAbsentIsLookedForFirst) {
  table("calls/uring.calls", "@library liburing.so\nint f(int x: value)\n");
  EXPECT_THAT(shims(), HasSubstr("WEIR_FIND_LAYER_IF_LOADED(uring, \"liburing.so\")\n"));
}

TEST_F(CallCatalog, ProfiledNamesCallTheirOwnFunctions) {
  table("calls/mpi.calls", "@failure nonzero\n@profiled\n@varies\nint MPI_Init(int x: value)\n");
  const std::string text = shims();
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_THAT(text, HasSubstr("#ifdef WEIR_HAS_PMPI_Init\n"));
  EXPECT_THAT(text, HasSubstr("intercept<Call::MPI_Init, int(int), Symbol::PMPI_Init>(x)"));
  EXPECT_THAT(emit_table(made()), HasSubstr("Failure::nonzero}"));
}

TEST_F(CallCatalog, ArraysKnowTheArgumentThatCountsThem) {
  table("calls/mpi.calls",
        "int f(int n: count, const int a[]: value [n], int r[][3]: rank in [3 * n], int* m: count,\n"
        "      int b[]: value [*m], MPI_Comm c: communicator, const int d[]: count [size(c)])\n");
  const std::string text = emit_table(made());
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_THAT(text,
              HasSubstr("{\"a\", \"const int*\", Role::value, Direction::in, {Many::argument, 0, 1, 0}, 1}"));
  EXPECT_THAT(text, HasSubstr("{Many::argument, 0, 3, 0}, "));
  EXPECT_THAT(text, HasSubstr("{Many::pointed, 3, 1, 3}, 1}"));
  EXPECT_THAT(text, HasSubstr("{Many::size, 5, 1, 5}, 1}"));
}

TEST_F(CallCatalog, ArraysKnowTheListThatCountsThem) {
  table("calls/mpi.calls",
        "int f(int n: count, const int a[]: count [n], const int b[]: rank [sum(a)], const int c[]: rank "
        "[last(a)])\n");
  const std::string text = emit_table(made());
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_THAT(text, HasSubstr("{Many::sum, 1, 1, 1}, 1}"));
  EXPECT_THAT(text, HasSubstr("{Many::last, 1, 1, 1}, 1}"));
}

TEST_F(CallCatalog, TheDimensionsOfAVariableTakeTwoArguments) {
  table("calls/netcdf.calls",
        "int f(int ncid: object, int varid: value, const size_t* start: value [rank(ncid, varid)])\n");
  EXPECT_THAT(emit_table(made()), HasSubstr("{Many::rank, 0, 1, 1}, 1}"));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(CallCatalog, ListsOfListsKnowWhatCountsEach) {
  table("calls/pnetcdf.calls",
        "int f(int ncid: object, int n: count, int* ids: value in [n],\n"
        "      MPI_Offset* const* starts: value in [n][rank(ncid, ids)])\n"
        "int g(hid_t space: space, size_t n: count, const hsize_t* points: value [n][rank(space)])\n");
  const std::string text = emit_table(made());
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_THAT(text, HasSubstr("{\"starts\", \"MPI_Offset* const*\", Role::value, Direction::in, "
                              "{Many::argument, 1, 1, 1, true, 0, 2}, 1}"));
  EXPECT_THAT(text, HasSubstr("{Many::argument, 1, 1, 1, true, 0, 0}, 1}"));
}

// What one version has as a macro, another has as a function; the names are enumerators here.
TEST_F(CallCatalog, AMacroOfTheNameOfAFunctionThatIsNotThereIsForgotten) {
  table("calls/hdf5.calls", "@include <hdf5.h>\n@include_if <H5Ldevelop.h>\n@varies\nint f(int x: value)\n");
  const std::string text = shims();
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_THAT(text, HasSubstr("#if __has_include(<H5Ldevelop.h>)\n#include <H5Ldevelop.h>\n#endif\n"));
  EXPECT_THAT(text, HasSubstr("#ifndef WEIR_HAS_f\n#undef f\n#endif\n"));
  EXPECT_LT(text.find("#undef f"), text.find("#include \"intercept/shim.hpp\""));
}

TEST_F(CallCatalog, ATableMayAddToTheLayerOfOneBeforeIt) {
  table("calls/hdf5.calls", "int f(int x: value)\n");
  table("calls/hdf5_parallel.calls", "@layer hdf5\nint g(int x: value)\n");
  EXPECT_THAT(emit_ids(made()), HasSubstr("enum class Layer : std::uint8_t {\n  hdf5,\n};"));
  EXPECT_EQ(emit_exports(made(), tables_[0]), "f\n");
  EXPECT_EQ(emit_exports(made(), tables_[1]), "g\n");
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(CallCatalog, ALayerThatNoTableHasIsAMistake) {
  table("calls/hdf5_parallel.calls", "@layer hdf5\nint g(int x: value)\n");
  EXPECT_THAT(problems(), testing::Contains(
                              "calls/hdf5_parallel.calls:1: @layer hdf5: no table before it has that name"));
}

TEST_F(CallCatalog, TheExportListIsSortedAndHasEveryName) {
  table("calls/posix.calls", "int b(int x: value) @alias(a)\nint c(int x: value)\n");
  table("calls/stdio.calls", "int d(int x: value)\n");
  EXPECT_EQ(emit_exports(made(), tables_[0]), "a\nb\nc\n");
}

TEST_F(CallCatalog, TheGuideShowsWhatACallMeans) {
  table("calls/posix.calls",
        "ssize_t read(int fd: file, void* buf: buffer, size_t count: bytes) @alias(read64)\n");
  EXPECT_THAT(emit_guide(made()),
              HasSubstr("| `ssize_t read(int fd, void* buf, size_t count)` | fd file, buf buffer, "
                        "count bytes → bytes | `read64` |\n"));
}

TEST_F(CallCatalog, TheGuideSaysWhatIsNoFileAndWhichStreamIsMeant) {
  table("calls/posix.calls",
        "int pipe(int ends[2]: file) @opens @makes(pipe) @twin(__pipe)\n"
        "int puts(const char* buf: string) @on(stdout)\n");
  EXPECT_THAT(emit_guide(made()), HasSubstr("| ends file → value (pipe) | `__pipe` |\n"));
  EXPECT_THAT(emit_guide(made()), HasSubstr("| buf string → value, on stdout |"));
}

}  // namespace
}  // namespace weir::host
