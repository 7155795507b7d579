// Eight barriers by each of their two names, and between them collective functions on a file: PATH.
// Rank 0 prints "files: wrong=0", where what every rank has read is what all have written.
#include <mpi.h>
#include <stdio.h>

enum { kNumbers = 1000, kTimes = 8 };

int main(int argc, char** argv) {
  int rank, ranks, wrong = 0;
  int numbers[kNumbers];
  MPI_File file;
  MPI_Info hints;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "romio_cb_write", "enable");
  MPI_Info_set(hints, "romio_cb_read", "enable");
  for (int i = 0; i < kTimes; ++i) {
    const MPI_Offset mine = (MPI_Offset)(rank * (int)sizeof numbers);
    const MPI_Offset next = (MPI_Offset)((rank + 1) % ranks * (int)sizeof numbers);
    MPI_Barrier(MPI_COMM_WORLD);
    PMPI_Barrier(MPI_COMM_WORLD);
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
    MPI_File_set_size(file, 0);
    for (int at = 0; at < kNumbers; ++at) numbers[at] = rank + at + i;
    MPI_File_write_at_all(file, mine, numbers, kNumbers, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    MPI_File_read_at_all(file, next, numbers, kNumbers, MPI_INT, MPI_STATUS_IGNORE);
    for (int at = 0; at < kNumbers; ++at) wrong += numbers[at] != (rank + 1) % ranks + at + i;
    MPI_File_close(&file);
  }
  MPI_Info_free(&hints);
  if (wrong) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) printf("files: wrong=%d\n", wrong);
  MPI_Finalize();
  return 0;
}
