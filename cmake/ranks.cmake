# weir-rank-<mpi> and weir-replay-<mpi>: the ranks of a workload and of a replayed trace, one program for each MPI that is
# there. They are not for people: `weir bench` and `weir replay` start them through the site's launcher. A sanitizer's
# runtime and an MPI library do not mix.
function(weir_rank_program name room)
  if(NOT TARGET weir_${room} OR NOT WEIR_HAVE_MPI OR WEIR_SANITIZE)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${room}/mpi/*.cpp")
  foreach(mpi IN ITEMS openmpi mpich)
    string(TOUPPER ${mpi} package)
    if(${package}_FOUND)
      add_executable(${name}-${mpi} ${sources})
      target_compile_definitions(${name}-${mpi} PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
      target_link_libraries(${name}-${mpi} PRIVATE weir_compile weir_${room} PkgConfig::${package} ${ARGN})
      install(TARGETS ${name}-${mpi} RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}/weir")
    endif()
  endforeach()
endfunction()

weir_rank_program(weir-rank workload)
weir_rank_program(weir-replay proxy PkgConfig::FFI)
