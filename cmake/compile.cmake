# Language level, warnings and sanitizers for Weir's own targets, carried by the target weir_compile.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g -fno-omit-frame-pointer")
set(CMAKE_C_FLAGS_SANITIZE "-O1 -g -fno-omit-frame-pointer")

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE)
  # Paths below the source directory do not count, so that another clone finds what this one compiled; nor does
  # __TIME__, which pcg_extras.hpp names in a function that nothing here calls.
  set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=time_macros "${CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

add_library(weir_compile INTERFACE)
target_compile_options(weir_compile INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wextra-semi>
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op>
  $<$<BOOL:${WEIR_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in its own std::string operator+ (GCC bug 105651, mended in 13).
  target_compile_options(weir_compile INTERFACE -Wno-restrict)
endif()

if(WEIR_SANITIZE)
  set(sanitize -fsanitize=${WEIR_SANITIZE} -fno-sanitize-recover=all)
  target_compile_options(weir_compile INTERFACE ${sanitize})
  target_link_options(weir_compile INTERFACE ${sanitize})
endif()
if(WEIR_FUZZ)
  target_compile_options(weir_compile INTERFACE -fsanitize=fuzzer-no-link)
endif()
