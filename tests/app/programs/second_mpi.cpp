// Stands for an MPI library: its file name is that of MPICH's.

extern "C" __attribute__((visibility("default"))) int MPIX_Second() { return 2; }
