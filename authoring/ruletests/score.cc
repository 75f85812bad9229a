// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/score.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analyzer/report/report_words.h"
#include "authoring/ruletests/compare_figures.h"
#include "base/text.h"

namespace inquest::ruletests {
namespace {

// The figures of the taxonomy; other fields of a label are remarks.
const std::set<std::string>& FigureNames() {
  static const auto* names =
      new std::set<std::string>{"device",
                                "rank",
                                "pid",
                                "pci",
                                "gpu",
                                "compute_capability",
                                "requested_bytes",
                                "free_bytes",
                                "total_bytes",
                                "allocated_bytes",
                                "reserved_bytes",
                                "reserved_unallocated_bytes",
                                "process_bytes",
                                "limit_bytes",
                                "in_use_bytes",
                                "max_in_use_bytes",
                                "num_allocs",
                                "max_alloc_bytes",
                                "largest_free_bytes",
                                "tensor_shape",
                                "cuda_error",
                                "cudnn_status",
                                "cudnn_runtime",
                                "cudnn_compiled",
                                "library",
                                "symbol",
                                "driver",
                                "driver_kernel",
                                "cuda",
                                "xid",
                                "signal",
                                "exitcode",
                                "nccl_version",
                                "timeout_ms",
                                "seqnum",
                                "optype"};
  return *names;
}

// A log prints two decimals, and a word may have text around it.
bool Same(const Figure& expected, const Figure& got) {
  if (expected.IsBool() || got.IsBool()) return expected == got;
  if (expected.IsNumber() && got.IsNumber()) {
    const double wanted = expected.Real();
    return std::abs(wanted - got.Real()) <=
           std::max(1.0, std::abs(wanted) * 0.006);
  }
  const std::string a = ToLower(Shown(expected));
  const std::string b = ToLower(Shown(got));
  return a.find(b) != a.npos || b.find(a) != b.npos;
}

// All values of a figure, in the verdict and in any finding.
Figure::List ValuesOf(const std::string& name,
                      const findings::Diagnosis& diagnosis) {
  Figure::List values;
  const auto add = [&](const Figures& figures) {
    const Figure* found = figures.Find(name);
    if (found == nullptr) return;
    for (const Figure& one : found->AsList()) values.push_back(one);
  };
  add(diagnosis.verdict.figures);
  for (const auto& finding : diagnosis.findings) add(finding.figures);
  return values;
}

void CountFigures(const Label& label, const findings::Diagnosis& diagnosis,
                  Share* figures) {
  for (const auto& [name, value] : label.facts) {
    if (!FigureNames().contains(name)) continue;
    const Figure::List got = ValuesOf(name, diagnosis);
    for (const Figure& one : value.AsList()) {
      figures->Count(
          std::any_of(got.begin(), got.end(),
                      [&](const Figure& other) { return Same(one, other); }));
    }
  }
}

}  // namespace

void Score::Add(const Label& label, const findings::Diagnosis& diagnosis) {
  const std::string& cause = diagnosis.verdict.cause;
  // A healthy log without an end may get the verdict unknown.
  const bool left_open =
      label.cause == "none" && cause == "unknown" && !diagnosis.verdict.finding;
  const bool correct = left_open || cause == label.cause ||
                       std::find(label.also.begin(), label.also.end(), cause) !=
                           label.also.end();
  right.Count(correct);
  first_label.Count(cause == label.cause);
  if (label.hard) hard.Count(correct);
  if (label.cause == "none") {
    alarms.Count(!correct);
  } else {
    evidence.Count(std::any_of(
        diagnosis.findings.begin(), diagnosis.findings.end(),
        [](const findings::Finding& one) { return !one.evidence.empty(); }));
  }
  words[std::string(report::Word(diagnosis.verdict.confidence))].Count(correct);
  ++confusion[{correct ? cause : label.cause, cause}];
  CountFigures(label, diagnosis, &figures);
  if (correct) return;
  std::string expected = label.cause;
  for (const std::string& one : label.also) expected += " or " + one;
  misses.push_back({label.id, expected, cause});
}

}  // namespace inquest::ruletests
