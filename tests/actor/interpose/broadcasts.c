// A plain MPI program in C, of no particular MPI library, for tests of settings, faults and
// linking:
//   broadcasts values [MOST]          every size around the runtime's limits, up to MOST, from every
//                                     root, with and without gaps in memory; every byte is checked
//   broadcasts short CALLS            8 bytes, changing roots, ending right after the last call
//   broadcasts differ ROOT BYTES      three good calls of 100 bytes from root 0, then one in which
//                                     rank 1 says ROOT and BYTES instead
// Rank 0 prints "broadcasts: ranks=4 calls=144 wrong=0"; exits with 1 where bytes were wrong.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kLongest = 3000001, kGapEvery = 3 };
static const unsigned char kUntouched = 0xa5;

static int rank, ranks, calls;
static long wrong;

static unsigned char value(int call, size_t i) {
  return (unsigned char)(call * 131 + (int)(i % 251) * 7 + (int)(i >> 12));
}

// `step` 1: `bytes` in a row. `step` 3: every third byte of memory belongs to the message.
static void broadcast(unsigned char* memory, size_t bytes, int step, int root) {
  const size_t span = bytes * (size_t)step;
  MPI_Datatype type = MPI_BYTE;
  if (step > 1) {
    MPI_Type_vector((int)bytes, 1, step, MPI_BYTE, &type);
    MPI_Type_commit(&type);
  }
  ++calls;
  memset(memory, kUntouched, span + 1);
  if (rank == root) {
    for (size_t i = 0; i < bytes; ++i) memory[i * (size_t)step] = value(calls, i);
  }
  MPI_Bcast(memory, step > 1 ? 1 : (int)bytes, type, root, MPI_COMM_WORLD);
  for (size_t at = 0; at < span; ++at) {
    const int is_gap = at % (size_t)step != 0;
    wrong += memory[at] != (is_gap ? kUntouched : value(calls, at / (size_t)step));
  }
  wrong += memory[span] != kUntouched;
  if (step > 1) MPI_Type_free(&type);
}

static void check_values(size_t most) {
  static const size_t sizes[] = {0,    1,    7,     24,    25,     1024,   2048,    2049,
                                 8192, 8193, 32769, 65536, 100000, 300000, 1000000, kLongest};
  unsigned char* memory = malloc((size_t)kLongest + 1);
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes && sizes[s] <= most; ++s) {
    for (int root = 0; root < ranks; ++root) {
      broadcast(memory, sizes[s], 1, root);
      if (sizes[s] <= kLongest / kGapEvery) broadcast(memory, sizes[s], kGapEvery, root);
    }
  }
  free(memory);
}

static void broadcast_short(int count) {
  for (calls = 0; calls < count;) {
    const int root = calls++ * 7 % ranks;
    int64_t number = rank == root ? calls : -1;
    MPI_Bcast(&number, 1, MPI_INT64_T, root, MPI_COMM_WORLD);
    wrong += number != calls;
  }
}

static void differ(int other_root, int other_bytes) {
  char* memory = calloc(1, (size_t)other_bytes + 100);
  for (int i = 0; i < 3; ++i) MPI_Bcast(memory, 100, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Bcast(memory, other_bytes, MPI_BYTE, other_root, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(memory, 100, MPI_BYTE, 0, MPI_COMM_WORLD);
  }
  calls = 4;
  free(memory);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "values") == 0 && argc <= 3) {
    check_values(argc == 3 ? (size_t)atol(argv[2]) : kLongest);
  } else if (strcmp(what, "short") == 0 && argc == 3) {
    broadcast_short(atoi(argv[2]));
  } else if (strcmp(what, "differ") == 0 && argc == 4) {
    differ(atoi(argv[2]), atoi(argv[3]));
  } else {
    if (rank == 0) fprintf(stderr, "broadcasts: see the head of broadcasts.c\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (strcmp(what, "short") != 0) {
    // Without a broadcast of ours, whatever the MPI library makes of it.
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("broadcasts: ranks=%d calls=%d wrong=%ld\n", ranks, calls, wrong);
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
