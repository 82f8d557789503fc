/* The burst-buffer file system's C interface: files whose consistency the program chooses.
 *
 *   weir_fs* fs = weir_fs_connect(NULL);                    the job that WEIR_JOB names
 *   weir_file* file = weir_open(fs, "out/step.dat", O_CREAT | O_WRONLY, 0644, NULL);
 *   weir_pwrite(file, data, bytes, offset);
 *   weir_close(file);                                        published, if the model says so
 *   weir_fs_disconnect(fs);
 *
 * Functions return 0 or a count, and -1 (or NULL) with errno set on failure. They do not print, and do not
 * end the program. EIO: the servers did not answer within the job's time limit, or have refused this program:
 * another version of Weir, or a job file that is not theirs. EROFS: the job is about to end (`weir fs stop`),
 * and nothing new is taken in. All may be called from any thread; a child made by fork() connects anew. Paths
 * are below the job's mount, absolute or relative to it: EXDEV for others.
 */
#ifndef WEIR_BURST_H
#define WEIR_BURST_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "weir/weir.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_fs weir_fs;     /* a connection with a job's file system */
typedef struct weir_file weir_file; /* an open file */

/* `job`: the file that `weir fs start --job` wrote; NULL for $WEIR_JOB. */
WEIR_API weir_fs* weir_fs_connect(const char* job);
/* Files that are still open are closed. A program that ends by exit() or from main() without it has published
 * what closing its files would have; one that is killed, or ends by _exit(), has not. */
WEIR_API int weir_fs_disconnect(weir_fs* fs);
/* The number by which others know this process (weir_read_peer, weir_interval). */
WEIR_API uint64_t weir_fs_client(const weir_fs* fs);

/* --- core: as the calls of the same name. Each does what the file's model asks for. --- */

/* `model`: posix, posix-lock, commit, session, eventual, none; NULL for what the job's policy says. */
WEIR_API weir_file* weir_open(weir_fs* fs, const char* path, int flags, mode_t mode, const char* model);
WEIR_API int weir_close(weir_file* file);
WEIR_API ssize_t weir_read(weir_file* file, void* buffer, size_t bytes);
WEIR_API ssize_t weir_write(weir_file* file, const void* buffer, size_t bytes);
WEIR_API ssize_t weir_pread(weir_file* file, void* buffer, size_t bytes, off_t offset);
WEIR_API ssize_t weir_pwrite(weir_file* file, const void* buffer, size_t bytes, off_t offset);
WEIR_API off_t weir_seek(weir_file* file, off_t offset, int whence);
WEIR_API off_t weir_tell(weir_file* file);
WEIR_API int weir_fsync(weir_file* file);
WEIR_API int weir_ftruncate(weir_file* file, off_t size);
WEIR_API int weir_fstat(weir_file* file, struct stat* status);
WEIR_API int weir_stat(weir_fs* fs, const char* path, struct stat* status);
WEIR_API int weir_unlink(weir_fs* fs, const char* path);
WEIR_API int weir_rename(weir_fs* fs, const char* from, const char* to);
/* What this process wrote to the file is published and in the backing directory, synced, when it returns. */
WEIR_API int weir_flush(weir_file* file);
/* What `client` has published of these bytes: all of them, or -1 with ENODATA. */
WEIR_API ssize_t weir_read_peer(weir_file* file, uint64_t client, void* buffer, size_t bytes, off_t offset);

/* --- synchronisation: for the model `none`, and beside every other --- */

/* Own writes of the range, or of the whole file, become visible to all. Again: nothing happens. */
WEIR_API int weir_attach(weir_file* file, off_t offset, size_t bytes);
WEIR_API int weir_attach_file(weir_file* file);

/* Bytes of a file that were published, and by whom. */
typedef struct weir_interval {
  uint64_t begin;
  uint64_t end; /* not among them */
  uint64_t client;
  uint32_t node;
} weir_interval;

/* Looks who has published what; later reads of this open see it. `intervals` is given (free() it) unless
 * NULL. */
WEIR_API int weir_query(weir_file* file, off_t offset, size_t bytes, weir_interval** intervals,
                        size_t* count);
WEIR_API int weir_query_file(weir_file* file, weir_interval** intervals, size_t* count);

/* Own publications are taken back, where nobody has published over them. What was flushed before is read from
 * the backing directory; what was not is gone for all. */
WEIR_API int weir_detach(weir_file* file, off_t offset, size_t bytes);
WEIR_API int weir_detach_file(weir_file* file);
WEIR_API int weir_detach_client(weir_fs* fs);

/* --- locks: beside every model; posix-lock takes and keeps them by itself --- */

enum {
  WEIR_LOCK_SHARED = 0,    /* others may lock the range shared too, and read it under posix-lock */
  WEIR_LOCK_EXCLUSIVE = 1, /* nobody else */
};

/* The range, in whole blocks of 4 KiB, is this process's until it releases it; 0 bytes: all from `offset` on.
 * Waits for others who have it: EIO when they still do after the job's time limit, as when two wait for each
 * other. A lock publishes nothing by itself. */
WEIR_API int weir_lock(weir_file* file, off_t offset, size_t bytes, int type);
/* Every lock of this process that overlaps the range, all of the file, or all of all files; none is fine.
 * They end with the last close of the file too, and with the process. */
WEIR_API int weir_release(weir_file* file, off_t offset, size_t bytes);
WEIR_API int weir_release_file(weir_file* file);
WEIR_API int weir_release_client(weir_fs* fs);

#ifdef __cplusplus
}
#endif

#endif
