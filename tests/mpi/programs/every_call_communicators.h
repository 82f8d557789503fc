/* Groups, communicators, intercommunicators and topologies. */

static int compare(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  MPI_Comm_compare(a, b, &result);
  return result;
}

static void use_groups(void) {
  MPI_Group all, first, second, made;
  int size = -1;
  int place = -1;
  int result = -1;
  const int zero = 0;
  const int one = 1;
  int ranges[1][3] = {{0, 1, 1}};
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  CHECK(MPI_Group_f2c(MPI_Group_c2f(all)) == all);
  MPI_Group_size(all, &size);
  MPI_Group_rank(all, &place);
  CHECK(size == 2 && place == rank);
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Group_excl(all, 1, &zero, &second);
  const int asked[3] = {1, 0, MPI_PROC_NULL};
  int found[3] = {-1, -1, -1};
  MPI_Group_translate_ranks(all, 3, asked, second, found);
  CHECK(found[0] == 0 && found[1] == MPI_UNDEFINED && found[2] == MPI_PROC_NULL);
  MPI_Group_union(second, first, &made);
  MPI_Group_compare(made, all, &result);
  CHECK(result == MPI_SIMILAR);
  MPI_Group_free(&made);
  MPI_Group_intersection(all, second, &made);
  MPI_Group_compare(made, second, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_difference(all, second, &made);
  MPI_Group_translate_ranks(made, 1, &zero, all, &place);
  CHECK(place == 0);
  MPI_Group_free(&made);
  MPI_Group_range_incl(all, 1, ranges, &made);
  MPI_Group_compare(made, all, &result);
  CHECK(result == MPI_IDENT);
  MPI_Group_free(&made);
  MPI_Group_range_excl(all, 1, ranges, &made);
  MPI_Group_size(made, &size);
  CHECK(size == 0);
  if (made != MPI_GROUP_EMPTY) MPI_Group_free(&made);
  MPI_Group_incl(all, 1, &one, &made);
  MPI_Group_rank(made, &place);
  CHECK(place == (rank == 1 ? 0 : MPI_UNDEFINED));
  MPI_Group_free(&made);
  MPI_Group_free(&first);
  MPI_Group_free(&second);
  MPI_Group_free(&all);
  CHECK(all == MPI_GROUP_NULL);
}

static void make_communicators(void) {
  MPI_Comm made;
  MPI_Info info;
  MPI_Group all, own;
  int size = -1;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  CHECK(compare(made, MPI_COMM_WORLD) == MPI_CONGRUENT && compare(made, made) == MPI_IDENT);
  CHECK(MPI_Comm_f2c(MPI_Comm_c2f(made)) == made);
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Comm_set_name(made, "a pair");
  MPI_Comm_get_name(made, name, &length);
  CHECK(length == 6 && strcmp(name, "a pair") == 0);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  CHECK(strcmp(name, "MPI_COMM_WORLD") == 0);
  MPI_Info_create(&info);
  MPI_Info_set(info, "weir_test", "yes");
  MPI_Comm_set_info(made, info);
  MPI_Info_free(&info);
  MPI_Comm_get_info(made, &info);
  MPI_Comm again;
  MPI_Comm_dup_with_info(made, info, &again);
  MPI_Info_free(&info);
  int inter = -1;
  MPI_Comm_test_inter(again, &inter);
  CHECK(!inter);
  MPI_Comm_free(&again);

  MPI_Request requests[2];
  MPI_Comm later[2];
  MPI_Comm_idup(made, &later[0], &requests[0]);
  MPI_Comm_idup(MPI_COMM_WORLD, &later[1], &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2; ++i) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, later[i]);
    CHECK(sum == 1);
    MPI_Comm_free(&later[i]);
  }
  MPI_Comm_free(&made);
  CHECK(made == MPI_COMM_NULL);

  /* Each rank on its own, with the order turned around, and one that is in none. */
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &made);
  MPI_Comm_size(made, &size);
  CHECK(size == 1);
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, 5, -rank, &made);
  CHECK(rank_in(made) == other);
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 3 : MPI_UNDEFINED, 0, &made);
  CHECK((made == MPI_COMM_NULL) == (rank == 1));
  if (rank == 0) MPI_Comm_free(&made);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
  MPI_Comm_size(made, &size);
  CHECK(size >= 1);
  MPI_Comm_free(&made);

  const int one = 1;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &one, &own);
  MPI_Comm_create(MPI_COMM_WORLD, own, &made);
  CHECK((made == MPI_COMM_NULL) == (rank == 0));
  if (rank == 1) {
    MPI_Comm_free(&made);
    MPI_Comm_create_group(MPI_COMM_WORLD, own, 17, &made); /* the other one takes no part */
    CHECK(rank_in(made) == 0);
    MPI_Comm_free(&made);
  }
  MPI_Comm_create_group(MPI_COMM_WORLD, all, 18, &made);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
  MPI_Group_free(&own);
  MPI_Group_free(&all);
}

