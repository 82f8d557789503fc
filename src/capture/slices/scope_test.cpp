#include "capture/slices/scope.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/scratch_dir.hpp"

namespace weir::capture {
namespace {

namespace fs = std::filesystem;

// The scope is read once by a process, so each case is one; its status is the number of what went wrong.
template <class F>
int in_child(const std::string& under, F check) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("WEIR_SLICES_UNDER", under.c_str(), 1);
    ::_exit(check());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

TEST(SliceScope, WithoutDirectoriesEverythingCounts) {
  EXPECT_EQ(in_child("", [] { return SliceScope::everything() && SliceScope::holds(0) ? 0 : 1; }), 0);
}

TEST(SliceScope, DescriptorsAreToldApartByWhatTheyAreOpenOn) {
  const ScratchDir scratch;
  const fs::path inside = fs::canonical(scratch.path()) / "in",
                 beside = fs::canonical(scratch.path()) / "in2";
  fs::create_directories(inside);
  fs::create_directories(beside);
  fs::create_symlink(inside, scratch.path() / "link");
  const std::string through = scratch.path() / "link" / "a", other = beside / "a";
  EXPECT_EQ(in_child("/elsewhere:" + inside.string() + "/",
                     [&] {
                       if (SliceScope::everything()) return 1;
                       const int a = ::open(through.c_str(), O_CREAT | O_WRONLY, 0600);
                       if (!SliceScope::holds(a)) return 2;
                       const int b = ::open(other.c_str(), O_CREAT | O_WRONLY, 0600);
                       if (SliceScope::holds(b)) return 3;
                       ::dup2(a, b);
                       if (!SliceScope::holds(b)) return 4;
                       int ends[2];
                       if (::pipe(ends) != 0 || SliceScope::holds(ends[0]) || SliceScope::holds(-1)) return 5;
                       return 0;
                     }),
            0);
}

TEST(SliceScope, NamesAreComparedAsTheyAreWritten) {
  const ScratchDir scratch;
  const fs::path inside = fs::canonical(scratch.path()) / "in";
  fs::create_directories(inside / "deep");
  EXPECT_EQ(in_child(inside.string(),
                     [&] {
                       const std::string root = inside.string();
                       if (!SliceScope::holds(AT_FDCWD, (root + "/x").c_str())) return 1;
                       if (!SliceScope::holds(AT_FDCWD, (root + "/../in/./x").c_str())) return 2;
                       if (SliceScope::holds(AT_FDCWD, (root + "/../x").c_str())) return 3;
                       if (SliceScope::holds(AT_FDCWD, (root + "er").c_str())) return 4;
                       if (!SliceScope::holds(AT_FDCWD, root.c_str())) return 5;
                       if (::chdir((root + "/deep").c_str()) != 0) return 6;
                       if (!SliceScope::holds(AT_FDCWD, "x") || !SliceScope::holds(AT_FDCWD, "../x"))
                         return 7;
                       if (SliceScope::holds(AT_FDCWD, "../../x")) return 8;
                       const int at = ::open(root.c_str(), O_RDONLY | O_DIRECTORY);
                       if (!SliceScope::holds(at, "x") || SliceScope::holds(at, "../x")) return 9;
                       return SliceScope::holds(AT_FDCWD, nullptr) ? 10 : 0;
                     }),
            0);
}

}  // namespace
}  // namespace weir::capture
