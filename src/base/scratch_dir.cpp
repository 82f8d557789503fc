#include "base/scratch_dir.hpp"

#include <string>
#include <system_error>

#include <stdlib.h>

#include "base/check.hpp"

namespace weir {

ScratchDir::ScratchDir(const std::filesystem::path& parent) {
  std::string pattern = (parent / "weir.XXXXXX").string();
  WEIR_CHECK(::mkdtemp(pattern.data()) != nullptr, "cannot make {}", pattern);
  path_ = pattern;
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace weir
