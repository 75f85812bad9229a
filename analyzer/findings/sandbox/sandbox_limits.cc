// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/sandbox/sandbox_limits.h"

#include <algorithm>
#include <limits>

namespace inquest::findings {
namespace {

constexpr int64_t kBytesOfACell = 128;  // name, node and value

// Far above the needs of any well-meant rule.
constexpr std::pair<SqlLimit, int> kLimits[] = {
    {SqlLimit::kSqlLength, kMaxSqlLength}, {SqlLimit::kColumns, 128},
    {SqlLimit::kExpressionDepth, 200},     {SqlLimit::kCompoundSelects, 50},
    {SqlLimit::kOperations, 250'000},      {SqlLimit::kLikePatternLength, 100},
    {SqlLimit::kParameters, 100},          {SqlLimit::kTriggerDepth, 1},
    {SqlLimit::kWorkerThreads, 0},
};

}  // namespace

SandboxLimits::SandboxLimits(Database* db) : db_(db) {
  for (const auto& [which, value] : kLimits) {
    before_.emplace_back(which, SetSqlLimit(db_, which, value));
  }
  before_.emplace_back(SqlLimit::kLength,
                       SetSqlLimit(db_, SqlLimit::kLength, -1));
  // The authorizer already refuses writing; this is a second barrier.
  (void)db_->Execute("PRAGMA query_only = 1");
}

SandboxLimits::~SandboxLimits() {
  for (const auto& [which, value] : before_) SetSqlLimit(db_, which, value);
  LimitSqlHeap(0);
  (void)db_->Execute("PRAGMA query_only = 0");
}

void SandboxLimits::Set(const SqlLimits& limits) {
  const int64_t max = std::numeric_limits<int>::max();
  SetSqlLimit(db_, SqlLimit::kLength,
              static_cast<int>(std::min(limits.text, max)));
  memory_ = limits.memory;
  LargestSqlRequest(/*forget=*/true);
  LimitSqlHeap(limits.memory > 0 ? SqlHeapInUse() + limits.memory : 0);
}

bool SandboxLimits::TakeRefusal() {
  if (memory_ == 0 || LargestSqlRequest(/*forget=*/false) <= memory_)
    return false;
  LargestSqlRequest(/*forget=*/true);
  return true;
}

int64_t BytesOf(const Statement& row) {
  int64_t bytes = 0;
  for (int i = 0; i < row.columns(); ++i) {
    bytes += kBytesOfACell + row.ByteSize(i);
  }
  return bytes;
}

}  // namespace inquest::findings
