// `inquest rules lint`: everything that can be said of rule files without a
// run: format, samples, SQL.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "analyzer/facts/store.h"
#include "analyzer/findings/collect.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

// Overrides and relations of a site's own file name what the built-in pack
// defines.
bool NamesWhatIsElsewhere(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& one) {
                       return one.code == "R016" || one.code == "R050";
                     });
}

// The files given, alone where they can stand alone, otherwise on top of the
// built-in pack. What is said of the pack itself is not asked for then.
Expected<LoadedRules> Load(RuleOptions options) {
  const bool may_add_pack = !options.no_default && !options.paths.empty();
  options.no_default = options.no_default || may_add_pack;
  auto alone = ReadRules(options);
  if (!alone.ok() || !may_add_pack ||
      !NamesWhatIsElsewhere(alone->diagnostics)) {
    return alone;
  }
  std::set<std::string> given;
  for (const auto& source : alone->sources) given.insert(source.name);
  options.no_default = options.read_built_in_text = false;
  ASSIGN_OR_RETURN(LoadedRules loaded, ReadRules(options));
  std::erase_if(loaded.diagnostics, [&](const Diagnostic& one) {
    return !one.file.empty() && !given.contains(one.file);
  });
  const auto not_given = [&](const auto& entry) {
    return !given.contains(entry.place.file);
  };
  std::erase_if(loaded.set.signatures, not_given);
  std::erase_if(loaded.set.rules, not_given);
  std::erase_if(loaded.set.relations, not_given);
  return loaded;
}

int Lint(const RuleOptions& options) {
  auto loaded = Load(options);
  if (!loaded.ok()) return Fail(loaded.status());
  auto store = facts::Store::Create();
  if (!store.ok()) return Fail(store.status());
  if (Status status = store->DefineFacts(); !status.ok()) return Fail(status);
  findings::CheckRules(&*store, loaded->set, &loaded->diagnostics);
  Say(loaded->diagnostics);
  Print(
      fmt::format("{} signatures, {} rules, {} relations: {}\n",
                  loaded->set.signatures.size(), loaded->set.rules.size(),
                  loaded->set.relations.size(),
                  HasErrors(loaded->diagnostics) ? "with mistakes" : "right"));
  return HasErrors(loaded->diagnostics) ? kNo : kDone;
}

}  // namespace

void AddRulesLint(CLI::App* rules, int* exit_code) {
  auto options = std::make_shared<RuleOptions>();
  options->read_built_in_text = true;
  CLI::App* lint = rules->add_subcommand(
      "lint", "Check rule files; without one, the built-in pack");
  lint->add_option("PATH", options->paths, "Rule files and directories");
  lint->add_flag("--no-default-rules", options->no_default,
                 "Do not look names up in the built-in pack");
  lint->callback([options, exit_code] { *exit_code = Lint(*options); });
}

}  // namespace inquest::cli
