// SPDX-License-Identifier: Apache-2.0
// The floor of a diagnosis: SQLite reads every column of the whole event table
// of a trace, and nothing is done with the values. Usage: bench_scan FILE [SQL]
#include <cstdint>
#include <cstdio>

#include "base/database.h"

int main(int argc, char** argv) {
  using inquest::Database;
  if (argc < 2) return 2;
  auto db = Database::Open(argv[1], Database::Mode::kReadOnly);
  if (!db.ok()) return 1;
  auto row = db->Prepare(argc > 2 ? argv[2] : "SELECT * FROM memory_event");
  if (!row.ok()) return 1;
  int64_t sum = 0;
  const int columns = row->columns();
  while (row->Step()) {
    for (int i = 0; i < columns; ++i) sum += row->Int(i);
  }
  std::printf("%lld\n", static_cast<long long>(sum));
  return row->status().ok() ? 0 : 1;
}
