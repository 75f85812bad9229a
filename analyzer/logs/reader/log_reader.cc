// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_reader.h"

#include <utility>

#include "analyzer/logs/reader/log_input.h"
#include "analyzer/logs/reader/log_scanner.h"

namespace inquest::ingest {
namespace {

// An unreadable source is reported, too.
Status Unread(LogSource facts, size_t source, Status status, LogSink* sink) {
  facts.kind = "app";
  facts.packing = "none";
  facts.incomplete = true;
  facts.note = status.message();
  sink->OnTail(source, {});
  sink->OnSource(source, facts);
  return status;
}

Status ReadOne(const LogFile& file, Expected<LogInput> input, int64_t mtime_ns,
               const rules::SignatureSet& signatures, const LogLimits& limits,
               LogSink* sink, size_t source, rules::MatchBudget* budget) {
  LogSource facts;
  facts.path = file.path;
  facts.unit = file.unit;
  if (!input.ok()) {
    return Unread(std::move(facts), source, input.status(), sink);
  }
  facts.packing = input->packing;
  rules::MatchBudget own(signatures.size());
  LogScanner(source, std::move(facts), mtime_ns, signatures, limits,
             budget == nullptr ? &own : budget, sink)
      .Run(input->bytes.get());
  return Status::Ok();
}

InputLimits InputLimitsOf(const LogLimits& limits) {
  return {limits.max_bytes, limits.max_unpacked_bytes};
}

}  // namespace

Status ReadLogFile(const LogFile& file, const rules::SignatureSet& signatures,
                   const LogLimits& limits, LogSink* sink, size_t source,
                   rules::MatchBudget* budget) {
  auto input = OpenLog(file.path, InputLimitsOf(limits));
  const int64_t mtime_ns = input.ok() ? input->mtime_ns : 0;
  return ReadOne(file, std::move(input), mtime_ns, signatures, limits, sink,
                 source, budget);
}

Status ReadLogText(const std::string& name, std::string_view text,
                   const rules::SignatureSet& signatures,
                   const LogLimits& limits, LogSink* sink, size_t source,
                   int64_t mtime_ns, rules::MatchBudget* budget,
                   const LogUnit& unit) {
  return ReadOne({name, unit}, OpenText(name, text, InputLimitsOf(limits)),
                 mtime_ns, signatures, limits, sink, source, budget);
}

}  // namespace inquest::ingest
