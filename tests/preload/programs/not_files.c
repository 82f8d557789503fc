// What makes descriptors and streams that are no files.
// counts: pipe=1 pipe2=1 socket=2 socketpair=1 accept=1 accept4=1 eventfd=1 epoll_create=1 epoll_create1=1
// timerfd_create=1 signalfd=1 inotify_init=1 inotify_init1=1 inotify_add_watch=1 inotify_rm_watch=1
// fanotify_init=1 fanotify_mark=1 memfd_create=1 shm_open=1 shm_unlink=1 posix_openpt=1 getpt=1 openpty=1
// login_tty=1 pidfd_open=1 pidfd_getfd=1 fmemopen=1 open_memstream=1 open_wmemstream=1 fopencookie=1
// popen=1 pclose=1 forkpty=1
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <utmp.h>
#include <wchar.h>

#include "tiny.h"

static ssize_t swallow(void* cookie, const char* bytes, size_t count) {
  (void)cookie;
  (void)bytes;
  return (ssize_t)count;
}

static void sockets(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "socket"};
  const int server = socket(AF_UNIX, SOCK_STREAM, 0);
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  MUST(bind(server, (struct sockaddr*)&address, sizeof address) == 0 && listen(server, 2) == 0);
  MUST(connect(client, (struct sockaddr*)&address, sizeof address) == 0);
  socklen_t size = sizeof address;
  TELL(accept(server, (struct sockaddr*)&address, &size));
  TELL(accept4(-1, NULL, NULL, SOCK_CLOEXEC));
  say("%u\n", (unsigned)size);
}

static void streams(void) {
  char* text = NULL;
  wchar_t* wide = NULL;
  size_t size = 0;
  char memory[8];
  FILE* stream = fmemopen(memory, sizeof memory, "w");
  MUST(stream != NULL && fputs("abc", stream) >= 0 && fclose(stream) == 0);
  say("%s\n", memory);
  stream = open_memstream(&text, &size);
  MUST(stream != NULL && fputs("defg", stream) >= 0 && fclose(stream) == 0);
  say("%s %zu\n", text, size);
  free(text);
  stream = open_wmemstream(&wide, &size);
  MUST(stream != NULL && fputws(L"hi", stream) >= 0 && fclose(stream) == 0);
  say("%zu %zu\n", wcslen(wide), size);
  free(wide);
  stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = swallow});
  MUST(stream != NULL && fputs("xyz", stream) >= 0 && fclose(stream) == 0);
  stream = popen("echo from a shell", "r");
  char line[32] = {0};
  MUST(stream != NULL && fgets(line, sizeof line, stream) != NULL);
  say("%s", line);
  TELL(pclose(stream));
}

int main(void) {
  int ends[2];
  TELL(pipe(ends));
  TELL(pipe2(ends, O_CLOEXEC | O_NONBLOCK));
  say("%d %d\n", ends[0], ends[1]);
  TELL(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
  sockets();
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR1);
  TELL(eventfd(3, EFD_NONBLOCK));
  TELL(epoll_create(1));
  TELL(epoll_create1(EPOLL_CLOEXEC));
  TELL(timerfd_create(CLOCK_MONOTONIC, 0));
  TELL(signalfd(-1, &mask, 0));
  TELL(inotify_init());
  const int watch = inotify_init1(IN_CLOEXEC);
  TELL(inotify_add_watch(watch, ".", IN_CREATE));
  TELL(inotify_rm_watch(watch, 99));
  TELL(fanotify_init(FAN_CLASS_NOTIF | (1U << 31), O_RDONLY));
  TELL(fanotify_mark(-1, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, "."));
  TELL(memfd_create("memory", MFD_CLOEXEC));
  TELL(shm_open("/weir-missing", O_RDWR, 0600));
  TELL(shm_unlink("/weir-missing"));
  TELL(posix_openpt(O_RDWR | O_NOCTTY) >= 0);
  TELL(getpt() >= 0);
  int master = -1;
  int slave = -1;
  TELL(openpty(&master, &slave, NULL, NULL, NULL));
  TELL(login_tty(-1));
  const int process = pidfd_open(getpid(), 0);
  TELL(process);
  TELL(pidfd_getfd(process, 999, 0));
  streams();
  fflush(stdout);
  const pid_t child = forkpty(&master, NULL, NULL, NULL);
  if (child == 0) _exit(5);
  int status = 0;
  say("forkpty %d\n", child > 0 && waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : -1);
  return 0;
}
