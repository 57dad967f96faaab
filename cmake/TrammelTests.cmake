# Tests by folder. No list of sources is kept: a new file is found at the next build.
#
#   *_test.cpp       one executable a folder, one process
#   *_mpi_test.cpp   one executable a folder, run under mpirun on 1, 2 and 4 ranks
#   plugins/*.cpp    one test plugin a file, in lib/trammel/test_plugins under the build folder
#   plugins/*/       one test plugin a folder, of all its sources
#   other *.cpp      linked into both executables
if(NOT TRAMMEL_BUILD_TESTS)
  function(trammel_add_tests)
  endfunction()
  function(trammel_add_plugin_tests)
  endfunction()
  return()
endif()

include(GoogleTest)
find_package(GTest REQUIRED)
# Where things lie, for the tests that ask: a definition for all of them would keep the compiler cache from serving
# another checkout.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/tests/include/places.hpp CONTENT [=[
#pragma once

#define TRAMMEL_SOURCE_DIR "@PROJECT_SOURCE_DIR@"
#define TRAMMEL_BINARY_DIR "@PROJECT_BINARY_DIR@"
#define TRAMMEL_TEST_PLUGIN_DIR "@PROJECT_BINARY_DIR@/lib/trammel/test_plugins"
#define TRAMMEL_COMMAND "@PROJECT_BINARY_DIR@/bin/trammel"
]=] @ONLY)
# What all tests share. They drive the code: the optimizer finds little to do in them, for a quarter of their compilation.
add_library(trammel_test_options INTERFACE)
target_compile_options(trammel_test_options INTERFACE $<$<CONFIG:Release>:-O1>)
target_link_libraries(trammel_test_options INTERFACE GTest::gtest GTest::gmock)
trammel_precompile(trammel_test_pch LINK PETSc::PETSc HEADERS <petsc.h> <gtest/gtest.h> <gmock/gmock.h>)
if(TARGET trammel_test_pch)
  target_link_libraries(trammel_test_pch PRIVATE trammel_test_options)
endif()
add_library(trammel_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/support/petsc_main.cpp)
target_link_libraries(trammel_test_main PRIVATE trammel_test_options sdk_headers PETSc::PETSc)
target_include_directories(trammel_test_main PRIVATE ${PROJECT_SOURCE_DIR})
trammel_own(trammel_test_main trammel_test_pch)

set(TRAMMEL_TEST_TIMEOUT 300 CACHE STRING "Seconds that a test may take")
set(TRAMMEL_TEST_ENVIRONMENT
  OMP_NUM_THREADS=1
  OMPI_ALLOW_RUN_AS_ROOT=1
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  OMPI_MCA_mpi_yield_when_idle=1
  OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_hwloc_base_binding_policy=none
  OMPI_MCA_pml=ob1
  OMPI_MCA_btl=self,vader
  OMPI_MCA_osc=^ucx
  OMPI_MCA_btl_vader_single_copy_mechanism=none
  GTEST_COLOR=no
  LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/leaks.supp:print_suppressions=0
  UBSAN_OPTIONS=print_stacktrace=1)

# One executable of GoogleTest out of the given sources.
function(trammel_add_test_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${target} ${arg_SOURCES} $<TARGET_OBJECTS:trammel_test_main>)
  target_link_libraries(${target} PRIVATE trammel_test_options Trammel::kernel Trammel::sdk_check ${arg_LINK})
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/tests/support ${CMAKE_CURRENT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR}/tests/include)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  trammel_own(${target} trammel_test_pch)
  set_property(GLOBAL APPEND PROPERTY TRAMMEL_TESTS ${target})
endfunction()

# trammel_add_serial_test(TARGET): its test cases, in one process each.
function(trammel_add_serial_test target)
  if(TRAMMEL_DISCOVER_TESTS)
    gtest_discover_tests(${target} TEST_PREFIX ${target}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES TIMEOUT ${TRAMMEL_TEST_TIMEOUT})
    # The properties above take no lists: all but the first of these would be lost.
    set(environment ${CMAKE_CURRENT_BINARY_DIR}/${target}_environment.cmake)
    file(CONFIGURE OUTPUT ${environment} @ONLY CONTENT [=[
if(@target@_TESTS)
  set_tests_properties(${@target@_TESTS} PROPERTIES ENVIRONMENT "@TRAMMEL_TEST_ENVIRONMENT@")
endif()
]=])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${environment})
  else()
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES
      TIMEOUT ${TRAMMEL_TEST_TIMEOUT} ENVIRONMENT "${TRAMMEL_TEST_ENVIRONMENT}")
  endif()
