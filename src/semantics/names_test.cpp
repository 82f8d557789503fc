#include "semantics/names.hpp"

#include <gtest/gtest.h>

namespace weir::semantics {
namespace {

using Kind = NameUse::Kind;

// By time.
class Later : public Precedence {
 public:
  bool before(const Moment& first, const Moment& second) const override {
    return first.end_ns < second.start_ns;
  }
};

class Names : public testing::Test {
 protected:
  void use(Kind kind, std::uint32_t process, const std::string& name, const std::string& other = {}) {
    ++now_;
    const std::uint32_t number = number_of(name);
    accesses_.name_uses.push_back(
        {kind, number, other.empty() ? 0 : number_of(other), {process, 0, 0}, now_, now_});
  }
  // So many that rely on what another process did before.
  std::uint64_t dependencies() const {
    const NameFindings found = find_name_dependencies(accesses_, Later(), 10);
    EXPECT_EQ(found.races, 0U);
    return found.dependencies;
  }

 private:
  std::uint32_t number_of(const std::string& name) {
    for (std::uint32_t i = 0; i < accesses_.names.size(); ++i)
      if (accesses_.names[i] == name) return i;
    accesses_.names.push_back(name);
    return static_cast<std::uint32_t>(accesses_.names.size() - 1);
  }

  Accesses accesses_;
  std::int64_t now_ = 0;
};

TEST_F(Names, OpeningWhatAnotherProcessMadeIsADependency) {
  use(Kind::create, 0, "/d/x");
  use(Kind::open, 0, "/d/x");
  EXPECT_EQ(dependencies(), 0U);
  use(Kind::open, 1, "/d/x");
  EXPECT_EQ(dependencies(), 1U);
}

TEST_F(Names, WhatIsMissedMustHaveBeenTakenAway) {
  use(Kind::create, 0, "/d/x");
  use(Kind::miss, 1, "/d/x");
  EXPECT_EQ(dependencies(), 0U);
  use(Kind::remove, 0, "/d/x");
  use(Kind::miss, 1, "/d/x");
  EXPECT_EQ(dependencies(), 1U);
}

TEST_F(Names, AListReliesOnWhatWasRenamedIntoTheDirectory) {
  use(Kind::create, 0, "/a/x");
  use(Kind::open, 0, "/b");
  use(Kind::rename, 0, "/a/x", "/b/x");
  use(Kind::list, 1, "/b");
  EXPECT_EQ(dependencies(), 1U);
}

TEST_F(Names, ALookReliesOnTheSizeAndAnOpenDoesNot) {
  use(Kind::resize, 0, "/d/x");
  use(Kind::open, 1, "/d/x");
  EXPECT_EQ(dependencies(), 0U);
  use(Kind::look_up, 1, "/d/x");
  EXPECT_EQ(dependencies(), 1U);
}

}  // namespace
}  // namespace weir::semantics
