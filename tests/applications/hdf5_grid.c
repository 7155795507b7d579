/* Writes and reads a file with parallel HDF5, as simulations do: collective creation of groups and
 * data sets, two-dimensional blocks, chunks that ranks share, attributes, a growing data set, all
 * metadata read collectively. HDF5 calls MPI's collectives and MPI-IO.
 *
 * hdf5_grid FILE: prints "hdf5_grid: ranks=N wrong=0". Same file for the same number of ranks. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 24, kColumns = 40, kSteps = 12 };

static int rank, ranks;

static hid_t checked(hid_t id, const char* what) {
  if (id >= 0) return id;
  fprintf(stderr, "hdf5_grid: %s failed on rank %d\n", what, rank);
  MPI_Abort(MPI_COMM_WORLD, 1);
  return id;
}
#define CHECKED(call) checked((hid_t)(call), #call)

static double value(int step, int row, int column) {
  return step * 1e6 + row * 1e3 + column + 0.25;
}

static hid_t open_file(const char* path, int create) {
  hid_t access = CHECKED(H5Pcreate(H5P_FILE_ACCESS)), file;
  CHECKED(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  CHECKED(H5Pset_all_coll_metadata_ops(access, 1));
  CHECKED(H5Pset_coll_metadata_write(access, 1));
  file = create ? CHECKED(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access))
                : CHECKED(H5Fopen(path, H5F_ACC_RDONLY, access));
  H5Pclose(access);
  return file;
}

static hid_t collective_transfer(void) {
  hid_t transfer = CHECKED(H5Pcreate(H5P_DATASET_XFER));
  CHECKED(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE));
  return transfer;
}

/* The rank's rows of one step: kRows of them, in a data set of steps x (ranks * kRows) x columns.
 */
static hid_t my_part(hid_t data, int step) {
  hsize_t start[3] = {(hsize_t)step, (hsize_t)(rank * kRows), 0}, count[3] = {1, kRows, kColumns};
  hid_t space = CHECKED(H5Dget_space(data));
  CHECKED(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
  return space;
}

static hid_t create_series(hid_t group) {
  const hsize_t now[3] = {0, (hsize_t)(ranks * kRows), kColumns};
  const hsize_t most[3] = {H5S_UNLIMITED, now[1], now[2]};
  const hsize_t chunk[3] = {2, 7, 16}; /* across the ranks' borders */
  hid_t space = CHECKED(H5Screate_simple(3, now, most)),
        how = CHECKED(H5Pcreate(H5P_DATASET_CREATE));
  hid_t data;
  CHECKED(H5Pset_chunk(how, 3, chunk));
  CHECKED(H5Pset_obj_track_times(how, 0)); /* files of two runs shall be equal */
  data =
      CHECKED(H5Dcreate(group, "series", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT));
  H5Pclose(how);
  H5Sclose(space);
  return data;
}

static void write_file(const char* path) {
  double* part = malloc(sizeof(double) * kRows * kColumns);
  hid_t file = open_file(path, 1), transfer = collective_transfer(), data;
  hid_t group = CHECKED(H5Gcreate(file, "results", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  hsize_t block[2] = {kRows, kColumns};
  hid_t memory = CHECKED(H5Screate_simple(2, block, NULL));
  int step, row, column;
  data = create_series(group);
  for (step = 0; step < kSteps; ++step) {
    hsize_t size[3] = {(hsize_t)step + 1, (hsize_t)(ranks * kRows), kColumns};
    char name[32];
    hid_t scalar = CHECKED(H5Screate(H5S_SCALAR)), note, space;
    CHECKED(H5Dset_extent(data, size));
    for (row = 0; row < kRows; ++row)
      for (column = 0; column < kColumns; ++column)
        part[row * kColumns + column] = value(step, rank * kRows + row, column);
    space = my_part(data, step);
    CHECKED(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, transfer, part));
    snprintf(name, sizeof name, "step %d", step);
    note = CHECKED(H5Acreate(group, name, H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT));
    CHECKED(H5Awrite(note, H5T_NATIVE_INT, &step));
    H5Aclose(note);
    H5Sclose(scalar);
    H5Sclose(space);
  }
  H5Sclose(memory);
  H5Dclose(data);
  H5Gclose(group);
  H5Pclose(transfer);
  CHECKED(H5Fclose(file));
  free(part);
}

static int wrong_in_file(const char* path) {
  double* part = malloc(sizeof(double) * kRows * kColumns);
  hid_t file = open_file(path, 0), transfer = collective_transfer();
  hid_t data = CHECKED(H5Dopen(file, "results/series", H5P_DEFAULT));
  hsize_t block[2] = {kRows, kColumns};
  hid_t memory = CHECKED(H5Screate_simple(2, block, NULL));
  int step, row, column, wrong = 0;
  for (step = kSteps - 1; step >= 0; --step) {
    hid_t space = my_part(data, step);
    CHECKED(H5Dread(data, H5T_NATIVE_DOUBLE, memory, space, transfer, part));
    for (row = 0; row < kRows; ++row)
      for (column = 0; column < kColumns; ++column)
        wrong += part[row * kColumns + column] != value(step, rank * kRows + row, column);
    H5Sclose(space);
  }
  H5Sclose(memory);
  H5Dclose(data);
  H5Pclose(transfer);
  CHECKED(H5Fclose(file));
  free(part);
  return wrong;
}

int main(int argc, char** argv) {
  int wrong, total;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) {
    fprintf(stderr, "usage: hdf5_grid FILE\n");
    MPI_Abort(MPI_COMM_WORLD, 64);
  }
  write_file(argv[1]);
  wrong = wrong_in_file(argv[1]);
  MPI_Allreduce(&wrong, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("hdf5_grid: ranks=%d wrong=%d\n", ranks, total);
  MPI_Finalize();
  return total != 0;
}
