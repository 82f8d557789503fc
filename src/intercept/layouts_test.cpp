// Names for large files take types of their own. A @twin is called with the types of its row, so both must be
// laid out alike: true wherever off_t has 64 bits.
#include <cstdio>
#include <type_traits>

#include <aio.h>
#include <dirent.h>
#include <fts.h>
#include <glob.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

namespace weir {
namespace {

template <class A, class B>
constexpr bool kSameSize = sizeof(A) == sizeof(B) && alignof(A) == alignof(B);

static_assert(sizeof(off_t) == sizeof(off64_t), "twins need 64-bit offsets");
static_assert(kSameSize<struct stat, struct stat64> &&
              offsetof(struct stat, st_ctim) == offsetof(struct stat64, st_ctim));
static_assert(kSameSize<struct statfs, struct statfs64> &&
              offsetof(struct statfs, f_flags) == offsetof(struct statfs64, f_flags));
static_assert(kSameSize<struct statvfs, struct statvfs64> &&
              offsetof(struct statvfs, f_namemax) == offsetof(struct statvfs64, f_namemax));
static_assert(kSameSize<struct dirent, struct dirent64> &&
              offsetof(struct dirent, d_name) == offsetof(struct dirent64, d_name));
static_assert(kSameSize<struct aiocb, struct aiocb64> &&
              offsetof(struct aiocb, aio_offset) == offsetof(struct aiocb64, aio_offset));
static_assert(kSameSize<glob_t, glob64_t> && offsetof(glob_t, gl_flags) == offsetof(glob64_t, gl_flags));
static_assert(kSameSize<FTSENT, FTSENT64> && kSameSize<fpos_t, fpos64_t>);

TEST(Layouts, TwinsForLargeFilesTakeTheSameBytes) { SUCCEED() << "compared while compiling"; }

}  // namespace
}  // namespace weir
