# Finds an HDF5 that fits to the MPI library, and makes the target HDF5::C: with Open MPI that of Debian, which its PETSc is linked to (two
# of them in one process do not get along); with another MPI library one of that, the serial one or a plain one. TRAMMEL_HDF5_INCLUDE_DIR
# and TRAMMEL_HDF5_LIBRARY name another.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(OPEN_MPI mpi.h TRAMMEL_OPEN_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)
if(TRAMMEL_OPEN_MPI)
  set(_hdf5_modules hdf5-openmpi hdf5)
  set(_hdf5_names hdf5_openmpi hdf5)
  set(_hdf5_folders hdf5/openmpi)
else()
  set(_hdf5_modules hdf5-mpich hdf5-serial hdf5)
  set(_hdf5_names hdf5_mpich hdf5_serial hdf5)
  set(_hdf5_folders hdf5/mpich hdf5/serial)
endif()
find_package(PkgConfig REQUIRED)
pkg_search_module(PC_HDF5 QUIET ${_hdf5_modules})
find_path(TRAMMEL_HDF5_INCLUDE_DIR hdf5.h HINTS ${PC_HDF5_INCLUDE_DIRS} PATH_SUFFIXES ${_hdf5_folders})
find_library(TRAMMEL_HDF5_LIBRARY NAMES ${_hdf5_names} HINTS ${PC_HDF5_LIBRARY_DIRS})
mark_as_advanced(TRAMMEL_HDF5_INCLUDE_DIR TRAMMEL_HDF5_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TrammelHDF5 REQUIRED_VARS TRAMMEL_HDF5_LIBRARY TRAMMEL_HDF5_INCLUDE_DIR)

if(TrammelHDF5_FOUND AND NOT TARGET HDF5::C)
  add_library(HDF5::C UNKNOWN IMPORTED)
  set_target_properties(HDF5::C PROPERTIES
    IMPORTED_LOCATION ${TRAMMEL_HDF5_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${TRAMMEL_HDF5_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES MPI::MPI_C)
endif()
