# The page of `weir report`: src/report/page built by Vite into one HTML file, and that into a C++ source of the room report.
# The packages were installed when the build was configured (packages.cmake).
if(NOT WEIR_HAVE_NPM)
  return()
endif()
set(page "${PROJECT_SOURCE_DIR}/src/report/page")
set(page_text "${PROJECT_BINARY_DIR}/generated/report/page_text.cpp")
file(GLOB_RECURSE page_files CONFIGURE_DEPENDS "${page}/src/*" "${page}/*.html" "${page}/*.js" "${page}/*.json")
list(FILTER page_files EXCLUDE REGEX "/(node_modules|dist)/")
# Built beside its packages: modules are looked for from where a source lies.
add_custom_command(
  OUTPUT "${page_text}"
  COMMAND "${CMAKE_COMMAND}" -E rm -rf "${WEIR_PAGE_DIR}/src"
  COMMAND "${CMAKE_COMMAND}" -E copy_directory "${page}/src" "${WEIR_PAGE_DIR}/src"
  COMMAND "${CMAKE_COMMAND}" -E copy "${page}/index.html" "${page}/vite.config.js" "${page}/embed.js" "${page}/tsconfig.json" "${WEIR_PAGE_DIR}"
  COMMAND "${CMAKE_COMMAND}" -E chdir "${WEIR_PAGE_DIR}" "${NODE_PROGRAM}" node_modules/vite/bin/vite.js build --logLevel warn
  COMMAND "${NODE_PROGRAM}" "${WEIR_PAGE_DIR}/embed.js" "${WEIR_PAGE_DIR}/dist/index.html" "${page_text}"
  DEPENDS ${page_files}
  COMMENT "Building the page of weir report"
  VERBATIM)
set_property(GLOBAL PROPERTY WEIR_ROOM_report_GENERATED "${page_text}")
