// SPDX-License-Identifier: Apache-2.0
// The verdict and all findings, in the words of the text report: taken from its
// functions, never written again.
#include <map>
#include <string_view>
#include <vector>

#include "analyzer/findings/rank/losses.h"
#include "analyzer/report/evidence_text.h"
#include "analyzer/report/figure_sentences.h"
#include "analyzer/report/finding_families.h"
#include "analyzer/report/fixes_text.h"
#include "analyzer/report/job_text.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/page/page_data.h"
#include "analyzer/report/report_words.h"
#include "analyzer/report/text_parts.h"
#include "base/text.h"

namespace inquest::report {
namespace {

using findings::Evidence;
using findings::Finding;
using nlohmann::json;

constexpr size_t kFamiliesTold = 60;
constexpr size_t kMembersTold = 100;   // of a family, besides the first
constexpr size_t kPiecesTold = 100;    // of evidence for the verdict
constexpr size_t kPiecesOfOthers = 8;  // for another finding
constexpr size_t kSkippedNamed = 2000;

json EvidenceData(const Finding& finding, size_t most) {
  json all = json::array();
  std::string path;
  for (const Evidence& one : WithoutRepeats(finding.evidence)) {
    if (all.size() == most) break;
    const std::string line = EvidenceLine(one, finding.figures, path);
    path = one.path;
    json piece = {{"text", std::string(Trim(line, " \n"))}};
    if (one.line > 0) {
      piece["source"] = one.source;
      piece["line"] = one.line;
    } else {
      piece["table"] = one.table;
      piece["row"] = one.row;
    }
    all.push_back(std::move(piece));
  }
  return all;
}

json FixData(const ReportInput& input, const std::vector<rules::Fix>& fixes) {
  json all = json::array();
  for (const rules::Fix& fix : fixes) {
    all.push_back({{"text", fix.text},
                   {"command", CommandFor(input, fix.command)},
                   {"url", fix.url}});
  }
  return all;
}

json FigureData(const Figures& figures) {
  json all = json::array();
  for (const NamedText& figure : FigureTexts(figures)) {
    all.push_back({figure.name, figure.text});
  }
  return all;
}

// Titles are the lines that are not indented.
json SectionData(std::string_view text) {
  json sections = json::array();
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    const size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos) continue;
    const std::string words(line.substr(indent));
    if (indent == 0) {
      sections.push_back({{"title", words}, {"lines", json::array()}});
    } else if (!sections.empty()) {
      sections.back()["lines"].push_back({indent / 2 - 1, words});
    }
  }
  return sections;
}

// The others of a family: which, and a line of each.
json MembersData(const findings::Diagnosis& diagnosis, const Family& family) {
  json members = json::array();
  for (size_t i = 1; i < family.size() && i <= kMembersTold; ++i) {
    const Finding& finding = diagnosis.findings[family[i]];
    members.push_back(
        {{"id", finding.id}, {"evidence", EvidenceData(finding, 1)}});
  }
  return members;
}

json FindingData(const ReportInput& input, const Family& family) {
  const findings::Diagnosis& diagnosis = *input.diagnosis;
  const Finding& finding = diagnosis.findings[family.front()];
  json links = json::array();
  for (const findings::Link& link : finding.links) {
    links.push_back({diagnosis.findings[link.by].id, link.kind, link.why});
  }
  return {{"id", finding.id},
          {"rule", finding.rule},
          {"cause", finding.cause},
          {"title", finding.title},
          {"message", finding.message},
          {"role", Word(finding.standing)},
          {"confidence", Word(finding.confidence)},
          {"often", HowOften(diagnosis, family)},
          {"alike", family.size() - 1},
          {"members", MembersData(diagnosis, family)},
          {"evidence", EvidenceData(finding, kPiecesOfOthers)},
          {"figures", FigureData(finding.figures)},
          {"fixes", FixData(input, finding.fixes)},
          {"links", links}};
}

// Rules that could not be applied, by what they lack.
json SkippedData(const findings::Diagnosis& diagnosis) {
  std::map<std::string, std::vector<std::string>> by_missing;
  for (const findings::Skipped& one : diagnosis.skipped) {
    by_missing[one.missing].push_back(one.rule);
  }
  json all = json::array();
  size_t named = 0;
  for (const auto& [missing, rules] : by_missing) {
    if ((named += rules.size()) > kSkippedNamed) break;
    all.push_back({missing, rules});
  }
  return all;
}

std::string TextBeside(const ReportInput& input) {
  const Painter plain(false);
  return JobText(*input.diagnosis, plain) +
         ActionsText(*input.diagnosis, plain) +
         BesideRootText(input, {}, plain);
}

}  // namespace

json VerdictData(const ReportInput& input) {
  const findings::Diagnosis& diagnosis = *input.diagnosis;
  const findings::Verdict& verdict = diagnosis.verdict;
  json data = {{"cause", verdict.cause},
               {"title", verdict.title},
               {"summary", verdict.summary},
               {"place", PlaceText(diagnosis)},
               {"standing", StandingText(diagnosis)},
               {"confidence", Word(verdict.confidence)},
               {"lost", findings::WhatIsMissing(diagnosis)},
               {"sections", SectionData(TextBeside(input))},
               {"shown", kMaxEvidence},
               {"findings", json::array()},
               {"unit", json::object()},
               {"skipped", SkippedData(diagnosis)},
               {"losses", json::array()}};
  if (verdict.finding) {
    const Finding& root = diagnosis.findings[*verdict.finding];
    data["finding"] = root.id;
    data["unit"] = {{"process", OrNull(root.unit.process)},
                    {"device", OrNull(root.unit.device)}};
    data["evidence"] = EvidenceData(root, kPiecesTold);
    data["pieces"] = root.evidence.size();
    data["sentences"] = SentencesOf(diagnosis, root).sentences;
    data["figures"] = FigureData(root.figures);
    data["fixes"] = FixData(input, root.fixes);
  }
  std::vector<Family> families;
  for (size_t i = 0; i < diagnosis.findings.size(); ++i) {
    AddTo(&families, diagnosis, i);
  }
  data["more_findings"] = 0;
  for (const Family& family : families) {
    if (data["findings"].size() == kFamiliesTold) {
      data["more_findings"] = families.size() - kFamiliesTold;
      break;
    }
    data["findings"].push_back(FindingData(input, family));
  }
  for (const findings::Loss& one : diagnosis.losses) {
    data["losses"].push_back({one.process, one.kind, one.count, one.note});
  }
  return data;
}

}  // namespace inquest::report
