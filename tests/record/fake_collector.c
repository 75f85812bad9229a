// SPDX-License-Identifier: Apache-2.0
/* Stands in for the collector: leaves an empty trace of each process that loads
 * it and is told INQUEST_DIR, and nothing else. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void Loaded(void) {
  const char* directory = getenv("INQUEST_DIR");
  if (directory == NULL || getenv("FAKE_NO_TRACE") != NULL) return;
  char path[4096];
  snprintf(path, sizeof path, "%s/%d.trace.sqlite", directory, (int)getpid());
  const int fd = open(path, O_CREAT | O_WRONLY, 0600);
  if (fd >= 0) close(fd);
}
