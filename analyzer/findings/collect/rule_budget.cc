// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/rule_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace inquest::findings {
namespace {

constexpr int64_t kBytesOfANode = 96;  // of a figure or an allocation

int64_t SizeOf(const Figure& figure) {
  int64_t size = kBytesOfANode + std::ssize(figure.Text());
  for (const Figure& one : figure.Items()) size += SizeOf(one);
  return size;
}

int64_t SizeOf(const Figures& figures) {
  int64_t size = kBytesOfANode;
  for (const auto& [name, one] : figures)
    size += std::ssize(name) + SizeOf(one);
  return size;
}

int64_t SizeOf(const Finding& finding) {
  size_t size = sizeof(Finding) + finding.rule.size() + finding.cause.size() +
                finding.title.size() + finding.message.size();
  for (const Evidence& one : finding.evidence) {
    size += sizeof one + one.table.size() + one.path.size() + one.text.size();
  }
  for (const rules::Fix& fix : finding.fixes) {
    size += sizeof fix + fix.text.size() + fix.command.size();
  }
  for (const std::string& one : finding.references) size += one.size();
  return static_cast<int64_t>(size) + SizeOf(finding.figures);
}

}  // namespace

SqlLimits RuleBudget::Begin(const rules::Rule& rule) {
  begin_ = Clock::now();
  rule_findings_ = rule_bytes_ = 0;
  SqlLimits limits = limits_.rule;
  if (rule.max_milliseconds > 0) {
    limits.milliseconds = std::min(limits.milliseconds, rule.max_milliseconds);
  }
  limits.milliseconds = std::min(limits.milliseconds, Allowed(rule));
  return limits;
}

int64_t RuleBudget::Allowed(const rules::Rule& rule) const {
  const auto whole = [](Clock::duration time) -> int64_t {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  };
  const int64_t left = limits_.total_milliseconds - whole(used_);
  const int64_t allowed = std::max(left, limits_.least_milliseconds);
  const auto lost = lost_.find(rule.pack);
  if (lost == lost_.end() ||
      whole(lost->second.time) < limits_.lost_milliseconds) {
    return allowed;
  }
  return std::clamp<int64_t>(limits_.least_milliseconds / lost->second.rules, 1,
                             allowed);
}

void RuleBudget::End(const rules::Rule& rule, bool was_stopped) {
  const Clock::duration taken = Clock::now() - begin_;
  used_ += taken;
  if (!was_stopped) return;
  Lost& lost = lost_[rule.pack];
  lost.time += taken;
  ++lost.rules;
}

std::string RuleBudget::Add(const Finding& finding) {
  const int64_t size = SizeOf(finding);
  ++findings_;
  ++rule_findings_;
  bytes_ += size;
  rule_bytes_ += size;
  if (rule_findings_ > limits_.rule_findings) {
    return fmt::format("stopped after {} findings",
                       FormatCount(limits_.rule_findings));
  }
  if (findings_ > limits_.findings) {
    return fmt::format("stopped: all rules together reached {} findings",
                       FormatCount(limits_.findings));
  }
  if (rule_bytes_ > limits_.rule_bytes || bytes_ > limits_.bytes) {
    return fmt::format(
        "stopped: its findings take up more than {}",
        FormatBytes(rule_bytes_ > limits_.rule_bytes ? limits_.rule_bytes
                                                     : limits_.bytes));
  }
  return {};
}

}  // namespace inquest::findings
