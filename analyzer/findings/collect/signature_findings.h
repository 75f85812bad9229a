// SPDX-License-Identifier: Apache-2.0
// Findings of signatures: one for each signature, rank and host, made line by
// line. A log may tell one error for each of a million ranks, or have it name a
// million hosts; beyond the limits, all further units of a signature share one
// finding, which keeps their names, so that ranking stays cheap and no line is
// lost. Used by collect.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

// A line that a signature matched, as a row of log_event.
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
    v("clock_offset", evidence.clock_offset);
    v("clock_error", evidence.clock_error);
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

struct SignatureLimits {
  size_t units = 1000;            // findings of one signature
  size_t findings = 2000;         // of all signatures
  size_t text_bytes = 8 << 20;    // of their texts, as rule files wrote them
  size_t units_named = 64 << 10;  // of those that share a finding, in all
};

class SignatureFindings {
 public:
  // Both must outlive this; findings are added to the diagnosis.
  SignatureFindings(const rules::RuleSet& rules, Diagnosis* diagnosis,
                    const SignatureLimits& limits = {});

  void Add(const EventRow& row);
  // Titles and messages; once, after the last line.
  void Tell();

 private:
  // Signature, rank, host, survived, error code.
  using Key = std::tuple<std::string, std::optional<int64_t>, std::string, bool,
                         std::string>;
  // What the findings of one signature have taken.
  struct Taken {
    size_t units = 0;
    size_t text_bytes = 0;  // of one finding
  };

  Finding& Find(const rules::Signature& signature, const EventRow& row,
                const Figures& figures);
  Finding& Shared(const rules::Signature& signature, const EventRow& row,
                  const Key& key);
  bool MayAdd(const rules::Signature& signature);
  Finding& Start(const rules::Signature& signature, const EventRow& row);

  Diagnosis* diagnosis_;
  SignatureLimits limits_;
  std::unordered_map<std::string, const rules::Signature*> by_id_;
  std::unordered_map<std::string, Taken> taken_;
  std::map<Key, size_t> index_;                            // findings
  std::map<std::pair<std::string, bool>, size_t> shared_;  // findings
  std::set<Key> named_;  // units of shared findings
  // The first line's figures of each finding, which are the first ones.
  std::vector<Figures> first_figures_;
  size_t text_bytes_ = 0;
};

}  // namespace inquest::findings
