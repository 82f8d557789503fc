# Third-party packages, all from Debian (scripts/setup lists them). A required one stops the
# configuration with its package name; an optional one leaves out the rooms that need it (rooms.cmake).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# weir_require(NAME DEBIAN_PACKAGE): find_package with a message that says what to install.
macro(weir_require name debian)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "weir needs ${name}; install ${debian}, or run scripts/setup build")
  endif()
endmacro()

weir_require(fmt libfmt-dev)
weir_require(spdlog libspdlog-dev)
weir_require(nlohmann_json nlohmann-json3-dev)
weir_require(CLI11 libcli11-dev)
weir_require(Eigen3 libeigen3-dev)
find_package(Boost 1.74 REQUIRED QUIET)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET QUIET libzstd)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET QUIET sqlite3)
pkg_check_modules(TOML REQUIRED IMPORTED_TARGET QUIET tomlplusplus)
# Preload libraries bring their own: an application may have another one, or none.
find_library(WEIR_ZSTD_ARCHIVE libzstd.a REQUIRED)
find_library(WEIR_XXHASH_ARCHIVE libxxhash.a REQUIRED)
mark_as_advanced(WEIR_ZSTD_ARCHIVE WEIR_XXHASH_ARCHIVE)
find_path(PCG_INCLUDE_DIR pcg_random.hpp REQUIRED)
mark_as_advanced(PCG_INCLUDE_DIR)

# Optional packages. WEIR_HAVE_<NAME> says whether rooms may use it, WEIR_PACKAGE_<NAME> what to install.
set(WEIR_OPTIONAL MPI HDF5 UCX ZFP URING)
set(WEIR_PACKAGE_MPI "libopenmpi-dev and/or libmpich-dev")
set(WEIR_PACKAGE_HDF5 "libhdf5-dev")
set(WEIR_PACKAGE_UCX "libucx-dev")
set(WEIR_PACKAGE_ZFP "libzfp-dev")
set(WEIR_PACKAGE_URING "liburing-dev")

pkg_check_modules(OPENMPI IMPORTED_TARGET QUIET ompi-c)
pkg_check_modules(MPICH IMPORTED_TARGET QUIET mpich)
pkg_check_modules(HDF5 IMPORTED_TARGET QUIET hdf5)
pkg_check_modules(UCX IMPORTED_TARGET QUIET ucx)
pkg_check_modules(URING IMPORTED_TARGET QUIET liburing>=2.3)
# Not find_package(zfp): its file demands OpenMP of every compiler.
find_path(ZFP_INCLUDE_DIR zfp.h)
find_library(ZFP_LIBRARY zfp)
mark_as_advanced(ZFP_INCLUDE_DIR ZFP_LIBRARY)

if(OPENMPI_FOUND OR MPICH_FOUND)
  set(MPI_PRESENT TRUE)
endif()
set(HDF5_PRESENT ${HDF5_FOUND})
set(UCX_PRESENT ${UCX_FOUND})
set(URING_PRESENT ${URING_FOUND})
if(ZFP_INCLUDE_DIR AND ZFP_LIBRARY)
  set(ZFP_PRESENT TRUE)
endif()
foreach(name IN LISTS WEIR_OPTIONAL)
  set(WEIR_HAVE_${name} FALSE)
  if(WEIR_WITH_${name} AND ${name}_PRESENT)
    set(WEIR_HAVE_${name} TRUE)
  endif()
endforeach()

# zfp for a room that does without it as well: the definition WEIR_HAVE_ZFP tells.
add_library(weir_zfp INTERFACE)
if(WEIR_HAVE_ZFP)
  target_include_directories(weir_zfp SYSTEM INTERFACE "${ZFP_INCLUDE_DIR}")
  target_link_libraries(weir_zfp INTERFACE "${ZFP_LIBRARY}")
  target_compile_definitions(weir_zfp INTERFACE WEIR_HAVE_ZFP=1)
endif()

# liburing's header likewise: for who reads its structures and must not need the library.
add_library(weir_uring INTERFACE)
# The header and the library, for who does I/O with it.
add_library(weir_uring_library INTERFACE)
target_link_libraries(weir_uring_library INTERFACE weir_uring)
if(WEIR_HAVE_URING)
  target_compile_definitions(weir_uring INTERFACE WEIR_HAVE_URING=1)
  target_link_libraries(weir_uring_library INTERFACE PkgConfig::URING)
endif()
