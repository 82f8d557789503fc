# The runtime of proxy applications as text inside weir: `weir proxy` puts it at the head of what it writes.
set(runtime "${PROJECT_SOURCE_DIR}/src/proxy/runtime")
set(runtime_text "${PROJECT_BINARY_DIR}/generated/proxy/runtime_text.cpp")
file(GLOB runtime_files CONFIGURE_DEPENDS "${runtime}/*.hpp")
add_custom_command(
  OUTPUT "${runtime_text}"
  COMMAND "${CMAKE_COMMAND}" -D "OUT=${runtime_text}" -D "DIR=${runtime}" -P "${PROJECT_SOURCE_DIR}/cmake/runtime_text.cmake"
  DEPENDS ${runtime_files} "${PROJECT_SOURCE_DIR}/cmake/runtime_text.cmake"
  COMMENT "Reading the runtime of proxies"
  VERBATIM)
set_property(GLOBAL PROPERTY WEIR_ROOM_proxy_GENERATED "${runtime_text}")
