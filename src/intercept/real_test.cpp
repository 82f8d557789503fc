#include "intercept/real.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace weir {
namespace {

TEST(RealFunction, IsTheNextOneInSearchOrder) {
  EXPECT_EQ(real_address(Symbol::pread), dlsym(RTLD_NEXT, "pread"));
  EXPECT_EQ(real_address(Symbol::pread), real_address(Symbol::pread));
}

TEST(RealFunction, WholeLayersAreFoundAtOnce) {
  find_layer_now(Layer::posix);
  for (std::size_t i = 0; i < kSymbolCount; ++i) {
    if (info(info(static_cast<Symbol>(i)).call).layer != Layer::posix) continue;
    EXPECT_NE(detail::real_functions[i].load(), nullptr) << info(static_cast<Symbol>(i)).name;
  }
}

TEST(RealFunction, IsFoundInALibraryThatWasOpenedForItselfOnly) {
  // zlib is on every Debian system (dpkg needs it), and nothing here links it.
  void* const zlib = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (zlib == nullptr) GTEST_SKIP() << dlerror();
  ASSERT_EQ(dlsym(RTLD_DEFAULT, "zlibVersion"), nullptr);
  EXPECT_EQ(search_real("zlibVersion"), dlsym(zlib, "zlibVersion"));
  dlclose(zlib);
}

TEST(RealFunction, NobodyHasItIsAnAnswer) {
  EXPECT_EQ(search_real("no_library_has_this_function"), nullptr);
  EXPECT_EQ(dlerror(), nullptr) << "our failed search is not the program's business";
}

TEST(RealFunction, ALibraryIsLoadedByTheBeginningOfItsFileName) {
  EXPECT_TRUE(is_loaded("libc.so"));
  EXPECT_FALSE(is_loaded("libno_such_library.so"));
  EXPECT_FALSE(is_loaded("c.so"));
}

}  // namespace
}  // namespace weir
