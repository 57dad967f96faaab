# Finds a PETSc of real scalars in double precision through pkg-config and makes the target PETSc::PETSc.
# PETSC_DIR (and PETSC_ARCH), in the environment or the cache, name an installation of one's own.
find_package(PkgConfig QUIET)

set(_petsc_folders "")
foreach(_root IN ITEMS "${PETSC_DIR}" "$ENV{PETSC_DIR}")
  if(_root)
    list(APPEND _petsc_folders "${_root}/$ENV{PETSC_ARCH}/lib/pkgconfig" "${_root}/lib/pkgconfig")
  endif()
endforeach()
file(GLOB _petsc_debian LIST_DIRECTORIES true /usr/lib/petscdir/petsc*/*-real/lib/pkgconfig)
list(APPEND _petsc_folders ${_petsc_debian})

if(PkgConfig_FOUND)
  set(_petsc_saved "$ENV{PKG_CONFIG_PATH}")
  list(JOIN _petsc_folders ":" _petsc_path)
  set(ENV{PKG_CONFIG_PATH} "${_petsc_path}:${_petsc_saved}")
  pkg_search_module(PC_PETSC QUIET PETSc petsc)
  set(ENV{PKG_CONFIG_PATH} "${_petsc_saved}")
endif()

find_path(PETSC_INCLUDE_DIR petsc.h HINTS ${PC_PETSC_INCLUDE_DIRS})
find_path(PETSC_CONF_INCLUDE_DIR petscconf.h HINTS ${PC_PETSC_INCLUDE_DIRS})
find_library(PETSC_LIBRARY NAMES ${PC_PETSC_LIBRARIES} petsc_real petsc HINTS ${PC_PETSC_LIBRARY_DIRS})
mark_as_advanced(PETSC_INCLUDE_DIR PETSC_CONF_INCLUDE_DIR PETSC_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PETSc
  REQUIRED_VARS PETSC_LIBRARY PETSC_INCLUDE_DIR PETSC_CONF_INCLUDE_DIR
  VERSION_VAR PC_PETSC_VERSION)

if(PETSc_FOUND AND NOT TARGET PETSc::PETSc)
  add_library(PETSc::PETSc UNKNOWN IMPORTED)
  set_target_properties(PETSc::PETSc PROPERTIES
    IMPORTED_LOCATION ${PETSC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${PETSC_CONF_INCLUDE_DIR};${PETSC_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX"
    INTERFACE_LINK_LIBRARIES MPI::MPI_C)
endif()
