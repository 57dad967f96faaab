# Finds a PETSc of real scalars in double precision through pkg-config and makes the target PETSc::PETSc. Indices may have 32 or
# 64 bits. PETSC_DIR (and PETSC_ARCH, where PETSc was not installed with a prefix), in the cache or the environment, name an
# installation of one's own.
find_package(PkgConfig QUIET)

set(_petsc_folders "")
set(_petsc_only "")
foreach(_root IN ITEMS "${PETSC_DIR}" "$ENV{PETSC_DIR}")
  if(_root)
    set(_petsc_only NO_DEFAULT_PATH)
    foreach(_arch IN ITEMS "${PETSC_ARCH}" "$ENV{PETSC_ARCH}" "")
      list(APPEND _petsc_folders "${_root}/${_arch}/lib/pkgconfig")
    endforeach()
  endif()
endforeach()
if(_petsc_folders)
  # Nothing else will do: with the library of another PETSc the program would fail at its start, or later.
  list(REMOVE_DUPLICATES _petsc_folders)
  set(_petsc_found FALSE)
  foreach(_folder IN LISTS _petsc_folders)
    file(GLOB _petsc_libraries "${_folder}/../libpetsc*")
    if(EXISTS "${_folder}/PETSc.pc" AND _petsc_libraries)
      set(_petsc_found TRUE)
    endif()
  endforeach()
  if(NOT _petsc_found)
    list(JOIN _petsc_folders ", " _petsc_text)
    message(FATAL_ERROR "PETSC_DIR names no PETSc: PETSc.pc and the library beside it were sought in ${_petsc_text}. Set PETSC_DIR "
      "and PETSC_ARCH as they were when PETSc was built, or neither of them for Debian's.")
  endif()
