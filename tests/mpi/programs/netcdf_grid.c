// A grid with a record dimension through NetCDF, from one process.
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int status) {
  if (status != NC_NOERR) {
    fprintf(stderr, "%s\n", nc_strerror(status));
    exit(1);
  }
}

int main(void) {
  int file, dimensions[3], variable, missing;
  must(nc_create("grid.nc", NC_CLOBBER, &file));
  must(nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]));
  must(nc_def_dim(file, "y", 4, &dimensions[1]));
  must(nc_def_dim(file, "x", 8, &dimensions[2]));
  must(nc_def_var(file, "height", NC_FLOAT, 3, dimensions, &variable));
  must(nc_put_att_text(file, variable, "units", 1, "m"));
  must(nc_enddef(file));
  for (size_t step = 0; step < 6; ++step) {
    float plane[4 * 8];
    const size_t start[3] = {step, 0, 0}, count[3] = {1, 4, 8};
    for (int i = 0; i < 32; ++i) plane[i] = (float)(step * 100 + (size_t)i);
    must(nc_put_vara_float(file, variable, start, count, plane));
  }
  if (nc_inq_varid(file, "depth", &missing) == NC_NOERR) return 1;
  must(nc_sync(file));
  must(nc_close(file));
  float value;
  const size_t at[3] = {5, 3, 7};
  must(nc_open("grid.nc", NC_NOWRITE, &file));
  must(nc_get_var1_float(file, variable, at, &value));
  must(nc_close(file));
  printf("%g\n", value);
  return 0;
}
