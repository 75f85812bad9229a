// SPDX-License-Identifier: Apache-2.0
#include "cli/rule_options.h"

#include <algorithm>
#include <utility>

#include "analyzer/rules/model/image.h"
#include "analyzer/rules/model/pack.h"
#include "authoring/lint/lint.h"
#include "base/content_hash.h"
#include "rule_pack.h"

namespace inquest::cli {

void AddRuleOptions(Command command, RuleOptions* options) {
  command
      .Takes("--rules", &options->paths,
             "Rule file or directory; repeatable, later ones override "
             "earlier ones and the built-in pack")
      .OneWordEach();
  command.Flag("--no-default-rules", &options->no_default,
               "Leave out the built-in rule pack");
}

namespace {

// A pack over the built-in one may replace many ids; one line reports that.
void FoldReplacements(Diagnostics* diagnostics) {
  const auto is_replacement = [](const Diagnostic& one) {
    return one.code == "R060";
  };
  const auto count =
      std::count_if(diagnostics->begin(), diagnostics->end(), is_replacement);
  if (count < 2) return;
  std::erase_if(*diagnostics, is_replacement);
  Diagnostic note;
  note.level = Diagnostic::Level::kNote;
  note.code = "R060";
  note.message = std::to_string(count) + " definitions replace earlier ones";
  diagnostics->push_back(note);
}

}  // namespace

Expected<LoadedRules> ReadRules(const RuleOptions& options) {
  LoadedRules loaded;
  ContentHash hash;
  if (!options.no_default) {
    const auto form = options.read_built_in_text ? rules::PackForm::kText
                                                 : rules::PackForm::kRead;
    ASSIGN_OR_RETURN(loaded.sources,
                     rules::ReadPack(embedded::rules_pack(), form));
    hash.Add(embedded::rules_pack());
  }
  for (const std::string& path : options.paths) {
    ASSIGN_OR_RETURN(auto sources, rules::ReadRuleDirectory(path));
    for (auto& source : sources) {
      hash.Add(source.text);
      loaded.sources.push_back(std::move(source));
    }
  }
  loaded.digest = hash.Hex();
  loaded.set = rules::LoadRules(loaded.sources, &loaded.diagnostics);
  if (!options.leave_allowed) {
    authoring::DropAllowed({loaded.sources, loaded.set, nullptr},
                           &loaded.diagnostics);
  }
  FoldReplacements(&loaded.diagnostics);
  return loaded;
}

Expected<LoadedRules> ReadRulesToApply(const RuleOptions& options) {
  const bool pack_alone = options.paths.empty() && !options.no_default;
  if (!pack_alone || options.read_built_in_text) return ReadRules(options);
  LoadedRules loaded;
  ASSIGN_OR_RETURN(auto image, rules::ReadImage(embedded::rules_image()));
  loaded.set = std::move(image.set);
  rules::BringWorlds(std::move(image.worlds));
  rules::BringTaxonomy(std::move(image.taxonomy));
  loaded.unread_signatures = image.signatures;
  loaded.digest = ContentHash().Add(embedded::rules_pack()).Hex();
  return loaded;
}

Status ReadSignatures(LoadedRules* rules) {
  if (std::exchange(rules->unread_signatures, 0) == 0) return Status::Ok();
  ASSIGN_OR_RETURN(rules->set.signatures,
                   rules::ReadSignatures(embedded::rules_image()));
  return Status::Ok();
}

}  // namespace inquest::cli
