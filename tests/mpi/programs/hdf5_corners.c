// What a recorder of HDF5 may do wrong: errors that the program looks at, lists and texts that are shorter
// than the room for them, objects that end when nobody refers to them. Prints what it finds.
#include <hdf5.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  const hsize_t sizes[2] = {8, 8}, chunk[2] = {4, 4}, corner[2] = {4, 4}, none[2] = {0, 0}, one[2] = {1, 1};
  hid_t file = H5Fcreate("corners.h5", H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(2, sizes, NULL);
  const herr_t wrong = H5Sselect_hyperslab(space, H5S_SELECT_SET, none, none, one, NULL);  // a stride of 0
  printf("errors after a call that failed: %d\n", wrong < 0 && H5Eget_num(H5E_DEFAULT) > 0);

  const hsize_t points[2][2] = {{1, 2}, {7, 0}};
  H5Sselect_elements(space, H5S_SELECT_SET, 2, points[0]);
  printf("points %d\n", (int)H5Sget_select_npoints(space));

  hid_t create = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(create, 0);
  H5Pset_chunk(create, 2, chunk);
  hsize_t found[32];
  for (int i = 0; i < 32; ++i) found[i] = 7000;
  printf("dimensions %d\n", H5Pget_chunk(create, 32, found));
  hid_t set = H5Dcreate2(file, "set", H5T_NATIVE_INT, space, H5P_DEFAULT, create, H5P_DEFAULT);
  int values[16] = {0};
  printf("chunk written %d\n", H5Dwrite_chunk(set, H5P_DEFAULT, 0, corner, sizeof values, values) >= 0);

  hid_t open[16];
  for (int i = 0; i < 16; ++i) open[i] = 1000000 + i;
  printf("open %d\n", (int)H5Fget_obj_ids(file, H5F_OBJ_DATASET, 16, open));
  for (int i = 0; i < 3; ++i) {
    hid_t brief = H5Screate_simple(1, sizes, NULL);
    H5Iinc_ref(brief);
    const int left = H5Idec_ref(brief), gone = H5Idec_ref(brief);
    printf("references %d %d\n", left, gone);
  }
  H5Oset_comment(set, "0123456789");
  char text[64] = "################more than that";
  const int length = (int)H5Oget_comment(set, text, 4);
  printf("comment %d %.3s\n", length, text);
  H5Dclose(set), H5Pclose(create), H5Sclose(space), H5Fclose(file);
  return 0;
}
