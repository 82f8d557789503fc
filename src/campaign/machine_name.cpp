#include "campaign/machine_name.hpp"

#include <array>

#include <unistd.h>

namespace weir::campaign {

std::string machine_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "unknown";
  return name.data();
}

}  // namespace weir::campaign
