/* Collectives that need more of the MPI library than its plainest functions: types with gaps,
   blocks of other sizes on each rank, calls in the background. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 20000 };

static int rank, ranks;
static int wrong;

static void check(int is_right, const char* what, int count) {
  if (is_right) return;
  fprintf(stderr, "rank %d: wrong %s of %d\n", rank, what, count);
  wrong = 1;
}

static void broadcast(int count, MPI_Datatype pairs_apart) {
  static int data[4 * kMost];
  for (int i = 0; i < 4 * count; i++) data[i] = rank == 0 ? i : -1;
  MPI_Bcast(data, count, pairs_apart, 0, MPI_COMM_WORLD);
  int is_right = 1;
  for (int i = 0; i < 4 * count; i++) is_right &= data[i] == (rank == 0 || i % 4 < 2 ? i : -1);
  check(is_right, "broadcast", count);
  MPI_Request request;
  MPI_Ibcast(data, count, pairs_apart, 1, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void exchange(int count) {
  int* const sent = malloc(sizeof(int) * (size_t)(count * ranks));
  int* const got = malloc(sizeof(int) * (size_t)(count * ranks));
  int counts[64], places[64];
  for (int i = 0; i < ranks; i++) {
    counts[i] = count;
    places[i] = i * count;
  }
  for (int i = 0; i < count * ranks; i++) sent[i] = rank * 1000 + i / count;
  MPI_Alltoallv(sent, counts, places, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count * ranks; i++) {
    if (got[i] != i / count * 1000 + rank) check(0, "alltoallv", count);
  }
  MPI_Gatherv(sent, count, MPI_INT, got, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < count * ranks; i++) {
    if (got[i] != i / count * 1000) check(0, "gatherv", count);
  }
  free(sent);
  free(got);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Datatype pair, pairs_apart;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, 4 * sizeof(int), &pairs_apart);
  MPI_Type_commit(&pairs_apart);
  const int counts[] = {1, 100, 1000, kMost};
  for (int i = 0; i < 4; i++) {
    broadcast(counts[i], pairs_apart);
    exchange(counts[i]);
  }
  if (rank == 0 && !wrong) printf("all right\n");
  MPI_Type_free(&pair);
  MPI_Type_free(&pairs_apart);
  MPI_Finalize();
  return wrong;
}
