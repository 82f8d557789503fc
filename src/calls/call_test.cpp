#include "calls/call.hpp"

#include <set>
#include <string_view>

#include <gtest/gtest.h>

namespace weir {
namespace {

static_assert(name(Call::pread) == "pread");
static_assert(info(Call::pread).layer == Layer::posix);
static_assert(arguments(Call::pread).size() == 4);
static_assert(arguments(Call::pread)[3].role == Role::offset);

TEST(Call, KnowsWhatEachArgumentOfPreadMeans) {
  const auto args = arguments(Call::pread);
  EXPECT_EQ(args[0].name, "fd");
  EXPECT_EQ(args[0].type, "int");
  EXPECT_EQ(args[0].role, Role::file);
  EXPECT_EQ(args[1].type, "void*");
  EXPECT_EQ(args[1].direction, Direction::out);
  EXPECT_EQ(args[2].role, Role::bytes);
  EXPECT_EQ(info(Call::pread).result, Role::bytes);
}

TEST(Call, AConstBufferGoesIn) { EXPECT_EQ(arguments(Call::pwrite)[1].direction, Direction::in); }

TEST(Call, AStreamIsAHandleAndGoesIn) {
  EXPECT_EQ(arguments(Call::fclose)[0].direction, Direction::in);
  EXPECT_EQ(info(Call::fopen).result, Role::stream);
  EXPECT_TRUE(info(Call::fopen).opens);
}

TEST(Call, AnAliasIsTheSameCall) {
  EXPECT_EQ(find_call("open64"), Call::open);
  EXPECT_EQ(find_call("pread64"), Call::pread);
  EXPECT_EQ(find_call("no_such_call"), std::nullopt);
}

TEST(Call, AFortifiedShapeNamesTheCallItMeans) {
  EXPECT_EQ(info(Call::__read_chk).means, Call::read);
  EXPECT_EQ(info(Call::read).means, Call::read);
}

TEST(Call, AFortifiedShapeHasTheArgumentsOfWhatItMeansAtOtherPlaces) {
  static_assert(find_argument(Call::fgets, "size") == 1);
  static_assert(find_argument(Call::__fgets_chk, "size") == 2);
  EXPECT_EQ(find_argument(Call::fgets, "room"), arguments(Call::fgets).size());
}

TEST(Call, SomeHandlesAreNoFiles) {
  EXPECT_EQ(info(Call::open).makes, Made::file);
  EXPECT_EQ(info(Call::socket).makes, Made::socket);
  EXPECT_EQ(info(Call::pipe).makes, Made::pipe);
  EXPECT_EQ(arguments(Call::pipe)[0].items, 2U);
  EXPECT_EQ(arguments(Call::pipe)[0].direction, Direction::out);
}

TEST(Call, SomeCallsMeanAStreamTheyAreNotGiven) {
  EXPECT_EQ(info(Call::puts).on, Standard::output);
  EXPECT_EQ(info(Call::getchar).on, Standard::input);
  EXPECT_EQ(info(Call::fputs).on, Standard::none);
}

TEST(Call, ItsSymbolIsItsOwnName) {
  for (std::size_t i = 0; i < kCallCount; ++i) {
    const auto call = static_cast<Call>(i);
    EXPECT_EQ(info(info(call).symbol).name, name(call));
  }
}

// What a tracer relies on when it follows descriptors.
// Of the C library: MPI_File_get_view makes two datatypes.
TEST(Call, EveryCallThatOpensMakesItsHandleInOnePlace) {
  for (std::size_t i = 0; i < kCallCount; ++i) {
    const auto call = static_cast<Call>(i);
    if (!info(call).opens || info(call).failure != Failure::minus_one) continue;
    std::size_t places = info(info(call).result).handle != HandleKind::none ? 1 : 0;
    for (const Argument& a : arguments(call))
      if (a.direction != Direction::in && info(a.role).handle != HandleKind::none) places += 1;
    EXPECT_TRUE(places == 1 || call == Call::openpty) << name(call) << ' ' << places;
  }
}

TEST(Call, AVariadicStdioCallEndsInItsVaListTwin) {
  EXPECT_STREQ(info(Symbol::fprintf).real_name, "vfprintf");
  EXPECT_STREQ(info(Symbol::open64).real_name, "open64");
}

TEST(Call, LayersAreTheTables) {
  EXPECT_EQ(find_layer("stdio"), Layer::stdio);
  EXPECT_EQ(name(Layer::posix), "posix");
  EXPECT_EQ(find_layer("mpi3"), std::nullopt);
}

TEST(Call, EveryNameIsExportedOnce) {
  std::set<std::string_view> names;
  for (const SymbolInfo& symbol : generated::kSymbols)
    EXPECT_TRUE(names.insert(symbol.name).second) << symbol.name;
  EXPECT_EQ(names.size(), kSymbolCount);
}

}  // namespace
}  // namespace weir
