#include "calls/host/parser.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace weir::host {
namespace {

Table parse_good(std::string_view text) {
  Problems problems;
  Table table = parse_table("calls/posix.calls", text, problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.to_string();
  return table;
}

// The one problem of a table with one mistake.
std::string problem_of(std::string_view text) {
  Problems problems;
  parse_table("calls/posix.calls", text, problems);
  EXPECT_EQ(problems.size(), 1U) << text;
  return problems.empty() ? std::string() : problems.front().to_string();
}

TEST(CallTable, ReadsARow) {
  const Table table = parse_good(
      "@include <unistd.h>\n\nssize_t pread(int fd: file, void* buf: buffer, size_t count: bytes, off_t "
      "offset: offset)\n");
  EXPECT_EQ(table.layer, "posix");
  EXPECT_EQ(table.includes, std::vector<std::string>{"<unistd.h>"});
  ASSERT_EQ(table.rows.size(), 1U);
  const Row& row = table.rows[0];
  EXPECT_EQ(row.line, 3);
  EXPECT_EQ(row.name, "pread");
  EXPECT_EQ(row.result_type, "ssize_t");
  EXPECT_EQ(row.result, Role::bytes);
  ASSERT_EQ(row.arguments.size(), 4U);
  EXPECT_EQ(row.arguments[1].type, "void*");
  EXPECT_EQ(row.arguments[1].name, "buf");
  EXPECT_EQ(row.arguments[1].role, Role::buffer);
  EXPECT_EQ(row.arguments[1].direction, Direction::out);
}

TEST(CallTable, AnIndentedLineContinuesTheRow) {
  const Table table = parse_good(
      "int MPI_File_write_at(MPI_File fh: file, MPI_Offset offset: offset, const void* buf: buffer,\n"
      "                      int count: count, MPI_Datatype type: datatype, MPI_Status* st: status) "
      "@collective\n"
      "int close(int fd: file) @closes  # a comment\n");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0].arguments.size(), 6U);
  EXPECT_EQ(table.rows[0].arguments[5].direction, Direction::out);
  EXPECT_TRUE(table.rows[0].collective);
  EXPECT_TRUE(table.rows[1].closes);
}

TEST(CallTable, ReadsEveryAttribute) {
  const Table table = parse_good(
      "int open(const char* path: path, int flags: flags, mode_t mode: mode) @opens @variadic @alias(open64, "
      "__open)\n"
      "int __open_2(const char* path: path, int flags: flags) @opens @means(open) @undeclared\n"
      "int fprintf(FILE* s: stream, const char* f: text, va_list v: varargs) @variadic @real(vfprintf) "
      "@result(bytes)\n"
      "void _exit(int code: value) @leaves\n"
      "pid_t vfork() @by_hand\n");
  EXPECT_TRUE(table.rows[0].opens);
  EXPECT_TRUE(table.rows[0].variadic);
  EXPECT_FALSE(table.rows[0].passes_va_list());
  EXPECT_EQ(table.rows[0].aliases, (std::vector<std::string>{"open64", "__open"}));
  EXPECT_EQ(table.rows[0].result, Role::file);
  EXPECT_EQ(table.rows[1].means, "open");
  EXPECT_TRUE(table.rows[1].undeclared);
  EXPECT_TRUE(table.rows[2].passes_va_list());
  EXPECT_EQ(table.rows[2].real, "vfprintf");
  EXPECT_EQ(table.rows[2].result, Role::bytes);
  EXPECT_TRUE(table.rows[3].leaves);
  EXPECT_TRUE(table.rows[4].by_hand);
}

