/* Datatypes, packed data, and what MPI 2 replaced. */

/* How many integers a type holds, and over how many bytes it goes; then it is gone. */
static void check_type(MPI_Datatype* type, int ints, MPI_Aint lb, MPI_Aint extent) {
  int size = -1;
  MPI_Aint got_lb = -1;
  MPI_Aint got_extent = -1;
  MPI_Type_commit(type);
  MPI_Type_size(*type, &size);
  MPI_Type_get_extent(*type, &got_lb, &got_extent);
  CHECK(size == ints * (int)sizeof(int) && got_lb == lb && got_extent == extent);
  int data[64];
  int copy[64];
  for (int i = 0; i < 64; ++i) data[i] = i + 100 * rank;
  memset(copy, -1, sizeof copy);
  MPI_Sendrecv(data, 1, *type, other, 11, copy, 1, *type, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int same = 0;
  for (int i = 0; i < 64; ++i) same += copy[i] == i + 100 * other;
  CHECK(same == ints);
  MPI_Type_free(type);
  CHECK(*type == MPI_DATATYPE_NULL);
}

static void make_types(void) {
  const MPI_Aint word = sizeof(int);
  MPI_Datatype type;
  const int lengths[2] = {2, 3};
  const int places[2] = {1, 5};
  const MPI_Aint bytes[2] = {1 * sizeof(int), 5 * sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT};
  const int lines[2] = {6, 8};
  const int some[2] = {2, 3};
  const int starts[2] = {1, 4};
  MPI_Type_contiguous(7, MPI_INT, &type);
  check_type(&type, 7, 0, 7 * word);
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  check_type(&type, 6, 0, 12 * word);
  MPI_Type_create_hvector(3, 2, 5 * word, MPI_INT, &type);
  check_type(&type, 6, 0, 12 * word);
  MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
  check_type(&type, 5, word, 7 * word);
  MPI_Type_create_hindexed(2, lengths, bytes, MPI_INT, &type);
  check_type(&type, 5, word, 7 * word);
  MPI_Type_create_indexed_block(2, 2, places, MPI_INT, &type);
  check_type(&type, 4, word, 6 * word);
  MPI_Type_create_hindexed_block(2, 2, bytes, MPI_INT, &type);
  check_type(&type, 4, word, 6 * word);
  MPI_Type_create_struct(2, lengths, bytes, types, &type);
  check_type(&type, 5, word, 7 * word);
  MPI_Type_create_subarray(2, lines, some, starts, MPI_ORDER_C, MPI_INT, &type);
  check_type(&type, 6, 0, 48 * word);
  const int distributions[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
  const int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  const int processes[2] = {2, 1};
  MPI_Type_create_darray(2, 0, 2, lines, distributions, dargs, processes, MPI_ORDER_C, MPI_INT, &type);
  check_type(&type, 24, 0, 48 * word);
  MPI_Type_create_resized(MPI_INT, 0, 4 * word, &type);
  MPI_Datatype spaced;
  MPI_Type_contiguous(3, type, &spaced);
  MPI_Type_free(&type);
  MPI_Type_dup(spaced, &type);
  MPI_Type_free(&spaced);
  check_type(&type, 3, 0, 12 * word);
}

static void ask_about_types(void) {
  MPI_Datatype type, found;
  MPI_Count size = -1;
  MPI_Count lb_x = -1;
  MPI_Count extent_x = -1;
  MPI_Aint lb = -1;
  MPI_Aint extent = -1;
  MPI_Type_vector(3, 2, 5, MPI_INT, &type);
  CHECK(MPI_Type_f2c(MPI_Type_c2f(type)) == type);
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lb_x, &extent_x);
  CHECK(size == 6 * sizeof(int) && lb_x == 0 && extent_x == 12 * sizeof(int));
  MPI_Type_get_true_extent(type, &lb, &extent);
  MPI_Type_get_true_extent_x(type, &lb_x, &extent_x);
  CHECK(lb == 0 && extent == 12 * sizeof(int) && lb_x == 0 && extent_x == extent);
  int integers, addresses, datatypes, combiner;
  MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
  CHECK(integers == 3 && addresses == 0 && datatypes == 1 && combiner == MPI_COMBINER_VECTOR);
  int got_integers[3];
  MPI_Aint got_addresses[1];
  MPI_Datatype got_types[1];
  MPI_Type_get_contents(type, 3, 0, 1, got_integers, got_addresses, got_types);
  CHECK(got_integers[0] == 3 && got_integers[1] == 2 && got_integers[2] == 5 && got_types[0] == MPI_INT);
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Type_set_name(type, "three pairs");
  MPI_Type_get_name(type, name, &length);
  CHECK(length == 11 && strcmp(name, "three pairs") == 0);
  MPI_Type_free(&type);
  MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &found);
  int bytes = 0;
  MPI_Type_size(found, &bytes);
  CHECK(bytes == (int)sizeof(double));
  MPI_Type_create_f90_integer(9, &found);
  MPI_Type_size(found, &bytes);
  CHECK(bytes == 4);
  MPI_Type_create_f90_real(15, 300, &found);
  MPI_Type_size(found, &bytes);
  CHECK(bytes == 8);
  MPI_Type_create_f90_complex(6, 30, &found);
  MPI_Type_size(found, &bytes);
  CHECK(bytes == 8);
}

