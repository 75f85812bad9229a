// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/update_answer.h"

#include <algorithm>

#include "analyzer/report/report_words.h"
#include "authoring/ruletests/compare_figures.h"

namespace inquest::ruletests {
namespace {

using findings::Diagnosis;
using findings::Finding;

using Lines = std::vector<std::string>;

// A scalar as YAML; quoted unless it plainly needs no quotes.
std::string Yaml(const Figure& value) {
  if (!value.IsText()) return Shown(value);
  const std::string& text = value.Text();
  const bool plain = !text.empty() &&
                     isalpha(static_cast<unsigned char>(text.front())) &&
                     std::all_of(text.begin(), text.end(),
                                 [](unsigned char c) {
                                   return isalnum(c) || c == '/' || c == '.' ||
                                          c == '-' || c == '_';
                                 }) &&
                     text != "true" && text != "false" && text != "null";
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// The actual result in the form of the expectation.
class Answer {
 public:
  Answer(const Expectation& expect, const Diagnosis& diagnosis)
      : expect_(expect), diagnosis_(diagnosis) {}

  // The lines of one key of `expect`, indented by `indent`.
  Lines Of(const std::string& key, const std::string& indent) const {
    Lines body;
    if (key == "verdict") {
      body = Verdict();
    } else if (key == "findings") {
      body = Findings();
    } else if (key == "explained") {
      body = Explained();
    } else if (key == "absent") {
      body = Absent();
    } else if (key == "skipped") {
      body = Skipped();
    } else {
      body = Facts();
    }
    if (body.empty()) return {};
    Lines lines;
    const bool one = body.size() == 1 && body.front().front() != ' ';
    lines.push_back(indent + key + (one ? ": " + body.front() : ":"));
    for (const std::string& line : body) {
      if (!one) lines.push_back(indent + line);
    }
    return lines;
  }

 private:
  Lines Verdict() const {
    const FindingExpectation& asked = *expect_.verdict;
    const auto& verdict = diagnosis_.verdict;
    const bool word = asked.rule.empty() && asked.role.empty() &&
                      asked.severity.empty() && asked.confidence.empty() &&
                      asked.evidence.empty() && !asked.line && !asked.rank &&
                      !asked.device && asked.facts.empty();
    if (word) return {Yaml(verdict.cause)};
    Lines lines;
    if (!asked.causes.empty()) lines.push_back("  cause: " + verdict.cause);
    if (!verdict.finding) return lines;
    const Finding& root = diagnosis_.findings[*verdict.finding];
    if (!asked.rule.empty()) lines.push_back("  rule: " + root.rule);
    if (!asked.confidence.empty()) {
      lines.push_back("  confidence: " +
                      std::string(report::Word(verdict.confidence)));
    }
    AddPlace(asked, root, &lines);
    if (!asked.facts.empty()) lines.push_back("  facts:");
    for (const auto& [name, unused] : asked.facts) {
      lines.push_back("    " + name + ": " + VerdictFigure(name));
    }
    return lines;
  }

  static void AddPlace(const FindingExpectation& asked, const Finding& root,
                       Lines* lines) {
    if (asked.rank && root.unit.rank) {
      lines->push_back("  rank: " + std::to_string(*root.unit.rank));
    }
    if (asked.device && root.unit.device) {
      lines->push_back("  device: " + std::to_string(*root.unit.device));
    }
    if (root.evidence.empty()) return;
    const auto& first = root.evidence.front();
    if (asked.line) lines->push_back("  line: " + std::to_string(first.line));
    if (!asked.evidence.empty()) {
      lines->push_back("  evidence: " + Yaml(first.text));
    }
  }

  std::string VerdictFigure(const std::string& name) const {
    return Yaml(diagnosis_.verdict.figures[name]);
  }

  Lines Facts() const {
    Lines lines;
    for (const auto& [name, value] : expect_.facts) {
      const Figure* found = diagnosis_.verdict.figures.Find(name);
      const bool fits = found != nullptr && Fits(value, *found);
      lines.push_back("  " + name + ": " +
                      (fits ? Yaml(value) : VerdictFigure(name)));
    }
    return lines;
  }

  Lines Findings() const {
    Lines lines;
    for (const Finding& finding : diagnosis_.findings) {
      const std::string line = "  - " + Yaml(finding.rule);
      const bool known =
          std::find(lines.begin(), lines.end(), line) != lines.end();
      if (!known) lines.push_back(line);
    }
    return lines;
  }

  Lines Explained() const {
    Lines lines;
    for (const Pair& pair : expect_.explained) {
      for (const Finding& finding : diagnosis_.findings) {
        if (!NamesIt(pair.what, finding.cause, finding.rule)) continue;
        if (finding.links.empty()) continue;
        const Finding& by = diagnosis_.findings[finding.links.front().by];
        lines.push_back("  " + Yaml(pair.what) + ": " + Yaml(by.rule));
        break;
      }
    }
    return lines;
  }

  Lines Absent() const {
    Lines lines;
    for (const std::string& pattern : expect_.absent) {
      const bool found =
          std::any_of(diagnosis_.findings.begin(), diagnosis_.findings.end(),
                      [&](const Finding& one) {
                        return NamesIt(pattern, one.cause, one.rule);
                      });
      if (!found) lines.push_back("  - " + Yaml(pattern));
    }
    return lines;
  }

  Lines Skipped() const {
    Lines lines;
    for (const Pair& pair : expect_.skipped) {
      for (const findings::Skipped& one : diagnosis_.skipped) {
        if (!NamesIt(pair.what, one.rule, one.rule)) continue;
        lines.push_back("  " + Yaml(pair.what) + ": " + Yaml(one.missing));
      }
    }
    return lines;
  }

  const Expectation& expect_;
  const Diagnosis& diagnosis_;
};

}  // namespace

Lines AnswerLines(const Expectation& expect, const Diagnosis& diagnosis,
                  const std::string& key, const std::string& indent) {
  return Answer(expect, diagnosis).Of(key, indent);
}

}  // namespace inquest::ruletests
