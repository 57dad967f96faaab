# The package: find_package(Trammel) then gives Trammel::sdk, Trammel::sdk_check and trammel_add_plugin().
include(CMakePackageConfigHelpers)
set(package_folder lib/cmake/Trammel)

install(EXPORT TrammelTargets NAMESPACE Trammel:: DESTINATION ${package_folder})
configure_package_config_file(cmake/TrammelConfig.cmake.in ${PROJECT_BINARY_DIR}/TrammelConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/TrammelConfig.cmake
  ${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake
  cmake/TrammelPlugin.cmake
  DESTINATION ${package_folder})
install(FILES LICENSE DESTINATION share/trammel)
