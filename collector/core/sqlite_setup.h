// SPDX-License-Identifier: Apache-2.0
// Prepares the collector's private copy of SQLite for a foreign process: no
// mutexes (only one thread uses it, and a fork may happen at any time), and
// file descriptors far from the numbers that hosts close and reuse.
#pragma once

namespace inquest::collector {

void SetUpSqlite();

}  // namespace inquest::collector
