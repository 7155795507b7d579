// An MPI library without the functions of MPI 4. It has what a program needs that calls MPI_Bcast.
// VERSION: what it says it is.
#include <stdio.h>
#include <string.h>

#ifndef VERSION
#define VERSION "Older MPI 3.1"
#endif

int PMPI_Init(int* argc, char*** argv) { return argc && argv ? 0 : 1; }
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
int PMPI_Initialized(int* flag) {
  *flag = 1;
  return 0;
}
int PMPI_Get_library_version(char* text, int* length) {
  strcpy(text, VERSION);
  *length = (int)strlen(text);
  return 0;
}
int PMPI_Bcast(void* buffer, int count, long type, int root, long comm) {
  return buffer && count && type && comm ? root : 1;
}
int MPI_Bcast(void* buffer, int count, long type, int root, long comm) {
  return PMPI_Bcast(buffer, count, type, root, comm);
}
int PMPI_Comm_call_errhandler(long comm, int error) {
  printf("handler of %lx: %s\n", comm, error ? "an error" : "none");
  return 0;
}
