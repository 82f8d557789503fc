/* A simulation that writes checkpoints and starts again from the last one, as many codes do:
 *
 *   mpicc -O2 -o checkpoint examples/checkpoint.c
 *   mpirun -n 8 ./checkpoint DIR [-l own|contiguous|strided] [-b BYTES] [-c BLOCKS] [-s STEPS] [-r]
 *
 * own: a file for each rank. contiguous: one file, a part for each rank. strided: one file, block by block in
 * turn. -b bytes of a block, -c blocks a rank and step, -s steps, -r starts again: reads the last checkpoint
 * first and compares it. Prints how long the program waited for its I/O, the slowest rank's, open and close
 * included.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
static const char* directory;
static const char* layout = "contiguous";
static long block = 4096, blocks = 256, steps = 3;

static void fail(const char* what, const char* name) {
  fprintf(stderr, "rank %d: %s %s: %s\n", rank, what, name, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void name_of(char* name, size_t room, long step) {
  if (strcmp(layout, "own") == 0)
    snprintf(name, room, "%s/step%ld.rank%d", directory, step, rank);
  else
    snprintf(name, room, "%s/step%ld", directory, step);
}

static off_t offset_of(long i) {
  if (strcmp(layout, "own") == 0) return i * block;
  if (strcmp(layout, "strided") == 0) return (i * ranks + rank) * block;
  return (rank * blocks + i) * block;
}

/* What a rank has at a step: every block is different. */
static void fill(unsigned char* bytes, long step, long i) {
  unsigned long x = (unsigned long)(step * 1000003 + i * 101 + rank + 1) * 2654435761u;
  for (long k = 0; k < block; ++k) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    bytes[k] = (unsigned char)(x >> 56);
  }
}

static double write_step(long step, unsigned char* bytes) {
  char name[4096];
  name_of(name, sizeof name, step);
  double waited = -MPI_Wtime();
  const int fd = open(name, O_WRONLY | O_CREAT, 0644);
  if (fd < 0) fail("cannot make", name);
  waited += MPI_Wtime();
  for (long i = 0; i < blocks; ++i) {
    fill(bytes, step, i);
    waited -= MPI_Wtime();
    if (pwrite(fd, bytes, (size_t)block, offset_of(i)) != block) fail("cannot write", name);
    waited += MPI_Wtime();
  }
  waited -= MPI_Wtime();
  if (close(fd) != 0) fail("cannot close", name);
  return waited + MPI_Wtime();
}

static double read_step(long step, unsigned char* bytes, unsigned char* expected) {
  char name[4096];
  name_of(name, sizeof name, step);
  double waited = -MPI_Wtime();
  const int fd = open(name, O_RDONLY);
  if (fd < 0) fail("cannot open", name);
  waited += MPI_Wtime();
  for (long i = 0; i < blocks; ++i) {
    fill(expected, step, i);
    waited -= MPI_Wtime();
    if (pread(fd, bytes, (size_t)block, offset_of(i)) != block) fail("cannot read", name);
    waited += MPI_Wtime();
    if (memcmp(bytes, expected, (size_t)block) != 0) {
      errno = EILSEQ;
      fail("other bytes than were written in", name);
    }
  }
  close(fd);
  return waited;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int again = 0;
  for (int option; (option = getopt(argc, argv, "l:b:c:s:r")) != -1;) {
    if (option == 'l') layout = optarg;
    if (option == 'b') block = atol(optarg);
    if (option == 'c') blocks = atol(optarg);
    if (option == 's') steps = atol(optarg);
    if (option == 'r') again = 1;
  }
  if (optind >= argc || block < 1 || blocks < 1 || steps < 1) {
    if (rank == 0)
      fprintf(stderr,
              "usage: checkpoint DIR [-l own|contiguous|strided] [-b BYTES] [-c BLOCKS] [-s STEPS] [-r]\n");
    MPI_Finalize();
    return 2;
  }
  directory = argv[optind];
  unsigned char* const bytes = malloc((size_t)block);
  unsigned char* const expected = malloc((size_t)block);
  double times[2] = {0, 0};
  if (again) times[1] = read_step(steps - 1, bytes, expected);
  for (long step = again ? steps : 0; step < (again ? 2 * steps : steps); ++step) {
    times[0] += write_step(step, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double slowest[2];
  MPI_Reduce(times, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s, %ld bytes a block: %.1f MB written, waited %.4f s to write and %.4f s to read\n", layout,
           block, (double)steps * (double)blocks * (double)block * ranks / 1e6, slowest[0], slowest[1]);
  free(bytes);
  free(expected);
  MPI_Finalize();
  return 0;
}
