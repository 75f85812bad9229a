// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/results/loader.h"

#include "analyzer/fleet/store/upsert.h"

namespace inquest::fleet {
namespace {

// Others may load at the same time and wait no longer than for these.
constexpr int64_t kResultsATransaction = 200;

}  // namespace

Loader::~Loader() {
  if (open_ > 0) (void)db_->Execute("ROLLBACK");
}

Status Loader::Begin() {
  if (open_ >= kResultsATransaction) RETURN_IF_ERROR(Finish());
  if (open_ == 0) RETURN_IF_ERROR(db_->BeginAlone());
  ++open_;
  return Status::Ok();
}

Status Loader::Finish() {
  if (open_ == 0) return Status::Ok();
  open_ = 0;
  return db_->Execute("COMMIT");
}

Status Loader::Add(std::string_view text, const std::string& source,
                   const Additions& additions) {
  auto result = ReadResult(text, source, additions);
  Status status = result.status();
  if (status.ok()) status = Store(*result);
  if (!status.ok()) ++counts_.refused;
  return status;
}

// A statement that fails undoes this result only.
Status Loader::Store(const Result& result) {
  RETURN_IF_ERROR(Begin());
  RETURN_IF_ERROR(db_->Execute("SAVEPOINT one"));
  if (Status status = StoreParts(result); !status.ok()) {
    RETURN_IF_ERROR(db_->Execute("ROLLBACK TO SAVEPOINT one"));
    return status;
  }
  ++counts_.stored;
  counts_.findings += static_cast<int64_t>(result.findings.size());
  return db_->Execute("RELEASE SAVEPOINT one");
}

// Parts that an earlier version of the same result had are removed first.
Status Loader::StoreParts(const Result& result) {
  const std::string& run = result.run.run;
  const std::string& rules = result.run.rules;
  ASSIGN_OR_RETURN(
      const Rows before,
      db_->Query("SELECT 1 FROM fleet_verdict WHERE run = $1 AND rules = $2",
                 {run, rules}));
  const bool known = !before.rows.empty();
  RETURN_IF_ERROR(db_->Run(
      "DELETE FROM fleet_finding WHERE run = $1 AND rules = $2", {run, rules}));
  RETURN_IF_ERROR(Upsert(db_, "fleet_run", "run", result.run));
  RETURN_IF_ERROR(Upsert(db_, "fleet_verdict", "run, rules", result.verdict));
  for (const FindingRow& row : result.findings) {
    RETURN_IF_ERROR(Upsert(db_, "fleet_finding", "run, rules, finding", row));
  }
  for (const GpuRow& row : result.gpus) {
    RETURN_IF_ERROR(Upsert(db_, "fleet_gpu", "run, gpu", row));
  }
  for (const VersionRow& row : result.versions) {
    RETURN_IF_ERROR(Upsert(db_, "fleet_version", "run, what", row));
  }
  if (known) ++counts_.known;
  return Status::Ok();
}

Status Loader::AddJob(const JobRow& job) {
  RETURN_IF_ERROR(Begin());
  return Upsert(db_, "fleet_job", "job", job);
}

}  // namespace inquest::fleet
