# A room is a directory src/<name>/ and one library. weir_room() is the only way to declare one.
#
#   weir_room(trace USES calls grammar              rooms it may include (base is always allowed)
#             MAY_USE burst                         likewise, but the room is built without it when it is left out
#             LINKS PkgConfig::ZSTD                 libraries its sources need
#             HEADERS Eigen3::Eigen                 libraries its own headers show to other rooms
#             NEEDS UCX                             left out, with its users, when the package is missing
#             PARTLY MPI                            loses a part of itself when the package is missing: its sources
#                                                   have WEIR_HAVE_MPI=1 where the package is there
#             THREADED)                             its unit tests also run under ThreadSanitizer
#
# Sources are src/<name>/**/*.cpp. *_test.cpp beside them become the unit tests <name>_test; host/ holds
# tools that run while building, and their tests; main.cpp belongs to weir_program(), preload/ to
# weir_preload_library() (calls.cmake), mpi/ to the rank programs (rooms.cmake), c_api.cpp to the public library
# (install.cmake).
# A room that is declared and has no directory yet is only recorded: the graph is whole from the start.
include(GNUInstallDirs)
include(GoogleTest)
include(together)

set_property(GLOBAL PROPERTY WEIR_ROOM_TABLE "")
add_custom_target(threaded_tests)
add_custom_target(unit_tests)

# Only for its CONFIGURE_DEPENDS: a new directory in src/ makes the next build configure again.
file(GLOB weir_room_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true "${PROJECT_SOURCE_DIR}/src/*")

function(weir_room name)
  cmake_parse_arguments(ROOM "THREADED" "" "USES;MAY_USE;LINKS;HEADERS;NEEDS;PARTLY" ${ARGN})
  if(ROOM_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "weir_room(${name}): unknown words: ${ROOM_UNPARSED_ARGUMENTS}")
  endif()
  string(JOIN " " uses ${ROOM_USES} ${ROOM_MAY_USE})
  set_property(GLOBAL APPEND PROPERTY WEIR_ROOM_TABLE "${name}: ${uses}")
  set_property(GLOBAL PROPERTY WEIR_ROOM_${name}_PARTLY "${ROOM_PARTLY}")

  set(missing)
  foreach(need IN LISTS ROOM_NEEDS)
    if(NOT WEIR_HAVE_${need})
      list(APPEND missing ${need})
    endif()
  endforeach()
  foreach(used IN LISTS ROOM_USES)
    get_property(inherited GLOBAL PROPERTY WEIR_ROOM_${used}_MISSING)
    list(APPEND missing ${inherited})
  endforeach()
  list(REMOVE_DUPLICATES missing)
  set_property(GLOBAL PROPERTY WEIR_ROOM_${name}_MISSING "${missing}")

  set(folder "${PROJECT_SOURCE_DIR}/src/${name}")
  if(missing OR NOT IS_DIRECTORY "${folder}")
    return()
  endif()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests EXCLUDE REGEX "/host/")
  # The C interface is libweir's alone; its test has it of its own.
  if("${folder}/c_api_test.cpp" IN_LIST tests)
    list(APPEND tests "${folder}/c_api.cpp")
  endif()
  list(FILTER sources EXCLUDE REGEX "(_test\\.cpp|/main\\.cpp|/c_api\\.cpp|/host/.*|/preload/.*|/mpi/.*)$")
  get_property(generated GLOBAL PROPERTY WEIR_ROOM_${name}_GENERATED)
  # A source that does not ask has the same command line in every build, so that ccache knows it.
  foreach(package IN LISTS ROOM_PARTLY)
    if(WEIR_HAVE_${package})
      weir_define_where_used(WEIR_HAVE_${package}=1 "WEIR_HAVE_${package}" ${sources} ${tests})
    endif()
  endforeach()

  weir_together(sources weir_${name})
  if(sources OR generated)
    add_library(weir_${name} STATIC ${sources} ${generated})
    set(scope PUBLIC)
    target_link_libraries(weir_${name} PRIVATE weir_compile ${ROOM_LINKS})
  else()
    add_library(weir_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  get_property(generated_include GLOBAL PROPERTY WEIR_ROOM_${name}_GENERATED_INCLUDE)
  target_include_directories(weir_${name} ${scope} "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/include"
                             ${generated_include})
  target_link_libraries(weir_${name} ${scope} ${ROOM_HEADERS})
  if(TARGET weir_generated_${name})
    add_dependencies(weir_${name} weir_generated_${name})
  endif()
  list(TRANSFORM ROOM_USES PREPEND weir_)
  target_link_libraries(weir_${name} ${scope} ${ROOM_USES})
  foreach(room IN LISTS ROOM_MAY_USE)
    if(TARGET weir_${room})
      string(TOUPPER ${room} upper)
      target_link_libraries(weir_${name} ${scope} weir_${room})
      target_compile_definitions(weir_${name} ${scope} WEIR_WITH_${upper}_ROOM=1)
    endif()
  endforeach()
  if(NOT name STREQUAL base)
    target_link_libraries(weir_${name} ${scope} weir_base)
  endif()

  if(tests AND BUILD_TESTING)
    set(labels unit ${name})
    if(ROOM_THREADED)
      list(APPEND labels threads)
    endif()
    weir_unit_test(${name}_test SOURCES ${tests} LINKS weir_${name} ${ROOM_LINKS} LABELS ${labels})
    if("Eigen3::Eigen" IN_LIST ROOM_HEADERS)
      # The linker keeps one copy of a template's code, the tests' own: unoptimised it would be what the room calculates with.
      target_compile_options(${name}_test PRIVATE $<$<CONFIG:Sanitize>:-O1>)
    endif()
  endif()
endfunction()

# Gives a definition to those of the sources whose text matches: in every command line it would keep builds and
# clones from sharing what ccache has.
function(weir_define_where_used definition regex)
  foreach(source IN LISTS ARGN)
    file(STRINGS "${source}" uses REGEX "${regex}" LIMIT_COUNT 1)
    if(uses)
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_DEFINITIONS "${definition}")
    endif()
  endforeach()
