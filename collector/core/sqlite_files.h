// SPDX-License-Identifier: Apache-2.0
// The files of SQLite inside the host: how it opens, locks, reads and writes
// them, see trace/journal/own_file.h. A descriptor that the host has closed or
// reused is never touched again: the call fails with EBADF, and SQLite gives up
// what it was doing. Used by the drain's thread only, which then opens the
// trace anew.
#pragma once

namespace inquest::collector {

// Once, before the first database is opened.
void SetUpSqlite();

// False if the host has closed or reused a descriptor of an open database.
bool SqliteFilesAreIntact();

}  // namespace inquest::collector