/* Two groups of one rank each: partners and roots are ranks of the other group. */
static void use_intercommunicator(void) {
  MPI_Comm inter, made;
  int flag = 0;
  int size = -1;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other, 77, &inter);
  MPI_Comm_test_inter(inter, &flag);
  MPI_Comm_remote_size(inter, &size);
  CHECK(flag && size == 1);
  MPI_Group group;
  MPI_Comm_remote_group(inter, &group);
  MPI_Group_size(group, &size);
  CHECK(size == 1);
  MPI_Group_free(&group);

  int received = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, 0, 5, &received, 1, MPI_INT, 0, 5, inter, MPI_STATUS_IGNORE);
  CHECK(received == other);
  int data = rank == 0 ? 55 : 0;
  MPI_Bcast(&data, 1, MPI_INT, rank == 0 ? MPI_ROOT : 0, inter);
  CHECK(data == 55);
  const int one = 1;
  const int none = 0;
  received = -1;
  if (rank == 1)
    MPI_Gatherv(NULL, 0, MPI_INT, &received, &one, &none, MPI_INT, MPI_ROOT, inter);
  else
    MPI_Gatherv(&data, 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 0, inter);
  if (rank == 1) CHECK(received == 55);
  MPI_Allgatherv(&rank, 1, MPI_INT, &received, &one, &none, MPI_INT, inter);
  CHECK(received == other);
  MPI_Alltoallv(&rank, &one, &none, MPI_INT, &received, &one, &none, MPI_INT, inter);
  CHECK(received == other);
  MPI_Allreduce(&rank, &received, 1, MPI_INT, MPI_SUM, inter);
  CHECK(received == other);
  MPI_Reduce_scatter(&rank, &received, &one, MPI_INT, MPI_SUM, inter);
  CHECK(received == other);

  MPI_Comm_dup(inter, &made);
  CHECK(compare(made, inter) == MPI_CONGRUENT);
  MPI_Comm_free(&made);
  MPI_Intercomm_merge(inter, rank == 0, &made); /* the higher group is that of rank 0 */
  CHECK(rank_in(made) == other);
  MPI_Comm_free(&made);
  MPI_Comm_disconnect(&inter);
  CHECK(inter == MPI_COMM_NULL);
}

static void use_grid(void) {
  int dims[2] = {0, 1};
  MPI_Dims_create(2, 2, dims);
  CHECK(dims[0] == 2 && dims[1] == 1);
  const int periods[2] = {1, 0};
  MPI_Comm grid, line;
  int number = -1;
  MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &number);
  CHECK(number == 0 || number == 1);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Topo_test(grid, &number);
  CHECK(number == MPI_CART);
  MPI_Cartdim_get(grid, &number);
  CHECK(number == 2);
  int got_dims[2], got_periods[2], coords[2];
  MPI_Cart_get(grid, 2, got_dims, got_periods, coords);
  CHECK(got_dims[0] == 2 && got_periods[0] && !got_periods[1] && coords[0] == rank);
  MPI_Cart_coords(grid, other, 2, coords);
  MPI_Cart_rank(grid, coords, &number);
  CHECK(coords[0] == other && number == other);
  int source, dest;
  MPI_Cart_shift(grid, 0, 1, &source, &dest);
  CHECK(source == other && dest == other);
  MPI_Cart_shift(grid, 1, 1, &source, &dest);
  CHECK(source == MPI_PROC_NULL && dest == MPI_PROC_NULL);
  const int remain[2] = {1, 0};
  MPI_Cart_sub(grid, remain, &line);
  CHECK(size_of(line) == 2);
  talk_to_neighbours(line, 2);
  MPI_Comm_free(&line);
  const int alone[2] = {0, 1};
  MPI_Cart_sub(grid, alone, &line);
  CHECK(size_of(line) == 1);
  MPI_Comm_free(&line);
  MPI_Comm_free(&grid);
  MPI_Topo_test(MPI_COMM_WORLD, &number);
  CHECK(number == MPI_UNDEFINED);
  /* A grid of one: the other rank is in none. */
  const int single = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &single, &single, 0, &grid);
  CHECK((grid == MPI_COMM_NULL) == (rank == 1));
  if (rank == 0) MPI_Comm_free(&grid);
}

