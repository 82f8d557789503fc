/* All ranks write datasets of one HDF5 file, with a flush after each, as FLASH writes its checkpoints. By
 * default the library's own metadata is written by whichever rank holds it, and ranks overwrite what others
 * wrote: conflicts of two processes under session, none under commit, for the flush commits. With
 * `collective` all metadata is written together and these conflicts are gone.
 *
 *   h5pcc -o flushed_datasets flushed_datasets.c
 *   weir trace --out run.trace -- mpirun -n 4 ./flushed_datasets independent
 *   weir check run.trace --model session
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kDatasets = 6, kPerRank = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int collective = argc > 1 && strcmp(argv[1], "collective") == 0;
  const char* const name = argc > 2 ? argv[2] : "datasets.h5";
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_meta_block_size(access,
                         1 << 20); /* metadata apart from data: collective writes of it fill no gaps */
  if (collective) {
    H5Pset_coll_metadata_write(access, 1);
    H5Pset_all_coll_metadata_ops(access, 1);
  }
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);

  double values[kPerRank];
  for (int i = 0; i < kPerRank; ++i) values[i] = rank;
  const hsize_t all = (hsize_t)ranks * kPerRank;
  const hsize_t own = kPerRank;
  const hsize_t first = (hsize_t)rank * kPerRank;
  for (int k = 0; k < kDatasets; ++k) {
    char title[32];
    snprintf(title, sizeof title, "step_%d", k);
    const hid_t space = H5Screate_simple(1, &all, NULL);
    const hid_t memory = H5Screate_simple(1, &own, NULL);
    const hid_t set =
        H5Dcreate2(file, title, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &own, NULL);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(memory);
    H5Sclose(space);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
  }
  H5Fclose(file);
  H5Pclose(access);
  MPI_Finalize();
  return 0;
}
