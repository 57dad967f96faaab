# `cmake --build build/release --target format` lays all sources out; `format-check` only looks.
find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
mark_as_advanced(CLANG_FORMAT)
if(CLANG_FORMAT)
  foreach(way IN ITEMS format format-check)
    if(way STREQUAL "format")
      set(options -i)
    else()
      set(options --dry-run -Werror)
    endif()
    add_custom_target(${way}
      COMMAND ${PROJECT_SOURCE_DIR}/scripts/sources.sh | xargs -r ${CLANG_FORMAT} ${options}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
  endforeach()
endif()
