/* Messages, requests and statuses. */

enum { kTag = 41 };

static void send_in_every_mode(void) {
  int data[8] = {0};
  MPI_Status status;
  int count = -1;
  if (rank == 0) {
    for (int i = 0; i < 8; ++i) data[i] = 100 + i;
    MPI_Send(data, 8, MPI_INT, 1, kTag, MPI_COMM_WORLD);
    MPI_Ssend(data + 1, 7, MPI_INT, 1, kTag + 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_BYTE, 1, kTag + 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(data + 2, 6, MPI_INT, 1, kTag + 3, MPI_COMM_WORLD); /* the other one said it waits */
    const int size = (int)sizeof data + MPI_BSEND_OVERHEAD;
    char* const room = malloc((size_t)size);
    void* given = NULL;
    int given_size = 0;
    MPI_Buffer_attach(room, size);
    MPI_Bsend(data + 3, 5, MPI_INT, 1, kTag + 4, MPI_COMM_WORLD);
    MPI_Buffer_detach(&given, &given_size);
    CHECK(given == room && given_size == size);
    free(room);
  } else {
    MPI_Request request;
    MPI_Recv(data, 8, MPI_INT, 0, kTag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 8 && data[7] == 107 && status.MPI_SOURCE == 0 && status.MPI_TAG == kTag);
    MPI_Recv(data, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_elements(&status, MPI_INT, &count);
    CHECK(count == 7 && data[0] == 101 && status.MPI_SOURCE == 0 && status.MPI_TAG == kTag + 1);
    MPI_Irecv(data, 8, MPI_INT, 0, kTag + 3, MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_BYTE, 0, kTag + 2, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Count many = -1;
    MPI_Get_elements_x(&status, MPI_INT, &many);
    CHECK(many == 6 && data[0] == 102 && request == MPI_REQUEST_NULL);
    MPI_Recv(data, 5, MPI_INT, MPI_ANY_SOURCE, kTag + 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(data[4] == 107);
  }
  MPI_Send(data, 3, MPI_INT, MPI_PROC_NULL, kTag, MPI_COMM_WORLD);
  MPI_Recv(data, 3, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 0 && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

static void exchange_in_one_call(void) {
  const double sent[3] = {rank + 0.25, rank + 0.5, rank + 0.75};
  double received[4] = {0};
  MPI_Status status;
  MPI_Sendrecv(sent, 3, MPI_DOUBLE, other, 50 + rank, received, 4, MPI_DOUBLE, other, 50 + other,
               MPI_COMM_WORLD, &status);
  CHECK(received[2] == other + 0.75 && status.MPI_TAG == 50 + other);
  short replaced[5] = {(short)(rank + 1), 2, 3, 4, 5};
  MPI_Sendrecv_replace(replaced, 5, MPI_SHORT, other, 52, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  CHECK(replaced[0] == other + 1);
  /* An open chain: nobody is before the first and after the last. */
  MPI_Sendrecv(sent, 1, MPI_DOUBLE, rank == 0 ? 1 : MPI_PROC_NULL, 53, received, 1, MPI_DOUBLE,
               rank == 1 ? 0 : MPI_PROC_NULL, 53, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) CHECK(received[0] == 0.25);
}

static void look_before_receiving(void) {
  char text[32] = "eleven chars";
  MPI_Status status;
  MPI_Message message;
  int count = -1;
  int flag = 0;
  if (rank == 1) {
    for (int i = 0; i < 5; ++i) MPI_Send(text, 11 + i, MPI_CHAR, 0, 60 + i, MPI_COMM_WORLD);
  } else {
    MPI_Probe(1, 60, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    CHECK(count == 11);
    MPI_Recv(text, 32, MPI_CHAR, 1, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (; !flag; rest()) MPI_Iprobe(MPI_ANY_SOURCE, 61, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(text, 32, MPI_CHAR, 1, 61, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_ANY_SOURCE, 62, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    MPI_Mrecv(text, count, MPI_CHAR, &message, &status);
    CHECK(count == 13 && status.MPI_SOURCE == 1 && message == MPI_MESSAGE_NULL);
    for (flag = 0; !flag; rest())
      MPI_Improbe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Request request;
    const MPI_Message same = MPI_Message_f2c(MPI_Message_c2f(message));
    CHECK(same == message);
    MPI_Imrecv(text, 32, MPI_CHAR, &message, &request);
    MPI_Wait(&request, &status);
    CHECK(status.MPI_TAG == 63 && message == MPI_MESSAGE_NULL);
    MPI_Recv(text, 32, MPI_CHAR, 1, 64, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Mprobe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  CHECK(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(NULL, 0, MPI_CHAR, &message, &status);
  CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

static void send_without_waiting(void) {
  long sent[4] = {rank, rank + 10, rank + 20, rank + 30};
  long received[4] = {-1, -1, -1, -1};
  const int size = (int)sizeof sent + MPI_BSEND_OVERHEAD;
  char* const room = malloc((size_t)size);
  void* given;
  int given_size;
  MPI_Request requests[8];
  MPI_Status statuses[8];
  MPI_Buffer_attach(room, size);
  for (int i = 0; i < 4; ++i)
    MPI_Irecv(&received[i], 1, MPI_LONG, other, 70 + i, MPI_COMM_WORLD, &requests[i]);
  MPI_Barrier(MPI_COMM_WORLD); /* all receives are posted */
  MPI_Isend(&sent[0], 1, MPI_LONG, other, 70, MPI_COMM_WORLD, &requests[4]);
  MPI_Issend(&sent[1], 1, MPI_LONG, other, 71, MPI_COMM_WORLD, &requests[5]);
  MPI_Irsend(&sent[2], 1, MPI_LONG, other, 72, MPI_COMM_WORLD, &requests[6]);
  MPI_Ibsend(&sent[3], 1, MPI_LONG, other, 73, MPI_COMM_WORLD, &requests[7]);
  MPI_Waitall(8, requests, statuses);
  for (int i = 0; i < 4; ++i) {
    CHECK(received[i] == other + 10 * i && statuses[i].MPI_TAG == 70 + i && statuses[i].MPI_SOURCE == other);
    CHECK(requests[i] == MPI_REQUEST_NULL && requests[4 + i] == MPI_REQUEST_NULL);
  }
  MPI_Buffer_detach(&given, &given_size);
  free(room);
  MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
}

/* More requests than any small table holds, and some that are nothing. */
static void wait_for_many(void) {
  enum { kMany = 60 };
  int sent[kMany];
  int received[kMany];
  MPI_Request requests[2 * kMany];
  MPI_Status statuses[2 * kMany];
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kMany; ++i) {
      const int partner = i % 7 == 3 ? MPI_PROC_NULL : other;
      sent[i] = 1000 * rank + i;
      received[i] = -1;
      MPI_Irecv(&received[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, &requests[2 * i]);
      MPI_Isend(&sent[i], 1, MPI_INT, partner, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * kMany, requests, round == 0 ? statuses : MPI_STATUSES_IGNORE);
    for (int i = 0; i < kMany; ++i) {
      CHECK(received[i] == (i % 7 == 3 ? -1 : 1000 * other + i));
      if (round == 0 && i % 7 != 3) CHECK(statuses[2 * i].MPI_SOURCE == other);
    }
  }
}

/* One receive and one send each, completed by whatever `complete` does. */
static void complete_by(void (*complete)(MPI_Request* requests), int tag) {
  const unsigned sent = 7U * (unsigned)rank + 1U;
  unsigned received = 0;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(&received, 1, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&sent, 1, MPI_UNSIGNED, other, tag, MPI_COMM_WORLD, &requests[2]);
  complete(requests);
  for (int i = 0; i < 3; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  CHECK(received == 7U * (unsigned)other + 1U);
}

static void by_test(MPI_Request* requests) {
  MPI_Status status;
  int flag = 0;
  for (; !flag; rest()) MPI_Test(&requests[0], &flag, &status);
  CHECK(status.MPI_SOURCE == other && status.MPI_TAG == 80);
  for (flag = 0; !flag; rest()) MPI_Test(&requests[2], &flag, MPI_STATUS_IGNORE);
  MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE); /* nothing is over at once */
  CHECK(flag);
}

static void by_waitany(MPI_Request* requests) {
  MPI_Status status;
  int index = -1;
  int seen = 0;
  for (int i = 0; i < 2; ++i) {
    MPI_Waitany(3, requests, &index, i == 0 ? &status : MPI_STATUS_IGNORE);
    seen |= 1 << index;
  }
  CHECK(seen == 5);
  MPI_Waitany(3, requests, &index, &status);
  CHECK(index == MPI_UNDEFINED);
}

static void by_testany(MPI_Request* requests) {
  int seen = 0;
  int flag = 0;
  int index = 0;
  MPI_Status status;
  while (seen != 5) {
    MPI_Testany(3, requests, &index, &flag, &status);
    if (!flag) rest();
    if (!flag) continue;
    seen |= 1 << index;
    if (index == 0) CHECK(status.MPI_TAG == 82);
  }
  MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
  CHECK(flag && index == MPI_UNDEFINED);
}

static void by_testall(MPI_Request* requests) {
  MPI_Status statuses[3];
  int flag = 0;
  for (; !flag; rest()) MPI_Testall(3, requests, &flag, statuses);
  CHECK(statuses[0].MPI_SOURCE == other && statuses[0].MPI_TAG == 83);
  MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
  CHECK(flag);
}

static void by_waitsome(MPI_Request* requests) {
  MPI_Status statuses[3];
  int indices[3];
  int outcount = 0;
  for (int left = 2; left > 0; left -= outcount) {
    MPI_Waitsome(3, requests, &outcount, indices, left == 2 ? statuses : MPI_STATUSES_IGNORE);
    CHECK(outcount >= 1 && outcount <= left);
  }
  MPI_Waitsome(3, requests, &outcount, indices, statuses);
  CHECK(outcount == MPI_UNDEFINED);
}

static void by_testsome(MPI_Request* requests) {
  MPI_Status statuses[3];
  int indices[3];
  int outcount = 0;
  for (int left = 2; left > 0; left -= outcount) {
    MPI_Testsome(3, requests, &outcount, indices, statuses);
    CHECK(outcount >= 0 && outcount <= left);
    if (outcount == 0) rest();
    for (int i = 0; i < outcount; ++i)
      if (indices[i] == 0) CHECK(statuses[i].MPI_TAG == 85 && statuses[i].MPI_SOURCE == other);
  }
  MPI_Testsome(3, requests, &outcount, indices, MPI_STATUSES_IGNORE);
  CHECK(outcount == MPI_UNDEFINED);
}

static void send_again_and_again(void) {
  char sent[4] = {'a', 'b', 'c', 'd'};
  char received[4] = {0};
  const int size = 64 + MPI_BSEND_OVERHEAD;
  char* const room = malloc((size_t)size);
  void* given;
  int given_size;
  MPI_Request requests[8];
  MPI_Buffer_attach(room, size);
  for (int i = 0; i < 4; ++i)
    MPI_Recv_init(&received[i], 1, MPI_CHAR, other, 90 + i, MPI_COMM_WORLD, &requests[i]);
  MPI_Send_init(&sent[0], 1, MPI_CHAR, other, 90, MPI_COMM_WORLD, &requests[4]);
  MPI_Bsend_init(&sent[1], 1, MPI_CHAR, other, 91, MPI_COMM_WORLD, &requests[5]);
  MPI_Ssend_init(&sent[2], 1, MPI_CHAR, other, 92, MPI_COMM_WORLD, &requests[6]);
  MPI_Rsend_init(&sent[3], 1, MPI_CHAR, other, 93, MPI_COMM_WORLD, &requests[7]);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) sent[i] = (char)('a' + 4 * round + i + 12 * rank);
    MPI_Startall(4, requests);
    MPI_Barrier(MPI_COMM_WORLD);
    if (round == 1)
      for (int i = 4; i < 8; ++i) MPI_Start(&requests[i]);
    else
      MPI_Startall(4, requests + 4);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; ++i) CHECK(received[i] == 'a' + 4 * round + i + 12 * other);
  }
  for (int i = 0; i < 8; ++i) {
    CHECK(requests[i] != MPI_REQUEST_NULL);
    MPI_Request_free(&requests[i]);
    CHECK(requests[i] == MPI_REQUEST_NULL);
  }
  MPI_Buffer_detach(&given, &given_size);
  free(room);
}

static void give_up_requests(void) {
  int data = 5;
  int flag = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&data, 1, MPI_INT, other, 99, MPI_COMM_WORLD, &request); /* nobody sends this */
  MPI_Request_get_status(request, &flag, &status);
  CHECK(!flag);
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  CHECK(flag);
  /* A send that goes on when its request is gone. */
  MPI_Isend(&data, 1, MPI_INT, other, 98, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  int received = 0;
  MPI_Irecv(&received, 1, MPI_INT, other, 98, MPI_COMM_WORLD, &request);
  for (flag = 0; !flag; rest()) MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  const MPI_Request same = MPI_Request_f2c(MPI_Request_c2f(request));
  CHECK(same == request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(received == 5);
  MPI_Barrier(MPI_COMM_WORLD);
}

static int states_seen; /* by the functions of requests that the program itself completes */

static int query_own(void* extra_state, MPI_Status* status) {
  CHECK(extra_state == &states_seen);
  MPI_Status_set_elements(status, MPI_INT, 12);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  states_seen |= 1;
  return MPI_SUCCESS;
}

static int free_own(void* extra_state) {
  CHECK(extra_state == &states_seen);
  states_seen |= 2;
  return MPI_SUCCESS;
}

static int cancel_own(void* extra_state, int complete) {
  CHECK(extra_state == &states_seen && !complete);
  states_seen |= 4;
  return MPI_SUCCESS;
}

static void complete_own_requests(void) {
  MPI_Request request;
  MPI_Status status;
  int count = 0;
  MPI_Grequest_start(query_own, free_own, cancel_own, &states_seen, &request);
  MPI_Cancel(&request);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, &status);
  MPI_Get_elements(&status, MPI_INT, &count);
  CHECK(states_seen == 7 && count == 12);
}

static void change_statuses(void) {
  MPI_Status status;
  MPI_Status again;
  int count = 0;
  int flag = 0;
  memset(&status, 0, sizeof status);
  status.MPI_SOURCE = 1;
  status.MPI_TAG = 2;
  MPI_Status_set_elements(&status, MPI_DOUBLE, 3);
  MPI_Status_set_elements_x(&status, MPI_DOUBLE, 4);
  MPI_Status_set_cancelled(&status, 1);
  MPI_Fint fortran[64]; /* more than any library needs */
  MPI_Status_c2f(&status, fortran);
  MPI_Status_f2c(fortran, &again);
  MPI_Get_elements(&again, MPI_DOUBLE, &count);
  MPI_Test_cancelled(&again, &flag);
  CHECK(count == 4 && flag && again.MPI_SOURCE == 1 && again.MPI_TAG == 2);
}

static void use_messages(void) {
  send_in_every_mode();
  exchange_in_one_call();
  look_before_receiving();
  send_without_waiting();
  wait_for_many();
  complete_by(by_test, 80);
  complete_by(by_waitany, 81);
  complete_by(by_testany, 82);
  complete_by(by_testall, 83);
  complete_by(by_waitsome, 84);
  complete_by(by_testsome, 85);
  send_again_and_again();
  give_up_requests();
  complete_own_requests();
  change_statuses();
}
