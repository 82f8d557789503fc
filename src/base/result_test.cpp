#include "base/result.hpp"

#include <cerrno>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace weir {
namespace {

Result<int> parse_digit(char c) {
  if (c < '0' || c > '9') return Error{Errc::bad_data, fmt::format("'{}' is no digit", c)};
  return c - '0';
}

TEST(Result, CarriesItsValueOrItsError) {
  EXPECT_EQ(*parse_digit('7'), 7);
  const auto bad = parse_digit('x');
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), Errc::bad_data);
  EXPECT_EQ(bad.value_or(3), 3);
}

TEST(Result, ContextsReadFromTheOutsideIn) {
  const Error error = parse_digit('x').error().in("column 2").in("runs.csv").with_remedy("use --strict");
  EXPECT_EQ(error.text(), "runs.csv: column 2: 'x' is no digit; use --strict");
}

TEST(Result, HoldsMoveOnlyValues) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = std::move(made).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Result, TransformAndAndThenPassErrorsOn) {
  const auto twice = [](int v) { return v * 2; };
  EXPECT_EQ(*parse_digit('4').transform(twice), 8);
  EXPECT_EQ(parse_digit('?').transform(twice).error().message(), "'?' is no digit");
  EXPECT_EQ(*parse_digit('4').and_then([](int v) { return parse_digit(static_cast<char>('0' + v + 1)); }), 5);
}

TEST(Result, AVoidResultIsGoodUnlessGivenAnError) {
  EXPECT_TRUE(Result<void>());
  EXPECT_FALSE(Result<void>(Error{Errc::io, "no"}));
}

TEST(Result, ErrnoBecomesTheFittingCode) {
  EXPECT_EQ(Error::from_errno(ENOENT, "open").code(), Errc::not_found);
  EXPECT_EQ(Error::from_errno(EACCES, "open").text(), "open: Permission denied");
  EXPECT_EQ(Error::from_errno(ENOSPC, "write").code(), Errc::full);
}

TEST(Result, ExitCodesAreThoseOfTheManual) {
  EXPECT_EQ(exit_code(Errc::usage), 2);
  EXPECT_EQ(exit_code(Errc::not_found), 2);
  EXPECT_EQ(exit_code(Errc::lacking), 3);
  EXPECT_EQ(exit_code(Errc::internal), 4);
  EXPECT_EQ(exit_code(Errc::interrupted), 130);
}

TEST(ResultDeathTest, AskingAFailedResultForItsValueStopsTheProgram) {
  EXPECT_DEATH(static_cast<void>(*parse_digit('x')), "internal failure at .*'x' is no digit");
}

}  // namespace
}  // namespace weir
