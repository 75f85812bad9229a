// SPDX-License-Identifier: Apache-2.0
// `inquest rules lint`: checks rule files without a run: format, samples, SQL,
// and the lints of authoring/.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/findings/collect/collect.h"
#include "analyzer/report/sarif.h"
#include "analyzer/rules/load/loader_codes.h"
#include "authoring/lint/lint.h"
#include "base/json_text.h"
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

using Level = Diagnostic::Level;

struct LintOptions {
  RuleOptions rules;
  std::string format = "text";
  std::string explain;
  bool strict = false;
  bool hints = false;
};

struct Linted {
  LoadedRules loaded;
  std::set<std::string> given;  // files given by the user; empty: all
};

// Overrides and relations of a site's own file name entries of the built-in
// pack.
bool NamesWhatIsElsewhere(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& one) {
                       return one.code == "R016" || one.code == "R050" ||
                              one.code == "R072" || one.code == "R082";
                     });
}

Expected<Linted> LoadAndCheck(const RuleOptions& options) {
  Linted linted;
  ASSIGN_OR_RETURN(linted.loaded, ReadRules(options));
  ASSIGN_OR_RETURN(facts::Store store, facts::Store::Create());
  RETURN_IF_ERROR(store.DefineFacts());
  LoadedRules& loaded = linted.loaded;
  findings::CheckRules(&store, loaded.set, &loaded.diagnostics);
  authoring::LintRules({loaded.sources, loaded.set, &store},
                       &loaded.diagnostics);
  return linted;
}

// Keeps the diagnostics about the given files.
void KeepGiven(const std::set<std::string>& given, Linted* linted) {
  linted->given = given;
  std::erase_if(linted->loaded.diagnostics, [&](const Diagnostic& one) {
    return !one.file.empty() && !given.contains(one.file);
  });
}

// Checks the files alone if they are complete, otherwise on top of the built-in
// pack.
Expected<Linted> Check(RuleOptions options) {
  const bool may_add_pack = !options.no_default && !options.paths.empty();
  options.no_default = options.no_default || may_add_pack;
  ASSIGN_OR_RETURN(Linted alone, LoadAndCheck(options));
  if (!may_add_pack || !NamesWhatIsElsewhere(alone.loaded.diagnostics)) {
    return alone;
  }
  std::set<std::string> given;
  for (const auto& source : alone.loaded.sources) given.insert(source.name);
  options.no_default = options.read_built_in_text = false;
  ASSIGN_OR_RETURN(Linted linted, LoadAndCheck(options));
  KeepGiven(given, &linted);
  return linted;
}

template <typename Entry>
size_t Count(const std::vector<Entry>& entries,
             const std::set<std::string>& given) {
  return static_cast<size_t>(
      std::count_if(entries.begin(), entries.end(), [&](const Entry& entry) {
        return given.empty() || given.contains(entry.place.file);
      }));
}

size_t Count(const Diagnostics& diagnostics, Level level) {
  return static_cast<size_t>(
      std::count_if(diagnostics.begin(), diagnostics.end(),
                    [&](const Diagnostic& one) { return one.level == level; }));
}

