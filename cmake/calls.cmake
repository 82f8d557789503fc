# The call tables calls/*.calls, the host tool that reads them, and the libraries built from its shims.
# Included between the rooms: the room calls is made from what the tool writes into the build tree.
set(WEIR_CALLS_DIR "${PROJECT_BINARY_DIR}/generated")

# The tables in a fixed order, so that ids do not depend on the file system; a new table is a new layer,
# or adds to one before it.
set(WEIR_CALL_LAYERS posix stdio mpi mpiio hdf5 hdf5_parallel netcdf netcdf_parallel pnetcdf uring)

file(GLOB host_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/calls/host/*.cpp")
set(host_tests ${host_sources})
list(FILTER host_tests INCLUDE REGEX "_test\\.cpp$")
list(FILTER host_sources EXCLUDE REGEX "(_test|/main)\\.cpp$")
add_library(weir_calls_host STATIC ${host_sources})
target_include_directories(weir_calls_host PUBLIC "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(weir_calls_host PRIVATE weir_compile PUBLIC fmt::fmt)
add_executable(weir-generate-calls "${PROJECT_SOURCE_DIR}/src/calls/host/main.cpp")
target_link_libraries(weir-generate-calls PRIVATE weir_compile weir_calls_host)
if(BUILD_TESTING)
  weir_unit_test(calls_host_test SOURCES ${host_tests} LINKS weir_calls_host LABELS unit calls)
endif()

set(tables)
set(made "${WEIR_CALLS_DIR}/calls/generated/ids.hpp" "${WEIR_CALLS_DIR}/calls/generated/table.hpp")
set(made_aside "${WEIR_CALLS_DIR}/guide/traced_calls.md")
foreach(layer IN LISTS WEIR_CALL_LAYERS)
  list(APPEND tables "${PROJECT_SOURCE_DIR}/calls/${layer}.calls")
  list(APPEND made_aside "${WEIR_CALLS_DIR}/shims/${layer}.cpp" "${WEIR_CALLS_DIR}/shims/${layer}.exports")
endforeach()
# The stamp is the output ninja compares: files that did not change keep their time.
add_custom_command(
  OUTPUT "${WEIR_CALLS_DIR}/calls.stamp"
  BYPRODUCTS ${made} ${made_aside}
  COMMAND weir-generate-calls "${WEIR_CALLS_DIR}" "${PROJECT_SOURCE_DIR}" ${tables}
  COMMAND "${CMAKE_COMMAND}" -E touch "${WEIR_CALLS_DIR}/calls.stamp"
  DEPENDS weir-generate-calls ${tables}
  COMMENT "Reading the call tables"
  VERBATIM)
add_custom_target(weir_generated_calls DEPENDS "${WEIR_CALLS_DIR}/calls.stamp")

set_property(GLOBAL PROPERTY WEIR_ROOM_calls_GENERATED ${made})
set_property(GLOBAL PROPERTY WEIR_ROOM_calls_GENERATED_INCLUDE "${WEIR_CALLS_DIR}")

# weir_has.hpp in the directory: WEIR_HAS_<name> for each function that the libraries export.
function(weir_names_of directory)
  set(text)
  foreach(library IN LISTS ARGN)
    execute_process(COMMAND "${CMAKE_NM}" -D --defined-only "${library}" OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL " [TWi] [A-Za-z_0-9]+" names "${names}")
    list(TRANSFORM names REPLACE " [TWi] (.*)" "#define WEIR_HAS_\\1 1\n")
    string(APPEND text ${names})
  endforeach()
  file(CONFIGURE OUTPUT "${directory}/weir_has.hpp" CONTENT "${text}")
endfunction()

# The shims of some layers bound to one handler, compiled once for all libraries that hold them.
#
#   weir_shims(weir_capture_shims LAYERS posix stdio HANDLER capture/handler.hpp ROOMS capture
#     HEADERS PkgConfig::MPICH               whose headers the shims include; nothing of it is linked
#     HAVING libmpich.so)                    libraries whose names count for tables with @varies
function(weir_shims name)
  cmake_parse_arguments(SHIMS "" "HANDLER" "LAYERS;SOURCES;ROOMS;HEADERS;HAVING" ${ARGN})
  set(shims)
  set(exports)
  foreach(layer IN LISTS SHIMS_LAYERS)
    if(NOT layer IN_LIST WEIR_CALL_LAYERS)
      message(FATAL_ERROR "weir_shims(${name}): no layer '${layer}'; there are: ${WEIR_CALL_LAYERS}")
    endif()
    list(APPEND shims "${WEIR_CALLS_DIR}/shims/${layer}.cpp")
    list(APPEND exports "${WEIR_CALLS_DIR}/shims/${layer}.exports")
  endforeach()
  add_library(${name} OBJECT ${shims} ${SHIMS_SOURCES})
  add_dependencies(${name} weir_generated_calls)
  set_source_files_properties(${shims} PROPERTIES GENERATED TRUE)
  list(TRANSFORM SHIMS_ROOMS PREPEND weir_)
  target_link_libraries(${name} PRIVATE weir_compile ${SHIMS_ROOMS} weir_intercept)
  target_compile_definitions(${name} PRIVATE WEIR_HANDLER="${SHIMS_HANDLER}")
  if(SHIMS_HAVING)
    weir_names_of("${PROJECT_BINARY_DIR}/generated/${name}" ${SHIMS_HAVING})
    target_include_directories(${name} PRIVATE "${PROJECT_BINARY_DIR}/generated/${name}")
    target_compile_options(${name} PRIVATE "SHELL:-include weir_has.hpp")
    foreach(package IN LISTS SHIMS_HEADERS)
      target_include_directories(${name} SYSTEM PRIVATE $<TARGET_PROPERTY:${package},INTERFACE_INCLUDE_DIRECTORIES>)
    endforeach()
    target_compile_definitions(${name} PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1 OMPI_OMIT_MPI1_COMPAT_DECLS=0
      H5_USE_110_API=1)
  endif()
  set_target_properties(${name} PROPERTIES WEIR_EXPORTS "${exports}" WEIR_HAVING "${SHIMS_HAVING}")
endfunction()

# A library for LD_PRELOAD.
#
#   weir_preload_library(weir-capture
#     SHIMS weir_capture_shims               see above
#     SOURCES src/capture/preload/more.cpp   its own, besides those or instead
#     ROOMS capture                          rooms it is made of; intercept is always there
#     ALSO_EXPORTS vfork                     names its own sources add to the tables'
#     MAY_NEED libmpi.so.40                  shared libraries it may need besides the C library's own
#     NO_INSTALL)                            for tests
#
# Two tests come with it: it exports exactly what the tables say, and it needs no library an application may lack.
function(weir_preload_library name)
  cmake_parse_arguments(LIB "NO_INSTALL" "" "SHIMS;SOURCES;ROOMS;MAY_NEED;ALSO_EXPORTS" ${ARGN})
  if(LIB_UNPARSED_ARGUMENTS OR NOT (LIB_SHIMS OR LIB_SOURCES))
    message(FATAL_ERROR "weir_preload_library(${name}): SHIMS or SOURCES are needed; not understood: '${LIB_UNPARSED_ARGUMENTS}'")
  endif()
  set(objects)
  set(exports)
  set(having)
  foreach(shims IN LISTS LIB_SHIMS)
    list(APPEND objects $<TARGET_OBJECTS:${shims}>)
    get_target_property(those ${shims} WEIR_EXPORTS)
    list(APPEND exports ${those})
    get_target_property(those ${shims} WEIR_HAVING)
    list(APPEND having ${those})
  endforeach()
  add_library(${name} SHARED ${objects} ${LIB_SOURCES})
  list(TRANSFORM LIB_ROOMS PREPEND weir_)
  target_link_libraries(${name} PRIVATE weir_compile ${LIB_ROOMS} weir_intercept)
  # -static-libstdc++: the application may bring another libstdc++. Never -static-libgcc: with a second unwinder
  # a cancelled thread aborts the application. now: no symbol is looked up inside a signal handler or a vforked
  # child. nodelete: threads may still be inside. as-needed: only what is really used.
  target_link_options(${name} PRIVATE -static-libstdc++
    LINKER:--exclude-libs,ALL LINKER:-z,defs LINKER:-z,now LINKER:-z,nodelete LINKER:--as-needed
    "LINKER:--version-script,${PROJECT_SOURCE_DIR}/cmake/preload.map")
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/preload.map")
  if(NOT LIB_NO_INSTALL)
    install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weir)
  endif()

  if(BUILD_TESTING AND NOT WEIR_SANITIZE)
    set(check "${PROJECT_SOURCE_DIR}/tests/preload/check_library.cmake")
    add_test(NAME preload.${name}.exports_what_the_tables_say COMMAND "${CMAKE_COMMAND}"
      -D "LIBRARY=$<TARGET_FILE:${name}>" -D "NM=${CMAKE_NM}" -D "EXPORTS=${exports}" -D "ALSO=${LIB_ALSO_EXPORTS}"
      -D "HAVING=${having}" -P "${check}")
    add_test(NAME preload.${name}.needs_only_the_c_library COMMAND "${CMAKE_COMMAND}"
      -D "LIBRARY=$<TARGET_FILE:${name}>" -D "READELF=${CMAKE_READELF}" -D "MAY_NEED=${LIB_MAY_NEED}" -P "${check}")
    set_tests_properties(preload.${name}.exports_what_the_tables_say preload.${name}.needs_only_the_c_library
      PROPERTIES LABELS preload)
  endif()
endfunction()