endfunction()

# A GoogleTest program whose cases ctest lists one by one. The label `threads` puts it under TSan.
function(weir_unit_test name)
  cmake_parse_arguments(TEST "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  # Used in the source itself or in a header for tests.
  weir_define_where_used(WEIR_SOURCE_DIR="${PROJECT_SOURCE_DIR}" "WEIR_SOURCE_DIR|_test\\.hpp\"" ${TEST_SOURCES})
  weir_together(TEST_SOURCES ${name})
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE weir_compile ${TEST_LINKS} GTest::gmock GTest::gtest_main)
  # What is tested is optimised; tests need not be. Clang takes 36 s for the longest of them at -O1 with ASan, 14 at -O0.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Sanitize>:-O0>)
  string(JOIN ":" labels ${TEST_LABELS})  # gtest_discover_tests() takes one word; ctest -L matches parts of it
  set(environment)
  if(WEIR_SANITIZE)
    # UCX's hooks overwrite the first bytes of mmap and munmap, which are the sanitizer's own here: TSan would not hear
    # that an address has become another's memory.
    set(environment ENVIRONMENT UCX_MEM_MMAP_HOOK_MODE=none)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${labels}" TIMEOUT 300 ${environment})
  add_dependencies(unit_tests ${name})
  if("threads" IN_LIST TEST_LABELS)
    add_dependencies(threaded_tests ${name})
  endif()
endfunction()

# An installed program: src/<ROOM>/main.cpp on top of its room. Absent when the room is.
function(weir_program name)
  cmake_parse_arguments(PROGRAM "" "ROOM" "" ${ARGN})
  if(NOT TARGET weir_${PROGRAM_ROOM})
    return()
  endif()
  add_executable(${name} "${PROJECT_SOURCE_DIR}/src/${PROGRAM_ROOM}/main.cpp")
  target_link_libraries(${name} PRIVATE weir_compile weir_${PROGRAM_ROOM})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# One line per missing optional package, naming every room it costs; the table for the layering test.
function(weir_close_rooms)
  get_property(table GLOBAL PROPERTY WEIR_ROOM_TABLE)
  foreach(package IN LISTS WEIR_OPTIONAL)
    if(WEIR_HAVE_${package})
      continue()
    endif()
    set(lost)
    foreach(row IN LISTS table)
      string(REGEX REPLACE ":.*" "" room "${row}")
      get_property(missing GLOBAL PROPERTY WEIR_ROOM_${room}_MISSING)
      get_property(partly GLOBAL PROPERTY WEIR_ROOM_${room}_PARTLY)
      if(package IN_LIST missing)
        list(APPEND lost "room ${room}")
      elseif(package IN_LIST partly)
        list(APPEND lost "the ${package} part of room ${room}")
      endif()
    endforeach()
    string(JOIN ", " lost ${lost})
    if(WEIR_WITH_${package})
      message(STATUS "weir: no ${package}, left out: ${lost} (Debian: ${WEIR_PACKAGE_${package}})")
    else()
      message(STATUS "weir: WEIR_WITH_${package} is OFF, left out: ${lost}")
    endif()
  endforeach()
  string(JOIN "\n" text ${table})
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/rooms.txt" CONTENT "${text}\n")
endfunction()
