# shellcheck shell=bash disable=SC2034
# To be sourced: what runs under MPI on one machine need, as root in a container or not.
export OMP_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=^ucx
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_hwloc_base_binding_policy=none
cores=$(env -u OMP_NUM_THREADS nproc)  # nproc heeds that variable
