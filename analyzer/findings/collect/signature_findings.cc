// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/signature_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/findings/collect/canonical.h"
#include "analyzer/findings/collect/message.h"
#include "analyzer/rules/model/message_fields.h"
#include "base/figures.h"
#include "base/text.h"
#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxPlaces = 160;  // bytes

void AddIfNew(Figures* figures, const char* name,
              std::optional<int64_t> value) {
  if (value) figures->AddIfNew(name, *value);
}

// Of the texts that each finding of a signature has a copy of.
size_t TextBytes(const rules::Signature& signature) {
  size_t bytes = signature.title.size() + signature.message.size();
  for (const rules::Fix& fix : signature.fix) {
    bytes += sizeof fix + fix.text.size() + fix.command.size() + fix.url.size();
  }
  for (const std::string& one : signature.references) bytes += one.size();
  return bytes;
}

rules::Confidence ConfidenceOf(const rules::Signature& signature) {
  return signature.role == rules::Role::kSymptom || signature.codes != nullptr
             ? rules::Confidence::kPossible
             : rules::Confidence::kProbable;
}

// The names in a message that have several values, one for each line.
std::vector<std::string> ListsIn(const std::string& message,
                                 const Figures& figures) {
  std::vector<std::string> lists = rules::FieldsOf(message);
  std::erase_if(
      lists, [&](const std::string& name) { return !figures[name].IsList(); });
  return lists;
}

// Where the other lines say that it happened too: "0000:ed:00, 0000:ba:00".
std::string OtherPlaces(const Figures& all, const Figures& first) {
  for (const char* name : {"pci", "host"}) {
    if (!all[name].IsList()) continue;
    std::string text;
    for (const Figure& one : all[name].Items()) {
      if (one == first[name] || !one.IsText()) continue;
      text += (text.empty() ? "" : ", ") + one.Text();
    }
    return Printable(text, kMaxPlaces);
  }
  return {};
}

// Several lists in one sentence would pair the process of one line with the
// size of another, so such a sentence is made from the first line alone.
std::string Message(const Finding& finding, const Figures& first) {
  const Figures all = WithDottedVersions(finding.figures);
  const auto lists = ListsIn(finding.message, all);
  if (lists.size() < 2) return FillMessage(finding.message, all);
  Figures figures = all;
  const Figures own = WithDottedVersions(first);
  for (const std::string& name : lists) {
    figures[name] = own[name].IsNull() ? all[name].Items().front() : own[name];
  }
  const std::string message = FillMessage(finding.message, figures);
  if (finding.count < 2) return message;
  const std::string others = OtherPlaces(all, own);
  return fmt::format("{} (the first of {} such lines{}{})", message,
                     finding.count, others.empty() ? "" : "; others name ",
                     others);
}

}  // namespace

SignatureFindings::SignatureFindings(const rules::RuleSet& rules,
                                     Diagnosis* diagnosis,
                                     const SignatureLimits& limits)
    : diagnosis_(diagnosis), limits_(limits) {
  for (const rules::Signature& signature : rules.signatures) {
    by_id_.emplace(signature.id, &signature);
  }
}

void SignatureFindings::Add(const EventRow& row) {
  const auto found = by_id_.find(row.signature);
  if (found == by_id_.end()) return;
  const Figures figures = ParseFigures(row.figures);
  Finding& finding = Find(*found->second, row, figures);
  MergeFigures(&finding.figures, figures);
  if (finding.others.empty()) {
    if (!finding.unit.device) finding.unit.device = row.device;
    if (!finding.unit.pid) finding.unit.pid = row.evidence.pid;
  }
  // Rank and host from the line's prefix are figures, too.
  AddIfNew(&finding.figures, "rank", row.evidence.rank);
  AddIfNew(&finding.figures, "pid", row.evidence.pid);
  AddIfNew(&finding.figures, "device", row.device);
  AddEvidence(&finding, row.evidence);
}

void SignatureFindings::Tell() {
  for (size_t i = 0; i < first_figures_.size(); ++i) {
    Finding& finding = diagnosis_->findings[i];
    finding.title = FillMessage(finding.title, finding.figures);
    finding.message = Message(finding, first_figures_[i]);
    if (Trim(finding.message).empty()) finding.message = finding.title;
  }
}

Finding& SignatureFindings::Find(const rules::Signature& signature,
                                 const EventRow& row, const Figures& figures) {
  const Key key{signature.id, row.evidence.rank, row.host, row.survived,
                JsonText(figures[signature.code])};
  if (const auto known = index_.find(key); known != index_.end()) {
    Finding& finding = diagnosis_->findings[known->second];
    ++finding.count;
    return finding;
  }
  if (!MayAdd(signature)) return Shared(signature, row, key);
  index_.emplace(key, diagnosis_->findings.size());
  Finding& finding = Start(signature, row);
  finding.unit.rank = row.evidence.rank;
  finding.unit.host = row.host;
  return finding;
}

// The first finding of a signature is always made: the rule files' own size
// bounds these.
bool SignatureFindings::MayAdd(const rules::Signature& signature) {
  const auto [taken, is_new] = taken_.try_emplace(signature.id);
  if (is_new) taken->second.text_bytes = TextBytes(signature);
  const bool more =
      !is_new && (taken->second.units >= limits_.units ||
                  index_.size() >= limits_.findings ||
                  text_bytes_ + taken->second.text_bytes > limits_.text_bytes);
  if (more) return false;
  ++taken->second.units;
  text_bytes_ += taken->second.text_bytes;
  return true;
}

// It has no unit of its own, so relations of any scope may hold for it.
Finding& SignatureFindings::Shared(const rules::Signature& signature,
                                   const EventRow& row, const Key& key) {
  const auto [at, is_new] = shared_.try_emplace({signature.id, row.survived},
                                                diagnosis_->findings.size());
  Finding& finding =
      is_new ? Start(signature, row) : diagnosis_->findings[at->second];
  if (!is_new) ++finding.count;
  const bool room = is_new || named_.size() < limits_.units_named;
  if (room && named_.insert(key).second) {
    Unit unit;
    unit.rank = row.evidence.rank;
    unit.device = row.device;
    unit.pid = row.evidence.pid;
    unit.host = row.host;
    finding.others.push_back(std::move(unit));
  }
  return finding;
}

Finding& SignatureFindings::Start(const rules::Signature& signature,
                                  const EventRow& row) {
  Finding finding;
  finding.rule = signature.id;
  finding.cause = row.cause;
  finding.by_code = signature.codes != nullptr;
  finding.title = signature.title;
  finding.message =
      signature.message.empty() ? signature.title : signature.message;
  finding.role = signature.role;
  finding.severity = signature.severity;
  finding.confidence = ConfidenceOf(signature);
  finding.fixes = signature.fix;
  finding.references = signature.references;
  finding.survived = row.survived;
  diagnosis_->findings.push_back(std::move(finding));
  first_figures_.push_back(ParseFigures(row.figures));
  return diagnosis_->findings.back();
}

}  // namespace inquest::findings