endfunction()

# trammel_add_mpi_test(TARGET RANKS...): the whole executable under mpirun, once for each number of ranks.
function(trammel_add_mpi_test target)
  foreach(ranks IN LISTS ARGN)
    set(test ${target}.on_${ranks})
    add_test(NAME ${test}
      COMMAND ${MPIEXEC_EXECUTABLE} -q --oversubscribe -n ${ranks} $<TARGET_FILE:${target}>)
    set_tests_properties(${test} PROPERTIES
      TIMEOUT ${TRAMMEL_TEST_TIMEOUT} ENVIRONMENT "${TRAMMEL_TEST_ENVIRONMENT}" PROCESSORS ${ranks} LABELS mpi)
  endforeach()
endfunction()

# trammel_add_tests(NAME [LINK targets...] [NEEDS targets...]): the tests of the present folder, see above.
# They are passed over where a library to link is not built; NEEDS are built before the tests.
function(trammel_add_tests name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;NEEDS;OBJECTS")
  foreach(library IN LISTS arg_LINK)
    if(NOT DEFINED arg_OBJECTS AND NOT TARGET ${library})
      message(STATUS "Tests of ${name}: ${library} is not built, passed over")
      return()
    endif()
  endforeach()

  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  set(serial ${sources})
  set(mpi ${sources})
  list(FILTER serial INCLUDE REGEX "_test\\.cpp$")
  list(FILTER serial EXCLUDE REGEX "_mpi_test\\.cpp$")
  list(FILTER mpi INCLUDE REGEX "_mpi_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(DEFINED arg_OBJECTS)
    set(sources ${arg_OBJECTS})  # a plugin's folder: its sources are compiled already
  endif()

  set(needs "")
  foreach(target IN LISTS arg_NEEDS)
    if(TARGET ${target})
      list(APPEND needs ${target})
    endif()
  endforeach()
  file(GLOB plugins CONFIGURE_DEPENDS plugins/*.cpp)
  foreach(source IN LISTS plugins)
    get_filename_component(plugin ${source} NAME_WE)
    trammel_add_plugin(${plugin} ${source} TEST)
    list(APPEND needs ${plugin})
  endforeach()
  file(GLOB folders CONFIGURE_DEPENDS LIST_DIRECTORIES true plugins/*)
  foreach(folder IN LISTS folders)
    if(IS_DIRECTORY ${folder})
      get_filename_component(plugin ${folder} NAME)
      file(GLOB sources_of_plugin CONFIGURE_DEPENDS ${folder}/*.cpp)
      trammel_add_plugin(${plugin} ${sources_of_plugin} TEST)
      list(APPEND needs ${plugin})
    endif()
  endforeach()

  if(serial)
    trammel_add_test_executable(${name}_tests SOURCES ${serial} ${sources} LINK ${arg_LINK})
    trammel_add_serial_test(${name}_tests)
    if(needs)
      add_dependencies(${name}_tests ${needs})
    endif()
  endif()
  if(mpi)
    trammel_add_test_executable(${name}_mpi_tests SOURCES ${mpi} ${sources} LINK ${arg_LINK})
    trammel_add_mpi_test(${name}_mpi_tests 1 2 4)
    if(needs)
      add_dependencies(${name}_mpi_tests ${needs})
    endif()
  endif()
endfunction()

# trammel_add_plugin_tests(NAME): the tests in a plugin's own folder, linked with the plugin's objects.
function(trammel_add_plugin_tests name)
  if(NOT TARGET ${name})
    trammel_add_tests(${name})  # headers alone so far
    return()
  endif()
  get_target_property(libraries ${name} LINK_LIBRARIES)
  list(FILTER libraries EXCLUDE REGEX "trammel_options|Trammel::sdk|::@")
  trammel_add_tests(${name} OBJECTS $<TARGET_OBJECTS:${name}> LINK ${libraries} NEEDS ${name})
endfunction()
