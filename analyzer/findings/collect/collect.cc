// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/collect.h"

#include <fmt/format.h>

#include <map>
#include <tuple>
#include <unordered_map>

#include "analyzer/facts/store/catalogue.h"
#include "analyzer/findings/collect/canonical.h"
#include "analyzer/findings/collect/evidence.h"
#include "analyzer/findings/collect/fixes.h"
#include "analyzer/findings/collect/message.h"
#include "analyzer/findings/collect/rule_runner.h"
#include "analyzer/findings/collect/user_frames.h"
#include "base/rows.h"
#include "base/text.h"

namespace inquest::findings {
namespace {

// A line that a signature matched.
struct EventRow {
  Evidence evidence;
  std::string signature, cause, figures, host;
  std::optional<int64_t> device;
  bool survived = false;

  EventRow() { evidence.table = "log_event"; }
  template <class V>
  void Columns(V& v) {
    v("id", evidence.row);
    v("path", evidence.path);
    v("source", evidence.source);
    v("line", evidence.line);
    v("offset", evidence.offset);
    v("text", evidence.text);
    v("time", evidence.time);
    v("time_error", evidence.time_error);
    v("signature", signature);
    v("coalesce(cause, '')", cause);
    v("figures", figures);
    v("host", host);
    v("rank", evidence.rank);
    v("device", device);
    v("pid", evidence.pid);
    v("survived", survived);
  }
};

void AddIfNew(Figures* figures, const char* name,
              std::optional<int64_t> value) {
  if (value) figures->AddIfNew(name, *value);
}

// Findings of signatures, one for each signature, rank and host.
class SignatureFindings {
 public:
  SignatureFindings(const rules::RuleSet& rules, Diagnosis* diagnosis)
      : diagnosis_(diagnosis) {
    for (const rules::Signature& signature : rules.signatures) {
      by_id_.emplace(signature.id, &signature);
    }
  }

  void Add(const EventRow& row) {
    const auto found = by_id_.find(row.signature);
    if (found == by_id_.end()) return;
    const Figures figures = ParseFigures(row.figures);
    Finding& finding = Find(*found->second, row, figures);
    MergeFigures(&finding.figures, figures);
    if (!finding.unit.device) finding.unit.device = row.device;
    if (!finding.unit.pid) finding.unit.pid = row.evidence.pid;
    // Rank and host from the line's prefix are figures, too.
    AddIfNew(&finding.figures, "rank", row.evidence.rank);
    AddIfNew(&finding.figures, "pid", row.evidence.pid);
    AddIfNew(&finding.figures, "device", row.device);
    AddEvidence(&finding, row.evidence);
  }

 private:
  using Key = std::tuple<std::string, std::optional<int64_t>, std::string,
                         bool /* survived */, std::string /* code */>;

  Finding& Find(const rules::Signature& signature, const EventRow& row,
                const Figures& figures) {
    const Key key{signature.id, row.evidence.rank, row.host, row.survived,
                  JsonText(figures[signature.code])};
    auto [at, is_new] = index_.try_emplace(key, diagnosis_->findings.size());
    if (!is_new) {
      Finding& known = diagnosis_->findings[at->second];
      ++known.count;
      return known;
    }
    Finding finding;
    finding.rule = signature.id;
    finding.cause = row.cause;
    finding.by_code = signature.codes != nullptr;
    finding.title = signature.title;
    finding.message =
        signature.message.empty() ? signature.title : signature.message;
    finding.role = signature.role;
    finding.severity = signature.severity;
    finding.confidence =
        signature.role == rules::Role::kSymptom || finding.by_code
            ? rules::Confidence::kPossible
            : rules::Confidence::kProbable;
    finding.fixes = signature.fix;
    finding.references = signature.references;
    finding.unit.rank = std::get<1>(key);
    finding.unit.host = std::get<2>(key);
    finding.survived = std::get<3>(key);
    diagnosis_->findings.push_back(std::move(finding));
    return diagnosis_->findings.back();
  }

  Diagnosis* diagnosis_;
  std::unordered_map<std::string, const rules::Signature*> by_id_;
  std::map<Key, size_t> index_;
};

Status CollectSignatures(facts::Store* store, const rules::RuleSet& rules,
                         Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(
      auto rows, SelectRows<EventRow>(&store->db(),
                                      "FROM log_event WHERE role IN ('cause', "
                                      "'symptom') ORDER BY id"));
  SignatureFindings findings(rules, diagnosis);
  for (EventRow row; rows.Next(&row);) findings.Add(row);
  RETURN_IF_ERROR(rows.statement().status());
  for (Finding& finding : diagnosis->findings) {
    finding.title = FillMessage(finding.title, finding.figures);
    finding.message =
        FillMessage(finding.message, WithDottedVersions(finding.figures));
    if (Trim(finding.message).empty()) finding.message = finding.title;
  }
  return Status::Ok();
}

// A line that confirms a cause raises the findings of that cause.
Status Confirm(facts::Store* store, const rules::RuleSet& rules,
               Diagnosis* diagnosis) {
  std::unordered_map<std::string, std::string> causes;
  for (const rules::Signature& signature : rules.signatures) {
    causes.emplace(signature.id, signature.cause);
  }
  ASSIGN_OR_RETURN(
      auto rows,
      SelectRows<EventRow>(
          &store->db(), "FROM log_event WHERE role = 'confirm' ORDER BY id"));
  for (EventRow row; rows.Next(&row);) {
    const Figures figures = ParseFigures(row.figures);
    for (Finding& finding : diagnosis->findings) {
      if (finding.cause != causes[row.signature]) continue;
      if (row.evidence.rank && finding.unit.rank &&
          row.evidence.rank != finding.unit.rank) {
        continue;
      }
      if (finding.role == rules::Role::kCause) {
        finding.confidence = rules::Confidence::kConfirmed;
      }
      MergeFigures(&finding.figures, figures);
      AddEvidence(&finding, row.evidence);
    }
  }
  return rows.statement().status();
}

}  // namespace

Status CollectFindings(facts::Store* store, const rules::RuleSet& rules,
                       Diagnosis* diagnosis, Diagnostics* diagnostics,
                       RuleProfile* profile) {
  RETURN_IF_ERROR(CollectSignatures(store, rules, diagnosis));
  {
    RuleRunner runner(store, diagnosis, diagnostics, profile);
    for (const rules::Rule& rule : rules.rules) runner.Run(rule);
  }
  RETURN_IF_ERROR(Confirm(store, rules, diagnosis));
  RETURN_IF_ERROR(NameUserFrames(store, diagnosis));
  RETURN_IF_ERROR(KeepFixesThatApply(store, diagnosis));
  for (Finding& finding : diagnosis->findings) {
    AddCanonicalForms(&finding.figures);
  }
  return Status::Ok();
}

Expected<Figures> RunFigures(facts::Store* store) {
  Figures figures;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT figures FROM log_event WHERE role IN "
                          "('context', 'benign', 'advice') ORDER BY id"));
  while (row.Step()) {
    MergeFigures(&figures, ParseFigures(row.Text(0)));
  }
  RETURN_IF_ERROR(row.status());
  AddCanonicalForms(&figures);
  return figures;
}

void CheckRules(facts::Store* store, const rules::RuleSet& rules,
                Diagnostics* diagnostics) {
  Diagnosis unused;
  RuleRunner runner(store, &unused, diagnostics);
  for (const rules::Rule& rule : rules.rules) runner.Check(rule);
}

}  // namespace inquest::findings
