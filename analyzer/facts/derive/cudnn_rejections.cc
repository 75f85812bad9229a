// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/cudnn_rejections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "analyzer/facts/derive/cudnn_conflicts.h"
#include "base/rows.h"

namespace inquest::facts {
namespace {

constexpr int64_t kSameMomentNs = 1'000'000'000;
constexpr int64_t kMisaligned = 2003;   // CUDNN_STATUS_BAD_PARAM_MISALIGNED_…
constexpr int64_t kLeastAlignment = 4;  // bytes, of any tensor

struct FailedCall {
  template <class V>
  void Columns(V& v) {
    v("process", process);
    v("id", id);
    v("time", time);
    v("function", function);
    v("result", result);
    v("detail", detail);
    v("operation", operation);
    v("iif(json_valid(detail), detail ->> '$.range', NULL)", range);
  }
  int64_t process = 0, id = 0, time = 0;
  std::string function;
  int64_t result = 0;
  std::optional<std::string> detail, operation, range;
};

struct Rejection {
  template <class V>
  void Columns(V& v) {
    v("process", process);
    v("error", error);
    v("call", call);
    v("operands", operands);
    v("conflict", conflict);
    v("range", range);
  }
  int64_t process = 0, error = 0, call = 0;
  std::optional<std::string> operands, conflict, range;
};

// By process, function and result; in the order of time.
using CallKey = std::tuple<int64_t, std::string, int64_t>;
using FailedCalls = std::map<CallKey, std::vector<FailedCall>>;

Expected<FailedCalls> ReadFailedCalls(Store* store) {
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<FailedCall>(&store->db(),
                                          "FROM cudnn_call WHERE result <> 0 "
                                          "ORDER BY time, id"));
  FailedCalls calls;
  for (FailedCall one; rows.Next(&one);) {
    calls[{one.process, one.function, one.result}].push_back(one);
  }
  RETURN_IF_ERROR(rows.statement().status());
  return calls;
}

// An error is recorded right after its call.
const FailedCall* FailedCallOf(const FailedCalls& calls, const CallKey& key,
                               int64_t time) {
  const auto found = calls.find(key);
  if (found == calls.end()) return nullptr;
  const FailedCall* nearest = nullptr;
  for (const FailedCall& call : found->second) {
    const int64_t apart = std::abs(call.time - time);
    if (apart >= kSameMomentNs) continue;
    if (nearest == nullptr || apart < std::abs(nearest->time - time)) {
      nearest = &call;
    }
  }
  return nearest;
}

// The whole numbers of a call's detail.
std::vector<CudnnArgument> ReadArguments(Store* store,
                                         const std::string& detail) {
  auto row = store->db().Prepare(
      "SELECT iif(typeof(key) = 'text', key, replace(path, '$.', '')), atom "
      "FROM json_tree(iif(json_valid(?1), ?1, '{}')) WHERE type = 'integer'");
  if (!row.ok()) return {};
  row->BindAll(detail);
  std::vector<CudnnArgument> arguments;
  for (CudnnArgument one; row->Next(&one.name, &one.value);) {
    arguments.push_back(one);
  }
  return arguments;
}

// "n 8, c -3, h 224, w 224"; a list is one word: dimA 8x-3x224x224.
std::string SizesOf(const std::vector<CudnnArgument>& arguments) {
  std::string text;
  std::string before;
  for (const CudnnArgument& one : arguments) {
    if (!IsCudnnSize(one.name)) continue;
    if (one.name == before) {
      text += fmt::format("x{}", one.value);
    } else {
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", one.name, one.value);
    }
    before = one.name;
  }
  return text;
}

// The least aligned of the addresses. Those of 16 bytes and more are not
// recorded.
std::string AlignmentConflict(int64_t result,
                              const std::vector<CudnnArgument>& arguments) {
  constexpr std::string_view kEnd = "_alignment";
  const CudnnArgument* least = nullptr;
  for (const CudnnArgument& one : arguments) {
    if (!one.name.ends_with(kEnd)) continue;
    if (least == nullptr || one.value < least->value) least = &one;
  }
  if (least == nullptr ||
      (result != kMisaligned && least->value >= kLeastAlignment)) {
    return "";
  }
  return fmt::format("{} is aligned to {} byte{} only",
                     least->name.substr(0, least->name.size() - kEnd.size()),
                     least->value, least->value == 1 ? "" : "s");
}

// Less than what cuDNN had asked for the same layer and algorithm.
std::string WorkspaceConflict(Store* store, const FailedCall& call) {
  auto row = store->db().Prepare(
      "SELECT workspace_bytes, workspace_asked FROM cudnn_interval WHERE "
      "process = ? AND function = ? AND operation = ? AND failed > 0 AND "
      "workspace_asked > workspace_bytes AND "
      "workspace_bytes = json_extract(?, '$.workspace_bytes') AND "
      "algorithm = json_extract(?, '$.algorithm') LIMIT 1");
  int64_t given = 0;
  int64_t asked = 0;
  if (!row.ok() || !call.detail || !call.operation) return "";
  row->BindAll(call.process, call.function, *call.operation, *call.detail,
               *call.detail);
  if (!row->Next(&given, &asked)) return "";
  return fmt::format(
      "it was given a workspace of {} bytes, and cuDNN had asked for {}", given,
      asked);
}

std::optional<std::string> TextOrNull(std::string text) {
  if (text.empty()) return std::nullopt;
  return text;
}

Rejection JudgeCall(Store* store, const FailedCall& call, int64_t error) {
  Rejection rejection{call.process, error, call.id, call.operation, {}, {}};
  const std::string detail = call.detail.value_or("");
  const auto arguments = ReadArguments(store, detail);
  if (!call.operation) rejection.operands = TextOrNull(SizesOf(arguments));
  std::string conflict = CudnnArgumentConflict(call.function, arguments);
  if (conflict.empty() && call.operation) {
    conflict = CudnnConflict(call.function, *call.operation);
  }
  if (conflict.empty()) conflict = WorkspaceConflict(store, call);
  if (conflict.empty()) conflict = AlignmentConflict(call.result, arguments);
  rejection.conflict = TextOrNull(std::move(conflict));
  rejection.range = call.range;
  return rejection;
}

}  // namespace

Status CollectCudnnRejections(Store* store) {
  ASSIGN_OR_RETURN(const FailedCalls calls, ReadFailedCalls(store));
  if (calls.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT process, id, time, function, result FROM "
                          "api_error WHERE api = 'cudnn' ORDER BY id"));
  ASSIGN_OR_RETURN(auto insert, InsertInto<Rejection>(&store->db(),
                                                      "store_cudnn_rejection"));
  int64_t process = 0, id = 0, time = 0, result = 0;
  for (std::string function;
       row.Next(&process, &id, &time, &function, &result);) {
    const FailedCall* call =
        FailedCallOf(calls, {process, function, result}, time);
    if (call == nullptr) continue;
    RETURN_IF_ERROR(insert.Add(JudgeCall(store, *call, id)));
  }
  return row.status();
}

}  // namespace inquest::facts
