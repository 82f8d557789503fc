/* Plot files as FLASH writes them, some variables one behind the other and each rank its own piece of each,
   by independent or by collective calls with so many aggregators: plots STEPS AGGREGATORS (0: independent).
 */
#include "check.h"

enum { kVariables = 4, kPiece = 8192 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = number_of(argc, argv, 1, 3);
  const int aggregators = number_of(argc, argv, 2, 0);
  const int rank = rank_in(MPI_COMM_WORLD);
  const int size = size_of(MPI_COMM_WORLD);
  char* const piece = malloc(kPiece);
  memset(piece, 'a' + rank % 26, kPiece);

  MPI_Info info;
  MPI_Info_create(&info);
  if (aggregators > 0) {
    char text[32];
    snprintf(text, sizeof text, "%d", aggregators);
    MPI_Info_set(info, "cb_nodes", text);
    snprintf(text, sizeof text, "*:%d", aggregators); /* so many of one machine */
    MPI_Info_set(info, "cb_config_list", text);
    MPI_Info_set(info, "romio_cb_write", "enable");
  }
  for (int step = 0; step < steps; ++step) {
    char name[32];
    MPI_File file;
    snprintf(name, sizeof name, "plot_%04d.dat", step);
    CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_WRONLY | MPI_MODE_CREATE, info, &file) == MPI_SUCCESS);
    for (int variable = 0; variable < kVariables; ++variable) {
      const MPI_Offset at = ((MPI_Offset)variable * size + rank) * kPiece;
      CHECK((aggregators > 0 ? MPI_File_write_at_all : MPI_File_write_at)(file, at, piece, kPiece, MPI_BYTE,
                                                                          MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    MPI_File_close(&file);
  }
  MPI_Info_free(&info);
  free(piece);
  if (rank == 0) printf("bytes %ld\n", (long)steps * kVariables * size * kPiece);
  MPI_Finalize();
  return 0;
}
