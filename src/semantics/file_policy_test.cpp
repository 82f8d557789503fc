#include "semantics/file_policy.hpp"

#include <gtest/gtest.h>

namespace weir::semantics {
namespace {

// A scratch file that anything will do for, and one of the same name that was renamed and needs posix.
TEST(FilePolicy, TakesTheStrongestModelOfAllFilesThatHadAName) {
  Accesses accesses;
  Verdict verdict;
  for (const consistency::Model& model : consistency::built_in_models()) verdict.models.push_back(model);
  const auto add = [&](std::vector<std::string> names, std::uint32_t writers,
                       std::optional<std::size_t> weakest) {
    File file;
    file.name = names.front();
    file.later_names.assign(names.begin() + 1, names.end());
    file.writers = writers;
    FileVerdict one;
    one.file = accesses.files.size();
    one.weakest = weakest;
    accesses.files.push_back(std::move(file));
    verdict.files.push_back(std::move(one));
  };
  add({"/d/x"}, 1, verdict.models.size() - 1);
  add({"/d/x", "/d/final"}, 2, 0);
  add({"/d/x"}, 1, 1);
  add({"/d/race"}, 2, std::nullopt);
  add({"/d/input"}, 0, 1);
  add({"node1:/dev/shm/x"}, 2, 0);  // never in a burst buffer
  consistency::FilePolicy expected;
  for (const char* const name : {"/d/final", "/d/race", "/d/x"}) expected.add(name, "posix");
  EXPECT_EQ(file_policy(accesses, verdict).text(), expected.text());
}

}  // namespace
}  // namespace weir::semantics
