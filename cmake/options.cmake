# Everything a builder may switch. Presets set these; packagers pass them with -D.
option(WEIR_WERROR "Treat compiler warnings as errors" OFF)
option(WEIR_FUZZ "Build the libFuzzer targets (Clang only)" OFF)
option(WEIR_TOGETHER "Compile several sources of a room at once: faster as a whole, slower after a change" OFF)
option(WEIR_BENCH "Build the benchmarks of bench/" ON)
set(WEIR_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, comma separated")

# Optional packages: ON uses them where they are found, OFF leaves the rooms that need them out.
option(WEIR_WITH_MPI "Build what needs MPI" ON)
option(WEIR_WITH_HDF5 "Build what needs HDF5" ON)
option(WEIR_WITH_NETCDF "Record calls of NetCDF" ON)
option(WEIR_WITH_PNETCDF "Record calls of PnetCDF" ON)
option(WEIR_WITH_UCX "Build what needs UCX" ON)
option(WEIR_WITH_ZFP "Build what needs zfp" ON)
option(WEIR_WITH_URING "Use io_uring, and intercept the calls of liburing" ON)
option(WEIR_WITH_FUSE "Mount the burst-buffer file system with libfuse3" ON)
option(WEIR_WITH_NPM "Build the page of weir report" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
if(WEIR_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "WEIR_FUZZ needs Clang (libFuzzer); use: cmake --preset fuzz")
endif()
