// SPDX-License-Identifier: Apache-2.0
// Loads rule files into a RuleSet: reads YAML, checks it against
// docs/rule-format.md and reports all errors at once, with file, line, column,
// the text concerned and what to do. Called by the command line before it reads
// a run. SQL is not compiled here; the engine does that. A signature, rule or
// relation with an error is left out and the rest loads; HasErrors says whether
// there was one. Later sources override earlier ones by id (a note says so).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/rules/load/yaml_limits.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/diagnostic.h"

namespace inquest::rules {

struct PackedSource;

struct RuleSource {
  std::string name;  // shown in messages: a path, or "built-in/torch.yaml"
  std::string text;
  // Off for rules that were tested when the program was built: testing all
  // samples takes longer than the rest of the loader.
  bool check_samples = true;
  // The text as read by pack.h. The text itself is then read only to check its
  // samples.
  std::shared_ptr<const PackedSource> packed = nullptr;
  // Why the file was not read, if it was not; loading reports it (R007).
  std::string refused = {};
};

RuleSet LoadRules(const std::vector<RuleSource>& sources,
                  Diagnostics* diagnostics, const YamlLimits& limits = {});
// The same over rules that were loaded before, such as the built-in ones: as if
// their files came first.
RuleSet LoadRulesOver(RuleSet earlier, const std::vector<RuleSource>& sources,
                      Diagnostics* diagnostics, const YamlLimits& limits = {});

// A rule file, or all of a folder and its subfolders: *.yaml, *.yml, *.json
// except *.test.yaml, taxonomy.yaml and world.yaml, sorted by path. Links to
// folders are not followed, and a link to a file outside of the folder is
// refused: an untrusted pack must not make messages quote other files.
Expected<std::vector<RuleSource>> ReadRuleDirectory(const std::string& path);

// A diagnostic about a place in one of the sources, with its snippet. For later
// checks, such as those of SQL.
Diagnostic RuleDiagnostic(const std::vector<RuleSource>& sources,
                          Diagnostic::Level level, const Place& place,
                          std::string code, std::string message);

}  // namespace inquest::rules
