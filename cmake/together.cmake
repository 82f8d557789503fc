# weir_together(LIST TARGET): where WEIR_TOGETHER is on, replaces the sources in the list by files of the build tree
# that include several of them each (together.py). Headers are then read once for eight sources, which is most of what a
# sanitizer's build costs. A source with definitions of its own stays as it is.
function(weir_together list target)
  if(NOT WEIR_TOGETHER)
    return()
  endif()
  set(alone)
  set(together)
  foreach(source IN LISTS ${list})
    get_property(defines SOURCE "${source}" PROPERTY COMPILE_DEFINITIONS)
    get_property(options SOURCE "${source}" PROPERTY COMPILE_OPTIONS)
    if(defines OR options)
      list(APPEND alone "${source}")
    else()
      list(APPEND together "${source}")
    endif()
  endforeach()
  if(together)
    find_package(Python3 COMPONENTS Interpreter REQUIRED)
    execute_process(COMMAND "${Python3_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/cmake/together.py" "${PROJECT_SOURCE_DIR}/src"
                            "${PROJECT_BINARY_DIR}/together/${target}" ${together}
                    OUTPUT_VARIABLE together COMMAND_ERROR_IS_FATAL ANY)
  endif()
  set(${list} ${alone} ${together} PARENT_SCOPE)
endfunction()
