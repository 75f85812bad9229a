// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/explain_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analyzer/report/json_values.h"
#include "analyzer/report/report_words.h"
#include "base/json_text.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using findings::Diagnosis;
using findings::Explanation;
using findings::Finding;
using nlohmann::json;

constexpr size_t kMaxFactWidth = 400;

// Where an entry of a rule file is. The shipped ones are everybody's; those of
// a site tell a folder.
std::string Shown(const rules::Place& place, Redactor* redactor) {
  const bool shipped = place.file.starts_with("built-in/");
  const bool hidden = redactor != nullptr && !shipped;
  return fmt::format("{}:{}",
                     hidden ? redactor->RedactedPath(place.file) : place.file,
                     place.line);
}

std::string Told(const std::string& text, Redactor* redactor) {
  return redactor == nullptr ? text : redactor->Redacted(text);
}

// The place of the rule or signature that made the finding.
std::string Origin(const Finding& finding, const rules::RuleSet& rules,
                   Redactor* redactor) {
  for (const rules::Rule& rule : rules.rules) {
    if (rule.id == finding.rule) return Shown(rule.place, redactor);
  }
  for (const rules::Signature& signature : rules.signatures) {
    if (signature.id == finding.rule) return Shown(signature.place, redactor);
  }
  return "";
}

std::string Name(const Finding& finding) {
  return fmt::format("{} {}", finding.id, finding.cause);
}

std::string Where(const Finding& finding) {
  if (finding.evidence.empty()) return "no line and no row";
  const findings::Evidence& one = finding.evidence.front();
  return one.line > 0 ? fmt::format("{}:{}", one.path, one.line)
                      : fmt::format("{} {}", one.table, one.row);
}

std::string EvidenceText(const Finding& finding) {
  std::string text;
  for (const findings::Evidence& one : finding.evidence) {
    const std::string place =
        one.line > 0
            ? fmt::format("{}:{} (byte {})", one.path, one.line, one.offset)
            : fmt::format("{} {}", one.table, one.row);
    const std::string time =
        one.time ? fmt::format("  {} ±{}", FormatTime(*one.time),
                               FormatDuration(one.time_error))
                 : "";
    text += fmt::format("  {}{}\n    {}\n", place, time,
                        Printable(one.text, kMaxFactWidth));
  }
  return text.empty() ? "  none\n" : text;
}

std::string FiguresText(const Finding& finding) {
  std::string text;
  for (const auto& [name, value] : finding.figures) {
    text += fmt::format("  {} = {}\n", name,
                        Printable(JsonText(value), kMaxFactWidth));
  }
  return text;
}

std::string Section(const char* title, const std::string& text) {
  return text.empty() ? "" : fmt::format("{}\n{}", title, text);
}

std::string LinkText(const Finding& other, const findings::Link& link,
                     const Finding& self) {
  return fmt::format(
      "  {} — {}: {}{}\n    {} against {}\n", Name(other), link.kind, link.why,
      link.order_known ? "" : " (order unknown)", Where(other), Where(self));
}

std::string NearText(const Diagnosis& diagnosis, const findings::NearMiss& near,
                     Redactor* redactor) {
  const Finding& other = diagnosis.findings[near.finding];
  return fmt::format(
      "  {} {}, but: {}\n    {}: {}\n", Name(other),
      near.would_explain ? "might explain it" : "might be explained by it",
      findings::WhyNot(near.fit), Shown(near.relation->place, redactor),
      Told(near.relation->why, redactor));
}

std::string Head(const Finding& finding, const rules::RuleSet& rules,
                 Redactor* redactor) {
  return fmt::format(
      "{}  {}  {}\n  {}\n  {}, {}, {}{}, rule {} ({})\n", finding.id,
      finding.cause, Printable(finding.title, kMaxFactWidth),
      Printable(finding.message, kMaxFactWidth), Word(finding.standing),
      Word(finding.severity), Word(finding.confidence),
      finding.count > 1 ? fmt::format(", {} times", finding.count) : "",
      finding.rule, Origin(finding, rules, redactor));
}

json LinkJson(const Finding& other, const findings::Link& link) {
  return {{"finding", other.id},
          {"cause", other.cause},
          {"kind", link.kind},
          {"why", link.why},
          {"order_known", link.order_known}};
}

}  // namespace

std::string ExplainText(const Diagnosis& diagnosis,
                        const Explanation& explanation,
                        const rules::RuleSet& rules, Redactor* redactor) {
  const auto& all = diagnosis.findings;
  const Finding& self = all[explanation.finding];
  std::string explained_by;
  for (const auto& link : explanation.explained_by) {
    explained_by += LinkText(all[link.by], link, self);
  }
  std::string explains;
  for (const auto& [other, link] : explanation.explains) {
    explains += LinkText(all[other], link, self);
  }
  std::string rivals;
  for (const findings::Rival& rival : explanation.rivals) {
    rivals += fmt::format("  {} {} it: {}\n", Name(all[rival.finding]),
                          rival.lost ? "lost to" : "ranks above",
                          Told(rival.why, redactor));
  }
  std::string near;
  for (const auto& one : explanation.near)
    near += NearText(diagnosis, one, redactor);
  return Head(self, rules, redactor) + Section("Evidence", EvidenceText(self)) +
         Section("Figures", FiguresText(self)) +
         Section("Explained by", explained_by) + Section("Explains", explains) +
         Section("Rivals", rivals) +
         Section("Relations that did not hold", near);
}

std::string ExplainJson(const Diagnosis& diagnosis,
                        const Explanation& explanation,
                        const rules::RuleSet& rules, Redactor* redactor) {
  const auto& all = diagnosis.findings;
  const Finding& self = all[explanation.finding];
  json result = {{"schema", "inquest.explanation/1"},
                 {"finding", FindingJson(self, diagnosis)},
                 {"rule_place", Origin(self, rules, redactor)},
                 {"stands_behind", json::array()},
                 {"stands_before", json::array()},
                 {"rivals", json::array()},
                 {"not_held", json::array()}};
  for (const auto& link : explanation.explained_by) {
    result["stands_behind"].push_back(LinkJson(all[link.by], link));
  }
  for (const auto& [other, link] : explanation.explains) {
    result["stands_before"].push_back(LinkJson(all[other], link));
  }
  for (const auto& rival : explanation.rivals) {
    result["rivals"].push_back({{"finding", all[rival.finding].id},
                                {"cause", all[rival.finding].cause},
                                {"lost", rival.lost},
                                {"why", Told(rival.why, redactor)}});
  }
  for (const auto& near : explanation.near) {
    result["not_held"].push_back(
        {{"finding", all[near.finding].id},
         {"relation", Shown(near.relation->place, redactor)},
         {"why", Told(near.relation->why, redactor)},
         {"would_stand_before", near.would_explain},
         {"why_not", findings::WhyNot(near.fit)}});
  }
  return JsonText(result, 2) + "\n";
}

}  // namespace inquest::report
