// Traces beyond the few that SQLite can attach: their tables are copied into
// ones of the schema `merged` whose rows tell the process, so that a thousand
// ranks are no more tables, and no longer views, than two. Used by Store only.
// One thread; on disk (a temporary file) it takes what the traces take, in
// memory next to nothing.
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
  // Copies the tables of a trace that is attached for the while. After a
  // failure nothing of it stays.
  Status Add(Database* db, const TraceTablesAt& trace, int process);
  // What stands before a table's name to read the rows of one process; holds
  // until that of another is asked for.
  Expected<std::string> PrefixOf(Database* db, int process);

 private:
  struct Table {
    std::string name;
    std::string columns;  // with commas
  };
  Status Begin(Database* db);
  Status MakeTable(Database* db, const std::string& name);
  Status Copy(Database* db, const TraceTablesAt& trace, int process);

  std::vector<Table> tables_;
  int current_ = 0;
};

}  // namespace inquest::facts
