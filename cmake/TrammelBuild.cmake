# What all targets of this tree share: language, warnings, sanitizers, compiler cache, folders, precompiled headers.
include(GNUInstallDirs)
set(CMAKE_INSTALL_LIBDIR lib)  # plugins are found relative to the command, whatever the prefix is

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Kind of build" FORCE)
endif()

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Sources that include a precompiled header are cached only with these.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_PCH_EXTSUM=1 ${PROJECT_SOURCE_DIR}/cmake/cached_clang.sh ${CCACHE})
    # CMake writes -Xclang before each word, behind which the cache does not see paths.
    set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH -include <PCH_HEADER>)
  else()
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
  endif()
endif()

# Links a target of this tree gets, and no one outside of it.
add_library(trammel_options INTERFACE)
target_compile_options(trammel_options INTERFACE
  -fPIC -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<BOOL:${TRAMMEL_WERROR}>:-Werror>
  # g++ 12 sees uninitialized, overlapping and out-of-bounds reads inside inlined Eigen and std::string that are none.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${TRAMMEL_PCH}>>:-fpch-preprocess -Winvalid-pch>
  "$<$<AND:$<CXX_COMPILER_ID:Clang>,$<BOOL:${TRAMMEL_PCH}>>:SHELL:-Xclang -fno-pch-timestamp>")
if(TRAMMEL_SANITIZE)
  # Address sanitizing stops at null pointers and beyond objects anyway, and Eigen asserts alignment itself; asking before
  # each access doubles the compilation.
  target_compile_options(trammel_options INTERFACE
    -fsanitize=${TRAMMEL_SANITIZE} -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(trammel_options INTERFACE -fsanitize=${TRAMMEL_SANITIZE})
endif()

# Shared libraries name all that they need. (clang links its sanitizers into the executable alone.)
set(TRAMMEL_NO_UNDEFINED -Wl,-z,defs)
if(TRAMMEL_SANITIZE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(TRAMMEL_NO_UNDEFINED "")
endif()

# It links in a quarter of the time.
find_program(LLD ld.lld)
mark_as_advanced(LLD)
if(LLD)
  target_link_options(trammel_options INTERFACE -fuse-ld=lld)
endif()

# Plugins lie here under an install prefix and under the build folder alike.
set(TRAMMEL_PLUGIN_SUBDIR lib/trammel/plugins)

# trammel_precompile(NAME [LINK target...] [HEADERS header...]): headers that most sources include, and those given,
# compiled once for all targets that name NAME to trammel_own.
function(trammel_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINK;HEADERS")
  if(NOT TRAMMEL_PCH OR TARGET ${name})
    return()
  endif()
  file(WRITE ${PROJECT_BINARY_DIR}/pch.cpp.new "// Holds the precompiled headers.\n")
  file(COPY_FILE ${PROJECT_BINARY_DIR}/pch.cpp.new ${PROJECT_BINARY_DIR}/pch.cpp ONLY_IF_DIFFERENT)
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/pch.cpp)
  target_link_libraries(${name} PRIVATE trammel_options sdk_headers ${arg_LINK})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <sstream>
    <string> <string_view> <unordered_map> <utility> <variant> <vector>
    <Eigen/Core> <Eigen/Dense> <fmt/format.h> ${arg_HEADERS})
endfunction()

# trammel_own(TARGET [PRECOMPILED]): what every target of this tree has in common.
function(trammel_own target)
  set(precompiled trammel_pch ${ARGN})
  list(GET precompiled -1 precompiled)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:trammel_options>)
  if(TARGET ${precompiled})
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
  endif()
endfunction()

# A folder may be taken away, and one without a CMakeLists.txt is passed over.
macro(trammel_add_subdirectory folder)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
  endif()
endmacro()

# Every folder below the present one that has a CMakeLists.txt.
function(trammel_add_all_subdirectories)
  file(GLOB entries CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} */CMakeLists.txt)
  foreach(entry IN LISTS entries)
    get_filename_component(folder ${entry} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()