TEST(CallTable, ReadsWhatAHandleStandsForAndWhichStreamIsMeant) {
  const Table table = parse_good(
      "@library libx.so\n"
      "int pipe(int ends[2]: file) @opens @makes(pipe) @twin(__pipe)\n"
      "int puts(const char* buf: string) @on(stdout)\n"
      "int closeall() @closes_many\n"
      "int execl(const char* path: path, char* const argv[]: text in) @list @real(execv)\n");
  EXPECT_EQ(table.library, "libx.so");
  EXPECT_EQ(table.rows[0].makes, Made::pipe);
  EXPECT_EQ(table.rows[0].arguments[0].items, 2U);
  EXPECT_EQ(table.rows[0].twins, std::vector<std::string>{"__pipe"});
  EXPECT_EQ(table.rows[1].on, Standard::output);
  EXPECT_EQ(table.rows[1].arguments[0].items, 1U);
  EXPECT_TRUE(table.rows[2].closes_many);
  EXPECT_EQ(table.rows[3].list_argument(), 1U);
}

TEST(CallTable, DirectionFollowsTheTypeUnlessStated) {
  const Table table = parse_good(
      "int f(int v: value, const int* in: value, int* out: value, FILE* s: stream, FILE** made: stream,\n"
      "      off_t* at: offset inout, void* given: buffer in)\n");
  const auto& a = table.rows[0].arguments;
  EXPECT_EQ(a[0].direction, Direction::in);
  EXPECT_EQ(a[1].direction, Direction::in);
  EXPECT_EQ(a[2].direction, Direction::out);
  EXPECT_EQ(a[3].direction, Direction::in);
  EXPECT_EQ(a[4].direction, Direction::out);
  EXPECT_EQ(a[5].direction, Direction::inout);
  EXPECT_EQ(a[6].direction, Direction::in);
}

TEST(CallTable, ArraysBecomeThePointersCPasses) {
  const Table table =
      parse_good("int f(const int sizes[]: value, int ranges[][3]: value, char* const argv[]: text in)\n");
  EXPECT_EQ(table.rows[0].arguments[0].type, "const int*");
  EXPECT_EQ(table.rows[0].arguments[1].type, "int (*)[3]");
  EXPECT_EQ(table.rows[0].arguments[2].type, "char* const*");
}

TEST(CallTable, FunctionPointersKeepTheirShape) {
  const Table table = parse_good("int f(int (*filter)(const struct dirent*, int): value, int n: count)\n");
  EXPECT_EQ(table.rows[0].arguments[0].type, "int (*)(const struct dirent*, int)");
  EXPECT_EQ(table.rows[0].arguments[0].name, "filter");
}

TEST(CallTable, NoArgumentsAreWrittenEmptyOrVoid) {
  EXPECT_TRUE(parse_good("int getpid()\n").rows[0].arguments.empty());
  EXPECT_TRUE(parse_good("void sync(void)\n").rows[0].arguments.empty());
}

TEST(CallTable, OneBadRowDoesNotHideTheOthers) {
  Problems problems;
  const Table table =
      parse_table("t.calls", "int a(int x: nonsense)\nint b(int x: value)\nint c(int x)\n", problems);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].line, 1);
  EXPECT_EQ(problems[1].line, 3);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].name, "b");
}

struct BadTable {
  const char* behaviour;
  const char* text;
  const char* problem;
};

class ABadTable : public testing::TestWithParam<BadTable> {};

