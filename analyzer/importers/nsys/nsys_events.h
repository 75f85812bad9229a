// SPDX-License-Identifier: Apache-2.0
// Reads the tables of an Nsight Systems export that help to explain a failure,
// each once, and passes their rows to the traces of their processes. A missing
// table is reported as coverage, because what was not recorded may still have
// happened. For nsys.cc. One thread; memory is SQLite's cache.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "analyzer/importers/common/foreign_tables.h"
#include "analyzer/importers/nsys/nsys_head.h"
#include "analyzer/importers/nsys/nsys_trace.h"

namespace inquest::importers {

using NsysTraces = std::map<int64_t, std::unique_ptr<NsysTrace>>;  // by global

class NsysEvents {
 public:
  NsysEvents(ForeignTables* tables, const NsysHead& head, NsysTraces* traces)
      : tables_(tables), head_(head), traces_(traces) {}

  void ReadAll();

 private:
  std::string InOrderOf(std::string_view columns) const;
  NsysTrace* TraceOf(int64_t global);
  void ReadMemory();
  struct MemoryRow {
    std::optional<int64_t> time, global, device, address, bytes, op, kind;
    int64_t context = 0, stream = 0, local_pool = 0, imported_pool = 0;
    int64_t thread = 0, callchain = 0;
  };
  void AddMemory(const MemoryRow& row);
  void ReadFailures();
  void ReadRanges();
  void ReadLibraryCalls();
  void ReadDiagnostics();
  uint32_t StackOf(int64_t callchain, NsysTrace* trace);
  void WriteCoverage();
  void CoverMemory();
  void CoverTable(const char* source, const char* table, const char* what,
                  const char* how);
  void Cover(std::string_view source, std::string_view state,
             const std::string& note);
  bool HasRows(const char* table);

  ForeignTables* tables_;
  const NsysHead& head_;
  NsysTraces* traces_;
  std::map<std::pair<NsysTrace*, int64_t>, uint32_t> stacks_;
  std::map<std::string, int64_t> malformed_;  // by table
};

}  // namespace inquest::importers
