#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "transport/ucx_fabric.hpp"

namespace weir::transport {

void forget_foreign_ucx_settings() {
  std::vector<std::string> names;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (text.starts_with("UCX_")) names.push_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

}  // namespace weir::transport
