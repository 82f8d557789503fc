#pragma once

#include <string>
#include <string_view>

namespace weir::semantics::detail {

// Without "//", "/./" and "/../".
std::string normal_name(std::string_view name);
// Not a pipe, a socket, a device, nor what the kernel makes up (/proc).
bool names_a_file(std::string_view name);
// As MPI takes it: "ufs:/scratch/x" is /scratch/x.
std::string_view without_file_system(std::string_view name);

}  // namespace weir::semantics::detail
