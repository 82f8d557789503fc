// weir-replay-<mpi> TRACE [--root DIR] [--original] [--output] [--think-time=F]: makes the calls that one
// rank of the trace made. `weir replay` starts it through an MPI launcher, with as many ranks as were
// recorded.
#include <cstdio>

#include <fmt/format.h>

#include "proxy/data_libraries.hpp"
#include "proxy/mpi/mpi_library.hpp"
#include "proxy/replay.hpp"
#include "proxy/runtime/start.hpp"

namespace weir::proxy {
namespace {

Result<int> run(int argc, char** argv) {
  if (argc < 2) return Error{Errc::usage, "give a trace; 'weir replay TRACE' starts this program"};
  weir_proxy::world.options.root = ReplayOptions().root;
  weir_proxy::take_options(argc - 1, argv + 1);
  const auto& given = weir_proxy::world.options;
  const ReplayOptions options = {given.root, given.original, given.output, given.think};
  const auto trace = trace::TraceFile::open(argv[1]);
  if (!trace) return trace.error();
  const auto plan = make_plan(*trace);
  if (!plan) return plan.error();
  const auto loaded =
      load_data_libraries(*plan, {{"hdf5", WEIR_HDF5}, {"netcdf", WEIR_NETCDF}, {"pnetcdf", WEIR_PNETCDF}});
  if (!loaded) return loaded.error();
  mpi::MpiLibrary library;
  return replay(*plan, options, library);
}

}  // namespace
}  // namespace weir::proxy

int main(int argc, char** argv) {
  const auto done = weir::proxy::run(argc, argv);
  if (done) return *done;
  fmt::print(stderr, "weir replay: {}\n", done.error().text());
  return weir::exit_code(done.error().code());
}
