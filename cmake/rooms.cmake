# The house: who lives where and who may use whom. The layering test reads this same list.
# What each room is for stands in ARCHITECTURE.md; the words a line may use in room.cmake.
set_property(SOURCE "${PROJECT_SOURCE_DIR}/src/base/own_files.cpp" APPEND PROPERTY COMPILE_DEFINITIONS
             WEIR_PRIVATE_FOLDER="${CMAKE_INSTALL_LIBDIR}/weir")
weir_room(base THREADED LINKS spdlog::spdlog ${WEIR_XXHASH_ARCHIVE} PkgConfig::ZSTD Threads::Threads
          HEADERS fmt::fmt nlohmann_json::nlohmann_json)

include(calls)         # the call tables and what is made from them
weir_room(calls)
weir_room(grammar)
weir_room(trace        USES calls grammar PARTLY ZFP LINKS PkgConfig::ZSTD weir_zfp)
weir_room(intercept    USES calls THREADED)
weir_room(capture      USES intercept trace THREADED PARTLY MPI HDF5 NETCDF PNETCDF URING
          LINKS ${WEIR_ZSTD_ARCHIVE} weir_uring)
if(TARGET weir_capture AND NOT WEIR_SANITIZE)  # a sanitizer's runtime and LD_PRELOAD do not mix
  set(every_program posix stdio)
  if(WEIR_HAVE_URING)
    list(APPEND every_program uring)
  endif()
  weir_shims(weir_capture_shims LAYERS ${every_program} HANDLER capture/preload/handler.hpp ROOMS capture
    SOURCES src/intercept/preload/vfork.cpp src/capture/preload/vfork.cpp src/capture/preload/right_library.cpp)
  set(everywhere weir_capture_shims)
  foreach(library IN ITEMS hdf5 netcdf)
    string(TOUPPER ${library} package)
    if(WEIR_HAVE_${package})
      weir_shims(weir_capture_${library}_shims LAYERS ${library} HANDLER capture/untyped/handler.hpp ROOMS capture
        HEADERS PkgConfig::${package} HAVING ${WEIR_${package}_LIBRARY})
      list(APPEND everywhere weir_capture_${library}_shims)
    endif()
  endforeach()
  weir_preload_library(weir-capture-posix SHIMS ${everywhere} ROOMS capture ALSO_EXPORTS vfork)
  weir_preload_library(weir-buffers SOURCES src/capture/preload/buffers/allocating.cpp ROOMS capture
    ALSO_EXPORTS weir_name_of_memory malloc calloc realloc reallocarray posix_memalign aligned_alloc memalign free)
  # Counters in time slices instead of calls, for weir interfere slices.
  weir_shims(weir_slices_shims LAYERS posix stdio HANDLER capture/slices/handler.hpp ROOMS capture)
  weir_preload_library(weir-slices-posix SHIMS weir_slices_shims ROOMS capture)
  file(GLOB mpi_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/capture/mpi/*.cpp")
  foreach(mpi IN LISTS WEIR_MPIS)
    string(TOUPPER ${mpi} package)
    weir_shims(weir_capture_${mpi}_shims LAYERS mpi mpiio HANDLER capture/mpi/handler.hpp ROOMS capture
      SOURCES ${mpi_sources} src/base/preload/text.cpp src/trace/preload/without_zfp.cpp HEADERS PkgConfig::${package} HAVING ${WEIR_${package}_LIBRARIES})
    set(shims ${everywhere} weir_capture_${mpi}_shims)
    if(WEIR_HAVE_HDF5 AND HDF5_${package}_FOUND)
      weir_shims(weir_capture_${mpi}_hdf5_shims LAYERS hdf5_parallel HANDLER capture/untyped/handler.hpp ROOMS capture
        HEADERS PkgConfig::${package} PkgConfig::HDF5_${package} HAVING ${WEIR_HDF5_${package}_LIBRARY})
      list(APPEND shims weir_capture_${mpi}_hdf5_shims)
    endif()
    if(WEIR_HAVE_NETCDF)
      weir_shims(weir_capture_${mpi}_netcdf_shims LAYERS netcdf_parallel HANDLER capture/untyped/handler.hpp
        ROOMS capture HEADERS PkgConfig::${package} HAVING ${WEIR_${package}_LIBRARIES})
      list(APPEND shims weir_capture_${mpi}_netcdf_shims)
    endif()
    if(WEIR_HAVE_PNETCDF)
      weir_shims(weir_capture_${mpi}_pnetcdf_shims LAYERS pnetcdf HANDLER capture/untyped/handler.hpp
        ROOMS capture HEADERS PkgConfig::${package} PkgConfig::PNETCDF HAVING ${WEIR_PNETCDF_LIBRARY})
      list(APPEND shims weir_capture_${mpi}_pnetcdf_shims)
    endif()
    weir_preload_library(weir-capture-${mpi} SHIMS ${shims} ROOMS capture ALSO_EXPORTS vfork)
    weir_shims(weir_slices_${mpi}_shims LAYERS mpiio HANDLER capture/mpi/slices/handler.hpp ROOMS capture
      HEADERS PkgConfig::${package} HAVING ${WEIR_${package}_LIBRARIES})
    weir_preload_library(weir-slices-${mpi} SHIMS weir_slices_shims weir_slices_${mpi}_shims ROOMS capture)
    # What the trace room unpacks with comes from the archive too, which stands before the rooms that ask for it.
    target_link_options(weir-capture-${mpi} PRIVATE LINKER:-u,ZSTD_decompress)
  endforeach()
endif()
weir_room(consistency  LINKS PkgConfig::TOML)
weir_room(semantics    USES trace consistency LINKS Boost::headers)
include(proxy)         # its runtime as text
weir_room(proxy        USES trace LINKS PkgConfig::FFI)

weir_room(transport    PARTLY UCX THREADED LINKS weir_ucx)
weir_room(burst        USES intercept transport consistency PARTLY FUSE THREADED LINKS weir_fuse Boost::headers)
if(TARGET weir_burst AND NOT WEIR_SANITIZE)
  file(GLOB preload_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/burst/preload/*.cpp")
  weir_shims(weir_burst_shims LAYERS posix stdio HANDLER burst/preload/handler.hpp ROOMS burst
    SOURCES ${preload_sources} src/intercept/preload/vfork.cpp src/base/preload/text.cpp)
  weir_preload_library(weir-burst SHIMS weir_burst_shims ROOMS burst ALSO_EXPORTS vfork fwide)
  # Its own I/O does not pass through a recorder that was loaded before it.
  target_link_options(weir-burst PRIVATE LINKER:-Bsymbolic-functions)
endif()

weir_room(workload     THREADED PARTLY MPI URING LINKS weir_uring_library)
include(ranks)         # weir-rank-<mpi>, weir-replay-<mpi>: the MPI parts of workload and proxy
weir_room(monitor      THREADED)
weir_room(launch)
weir_room(stats        LINKS Boost::headers PkgConfig::ZSTD HEADERS Eigen3::Eigen)
weir_room(surface      USES stats THREADED LINKS Boost::headers PkgConfig::NLOPT HEADERS Eigen3::Eigen)
weir_room(campaign     USES workload monitor launch stats LINKS PkgConfig::SQLITE PkgConfig::TOML)
weir_room(interference USES campaign semantics surface)

include(page)          # the page's program as text
weir_room(report       NEEDS NPM)
set(every_room trace grammar calls intercept capture consistency semantics proxy transport burst
    workload monitor launch stats surface campaign interference report)
weir_room(study        USES launch stats semantics interference)  # the rest through weir's own commands
weir_room(cli          USES study MAY_USE ${every_room} LINKS CLI11::CLI11)

weir_program(weir ROOM cli)
configure_file("${PROJECT_SOURCE_DIR}/scripts/testbed" "${PROJECT_BINARY_DIR}/testbed" COPYONLY)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/scripts/testbed" DESTINATION "${CMAKE_INSTALL_LIBDIR}/weir")
foreach(beside IN ITEMS weir-capture-posix weir-slices-posix weir-capture-openmpi weir-slices-openmpi weir-capture-mpich weir-slices-mpich
        weir-replay-openmpi weir-replay-mpich)
  if(TARGET weir AND TARGET ${beside})
    add_dependencies(weir ${beside})
  endif()
endforeach()
weir_program(weir-server ROOM burst)

weir_close_rooms()
