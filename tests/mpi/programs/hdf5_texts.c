// Data of HDF5 that is behind addresses: texts and lists of any length, as sets and as attributes. Prints
// what it reads back.
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const hsize_t count[1] = {3};
  const char* const texts[3] = {"one", "two words", ""};
  int numbers[3] = {7, 8, 9};
  hvl_t lists[3] = {{1, numbers}, {3, numbers}, {0, NULL}};
  hid_t file = H5Fcreate("texts.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, count, NULL);
  hid_t text = H5Tcopy(H5T_C_S1), list = H5Tvlen_create(H5T_NATIVE_INT);
  H5Tset_size(text, H5T_VARIABLE);
  hid_t set = H5Dcreate2(file, "texts", text, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts);
  hid_t attribute = H5Acreate2(set, "lists", list, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, list, lists);
  H5Aclose(attribute), H5Dclose(set);

  set = H5Dopen2(file, "texts", H5P_DEFAULT);
  char* found[3];
  H5Dread(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, found);
  for (int i = 0; i < 3; ++i) printf("%s\n", found[i]);
  H5Dvlen_reclaim(text, space, H5P_DEFAULT, found);
  const int no = 0, yes = 1;
  hid_t answer = H5Tenum_create(H5T_NATIVE_INT);
  printf("%d %d\n", H5Tenum_insert(answer, "no", &no) >= 0, H5Tenum_insert(answer, "yes", &yes) >= 0);
  H5Tclose(answer), H5Dclose(set), H5Tclose(text), H5Tclose(list), H5Sclose(space), H5Fclose(file);
  return 0;
}
