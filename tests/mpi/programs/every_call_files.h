/* MPI-IO on a file of blocks of integers. */

enum { kBlock = 16 };

static void fill(int* block, int value) {
  for (int i = 0; i < kBlock; ++i) block[i] = value + i;
}

static void check_block(const int* block, int value) {
  for (int i = 0; i < kBlock; ++i) CHECK(block[i] == value + i);
}

static void check_count(const MPI_Status* status) {
  int count = -1;
  MPI_Get_count(status, MPI_INT, &count);
  CHECK(count == kBlock);
}

/* What was written before is there for all. */
static void let_others_see(MPI_File file) {
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
}

static MPI_File open_file(const char* name) {
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  return file;
}

static void ask_about_files(void) {
  MPI_File file;
  MPI_Info info;
  MPI_Group group;
  MPI_Offset size = -1;
  int number = -1;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_buffer_size", "65536");
  MPI_File_open(MPI_COMM_WORLD, "every_call.dat", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  CHECK(MPI_File_f2c(MPI_File_c2f(file)) == file);
  MPI_File_set_info(file, info);
  MPI_Info_free(&info);
  MPI_File_get_info(file, &info);
  MPI_Info_free(&info);
  MPI_File_preallocate(file, 2048);
  MPI_Barrier(MPI_COMM_WORLD); /* in Open MPI only rank 0 allocates, and the others do not wait for it */
  MPI_File_get_size(file, &size);
  CHECK(size == 2048);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_set_size(file, 1024);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_size(file, &size);
  CHECK(size == 1024);
  MPI_File_get_group(file, &group);
  MPI_Group_size(group, &number);
  CHECK(number == 2);
  MPI_Group_free(&group);
  MPI_File_get_amode(file, &number);
  CHECK(number == (MPI_MODE_CREATE | MPI_MODE_RDWR));
  MPI_File_set_atomicity(file, 1);
  MPI_File_get_atomicity(file, &number);
  CHECK(number);
  MPI_File_set_atomicity(file, 0);
  MPI_Aint extent = -1;
  MPI_File_get_type_extent(file, MPI_DOUBLE, &extent);
  CHECK(extent == sizeof(double));
  MPI_File_close(&file);
  CHECK(file == MPI_FILE_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_File_delete("every_call.dat", MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void write_at_offsets(void) {
  MPI_File file = open_file("every_call_at.dat");
  MPI_Request request;
  MPI_Status status;
  int block[kBlock];
  const MPI_Offset bytes = sizeof block;
  for (int form = 0; form < 5; ++form) {
    const MPI_Offset at = (2 * form + rank) * bytes;
    fill(block, 1000 * form + 100 * rank);
    switch (form) {
      case 0:
        MPI_File_write_at(file, at, block, kBlock, MPI_INT, &status);
        break;
      case 1:
        MPI_File_write_at_all(file, at, block, kBlock, MPI_INT, &status);
        break;
      case 2:
        MPI_File_iwrite_at(file, at, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, &status);
        break;
      case 3:
        MPI_File_iwrite_at_all(file, at, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, &status);
        break;
      default:
        MPI_File_write_at_all_begin(file, at, block, kBlock, MPI_INT);
        MPI_File_write_at_all_end(file, block, &status);
    }
    check_count(&status);
  }
  let_others_see(file);
  for (int form = 0; form < 5; ++form) {
    const MPI_Offset at = (2 * form + other) * bytes;
    memset(block, 0, sizeof block);
    switch (form) {
      case 0:
        MPI_File_read_at(file, at, block, kBlock, MPI_INT, MPI_STATUS_IGNORE);
        break;
      case 1:
        MPI_File_read_at_all(file, at, block, kBlock, MPI_INT, MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_File_iread_at(file, at, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 3:
        MPI_File_iread_at_all(file, at, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      default:
        MPI_File_read_at_all_begin(file, at, block, kBlock, MPI_INT);
        MPI_File_read_at_all_end(file, block, MPI_STATUS_IGNORE);
    }
    check_block(block, 1000 * form + 100 * other);
  }
  MPI_File_close(&file);
}

/* Blocks of the two ranks in turn, through views; rank r sees its own only, then those of the other one. */
static void write_through_views(void) {
  MPI_File file = open_file("every_call_view.dat");
  MPI_Datatype block_type, every_second, got_etype, got_filetype;
  MPI_Request request;
  MPI_Status status;
  int block[kBlock];
  const MPI_Offset bytes = sizeof block;
  MPI_Type_contiguous(kBlock, MPI_INT, &block_type);
  MPI_Type_create_resized(block_type, 0, 2 * bytes, &every_second);
  MPI_Type_commit(&every_second);
  MPI_File_set_view(file, rank * bytes, MPI_INT, every_second, "native", MPI_INFO_NULL);
  MPI_Offset offset = -1;
  char representation[MPI_MAX_DATAREP_STRING];
  MPI_File_get_view(file, &offset, &got_etype, &got_filetype, representation);
  CHECK(offset == rank * bytes && got_etype == MPI_INT && strcmp(representation, "native") == 0);
  MPI_Type_free(&got_filetype);
  MPI_File_get_byte_offset(file, 2 * kBlock, &offset);
  CHECK(offset == (4 + rank) * bytes);
  for (int form = 0; form < 5; ++form) {
    fill(block, 1000 * form + 100 * rank);
    switch (form) {
      case 0:
        MPI_File_write(file, block, kBlock, MPI_INT, &status);
        break;
      case 1:
        MPI_File_write_all(file, block, kBlock, MPI_INT, &status);
        break;
      case 2:
        MPI_File_iwrite(file, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, &status);
        break;
      case 3:
        MPI_File_iwrite_all(file, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, &status);
        break;
      default:
        MPI_File_write_all_begin(file, block, kBlock, MPI_INT);
        MPI_File_write_all_end(file, block, &status);
    }
    check_count(&status);
    MPI_File_get_position(file, &offset);
    CHECK(offset == (form + 1) * kBlock);
  }
  let_others_see(file);
  MPI_File_set_view(file, other * bytes, MPI_INT, every_second, "native", MPI_INFO_NULL);
  for (int form = 0; form < 5; ++form) {
    memset(block, 0, sizeof block);
    if (form == 2) MPI_File_seek(file, 2 * kBlock, MPI_SEEK_SET);
    if (form == 3) {
      MPI_File_seek(file, -kBlock, MPI_SEEK_CUR);
      MPI_File_seek(file, kBlock, MPI_SEEK_CUR);
    }
    switch (form) {
      case 0:
        MPI_File_read(file, block, kBlock, MPI_INT, &status);
        break;
      case 1:
        MPI_File_read_all(file, block, kBlock, MPI_INT, &status);
        break;
      case 2:
        MPI_File_iread(file, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, &status);
        break;
      case 3:
        MPI_File_iread_all(file, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, &status);
        break;
      default:
        MPI_File_read_all_begin(file, block, kBlock, MPI_INT);
        MPI_File_read_all_end(file, block, &status);
    }
    check_count(&status);
    check_block(block, 1000 * form + 100 * other);
  }
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  MPI_File_seek(file, -bytes, MPI_SEEK_END);
  MPI_File_read(file, block, kBlock, MPI_INT, MPI_STATUS_IGNORE);
  check_block(block, 4100);
  MPI_File_close(&file);
  MPI_Type_free(&every_second);
  MPI_Type_free(&block_type);
}

/* Who writes first at the shared position is not known; in the ordered forms it is rank 0. */
static void write_in_turn(void) {
  MPI_File file = open_file("every_call_shared.dat");
  MPI_Request request;
  MPI_Status status;
  MPI_Offset offset = -1;
  int block[kBlock];
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  for (int form = 0; form < 4; ++form) {
    fill(block, 1000 * form + 100 * rank);
    switch (form) {
      case 0:
        MPI_File_write_shared(file, block, kBlock, MPI_INT, &status);
        break;
      case 1:
        MPI_File_write_ordered(file, block, kBlock, MPI_INT, &status);
        break;
      case 2:
        MPI_File_iwrite_shared(file, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, &status);
        break;
      default:
        MPI_File_write_ordered_begin(file, block, kBlock, MPI_INT);
        MPI_File_write_ordered_end(file, block, &status);
    }
    check_count(&status);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_position_shared(file, &offset);
    CHECK(offset == 2 * (form + 1) * kBlock);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  let_others_see(file);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  for (int form = 0; form < 4; ++form) {
    memset(block, 0, sizeof block);
    switch (form) {
      case 0:
        MPI_File_read_shared(file, block, kBlock, MPI_INT, &status);
        break;
      case 1:
        MPI_File_read_ordered(file, block, kBlock, MPI_INT, &status);
        break;
      case 2:
        MPI_File_iread_shared(file, block, kBlock, MPI_INT, &request);
        MPI_Wait(&request, &status);
        break;
      default:
        MPI_File_read_ordered_begin(file, block, kBlock, MPI_INT);
        MPI_File_read_ordered_end(file, block, &status);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (form % 2 == 1)
      check_block(block, 1000 * form + 100 * rank);
    else
      CHECK(block[0] == 1000 * form || block[0] == 1000 * form + 100);
  }
  MPI_File_close(&file);
}

static int last_error_of_file;

static void handle_of_file(MPI_File* file, int* code, ...) {
  (void)file;
  last_error_of_file = *code;
}

static void use_error_handlers_of_files(void) {
  MPI_File file = open_file("every_call_errors.dat");
  MPI_Errhandler handler, got;
  MPI_File_create_errhandler(handle_of_file, &handler);
  MPI_File_set_errhandler(file, handler);
  MPI_File_get_errhandler(file, &got);
  CHECK(got == handler);
  MPI_Errhandler_free(&got);
  MPI_Errhandler_free(&handler);
  MPI_File_call_errhandler(file, MPI_ERR_IO);
  CHECK(last_error_of_file == MPI_ERR_IO);
  MPI_File_close(&file);
  /* Files start with handlers that return. */
  CHECK(MPI_File_open(MPI_COMM_SELF, "every_call_none.dat", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
        MPI_SUCCESS);
  CHECK(MPI_File_delete("every_call_none.dat", MPI_INFO_NULL) != MPI_SUCCESS);
}

static int extent_of_int(MPI_Datatype type, MPI_Aint* extent, void* extra_state) {
  (void)type, (void)extra_state;
  *extent = sizeof(int);
  return MPI_SUCCESS;
}

static void use_files(void) {
  ask_about_files();
  write_at_offsets();
  write_through_views();
  write_in_turn();
  use_error_handlers_of_files();
  MPI_Register_datarep("weir_test", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of_int, NULL);
}
