/* Memory that others may read and write. */

enum { kWindow = 16 };

static void use_fences(void) {
  int* memory = NULL;
  MPI_Win win;
  MPI_Info info;
  MPI_Group group;
  int size = -1;
  MPI_Alloc_mem(kWindow * sizeof(int), MPI_INFO_NULL, &memory);
  for (int i = 0; i < kWindow; ++i) memory[i] = 100 * rank + i;
  MPI_Win_create(memory, kWindow * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CHECK(MPI_Win_f2c(MPI_Win_c2f(win)) == win);
  MPI_Win_get_group(win, &group);
  MPI_Group_size(group, &size);
  CHECK(size == 2);
  MPI_Group_free(&group);
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "false");
  MPI_Win_set_info(win, info);
  MPI_Info_free(&info);
  MPI_Win_get_info(win, &info);
  MPI_Info_free(&info);
  char name[MPI_MAX_OBJECT_NAME];
  int length = -1;
  MPI_Win_set_name(win, "pane");
  MPI_Win_get_name(win, name, &length);
  CHECK(length == 4 && strcmp(name, "pane") == 0);

  const int put[2] = {7, 8 + rank};
  const int added[2] = {1, 2};
  int got[3] = {0};
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(put, 2, MPI_INT, other, 3, 2, MPI_INT, win);
  MPI_Get(got, 3, MPI_INT, other, 8, 3, MPI_INT, win);
  MPI_Accumulate(added, 2, MPI_INT, other, 12, 2, MPI_INT, MPI_SUM, win);
  MPI_Put(put, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  CHECK(memory[3] == 7 && memory[4] == 8 + other && got[2] == 100 * other + 10);
  CHECK(memory[12] == 100 * rank + 13 && memory[13] == 100 * rank + 15);
  MPI_Win_free(&win);
  CHECK(win == MPI_WIN_NULL);
  MPI_Free_mem(memory);
}

/* Rank 0 writes, rank 1 exposes; then the other way round, asking instead of waiting. */
static void use_exposure(void) {
  int* memory = NULL;
  MPI_Win win;
  MPI_Group all, partner;
  MPI_Win_allocate(kWindow * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, kWindow * sizeof(int));
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &partner);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int turn = 0; turn < 2; ++turn) {
    const int value = 60 + turn;
    if (rank == turn) {
      MPI_Win_start(partner, 0, win);
      MPI_Put(&value, 1, MPI_INT, other, 5, 1, MPI_INT, win);
      MPI_Win_complete(win);
    } else {
      int flag = 0;
      MPI_Win_post(partner, 0, win);
      if (turn == 0)
        MPI_Win_wait(win);
      else
        for (; !flag; rest()) MPI_Win_test(win, &flag);
      CHECK(memory[5] == value);
    }
  }
  MPI_Group_free(&partner);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
}

static void use_locks(void) {
  long* memory = NULL;
  MPI_Win win;
  MPI_Win_allocate(kWindow * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  for (int i = 0; i < kWindow; ++i) memory[i] = 1000 * rank + i;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);

  const long five = 5;
  const long one = 1;
  long old = -1;
  long olds[2] = {-1, -1};
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
  MPI_Fetch_and_op(&five, &old, MPI_LONG, other, 0, MPI_SUM, win);
  MPI_Win_flush(other, win);
  CHECK(old == 1000 * other);
  MPI_Compare_and_swap(&one, &(const long){1000 * other + 1}, &old, MPI_LONG, other, 1, win);
  MPI_Win_flush_local(other, win);
  CHECK(old == 1000 * other + 1);
  MPI_Get_accumulate(&five, 1, MPI_LONG, olds, 1, MPI_LONG, other, 2, 1, MPI_LONG, MPI_REPLACE, win);
  MPI_Win_flush(other, win);
  CHECK(olds[0] == 1000 * other + 2);
  MPI_Get_accumulate(NULL, 0, MPI_LONG, olds, 2, MPI_LONG, other, 2, 2, MPI_LONG, MPI_NO_OP, win);
  MPI_Win_unlock(other, win);
  CHECK(olds[0] == 5 && olds[1] == 1000 * other + 3);
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Request requests[4];
  long got = -1;
  long before = -1;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  MPI_Rput(&five, 1, MPI_LONG, other, 6, 1, MPI_LONG, win, &requests[0]);
  MPI_Rget(&got, 1, MPI_LONG, other, 7, 1, MPI_LONG, win, &requests[1]);
  MPI_Raccumulate(&five, 1, MPI_LONG, other, 8, 1, MPI_LONG, MPI_MAX, win, &requests[2]);
  MPI_Rget_accumulate(&five, 1, MPI_LONG, &before, 1, MPI_LONG, other, 9, 1, MPI_LONG, MPI_BOR, win,
                      &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK(got == 1000 * other + 7 && before == 1000 * other + 9);
  MPI_Win_flush_local_all(win);
  MPI_Win_flush_all(win);
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  CHECK(memory[0] == 1000 * rank + 5 && memory[1] == 1 && memory[6] == 5);
  CHECK(memory[8] == (rank == 0 ? 8 : 1008) && memory[9] == ((1000 * rank + 9) | 5));
  MPI_Win_free(&win);
}

static void use_shared_memory(void) {
  MPI_Comm machine;
  MPI_Win win;
  int* memory = NULL;
  int* theirs = NULL;
  MPI_Aint size = -1;
  int unit = -1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Win_allocate_shared(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, machine, &memory, &win);
  MPI_Win_fence(0, win);
  memory[3] = 70 + rank_in(machine);
  MPI_Win_fence(0, win);
  const int last = size_of(machine) - 1;
  MPI_Win_shared_query(win, last, &size, &unit, &theirs);
  CHECK(size == 8 * sizeof(int) && unit == sizeof(int) && theirs[3] == 70 + last);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&machine);
}

/* A window to which memory is added later; the partner is told its address. */
static void use_dynamic_window(void) {
  MPI_Win win;
  int memory[4] = {rank, rank + 1, rank + 2, rank + 3};
  MPI_Aint mine, theirs;
  int got = -1;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Get_address(memory, &mine);
  MPI_Sendrecv(&mine, 1, MPI_AINT, other, 14, &theirs, 1, MPI_AINT, other, 14, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Win_fence(0, win);
  MPI_Get(&got, 1, MPI_INT, other, theirs + 2 * (MPI_Aint)sizeof(int), 1, MPI_INT, win);
  MPI_Win_fence(0, win);
  CHECK(got == other + 2);
  MPI_Win_detach(win, memory);
  MPI_Win_free(&win);
}

static void use_windows(void) {
  use_fences();
  use_exposure();
  use_locks();
  use_shared_memory();
  use_dynamic_window();
}
