// A file of several datasets through HDF5: rows of each are written by all ranks, collectively and not, with
// an attribute each. Without MPI (SERIAL) the one process writes them all.
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef SERIAL
#include <mpi.h>
#endif

enum { kColumns = 16, kSets = 3 };

static void write_rows(hid_t set, hid_t memory, hid_t transfer, int rank, int ranks, int rows, int number) {
  int values[kColumns];
  hid_t space = H5Dget_space(set);
  for (int row = rank; row < rows; row += ranks) {
    hsize_t start[2] = {(hsize_t)row, 0}, count[2] = {1, kColumns};
    for (int i = 0; i < kColumns; ++i) values[i] = number * 1000 + row * kColumns + i;
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (H5Dwrite(set, H5T_NATIVE_INT, memory, space, transfer, values) < 0) exit(1);
  }
  H5Sclose(space);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
#ifndef SERIAL
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
#endif
  int rows = 4 * ranks;
  hsize_t sizes[2] = {(hsize_t)rows, kColumns}, line[1] = {kColumns}, one[1] = {1}, chunk[2] = {2, kColumns};
  hid_t file = H5Fcreate("sets.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
  hid_t space = H5Screate_simple(2, sizes, NULL), memory = H5Screate_simple(1, line, NULL);
  hid_t note_space = H5Screate_simple(1, one, NULL), create = H5Pcreate(H5P_DATASET_CREATE);
  hid_t group = H5Gcreate2(file, "runs of today", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t plain = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(plain, 0), H5Pset_obj_track_times(create, 0);  // the same bytes from each run
  H5Pset_chunk(create, 2, chunk);
  for (int n = 0; n < kSets; ++n) {
    char name[32];
    double weight = 0.5 * n;
    snprintf(name, sizeof name, "set_%03d", n);
#ifndef SERIAL
    H5Pset_dxpl_mpio(transfer, n == 1 ? H5FD_MPIO_INDEPENDENT : H5FD_MPIO_COLLECTIVE);
#endif
    hid_t set =
        H5Dcreate2(group, name, H5T_STD_I32LE, space, H5P_DEFAULT, n == 2 ? create : plain, H5P_DEFAULT);
    write_rows(set, memory, transfer, rank, ranks, rows, n);
    hid_t note = H5Acreate2(set, "weight", H5T_IEEE_F64LE, note_space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(note, H5T_NATIVE_DOUBLE, &weight);
    H5Aclose(note);
    H5Dclose(set);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
  }
  H5Pclose(create), H5Pclose(plain), H5Sclose(note_space), H5Sclose(memory), H5Sclose(space), H5Gclose(group),
      H5Fclose(file);
  H5Pclose(transfer), H5Pclose(access);
  if (rank == 0) {
    file = H5Fopen("sets.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "/runs of today/set_002", H5P_DEFAULT);
    int* all = malloc(sizeof(int) * (size_t)rows * kColumns);
    long sum = 0;
    H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all);
    for (int i = 0; i < rows * kColumns; ++i) sum += all[i];
    printf("%ld\n", sum);
    free(all);
    H5Dclose(set), H5Fclose(file);
  }
#ifndef SERIAL
  MPI_Finalize();
#endif
  return 0;
}
