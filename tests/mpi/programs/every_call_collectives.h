/* Collectives, blocking and not, on a communicator and among the neighbours of a topology. Each blocking one
   is followed by its counterpart that a request completes, with the same arguments. */

static void finish(MPI_Request* request) {
  MPI_Status status;
  MPI_Wait(request, &status);
  CHECK(*request == MPI_REQUEST_NULL);
}

static void move_equal_parts(void) {
  MPI_Request request;
  int data[3] = {0};
  int all[6];
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  finish(&request);
  for (int later = 0; later < 2; ++later) {
    if (rank == 1) data[2] = 31 + later;
    if (later) {
      MPI_Ibcast(data, 3, MPI_INT, 1, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Bcast(data, 3, MPI_INT, 1, MPI_COMM_WORLD);
    }
    CHECK(data[2] == 31 + later);

    const int own[3] = {rank, rank + 2, rank + 4 + later};
    memset(all, -1, sizeof all);
    if (later) {
      MPI_Igather(own, 3, MPI_INT, rank == 0 ? all : NULL, 3, MPI_INT, 0, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Gather(own, 3, MPI_INT, rank == 0 ? all : NULL, 3, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) CHECK(all[2] == 4 + later && all[3] == 1 && all[5] == 5 + later);

    int part[2] = {-1, -1};
    if (later) {
      MPI_Iscatter(all, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : (void*)part, 2, MPI_INT, 0, MPI_COMM_WORLD,
                   &request);
      finish(&request);
    } else {
      MPI_Scatter(all, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : (void*)part, 2, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (rank == 1) CHECK(part[0] == 4 + later && part[1] == 1);

    memset(all, -1, sizeof all);
    if (later) {
      all[2 * rank] = rank + 8;
      MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
      CHECK(all[0] == 0 && all[1] == 1);
      all[2 * rank] = rank + 8;
      MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 2, MPI_INT, MPI_COMM_WORLD);
    }
    CHECK(all[0] == 8 && all[2] == 9);

    const int sent[4] = {10 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3};
    if (later) {
      MPI_Ialltoall(sent, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Alltoall(sent, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    }
    CHECK(all[0] == 2 * rank && all[2] == 10 + 2 * rank && all[3] == 11 + 2 * rank);
  }
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
}

/* Rank r has r + 1 items, at distance 4 from each other. */
static void move_unequal_parts(void) {
  MPI_Request request;
  const int counts[2] = {1, 2};
  const int places[2] = {0, 4};
  const int own[2] = {rank + 1, rank + 2};
  int all[8];
  int part[2];
  for (int later = 0; later < 2; ++later) {
    memset(all, 0, sizeof all);
    /* Where the data goes is of interest at the root only. */
    if (later) {
      MPI_Igatherv(own, rank + 1, MPI_INT, all, rank == 1 ? counts : NULL, rank == 1 ? places : NULL, MPI_INT,
                   1, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Gatherv(own, rank + 1, MPI_INT, all, rank == 1 ? counts : NULL, rank == 1 ? places : NULL, MPI_INT,
                  1, MPI_COMM_WORLD);
    }
    if (rank == 1) CHECK(all[0] == 1 && all[4] == 2 && all[5] == 3);

    memset(part, -1, sizeof part);
    if (later) {
      MPI_Iscatterv(all, rank == 1 ? counts : NULL, rank == 1 ? places : NULL, MPI_INT, part, rank + 1,
                    MPI_INT, 1, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Scatterv(all, rank == 1 ? counts : NULL, rank == 1 ? places : NULL, MPI_INT, part, rank + 1,
                   MPI_INT, 1, MPI_COMM_WORLD);
    }
    CHECK(part[0] == own[0] && (rank == 0 || part[1] == own[1]));

    memset(all, 0, sizeof all);
    if (later) {
      memcpy(all + places[rank], own, sizeof(int) * (size_t)counts[rank]);
      MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, places, MPI_INT, MPI_COMM_WORLD,
                      &request);
      finish(&request);
    } else {
      MPI_Allgatherv(own, rank + 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    }
    CHECK(all[0] == 1 && all[4] == 2 && all[5] == 3);
  }
}

/* Each sends r + 1 items to rank 0 and as many to rank 1, and gets one from rank 0 and two from rank 1. */
static void move_all_to_all(void) {
  MPI_Request request;
  const int sent[4] = {rank + 1, rank + 2, rank + 3, rank + 4};
  const int sendcounts[2] = {rank + 1, rank + 1};
  const int sdispls[2] = {0, 2};
  const int recvcounts[2] = {1, 2};
  const int rdispls[2] = {0, 1};
  const int sbytes[2] = {0, 2 * sizeof(int)};
  const int rbytes[2] = {0, 1 * sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT32_T};
  int received[3];
  for (int form = 0; form < 4; ++form) {
    memset(received, 0, sizeof received);
    if (form == 0) {
      MPI_Alltoallv(sent, sendcounts, sdispls, MPI_INT, received, recvcounts, rdispls, MPI_INT,
                    MPI_COMM_WORLD);
    } else if (form == 1) {
      MPI_Ialltoallv(sent, sendcounts, sdispls, MPI_INT, received, recvcounts, rdispls, MPI_INT,
                     MPI_COMM_WORLD, &request);
      finish(&request);
    } else if (form == 2) {
      MPI_Alltoallw(sent, sendcounts, sbytes, types, received, recvcounts, rbytes, types, MPI_COMM_WORLD);
    } else {
      MPI_Ialltoallw(sent, sendcounts, sbytes, types, received, recvcounts, rbytes, types, MPI_COMM_WORLD,
                     &request);
      finish(&request);
    }
    CHECK(received[0] == 1 + 2 * rank && received[1] == 2 + 2 * rank && received[2] == 3 + 2 * rank);
  }
  /* In place, what is said of the data to send has no meaning. */
  const int ones[2] = {1, 1};
  int swapped[2] = {10 * rank, 10 * rank + 1};
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, swapped, ones, rdispls, MPI_INT, MPI_COMM_WORLD);
  CHECK(swapped[0] == rank && swapped[1] == 10 + rank);
  MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, swapped, ones, rbytes, types, MPI_COMM_WORLD);
}

static void add_pairwise(void* in, void* inout, int* count, MPI_Datatype* type) {
  CHECK(*type == MPI_DOUBLE);
  for (int i = 0; i < *count; ++i) ((double*)inout)[i] += ((const double*)in)[i];
}

static void reduce(void) {
  MPI_Request request;
  MPI_Op own_sum;
  MPI_Op_create(add_pairwise, 1, &own_sum);
  const MPI_Op same = MPI_Op_f2c(MPI_Op_c2f(own_sum));
  int commute = 0;
  MPI_Op_commutative(own_sum, &commute);
  CHECK(commute && same == own_sum);
  double local[2] = {1, 2};
  double more[2] = {3, 4};
  MPI_Reduce_local(more, local, 2, MPI_DOUBLE, own_sum);
  CHECK(local[0] == 4 && local[1] == 6);
  for (int later = 0; later < 2; ++later) {
    double own[2] = {rank + 1, rank + 2};
    double sum[2] = {-1, -1};
    if (later) {
      MPI_Ireduce(own, sum, 2, MPI_DOUBLE, own_sum, 1, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Reduce(own, sum, 2, MPI_DOUBLE, own_sum, 1, MPI_COMM_WORLD);
    }
    if (rank == 1) CHECK(sum[0] == 3 && sum[1] == 5);
    if (later) {
      MPI_Iallreduce(MPI_IN_PLACE, own, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Allreduce(MPI_IN_PLACE, own, 2, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
    }
    CHECK(own[0] == 2 && own[1] == 6);
    /* The root's part is where the result goes. */
    int least = 5 - rank;
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : (void*)&least, rank == 0 ? &least : NULL, 1, MPI_INT, MPI_MIN, 0,
               MPI_COMM_WORLD);
    if (rank == 0) CHECK(least == 4);

    const int counts[2] = {1, 2};
    const int parts[4] = {1 + rank, 2 + rank, 3 + rank, 4 + rank};
    int got[2] = {0, 0};
    if (later) {
      MPI_Ireduce_scatter(parts, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Reduce_scatter(parts, got, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    CHECK(got[0] == (rank == 0 ? 3 : 5) && got[1] == (rank == 0 ? 0 : 7));
    if (later) {
      MPI_Ireduce_scatter_block(parts, got, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Reduce_scatter_block(parts, got, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(got[0] == 2 + 2 * rank && got[1] == 3 + 2 * rank);

    int before = -7;
    int upto = 0;
    const int mine = rank + 5;
    if (later) {
      MPI_Iscan(&mine, &upto, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      finish(&request);
      MPI_Iexscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
      finish(&request);
    } else {
      MPI_Scan(&mine, &upto, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      MPI_Exscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    CHECK(upto == (rank == 0 ? 5 : 11) && (rank == 0 || before == 5));
  }
  struct {
    double value;
    int where;
  } least = {3.5 - rank, rank}, found;
  MPI_Allreduce(&least, &found, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  CHECK(found.value == 2.5 && found.where == 1);
  MPI_Op_free(&own_sum);
  CHECK(own_sum == MPI_OP_NULL);
}

/* On a ring of two the left and the right neighbour are the same rank; libraries differ in which comes first.
 */
static void talk_to_neighbours(MPI_Comm ring, int degree) {
  MPI_Request request;
  const int sent[4] = {100 * rank, 100 * rank + 1, 100 * rank + 2, 100 * rank + 3};
  int ones[4] = {1, 1, 1, 1};
  int places[4] = {0, 1, 2, 3};
  MPI_Aint bytes[4] = {0, sizeof(int), 2 * sizeof(int), 3 * sizeof(int)};
  MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  int received[4];
  for (int form = 0; form < 10; ++form) {
    memset(received, -1, sizeof received);
    switch (form) {
      case 0:
        MPI_Neighbor_allgather(sent, 1, MPI_INT, received, 1, MPI_INT, ring);
        break;
      case 1:
        MPI_Ineighbor_allgather(sent, 1, MPI_INT, received, 1, MPI_INT, ring, &request);
        break;
      case 2:
        MPI_Neighbor_allgatherv(sent, 1, MPI_INT, received, ones, places, MPI_INT, ring);
        break;
      case 3:
        MPI_Ineighbor_allgatherv(sent, 1, MPI_INT, received, ones, places, MPI_INT, ring, &request);
        break;
      case 4:
        MPI_Neighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring);
        break;
      case 5:
        MPI_Ineighbor_alltoall(sent, 1, MPI_INT, received, 1, MPI_INT, ring, &request);
        break;
      case 6:
        MPI_Neighbor_alltoallv(sent, ones, places, MPI_INT, received, ones, places, MPI_INT, ring);
        break;
      case 7:
        MPI_Ineighbor_alltoallv(sent, ones, places, MPI_INT, received, ones, places, MPI_INT, ring, &request);
        break;
      case 8:
        MPI_Neighbor_alltoallw(sent, ones, bytes, types, received, ones, bytes, types, ring);
        break;
      default:
        MPI_Ineighbor_alltoallw(sent, ones, bytes, types, received, ones, bytes, types, ring, &request);
    }
    if (form % 2 == 1) finish(&request);
    for (int i = 0; i < degree; ++i)
      CHECK(form < 4 ? received[i] == 100 * other : received[i] / 100 == other && received[i] % 100 < degree);
    CHECK(degree == 4 || received[degree] == -1);
  }
}

static void use_collectives(void) {
  move_equal_parts();
  move_unequal_parts();
  move_all_to_all();
  reduce();
}
