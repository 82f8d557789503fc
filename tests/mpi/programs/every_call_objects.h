/* Hints, attributes and errors. */

static void use_info(void) {
  MPI_Info info, copy;
  MPI_Info_create(&info);
  CHECK(MPI_Info_f2c(MPI_Info_c2f(info)) == info);
  MPI_Info_set(info, "colour", "green");
  MPI_Info_set(info, "cb_nodes", "1");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "colour");
  int keys = -1;
  MPI_Info_get_nkeys(info, &keys);
  CHECK(keys == 1);
  MPI_Info_get_nkeys(copy, &keys);
  CHECK(keys == 2);
  char key[MPI_MAX_INFO_KEY + 1];
  char value[16];
  int length = -1;
  int flag = 0;
  MPI_Info_get_nthkey(info, 0, key);
  CHECK(strcmp(key, "cb_nodes") == 0);
  MPI_Info_get_valuelen(copy, "colour", &length, &flag);
  CHECK(flag && length == 5);
  MPI_Info_get(copy, "colour", sizeof value - 1, value, &flag);
  CHECK(flag && strcmp(value, "green") == 0);
  /* What is not there leaves the value alone, which then need not end with a zero. */
  memset(value, 'x', sizeof value);
  MPI_Info_get(info, "colour", sizeof value - 1, value, &flag);
  CHECK(!flag && value[0] == 'x');
  MPI_Info_get_valuelen(info, "colour", &length, &flag);
  CHECK(!flag);
  MPI_Info_free(&info);
  MPI_Info_free(&copy);
  CHECK(info == MPI_INFO_NULL);
}

static int copies;
static int deletions;

static int copy_of_comm(MPI_Comm comm, int keyval, void* extra_state, void* in, void* out, int* flag) {
  (void)comm, (void)keyval;
  CHECK(extra_state == &copies);
  *(void**)out = in;
  *flag = 1;
  ++copies;
  return MPI_SUCCESS;
}

static int deletion_of_comm(MPI_Comm comm, int keyval, void* attribute, void* extra_state) {
  (void)comm, (void)keyval, (void)attribute;
  CHECK(extra_state == &copies);
  ++deletions;
  return MPI_SUCCESS;
}

static int copy_of_type(MPI_Datatype type, int keyval, void* extra_state, void* in, void* out, int* flag) {
  (void)type;
  return copy_of_comm(MPI_COMM_NULL, keyval, extra_state, in, out, flag);
}

static int deletion_of_type(MPI_Datatype type, int keyval, void* attribute, void* extra_state) {
  (void)type;
  return deletion_of_comm(MPI_COMM_NULL, keyval, attribute, extra_state);
}

static int deletion_of_win(MPI_Win win, int keyval, void* attribute, void* extra_state) {
  (void)win;
  return deletion_of_comm(MPI_COMM_NULL, keyval, attribute, extra_state);
}

static void use_attributes_of_communicators(void) {
  int keyval = MPI_KEYVAL_INVALID;
  int flag = 0;
  int* value = NULL;
  static int attribute = 12;
  MPI_Comm made, again;
  copies = deletions = 0;
  MPI_Comm_create_keyval(copy_of_comm, deletion_of_comm, &keyval, &copies);
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_get_attr(made, keyval, &value, &flag);
  CHECK(!flag);
  MPI_Comm_set_attr(made, keyval, &attribute);
  MPI_Comm_dup(made, &again);
  MPI_Comm_get_attr(again, keyval, &value, &flag);
  CHECK(flag && value == &attribute && copies == 1);
  MPI_Comm_delete_attr(made, keyval);
  MPI_Comm_free(&again);
  CHECK(deletions == 2);
  MPI_Comm_free_keyval(&keyval);
  CHECK(keyval == MPI_KEYVAL_INVALID);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
  CHECK(flag && *value >= 32767);

  copies = deletions = 0;
  MPI_Keyval_create(copy_of_comm, deletion_of_comm, &keyval, &copies);
  MPI_Attr_put(made, keyval, &attribute);
  MPI_Attr_get(made, keyval, &value, &flag);
  CHECK(flag && value == &attribute);
  MPI_Attr_delete(made, keyval);
  CHECK(deletions == 1);
  MPI_Keyval_free(&keyval);
  MPI_Comm_free(&made);
}