else()
  file(GLOB _petsc_folders LIST_DIRECTORIES true /usr/lib/petscdir/petsc*/*-real/lib/pkgconfig)
endif()

if(PkgConfig_FOUND)
  set(_petsc_saved "$ENV{PKG_CONFIG_PATH}")
  list(JOIN _petsc_folders ":" _petsc_path)
  set(ENV{PKG_CONFIG_PATH} "${_petsc_path}:${_petsc_saved}")
  pkg_search_module(PC_PETSC QUIET PETSc petsc)
  set(ENV{PKG_CONFIG_PATH} "${_petsc_saved}")
endif()

find_path(PETSC_INCLUDE_DIR petsc.h HINTS ${PC_PETSC_INCLUDE_DIRS} ${_petsc_only})
find_path(PETSC_CONF_INCLUDE_DIR petscconf.h HINTS ${PC_PETSC_INCLUDE_DIRS} ${_petsc_only})
find_library(PETSC_LIBRARY NAMES ${PC_PETSC_LIBRARIES} petsc_real petsc HINTS ${PC_PETSC_LIBRARY_DIRS} ${_petsc_only})
mark_as_advanced(PETSC_INCLUDE_DIR PETSC_CONF_INCLUDE_DIR PETSC_LIBRARY)

set(_petsc_unfit "")
if(PETSC_CONF_INCLUDE_DIR)
  file(STRINGS "${PETSC_CONF_INCLUDE_DIR}/petscconf.h" _petsc_kind REGEX
    "PETSC_(USE_COMPLEX|USE_REAL_[A-Z0-9_]*|USE_64BIT_INDICES|HAVE_MUMPS|HAVE_PTSCOTCH|HAVE_PARMETIS) 1")
  if(_petsc_kind MATCHES "PETSC_USE_COMPLEX")
    set(_petsc_unfit "it has complex scalars")
  elseif(NOT _petsc_kind MATCHES "PETSC_USE_REAL_DOUBLE")
    set(_petsc_unfit "its scalars are not of double precision")
  elseif(NOT _petsc_kind MATCHES "PETSC_HAVE_MUMPS")
    set(_petsc_unfit "it lacks MUMPS (configure it with --download-mumps --download-scalapack)")
  elseif(NOT _petsc_kind MATCHES "PETSC_HAVE_(PTSCOTCH|PARMETIS)")
    set(_petsc_unfit "it lacks PT-Scotch and ParMETIS (configure it with --download-ptscotch)")
  endif()
endif()
# PETSc hands its arrays of indices to PT-Scotch as they are. If one has 64 bits and the other 32, partitions are nonsense.
get_filename_component(_petsc_variables "${PETSC_LIBRARY}" DIRECTORY)
string(APPEND _petsc_variables /petsc/conf/petscvariables)
if(NOT _petsc_unfit AND _petsc_kind MATCHES "PETSC_HAVE_PTSCOTCH" AND EXISTS "${_petsc_variables}")
  file(STRINGS "${_petsc_variables}" _petsc_scotch REGEX "^PTSCOTCH_INCLUDE = *-I[^ ]+")
  string(REGEX REPLACE "^PTSCOTCH_INCLUDE = *-I([^ ]+).*" "\\1/scotch.h" _petsc_scotch "${_petsc_scotch}")
  if(EXISTS "${_petsc_scotch}")
    file(STRINGS "${_petsc_scotch}" _petsc_number REGEX "typedef +(int|int32_t) +SCOTCH_Num;")
    if(_petsc_kind MATCHES "PETSC_USE_64BIT_INDICES" AND _petsc_number)
      set(_petsc_unfit "its indices have 64 bits, and the integers of its PT-Scotch 32 (${_petsc_scotch}; configure it with \
--download-ptscotch, or with a PT-Scotch for integers of 64 bits)")
    endif()
  endif()
endif()
if(_petsc_unfit)
  message(FATAL_ERROR "The PETSc in ${PETSC_CONF_INCLUDE_DIR} does not fit: ${_petsc_unfit}. Trammel needs real scalars of "
    "double precision, MUMPS, and PT-Scotch or ParMETIS; set PETSC_DIR and PETSC_ARCH to such an installation.")
endif()

# Two MPI libraries in one process do not work.
if(PETSC_CONF_INCLUDE_DIR AND EXISTS "${MPI_C_HEADER_DIR}/mpi.h")
  file(STRINGS "${PETSC_CONF_INCLUDE_DIR}/petscconf.h" _petsc_mpi REGEX
    "PETSC_HAVE_(OMPI_MAJOR_|MPICH_NUM|I_MPI_NUM)VERSION")
  file(STRINGS "${MPI_C_HEADER_DIR}/mpi.h" _petsc_open_mpi REGEX "define OMPI_MAJOR_VERSION")
  if(_petsc_mpi AND _petsc_mpi MATCHES "OMPI_MAJOR" AND NOT _petsc_open_mpi)
    message(FATAL_ERROR "The PETSc in ${PETSC_CONF_INCLUDE_DIR} was built with Open MPI, and ${MPI_C_HEADER_DIR} is of another MPI "
      "library: name the compiler of that Open MPI by -DMPI_C_COMPILER=.../mpicc.")
  elseif(_petsc_mpi AND NOT _petsc_mpi MATCHES "OMPI_MAJOR" AND _petsc_open_mpi)
    message(FATAL_ERROR "The PETSc in ${PETSC_CONF_INCLUDE_DIR} was built with MPICH or a library like it, and ${MPI_C_HEADER_DIR} is of "
      "Open MPI: name the compiler of PETSc's MPI library by -DMPI_C_COMPILER=.../mpicc.")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PETSc
  REQUIRED_VARS PETSC_LIBRARY PETSC_INCLUDE_DIR PETSC_CONF_INCLUDE_DIR
  VERSION_VAR PC_PETSC_VERSION
  REASON_FAILURE_MESSAGE "install libpetsc-real-dev, or set PETSC_DIR and PETSC_ARCH to an installation of your own")

if(PETSc_FOUND AND NOT TARGET PETSc::PETSc)
  add_library(PETSc::PETSc UNKNOWN IMPORTED)
  set_target_properties(PETSc::PETSc PROPERTIES
    IMPORTED_LOCATION ${PETSC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${PETSC_CONF_INCLUDE_DIR};${PETSC_INCLUDE_DIR}"
    INTERFACE_COMPILE_DEFINITIONS "OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX"
    INTERFACE_LINK_LIBRARIES MPI::MPI_C)
endif()
