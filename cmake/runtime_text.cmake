cmake_minimum_required(VERSION 3.25)
# Writes the files of proxy/runtime/ as text into a source file: cmake -D OUT=… -D DIR=… -P runtime_text.cmake
function(text_of variable)
  set(text)
  foreach(name IN LISTS ARGN)
    file(READ "${DIR}/${name}" part)
    string(REGEX REPLACE "#pragma once\n" "" part "${part}")
    string(REGEX REPLACE "#include \"[^\"]*\"\n" "" part "${part}")
    string(APPEND text "${part}")
  endforeach()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# A literal is at most so long as every compiler takes.
function(literals variable text)
  set(made)
  string(LENGTH "${text}" left)
  set(at 0)
  while(at LESS left)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND made "R\"weir(${piece})weir\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  set(${variable} "${made}" PARENT_SCOPE)
endfunction()

text_of(common world.hpp names.hpp memory.hpp fit.hpp run.hpp start.hpp)
text_of(mpi mpi_world.hpp)
text_of(hdf5 hdf5_world.hpp)
literals(common "${common}")
literals(mpi "${mpi}")
literals(hdf5 "${hdf5}")
file(WRITE "${OUT}" "#include \"proxy/runtime_text.hpp\"
namespace weir::proxy {
std::string_view runtime_text() {
  static constexpr std::string_view kText =
" "${common}" ";
  return kText;
}
std::string_view mpi_runtime_text() {
  static constexpr std::string_view kText =
" "${mpi}" ";
  return kText;
}
std::string_view hdf5_runtime_text() {
  static constexpr std::string_view kText =
" "${hdf5}" ";
  return kText;
}
}  // namespace weir::proxy
")
