#include "proxy/data_libraries.hpp"

#include <cstring>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "proxy/data_arguments.hpp"

namespace weir::proxy {
namespace {

// Whether some library of that name is loaded, of whatever version: libhdf5_openmpi.so.103 for "libhdf5".
bool is_there(const std::string& name) {
  const auto find = [](dl_phdr_info* object, std::size_t, void* wanted) {
    const char* const slash = std::strrchr(object->dlpi_name, '/');
    const std::string_view file = slash == nullptr ? object->dlpi_name : slash + 1;
    const std::string& searched = *static_cast<std::string*>(wanted);
    const bool found = file.starts_with(searched) && file.find(".so") != std::string_view::npos &&
                       file.find("_hl") == std::string_view::npos;
    return found ? 1 : 0;
  };
  std::string searched = "lib" + name;
  return dl_iterate_phdr(find, &searched) != 0;
}

}  // namespace

bool is_data_layer(std::string_view layer) {
  return layer == "hdf5" || layer == "netcdf" || layer == "pnetcdf";
}

Result<void> load_data_libraries(const Plan& plan, const std::map<std::string, std::string>& files) {
  for (const std::string& one : plan.libraries) {
    if (is_there(one)) continue;
    const auto file = files.find(one);
    if (file != files.end() && !file->second.empty() &&
        dlopen(file->second.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr)
      continue;
    const std::string why = file == files.end() || file->second.empty()
                                ? fmt::format("holds calls of {}, with which weir was not built", one)
                                : fmt::format("holds calls of {}: {}", one, dlerror());
    return Error{Errc::lacking, why}
        .in(plan.trace->path().string())
        .with_remedy(
            fmt::format("preload the library that the program used (LD_PRELOAD=lib{}.so), or write a "
                        "program with 'weir proxy' and compile it",
                        one));
  }
  return {};
}

bool DataLibraries::make(weir_proxy::Stream& stream, const trace::Record& record) {
  const trace::Function& function = *record.function;
  if (!is_data_layer(function.layer)) return false;
  DynamicCall call;
  DataArguments::Steps after;
  DataArguments given(stream, record, call, after);
  for (std::size_t i = 0; i < function.arguments.size(); ++i) given.add(i);
  std::int64_t got = 0;
  if (!call.make(function.name, function.result_type, got)) {
    stream.differs(static_cast<int>(record.signature), "is not there");
    return true;
  }
  for (const auto& one : after) one();
  given.check(got);
  return true;
}

}  // namespace weir::proxy