static void use_addresses(void) {
  struct {
    double value;
    int number[3];
  } mine = {0.5 + rank, {rank, rank + 1, rank + 2}}, theirs = {0, {0, 0, 0}};
  MPI_Aint places[2];
  const int lengths[2] = {1, 3};
  const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
  MPI_Datatype sent, received;
  MPI_Get_address(&mine.value, &places[0]);
  MPI_Get_address(&mine.number, &places[1]);
  CHECK(MPI_Aint_diff(places[1], places[0]) == sizeof(double));
  CHECK(MPI_Aint_add(places[0], sizeof(double)) == places[1]);
  MPI_Type_create_struct(2, lengths, places, types, &sent);
  MPI_Get_address(&theirs.value, &places[0]);
  MPI_Get_address(&theirs.number, &places[1]);
  MPI_Type_create_struct(2, lengths, places, types, &received);
  MPI_Type_commit(&sent);
  MPI_Type_commit(&received);
  MPI_Sendrecv(MPI_BOTTOM, 1, sent, other, 12, MPI_BOTTOM, 1, received, other, 12, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK(theirs.value == 0.5 + other && theirs.number[2] == other + 2);
  MPI_Type_free(&sent);
  MPI_Type_free(&received);
}

static void pack_data(void) {
  int size_of_ints = 0;
  int size_of_doubles = 0;
  MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &size_of_ints);
  MPI_Pack_size(2, MPI_DOUBLE, MPI_COMM_WORLD, &size_of_doubles);
  char packed[256];
  CHECK(size_of_ints + size_of_doubles <= (int)sizeof packed);
  const int ints[3] = {rank, 8, 9};
  const double doubles[2] = {rank + 0.5, 1.5};
  int got_ints[3] = {0};
  double got_doubles[2] = {0};
  int position = 0;
  MPI_Pack(ints, 3, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Pack(doubles, 2, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD);
  MPI_Sendrecv_replace(packed, position, MPI_PACKED, other, 13, other, 13, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int end = position;
  position = 0;
  MPI_Unpack(packed, end, &position, got_ints, 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Unpack(packed, end, &position, got_doubles, 2, MPI_DOUBLE, MPI_COMM_WORLD);
  CHECK(position == end && got_ints[0] == other && got_ints[2] == 9 && got_doubles[0] == other + 0.5);

  MPI_Aint size = 0;
  MPI_Aint at = 0;
  MPI_Pack_external_size("external32", 3, MPI_INT, &size);
  CHECK(size == 12);
  MPI_Pack_external("external32", ints, 3, MPI_INT, packed, sizeof packed, &at);
  CHECK(at == 12);
  at = 0;
  memset(got_ints, 0, sizeof got_ints);
  MPI_Unpack_external("external32", packed, 12, &at, got_ints, 3, MPI_INT);
  CHECK(at == 12 && got_ints[0] == rank && got_ints[2] == 9);
}

/* Open MPI still has these functions, but its header keeps them from programs. */
#ifdef OPEN_MPI
#undef MPI_Address
#undef MPI_Type_hvector
#undef MPI_Type_hindexed
#undef MPI_Type_struct
#undef MPI_Type_extent
#undef MPI_Type_lb
#undef MPI_Type_ub
int MPI_Address(void* location, MPI_Aint* address);
int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                     MPI_Datatype* newtype);
int MPI_Type_hindexed(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype,
                      MPI_Datatype* newtype);
int MPI_Type_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[],
                    MPI_Datatype* newtype);
int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent);
int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* lb);
int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* ub);
#endif

static void use_old_names(void) {
  const MPI_Aint word = sizeof(int);
  int lengths[2] = {2, 3};
  MPI_Aint bytes[2] = {1 * sizeof(int), 5 * sizeof(int)};
  MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT};
  MPI_Datatype type;
  MPI_Aint number = -1;
  MPI_Aint address = -1;
  MPI_Address(lengths, &number);
  MPI_Get_address(lengths, &address);
  CHECK(number == address);
  MPI_Type_hvector(3, 2, 5 * word, MPI_INT, &type);
  check_type(&type, 6, 0, 12 * word);
  MPI_Type_hindexed(2, lengths, bytes, MPI_INT, &type);
  MPI_Type_extent(type, &number);
  CHECK(number == 7 * word);
  MPI_Type_lb(type, &number);
  CHECK(number == word);
  MPI_Type_ub(type, &number);
  CHECK(number == 8 * word);
  check_type(&type, 5, word, 7 * word);
  MPI_Type_struct(2, lengths, bytes, types, &type);
  check_type(&type, 5, word, 7 * word);
}

static void use_datatypes(void) {
  make_types();
  ask_about_types();
  use_addresses();
  pack_data();
  use_old_names();
}
