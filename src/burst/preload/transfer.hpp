#pragma once

#include <cstddef>

#include <aio.h>
#include <sys/types.h>

#include "burst/preload/open_file.hpp"

namespace weir::burst::preload {

// As much as a pipe takes at once.
inline constexpr std::size_t kPipeBytes = 65536;

// From one descriptor to another, of which at least one is a burst file; without an offset, from or to the
// position. What could be copied before something failed counts. A thread is cancelled only while nothing has
// been read.
Answer copy_bytes(int in, off_t* in_offset, int out, off_t* out_offset, std::size_t count);

// Asynchronous requests are done at once: they are complete when the call returns.
void transfer_now(aiocb& request, int operation);
void sync_now(aiocb& request);
// Some of the list are burst files; the others are done the same way.
void transfer_list(aiocb* const* list, int count);
// What the program wants to be told when they are, in place of the calls and on its side: its handlers and
// functions do I/O of their own.
int notify_of(aiocb* request);
int notify_of_sync(int operation, aiocb* request);
int notify_of_list(int mode, aiocb* const* list, int count, sigevent* event);

// Every open file, by what its model says of sync().
void sync_all();

}  // namespace weir::burst::preload
