// SPDX-License-Identifier: Apache-2.0
// Keeps a process alive that writes to a shared mapping whose file has no page
// for it: somebody has cut the file, or the disk is full and the file system
// copies what is written again (btrfs; XFS after a `cp` that shares blocks).
// The kernel then sends SIGBUS. The page is replaced by one in memory with what
// the file has: the process goes on, others no longer see what it writes there.
// Pages without `prepare`, which other processes read, get their file's length
// back where there is room.
//
// Segments of the journal and the collector's SQLite enter their mappings; the
// collector's handler of SIGBUS calls RescuePage. No lock is waited for except
// that of another rescue, no memory is allocated; any thread. A program that
// handles or blocks SIGBUS itself is not helped.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "trace/journal/own_file.h"

namespace inquest::trace {

struct SharedPages {
  char* begin;
  size_t size;
  OwnFile file;
  off_t offset;  // of `begin` in the file
  // Null, or called with each page before it is used; `whole`: the file had all
  // of it, otherwise the rest is zero. May run in a signal handler.
  void (*prepare)(void* owner, char* page, off_t offset, bool whole);
  void* owner;
};

// Pages that find no room in the table are not rescued.
void LetRescue(const SharedPages& pages);
void LeaveRescue(const void* begin);
// False if the address is in no such pages, or nothing helped.
bool RescuePage(void* address);

}  // namespace inquest::trace
