# weir-rank-<mpi>: the ranks of a workload, one program for each MPI that is there. They are not for people: `weir bench`
# starts them through the site's launcher. A sanitizer's runtime and an MPI library do not mix.
if(TARGET weir_workload AND WEIR_HAVE_MPI AND NOT WEIR_SANITIZE)
  file(GLOB rank_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/workload/mpi/*.cpp")
  foreach(mpi IN ITEMS openmpi mpich)
    string(TOUPPER ${mpi} package)
    if(${package}_FOUND)
      add_executable(weir-rank-${mpi} ${rank_sources})
      target_compile_definitions(weir-rank-${mpi} PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
      target_link_libraries(weir-rank-${mpi} PRIVATE weir_compile weir_workload PkgConfig::${package})
      install(TARGETS weir-rank-${mpi} RUNTIME DESTINATION "${CMAKE_INSTALL_LIBDIR}/weir")
    endif()
  endforeach()
endif()
