// SPDX-License-Identifier: Apache-2.0
// Traces beyond the few that SQLite can attach: their tables are copied into
// those of the schema `merged`, with the process in each row, so that a
// thousand ranks need no more tables or longer views than two. Used by Store
// only. One thread; needs as much disk (a temporary file) as the traces, and
// little memory. The schema may be a file of facts (parts.h), which others read
// later.
#pragma once

#include <string>
#include <vector>

#include "analyzer/facts/store/catalogue.h"
#include "base/database.h"
#include "base/status.h"

namespace inquest::facts {

class MergedTraces {
 public:
  bool begun() const { return !tables_.empty(); }
  // Makes the tables, in a new file or, without a path, in a temporary one.
  Status Begin(Database* db, const std::string& path = {});
  // Copies the tables of an attached trace. After a failure none of its rows
  // remain. `condensed`: of many memory events only those are copied that are
  // read after the analysis of memory (CondensedEvents).
  Status Add(Database* db, const TraceTablesAt& trace, int process,
             bool condensed = false);
  // Copies all tables of another such schema, which numbers its processes from
  // 1; here they follow number `before`.
  Status TakeIn(Database* db, const std::string& schema, int before);
  // The prefix of a table's name for reading the rows of one process; valid
  // until the next call for another process.
  Expected<std::string> PrefixOf(Database* db, int process);

 private:
  struct Table {
    std::string name;
    std::string columns;  // with commas
  };
  Status MakeTable(Database* db, const std::string& name);
  Status Copy(Database* db, const TraceTablesAt& trace, int process,
              bool condensed);

  std::vector<Table> tables_;
  int current_ = 0;
};

}  // namespace inquest::facts
