// SPDX-License-Identifier: Apache-2.0
// Prepares the collector's private copy of SQLite for life in a foreign
// process: no mutexes (one thread uses it, and a fork may then happen at any
// time), and file descriptors far from the numbers that hosts close and reuse.
#pragma once

namespace inquest::collector {

void SetUpSqlite();

}  // namespace inquest::collector
