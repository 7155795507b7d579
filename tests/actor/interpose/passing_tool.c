// A tool of messages from before MPI 4: its functions call the MPI library's past all that is loaded
// before it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

int MPI_Start(MPI_Request* request) {
  int (*next)(MPI_Request*) = (int (*)(MPI_Request*))dlsym(RTLD_NEXT, "MPI_Start");
  return next(request);
}

int MPI_Startall(int count, MPI_Request* requests) {
  int (*next)(int, MPI_Request*) = (int (*)(int, MPI_Request*))dlsym(RTLD_NEXT, "MPI_Startall");
  return next(count, requests);
}

int MPI_Request_free(MPI_Request* request) {
  int (*next)(MPI_Request*) = (int (*)(MPI_Request*))dlsym(RTLD_NEXT, "MPI_Request_free");
  return next(request);
}
