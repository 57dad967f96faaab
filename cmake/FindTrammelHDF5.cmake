# Finds the HDF5 that PETSc is linked to (Debian's of Open MPI; else the plain one) and makes the target HDF5::C. CMake's own
# module would take the serial one beside it, and two of them in one process do not get along.
find_package(PkgConfig REQUIRED)
pkg_search_module(PC_HDF5 QUIET hdf5-openmpi hdf5-mpich hdf5)
find_path(TRAMMEL_HDF5_INCLUDE_DIR hdf5.h HINTS ${PC_HDF5_INCLUDE_DIRS} PATH_SUFFIXES hdf5/openmpi)
find_library(TRAMMEL_HDF5_LIBRARY NAMES hdf5_openmpi hdf5 HINTS ${PC_HDF5_LIBRARY_DIRS})
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
