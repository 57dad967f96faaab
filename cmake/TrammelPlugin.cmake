# trammel_add_plugin(NAME [SOURCE...] [TEST])
#
# Makes the plugin NAME, a shared library NAME.so that `trammel` loads at run time. Without sources it takes every
# .cpp of the folder except *_test.cpp. It is built into lib/trammel/plugins under the build folder and installed to
# lib/trammel/plugins under the prefix; TEST keeps it in lib/trammel/test_plugins, out of the search path and of the
# install. The target is called NAME: link more libraries to it with target_link_libraries(NAME PRIVATE ...).
function(trammel_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TEST" "" "")
  set(sources ${arg_UNPARSED_ARGUMENTS})
  if(NOT sources)
    file(GLOB sources CONFIGURE_DEPENDS *.cpp)
    list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  endif()
  if(NOT sources)
    message(STATUS "Plugin ${name}: no sources in ${CMAKE_CURRENT_SOURCE_DIR}, passed over")
    return()
  endif()

  add_library(${name} MODULE ${sources})
  target_link_libraries(${name} PRIVATE Trammel::sdk)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_options(${name} PRIVATE ${TRAMMEL_NO_UNDEFINED})
  if(arg_TEST)
    set(folder lib/trammel/test_plugins)
  else()
    set(folder lib/trammel/plugins)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" SUFFIX .so
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder}
    INSTALL_RPATH "$ORIGIN;$ORIGIN/../.."
    INSTALL_RPATH_USE_LINK_PATH ON)
  if(COMMAND trammel_own)
    trammel_own(${name})
    set_property(GLOBAL APPEND PROPERTY TRAMMEL_PLUGINS ${name})
  else()
    target_compile_options(${name} PRIVATE -Wall -Wextra)
  endif()
  if(NOT arg_TEST)
    install(TARGETS ${name} LIBRARY DESTINATION lib/trammel/plugins)
  endif()
endfunction()
