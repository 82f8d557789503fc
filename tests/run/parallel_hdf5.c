// One file of HDF5 by all ranks: a dataset written collectively, one independently in chunks; then read back
// by other ranks. Chunks are filled with zeros by whoever does the collective writing before their own ranks
// write them, and nothing is published in between; not so with "unfilled":  parallel_hdf5 FILE [unfilled]
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 64, kColumns = 100 };

#define CHECK(what)                                         \
  do {                                                      \
    if ((what) < 0) {                                       \
      fprintf(stderr, "rank %d: %s failed\n", rank, #what); \
      MPI_Abort(MPI_COMM_WORLD, 1);                         \
    }                                                       \
  } while (0)

static int rank, ranks;

static hid_t select_rows(hid_t space, int whose) {
  const hsize_t start[2] = {(hsize_t)whose * kRows, 0}, count[2] = {kRows, kColumns};
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL));
  return H5Screate_simple(2, count, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) return 2;
  const int unfilled = argc > 2 && strcmp(argv[2], "unfilled") == 0;
  static double values[kRows][kColumns];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) values[i][j] = rank * 1e6 + i * 1e3 + j;

  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file);
  const hsize_t size[2] = {(hsize_t)ranks * kRows, kColumns}, chunk[2] = {kRows / 2, kColumns};
  const hid_t space = H5Screate_simple(2, size, NULL);
  const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_chunk(chunked, 2, chunk));
  CHECK(H5Pset_obj_track_times(chunked, 0));
  if (unfilled) CHECK(H5Pset_fill_time(chunked, H5D_FILL_TIME_NEVER));
  const hid_t plain = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_obj_track_times(plain, 0));  // the bytes must not depend on the time
  const hid_t memory = select_rows(space, rank);
  for (int independent = 0; independent < 2; ++independent) {
    const hid_t set = H5Dcreate2(file, independent ? "independent" : "collective", H5T_IEEE_F64LE, space,
                                 H5P_DEFAULT, independent ? chunked : plain, H5P_DEFAULT);
    CHECK(set);
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    CHECK(H5Pset_dxpl_mpio(transfer, independent ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE));
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, values));
    H5Pclose(transfer);
    H5Dclose(set);
  }
  CHECK(H5Fclose(file));
  MPI_Barrier(MPI_COMM_WORLD);

  file = H5Fopen(argv[1], H5F_ACC_RDONLY, access);
  CHECK(file);
  const int whose = (rank + 1) % ranks;
  int bad = 0;
  for (int independent = 0; independent < 2; ++independent) {
    const hid_t set = H5Dopen2(file, independent ? "independent" : "collective", H5P_DEFAULT);
    CHECK(set);
    const hid_t from = H5Dget_space(set);
    const hid_t to = select_rows(from, whose);
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, to, from, H5P_DEFAULT, values));
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) bad += values[i][j] != whose * 1e6 + i * 1e3 + j;
    H5Dclose(set);
  }
  CHECK(H5Fclose(file));
  if (bad > 0) fprintf(stderr, "rank %d: %d values differ\n", rank, bad);
  MPI_Finalize();
  return bad > 0;
}
