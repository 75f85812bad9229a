// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/results/read_result.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analyzer/fleet/results/json_fields.h"
#include "analyzer/fleet/results/log_template.h"
#include "base/content_hash.h"
#include "base/json_text.h"

namespace inquest::fleet {
namespace {

using nlohmann::json;

constexpr const char* kSchema = "inquest.diagnosis/1";

// A result of a version that did not name the run: what it read and found.
std::string IdWithoutRun(const json& result) {
  ContentHash hash;
  for (const char* key : {"verdict", "logs", "summary"}) {
    hash.Add(JsonText(At(result, key)));
  }
  return hash.Hex();
}

// The scheduler's job counts too: small logs of different jobs may be equal.
void SetId(const json& result, RunRow* row) {
  const OptionalText id = TextAt(At(result, "run"), "id");
  row->run = id.value_or("");
  if (!id) row->run = IdWithoutRun(result);
  if (row->job) row->run = ContentHash().Add(row->run).Add(*row->job).Hex();
}

std::string RulesOf(const json& result) {
  const json& rules = At(result, "rules_version");
  if (const OptionalText digest = TextAt(rules, "digest")) return *digest;
  return JsonText(rules) + TextAt(At(result, "tool"), "version").value_or("");
}

// A GPU that a process saw was there for the run, used or not; a run without a
// trace has at most the launcher's word, one GPU a rank.
void SetGpus(const json& run, const Additions& additions, RunRow* row) {
  const auto seen = static_cast<int64_t>(Items(run, "gpus").size());
  const int64_t ranks = row->world_size.value_or(0);
  if (additions.gpus) {
    row->gpus = additions.gpus;
    row->gpus_from = "option";
  } else if (seen > 0 || ranks > 0) {
    row->gpus = std::max(seen, ranks);
    row->gpus_from = seen >= ranks ? "trace" : "ranks";
  }
}

RunRow RunOf(const json& result, const std::string& source,
             const Additions& additions) {
  const json& run = At(result, "run");
  RunRow row;
  row.source = source;
  row.rules = RulesOf(result);
  row.job = additions.job ? additions.job : TextAt(run, "job");
  SetId(result, &row);
  row.host = TextAt(run, "host");
  row.start_time = IntAt(run, "start_time");
  row.end_time = IntAt(run, "end_time");
  row.times_from = TextAt(run, "times_from");
  row.exit_code = IntAt(run, "exit_code");
  row.signal = IntAt(run, "signal");
  row.world_size = IntAt(run, "world_size");
  row.first_step = IntAt(run, "first_step");
  row.last_step = IntAt(run, "last_step");
  row.steps_from = TextAt(run, "steps_from");
  SetGpus(run, additions, &row);
  return row;
}

std::vector<GpuRow> GpusOf(const json& result, const std::string& run) {
  std::vector<GpuRow> rows;
  for (const json& gpu : Items(At(result, "run"), "gpus")) {
    const OptionalText uuid = TextAt(gpu, "uuid");
    if (!uuid) continue;
    rows.push_back({run, *uuid, TextAt(gpu, "host"), TextAt(gpu, "name")});
  }
  return rows;
}

std::vector<VersionRow> VersionsOf(const json& result, const std::string& run,
                                   const Additions& additions) {
  std::map<std::string, std::string> versions;
  const json& told = At(At(result, "run"), "versions");
  if (told.is_object()) {
    for (const auto& [what, version] : told.items()) {
      if (version.is_string()) versions[what] = version.get<std::string>();
    }
  }
  if (additions.image) versions["image"] = *additions.image;
  std::vector<VersionRow> rows;
  for (const auto& [what, version] : versions) {
    rows.push_back({run, what, version});
  }
  return rows;
}

// The node of a unit: its own word, its GPU's, or that of a run which knows of
// only one.
UnitColumns UnitOf(const json& unit, const Result& result) {
  UnitColumns columns = {TextAt(unit, "host"), IntAt(unit, "rank"),
                         IntAt(unit, "device"), TextAt(unit, "gpu")};
  std::map<std::string, int> hosts;
  for (const GpuRow& gpu : result.gpus) {
    if (gpu.host) ++hosts[*gpu.host];
    if (!columns.host && columns.gpu == gpu.gpu) columns.host = gpu.host;
  }
  if (!columns.host && hosts.size() == 1) columns.host = hosts.begin()->first;
  if (!columns.host && hosts.empty()) columns.host = result.run.host;
  return columns;
}

// The line that says most of an end that no rule knows: the first suspect, or
// the last line of all.
OptionalText TemplateOf(const json& verdict) {
  for (const json& one : Items(verdict, "suspects")) {
    if (const auto text = TextAt(one, "text")) return LogTemplate(*text);
  }
  OptionalText last;
  for (const json& input : Items(verdict, "inputs")) {
    for (const json& line : Items(input, "last_lines")) {
      if (const auto text = TextAt(line, "text")) last = text;
    }
  }
  if (last) last = LogTemplate(*last);
  return last;
}

VerdictRow VerdictOf(const json& json_result, const Result& result) {
  const json& verdict = At(json_result, "verdict");
  VerdictRow row;
  row.run = result.run.run;
  row.rules = result.run.rules;
  row.tool = TextAt(At(json_result, "tool"), "version");
  row.cause = TextAt(verdict, "cause").value_or("unknown");
  row.confidence = TextAt(verdict, "confidence");
  row.rule = TextAt(verdict, "rule");
  row.title = TextAt(verdict, "title");
  row.summary = TextAt(verdict, "summary");
  if (row.cause != "none") row.unit = UnitOf(At(verdict, "unit"), result);
  if (row.cause == "unknown") row.log_template = TemplateOf(verdict);
  return row;
}

FindingRow FindingOf(const json& finding, const Result& result) {
  FindingRow row;
  row.run = result.run.run;
  row.rules = result.run.rules;
  row.finding = TextAt(finding, "id")
                    .value_or("#" + std::to_string(result.findings.size()));
  row.rule = TextAt(finding, "rule").value_or("unknown");
  row.cause = TextAt(finding, "cause").value_or("unknown");
  row.role = TextAt(finding, "role");
  row.severity = TextAt(finding, "severity");
  row.confidence = TextAt(finding, "confidence");
  row.survived = At(finding, "survived") == json(true);
  row.unit = UnitOf(At(finding, "unit"), result);
  row.first_time = IntAt(finding, "first_time");
  row.count = IntAt(finding, "count");
  return row;
}

}  // namespace

Expected<Result> ReadResult(std::string_view text, const std::string& source,
                            const Additions& additions) {
  const json parsed = ParseJson(text);
  if (parsed.is_discarded()) {
    return Unreadable("'" + source + "' is not JSON, or only its beginning");
  }
  if (TextAt(parsed, "schema") != kSchema ||
      !At(parsed, "verdict").is_object()) {
    return Unreadable("'" + source +
                      "' is JSON, but no result of `inquest "
                      "diagnose --format json`");
  }
  Result result;
  result.run = RunOf(parsed, source, additions);
  result.gpus = GpusOf(parsed, result.run.run);
  result.versions = VersionsOf(parsed, result.run.run, additions);
  result.verdict = VerdictOf(parsed, result);
  for (const json& finding : Items(parsed, "findings")) {
    result.findings.push_back(FindingOf(finding, result));
  }
  return result;
}

}  // namespace inquest::fleet
