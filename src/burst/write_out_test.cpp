#include "burst/write_out.hpp"

#include <array>
#include <cerrno>

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/scratch_dir.hpp"

namespace weir::burst {
namespace {

// A directory is opened by itself to be synced, and for nothing else that writing out does.
class Syncs {
 public:
  explicit Syncs(const std::filesystem::path& folder) : events_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    EXPECT_GE(::inotify_add_watch(events_.get(), folder.c_str(), IN_OPEN), 0);
  }

  // Since it was last asked.
  bool any() {
    bool found = false;
    alignas(inotify_event) std::array<char, 4096> bytes{};
    for (ssize_t got = 0; (got = ::read(events_.get(), bytes.data(), bytes.size())) > 0;)
      for (ssize_t at = 0; at < got;) {
        const auto& event = *reinterpret_cast<const inotify_event*>(bytes.data() + at);
        found = found || ((event.mask & IN_ISDIR) != 0 && event.len == 0);
        at += static_cast<ssize_t>(sizeof event + event.len);
      }
    return found;
  }

 private:
  UniqueFd events_;
};

TEST(WriteOut, TheNameOfAFileIsSyncedUntilThatHasWorkedOnce) {
  const ScratchDir scratch;
  const auto backing = Backing::open(scratch.path());
  ASSERT_TRUE(backing);
  SegmentReader segments({scratch.path()});
  Syncs syncs(scratch.path());
  FileToWrite file{.path = "a",
                   .attributes = {.size = 10, .mode = 0600, .uid = ::getuid(), .gid = ::getgid()}};
  const Extent lost{{0, 10}, {.node = 0, .segment = 1, .client = 1, .position = 4096, .version = 1}};
  ASSERT_EQ(write_out(*backing, file, {&lost, 1}, segments), ESTALE);
  ASSERT_TRUE(backing->stat("a"));  // and is there
  EXPECT_FALSE(syncs.any());
  ASSERT_EQ(write_out(*backing, file, {}, segments), 0);
  EXPECT_TRUE(syncs.any());
  file.in_backing = true;
  ASSERT_EQ(write_out(*backing, file, {}, segments), 0);
  EXPECT_FALSE(syncs.any());
  ASSERT_EQ(backing->unlink("a"), 0);  // by somebody else
  ASSERT_EQ(write_out(*backing, file, {}, segments), 0);
  EXPECT_TRUE(syncs.any());
}

}  // namespace
}  // namespace weir::burst