static void use_graph(void) {
  const int index[2] = {1, 2};
  const int edges[2] = {1, 0};
  MPI_Comm graph;
  int number = -1;
  int nodes, count;
  MPI_Graph_map(MPI_COMM_WORLD, 2, index, edges, &number);
  CHECK(number == 0 || number == 1);
  MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &graph);
  MPI_Topo_test(graph, &number);
  CHECK(number == MPI_GRAPH);
  MPI_Graphdims_get(graph, &nodes, &count);
  CHECK(nodes == 2 && count == 2);
  int got_index[4] = {-1, -1, -1, -1};
  int got_edges[3] = {-1, -1, -1};
  MPI_Graph_get(graph, 2, 2, got_index, got_edges);
  CHECK(got_index[1] == 2 && got_edges[0] == 1);
  MPI_Graph_neighbors_count(graph, rank, &count);
  CHECK(count == 1);
  int neighbours[3] = {-1, -1, -1};
  MPI_Graph_neighbors(graph, rank, 1, neighbours);
  CHECK(neighbours[0] == other);
  talk_to_neighbours(graph, 1);
  MPI_Comm_free(&graph);
}

static void use_distributed_graph(void) {
  MPI_Comm graph;
  int in, out, weighted;
  const int degree = 1;
  const int weight = 3 + rank;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, &other, &weight, MPI_INFO_NULL, 0, &graph);
  MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
  CHECK(in == 1 && out == 1 && weighted);
  int sources[1], destinations[1], source_weights[1], destination_weights[1];
  MPI_Dist_graph_neighbors(graph, 1, sources, source_weights, 1, destinations, destination_weights);
  CHECK(sources[0] == other && destinations[0] == other && source_weights[0] == 3 + other);
  MPI_Comm_free(&graph);
  /* One rank says all, the other nothing. */
  const int both[2] = {0, 1};
  const int degrees[2] = {1, 1};
  const int turned[2] = {1, 0};
  MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 0 ? 2 : 0, both, degrees, turned, MPI_UNWEIGHTED,
                        MPI_INFO_NULL, 0, &graph);
  MPI_Topo_test(graph, &weighted);
  CHECK(weighted == MPI_DIST_GRAPH);
  MPI_Dist_graph_neighbors(graph, 1, sources, MPI_UNWEIGHTED, 1, destinations, MPI_UNWEIGHTED);
  CHECK(sources[0] == other && destinations[0] == other);
  MPI_Comm_free(&graph);
  const int twice[2] = {other, other};
  const int weights[2] = {1, 2};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, twice, weights, 2, twice, weights, MPI_INFO_NULL, 0,
                                 &graph);
  talk_to_neighbours(graph, 2);
  MPI_Comm_free(&graph);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, MPI_UNWEIGHTED, 1, &other, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  talk_to_neighbours(graph, 1);
  MPI_Comm_free(&graph);
  /* Rank 0 only sends and rank 1 only receives. */
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank, &other, rank == 1 ? &degree : MPI_WEIGHTS_EMPTY,
                                 1 - rank, &other, rank == 0 ? &degree : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                 &graph);
  int received = -1;
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, &received, 1, MPI_INT, graph);
  CHECK(received == (rank == 1 ? 0 : -1));
  MPI_Comm_free(&graph);
}

static void use_communicators(void) {
  use_groups();
  make_communicators();
  use_intercommunicator();
  use_grid();
  use_graph();
  use_distributed_graph();
}