static void use_attributes_of_others(void) {
  int keyval = MPI_KEYVAL_INVALID;
  int flag = 0;
  int* value = NULL;
  static int attribute = 13;
  MPI_Datatype type, same;
  copies = deletions = 0;
  MPI_Type_create_keyval(copy_of_type, deletion_of_type, &keyval, &copies);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_set_attr(type, keyval, &attribute);
  MPI_Type_dup(type, &same);
  MPI_Type_get_attr(same, keyval, &value, &flag);
  CHECK(flag && value == &attribute && copies == 1);
  MPI_Type_delete_attr(same, keyval);
  MPI_Type_free(&same);
  MPI_Type_free(&type);
  CHECK(deletions == 2);
  MPI_Type_free_keyval(&keyval);

  MPI_Win win;
  static int memory[4];
  copies = deletions = 0;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, deletion_of_win, &keyval, &copies);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_attr(win, keyval, &attribute);
  MPI_Win_get_attr(win, keyval, &value, &flag);
  CHECK(flag && value == &attribute);
  MPI_Win_delete_attr(win, keyval);
  CHECK(deletions == 1);
  void* base = NULL;
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
  CHECK(flag && base == memory);
  MPI_Win_free_keyval(&keyval);
  MPI_Win_free(&win);
}

static int last_error; /* that a handler was told */

static void handle_of_comm(MPI_Comm* comm, int* code, ...) {
  CHECK(*comm != MPI_COMM_NULL);
  last_error = *code;
}

static void handle_of_win(MPI_Win* win, int* code, ...) {
  CHECK(*win != MPI_WIN_NULL);
  last_error = *code;
}

#ifdef OPEN_MPI
#undef MPI_Errhandler_create
#undef MPI_Errhandler_set
#undef MPI_Errhandler_get
int MPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler);
#endif

static void use_error_handlers(void) {
  MPI_Errhandler handler, got;
  MPI_Comm made;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_create_errhandler(handle_of_comm, &handler);
  CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler)) == handler);
  MPI_Comm_set_errhandler(made, handler);
  MPI_Comm_get_errhandler(made, &got);
  CHECK(got == handler);
  MPI_Errhandler_free(&got);
  last_error = 0;
  MPI_Comm_call_errhandler(made, MPI_ERR_OTHER);
  CHECK(last_error == MPI_ERR_OTHER);
  /* A call that fails, and says so. */
  last_error = 0;
  CHECK(MPI_Send(NULL, -1, MPI_INT, other, 0, made) != MPI_SUCCESS && last_error != 0);
  int class = 0;
  MPI_Error_class(last_error, &class);
  CHECK(class == MPI_ERR_COUNT);
  MPI_Errhandler_free(&handler);
  CHECK(handler == MPI_ERRHANDLER_NULL);

  MPI_Errhandler_create(handle_of_comm, &handler);
  MPI_Errhandler_set(made, handler);
  MPI_Errhandler_get(made, &got);
  CHECK(got == handler);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  CHECK(MPI_Bcast(NULL, -1, MPI_INT, 0, made) != MPI_SUCCESS);
  MPI_Comm_free(&made);

  MPI_Win win;
  static int memory[2];
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_create_errhandler(handle_of_win, &handler);
  MPI_Win_set_errhandler(win, handler);
  MPI_Win_get_errhandler(win, &got);
  CHECK(got == handler);
  MPI_Errhandler_free(&got);
  MPI_Win_call_errhandler(win, MPI_ERR_ASSERT);
  CHECK(last_error == MPI_ERR_ASSERT);
  MPI_Errhandler_free(&handler);
  MPI_Win_free(&win);
}

static void make_errors(void) {
  int class = 0;
  int code = 0;
  int found = -1;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Add_error_class(&class);
  MPI_Add_error_code(class, &code);
  MPI_Add_error_string(code, "the weir is open");
  MPI_Error_class(code, &found);
  CHECK(found == class);
  MPI_Error_string(code, text, &length);
  CHECK(strcmp(text, "the weir is open") == 0 && length == (int)strlen(text));
  MPI_Error_string(MPI_ERR_RANK, text, &length);
  CHECK(length > 0);
}

static void use_objects(void) {
  use_info();
  use_attributes_of_communicators();
  use_attributes_of_others();
  use_error_handlers();
  make_errors();
}