TEST_P(ABadTable, NamesItsMistakeWithFileAndLine) {
  EXPECT_EQ(problem_of(GetParam().text), std::string("calls/posix.calls:") + GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
    CallTable, ABadTable,
    testing::Values(
        BadTable{"UnknownRole", "# one\nssize_t pread(int fd: file,\n  off_t offset: offst)\n",
                 "3: unknown role 'offst'; did you mean 'offset'"},
        BadTable{"UnknownRoleUnlikeAnyOther", "int f(int x: zebra_crossing)\n",
                 "1: unknown role 'zebra_crossing'"},
        BadTable{"NoRole", "int f(int x)\n", "1: argument 'x' has no role; write 'x: role'"},
        BadTable{"NoRoleAfterTheColon", "int f(int x: )\n", "1: argument 'x' has no role after ':'"},
        BadTable{"NoArgumentName", "int f(int: file)\n", "1: argument 1: a type and a name are needed"},
        BadTable{"TypeWhereTheNameBelongs", "int f(unsigned int: file)\n",
                 "1: argument 1: a name is needed after the type, not 'int'"},
        BadTable{"KeywordAsName", "int f(int new: file)\n",
                 "1: argument 1: a name is needed after the type, not 'new'"},
        BadTable{"PointerWhereTheNameBelongs", "int f(int x*: file)\n",
                 "1: argument 1: a name is needed after the type, not '*'"},
        BadTable{"EmptyArgument", "int f(int x: value,, int y: value)\n", "1: argument 2 is empty"},
        BadTable{"TwoArgumentsOfOneName", "int f(int x: value, int x: value)\n",
                 "1: two arguments are called 'x'"},
        BadTable{"BadDirection", "int f(int* x: value sideways)\n",
                 "1: after the role 'value' stands 'in', 'out', 'inout', ',' or ')', not 'sideways'"},
        BadTable{"BadArrayBound", "int f(int x[: value)\n",
                 "1: argument 1: after an array's name stand '[]' or '[SIZE]'"},
        BadTable{"BadFunctionPointer", "int f(int (*x: value)\n", "1: 'f(' is never closed"},
        BadTable{"FunctionPointerWithoutName", "int f(int (*)(int): value)\n",
                 "1: argument 1: a function pointer is TYPE (*name)(TYPES)"},
        BadTable{"NeverClosed", "int f(int x: value\nint g()\n", "1: 'f(' is never closed"},
        BadTable{"NoParenthesis", "int f\n", "1: a row is TYPE name(TYPE argument: role, ...); no '(' here"},
        BadTable{"NoResultType", "f(int x: value)\n", "1: before '(': a type and a name are needed"},
        BadTable{"KeywordAsCallName", "int delete(int x: value)\n",
                 "1: before '(': a name is needed after the type, not 'delete'"},
        BadTable{"WordsAfterTheRow", "int f(int x: value) noexcept\n",
                 "1: 'noexcept' after the row; only @attributes may follow ')'"},
        BadTable{"UnknownAttribute", "int f(int x: file) @opnes\n",
                 "1: unknown attribute '@opnes'; did you mean 'opens'"},
        BadTable{"AttributeWithoutName", "int f(int x: file) @ @opens\n",
                 "1: '@' without the name of an attribute"},
        BadTable{"AttributeTwice", "int f(int x: file) @closes @closes\n", "1: @closes stands twice"},
        BadTable{"AttributeWithoutItsWord", "int f(int x: file) @alias\n",
                 "1: @alias needs a word: @alias(name)"},
        BadTable{"AttributeWithAWordTooMany", "int f(int x: file) @closes(x)\n", "1: @closes takes no words"},
        BadTable{"AttributeWithTwoWords", "int f(int x: file) @means(a, b)\n", "1: @means takes one word"},
        BadTable{"AttributeNeverClosed", "int f(int x: file) @alias(a\n", "1: '@alias(' is never closed"},
        BadTable{"AttributeWithEmptyWord", "int f(int x: file) @alias()\n",
                 "1: @alias takes names in its parentheses"},
        BadTable{"UnknownResultRole", "int f(int x: file) @result(byte)\n",
                 "1: unknown role 'byte'; did you mean 'bytes'"},
        BadTable{"OpensNothing", "void f(int x: value) @opens\n",
                 "1: @opens, but neither the result nor an out argument has the role of a handle"},
        BadTable{"ClosesNothing", "int f(int x: value) @closes\n",
                 "1: @closes, but no argument has the role of a handle"},
        BadTable{"VariadicWithNothingNamed", "int f(int x: value) @variadic\n",
                 "1: @variadic needs a named argument before the last one, which stands for '...'"},
        BadTable{"VaListWithoutReal", "int f(int x: value, va_list v: varargs) @variadic\n",
                 "1: a va_list in place of '...' needs @real(the function that takes a va_list)"},
        BadTable{"RealWithoutVaList", "int f(int x: value) @real(g)\n",
                 "1: @real is for @list and for @variadic rows that end in a va_list"},
        BadTable{"ListWithoutAnArray", "int f(int x: value) @list @real(g)\n",
                 "1: @list needs @real, no @variadic, and 'char* const*' as its last argument, or its last "
                 "two"},
        BadTable{"ListWithoutReal", "int f(char* const argv[]: text in) @list\n",
                 "1: @list needs @real, no @variadic, and 'char* const*' as its last argument, or its last "
                 "two"},
        BadTable{"UnknownKind", "int f(int x: value) @opens @makes(tube)\n",
                 "1: @makes(tube): it is one of file, pipe, socket, event, memory, terminal, process, "
                 "callback"},
        BadTable{"MakesWithoutOpens", "int f(int x: value) @makes(pipe)\n",
                 "1: @makes is for rows with @opens"},
        BadTable{"UnknownStandardStream", "int f(int x: value) @on(output)\n",
                 "1: @on(output): it is stdin, stdout or stderr"},
        BadTable{"LibraryOfNothing", "@library\n", "1: @library takes one name, once: @library liburing.so"},
        BadTable{"TwoLibraries", "@library liba.so\n@library libb.so\n",
                 "2: @library takes one name, once: @library liburing.so"},
        BadTable{"LibraryAfterARow", "int f(int x: value)\n@library liba.so\n",
                 "2: @library stands before the first row"},
        BadTable{"ContinuesNothing", "  int f(int x: value)\n",
                 "1: this line is indented, so it continues a row, and there is no row above it"},
        BadTable{"IncludeAfterARow", "int f(int x: value)\n@include <a.h>\n",
                 "2: @include stands before the first row"},
        BadTable{"IncludeOfNothing", "@include unistd.h\n",
                 "1: @include takes one header: @include <unistd.h>"},
        BadTable{"StrangeCharacter", "int f(int x: value);\n", "1: ';' has no place in a row"},
        BadTable{"StrangeByte", "int f(\xc3\xa4: value)\n", "1: byte 0xc3 has no place in a row"}),
    [](const auto& bad) { return std::string(bad.param.behaviour); });

TEST(CallTable, TheFileNameMustBeALayersName) {
  Problems problems;
  parse_table("calls/2fast.calls", "", problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].text, "the file's name names the layer, and '2fast' is no C++ name");
}

TEST(CallTable, TooManyArgumentsAreAMistake) {
  std::string text = "int f(int a0: value";
  for (int i = 1; i < 40; ++i) text += ", int a" + std::to_string(i) + ": value";
  EXPECT_EQ(problem_of(text + ")\n"), "calls/posix.calls:1: more than 32 arguments");
}

// Every prefix and every single changed byte of a good table: an answer, never a crash or a hang.
TEST(CallTable, DamagedTablesAreAnsweredNotFollowed) {
  const std::string good =
      "@include <a.h>\nint open(const char* path: path, int (*f)(int): value,\n  mode_t mode[3]: mode) "
      "@opens @alias(b, c)\n";
  for (std::size_t length = 0; length <= good.size(); ++length) {
    Problems problems;
    parse_table("t.calls", std::string_view(good).substr(0, length), problems);
  }
  for (std::size_t at = 0; at < good.size(); ++at)
    for (const char byte : {'\0', '\n', '(', ')', ',', ':', '*', '[', ']', '@', '#', ' ', 'x', '9', '\xff'}) {
      std::string damaged = good;
      damaged[at] = byte;
      Problems problems;
      parse_table("t.calls", damaged, problems);
    }
}

}  // namespace
}  // namespace weir::host