// "right", or how many of what.
std::string Judgement(const Diagnostics& diagnostics) {
  const auto said = [](size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  std::string text;
  const size_t errors = Count(diagnostics, Level::kError);
  const size_t warnings = Count(diagnostics, Level::kWarning);
  if (errors > 0) text = said(errors, "error");
  if (warnings > 0) {
    text += (text.empty() ? "right, " : ", ") + said(warnings, "warning");
  }
  return text.empty() ? "right" : text;
}

std::string Summary(const Linted& linted, bool hints) {
  const rules::RuleSet& set = linted.loaded.set;
  const size_t notes = Count(linted.loaded.diagnostics, Level::kNote);
  return fmt::format(
      "{} signatures, {} rules, {} relations: {}{}\n",
      Count(set.signatures, linted.given), Count(set.rules, linted.given),
      Count(set.relations, linted.given), Judgement(linted.loaded.diagnostics),
      notes == 0 || hints ? ""
                          : fmt::format(" ({} notes, see --hints)", notes));
}

std::string_view Name(Level level) {
  return level == Level::kError     ? "error"
         : level == Level::kWarning ? "warning"
                                    : "note";
}

std::string Json(const Diagnostics& diagnostics) {
  using nlohmann::ordered_json;
  ordered_json list = ordered_json::array();
  for (const Diagnostic& one : diagnostics) {
    list.push_back({{"level", Name(one.level)},
                    {"code", one.code},
                    {"message", one.message},
                    {"file", one.file},
                    {"line", one.line},
                    {"column", one.column},
                    {"why", one.reason},
                    {"help", one.help}});
  }
  return JsonText(list, 2) + "\n";
}

std::string Sarif(const Diagnostics& diagnostics) {
  report::SarifLog log(INQUEST_VERSION);
  for (const Diagnostic& one : diagnostics) {
    const rules::RuleCode* code = rules::FindRuleCode(one.code);
    const std::string id = one.code.empty() ? "unreadable" : one.code;
    const size_t rule = code == nullptr
                            ? log.Rule(id, "A file that cannot be read", "")
                            : log.Rule(id, std::string(code->title),
                                       std::string(code->explanation));
    std::string message = one.message;
    if (!one.reason.empty()) message += ": " + one.reason;
    if (!one.help.empty()) message += " (" + one.help + ")";
    auto& result = log.AddResult(id, rule, Name(one.level), message);
    if (one.file.empty()) continue;
    result["locations"] = {
        report::SarifPlace(one.file, one.line, one.column, one.snippet)};
  }
  return log.Text();
}

int Lint(const LintOptions& options) {
  auto linted = Check(options.rules);
  if (!linted.ok()) return Fail(linted.status());
  const Diagnostics& all = linted->loaded.diagnostics;
  Diagnostics shown = all;
  if (!options.hints) {
    std::erase_if(
        shown, [](const Diagnostic& one) { return one.level == Level::kNote; });
  }
  if (options.format == "json") {
    Print(Json(shown));
  } else if (options.format == "sarif") {
    Print(Sarif(shown));
  } else {
    Say(shown);
    Print(Summary(*linted, options.hints));
  }
  const bool fails =
      HasErrors(all) || (options.strict && Count(all, Level::kWarning) > 0);
  return fails ? kNo : kDone;
}

int Explain(const std::string& code) {
  if (const rules::RuleCode* found = rules::FindRuleCode(code)) {
    Print(fmt::format("{}: {}\n\n{}\n", found->code, found->title,
                      found->explanation));
    return kDone;
  }
  std::vector<std::string> codes;
  for (const auto& one : rules::RuleCodes()) codes.emplace_back(one.code);
  const std::string nearest = Nearest(code, codes);
  return Fail(Usage("there is no code '" + code + "'")
                  .WithHint(nearest.empty() ? "codes look like R010"
                                            : "did you mean " + nearest + "?"));
}

}  // namespace

void AddRulesLint(Command rules) {
  auto options = std::make_shared<LintOptions>();
  options->rules.read_built_in_text = true;
  options->rules.leave_allowed = true;
  const Command lint =
      rules.Add("lint", "Check rule files; without one, the built-in pack");
  lint.Takes("PATH", &options->rules.paths, "Rule files and directories");
  lint.Flag("--no-default-rules", &options->rules.no_default,
            "Do not look up names in the built-in pack");
  lint.Flag("--strict", &options->strict, "Warnings fail, too");
  lint.Flag("--hints", &options->hints, "Show notes, too");
  lint.Takes("--format", &options->format, "How to print the findings")
      .OneOf({"text", "json", "sarif"})
      .ShowDefault();
  lint.Takes("--explain", &options->explain, "What a code means")
      .Called("CODE");
  lint.Run([options] {
    return options->explain.empty() ? Lint(*options)
                                    : Explain(options->explain);
  });
}

}  // namespace inquest::cli
