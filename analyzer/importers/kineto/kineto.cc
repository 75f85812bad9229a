// SPDX-License-Identifier: Apache-2.0
// Recognizes and imports PyTorch profiler traces.
#include <fmt/format.h>

#include "analyzer/importers/common/json_stream.h"
#include "analyzer/importers/kinds.h"
#include "analyzer/importers/kineto/kineto_order.h"
#include "analyzer/importers/kineto/kineto_reader.h"
#include "analyzer/importers/kineto/kineto_trace.h"

namespace inquest::importers {
namespace {

bool Has(std::string_view text, std::string_view what) {
  return text.find(what) != text.npos;
}

}  // namespace

bool KnowsKineto(const FileStart& start) {
  const std::string_view text = start.bytes;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return false;
  if (text[first] == '{') {
    return Has(text, "\"traceEvents\"") || (Has(text, "\"schemaVersion\"") &&
                                            Has(text, "\"deviceProperties\""));
  }
  if (text[first] != '[') return false;
  const size_t next = text.find_first_not_of(" \t\r\n", first + 1);
  return next != text.npos && text[next] == '{' && Has(text, "\"ph\"") &&
         Has(text, "\"ts\"");
}

Status ImportKineto(const std::string& path, const std::string& trace_path) {
  ASSIGN_OR_RETURN(ingest::LogInput input, OpenForeign(path));
  ASSIGN_OR_RETURN(KinetoOrder order, KinetoOrder::Create());
  KinetoHead head;
  KinetoReader reader(&head, &order);
  JsonEnd end = ReadJson(input.bytes.get(), &reader);
  if (!head.has_events && head.devices.empty()) {
    const std::string why = end.fault.ok() ? "" : ": " + end.fault.message();
    return Unreadable(
        fmt::format("'{}' is not a trace of PyTorch's profiler{}", path, why));
  }
  RETURN_IF_ERROR(
      WriteKinetoTrace(head, &order, end.fault.message(), trace_path));
  return end.fault.ok() ? Status::Ok() : Incomplete(path, end.fault);
}

}  // namespace inquest::importers
