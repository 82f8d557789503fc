# What `cmake --install` puts in place: programs and preload libraries install themselves (room.cmake);
# here are the public library, its headers, the CMake package, the pkg-config file, completions and manual.
include(CMakePackageConfigHelpers)

file(GLOB c_apis CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*/c_api.cpp")
set(public_sources)
set(public_rooms)
foreach(source IN LISTS c_apis)
  get_filename_component(folder "${source}" DIRECTORY)
  get_filename_component(room "${folder}" NAME)
  if(TARGET weir_${room})
    list(APPEND public_sources "${source}")
    list(APPEND public_rooms weir_${room})
  endif()
endforeach()
add_library(libweir SHARED ${public_sources})
add_library(weir::weir ALIAS libweir)
set_target_properties(libweir PROPERTIES OUTPUT_NAME weir EXPORT_NAME weir
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_link_libraries(libweir PRIVATE weir_compile ${public_rooms})
target_include_directories(libweir PUBLIC
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
target_link_options(libweir PRIVATE -Wl,--exclude-libs,ALL)

install(TARGETS libweir EXPORT weir LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/weir" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weir")
install(EXPORT weir NAMESPACE weir:: FILE weir-targets.cmake DESTINATION ${package_dir})
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/weir-config.cmake.in"
  "${PROJECT_BINARY_DIR}/generated/weir-config.cmake" INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/weir-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/generated/weir-config.cmake"
  "${PROJECT_BINARY_DIR}/generated/weir-config-version.cmake" DESTINATION ${package_dir})
# The file finds its prefix from where it lies, so that the tree may be moved.
file(RELATIVE_PATH prefix_from_pc "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/weir.pc.in" "${PROJECT_BINARY_DIR}/generated/weir.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/generated/weir.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Made by the program itself from its flags, so that they cannot differ from it.
if(NOT WEIR_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(pages "${PROJECT_BINARY_DIR}/generated")
  add_custom_command(OUTPUT "${pages}/weir.bash" "${pages}/_weir" "${pages}/weir.1"
    COMMAND weir completion bash > "${pages}/weir.bash"
    COMMAND weir completion zsh > "${pages}/_weir"
    COMMAND weir manual > "${pages}/weir.1"
    DEPENDS weir VERBATIM)
  add_custom_target(pages ALL DEPENDS "${pages}/weir.bash")
  install(FILES "${pages}/weir.bash" RENAME weir DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${pages}/_weir" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  install(FILES "${pages}/weir.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
endif()
