# Finds KLU and CAMD of SuiteSparse and makes the target SuiteSparse::KLU.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
find_library(KLU_LIBRARY klu)
find_library(CAMD_LIBRARY camd)
mark_as_advanced(KLU_INCLUDE_DIR KLU_LIBRARY CAMD_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU REQUIRED_VARS KLU_LIBRARY CAMD_LIBRARY KLU_INCLUDE_DIR)

if(KLU_FOUND AND NOT TARGET SuiteSparse::KLU)
  add_library(SuiteSparse::KLU UNKNOWN IMPORTED GLOBAL)
  set_target_properties(SuiteSparse::KLU PROPERTIES
    IMPORTED_LOCATION ${KLU_LIBRARY}
    INTERFACE_LINK_LIBRARIES ${CAMD_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${KLU_INCLUDE_DIR})
endif()
