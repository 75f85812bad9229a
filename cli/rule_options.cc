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

// Reads the files that the options name over what is loaded.
Status ReadFiles(const RuleOptions& options, ContentHash* hash,
                 LoadedRules* loaded) {
  for (const std::string& path : options.paths) {
    ASSIGN_OR_RETURN(auto sources, rules::ReadRuleDirectory(path));
    for (auto& source : sources) {
      hash->Add(source.text);
      loaded->sources.push_back(std::move(source));
    }
  }
  loaded->digest = hash->Hex();
  loaded->set = rules::LoadRulesOver(std::move(loaded->set), loaded->sources,
                                     &loaded->diagnostics);
  if (!options.leave_allowed) {
    authoring::DropAllowed({loaded->sources, loaded->set, nullptr},
                           &loaded->diagnostics);
  }
  FoldReplacements(&loaded->diagnostics);
  return Status::Ok();
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
  RETURN_IF_ERROR(ReadFiles(options, &hash, &loaded));
  return loaded;
}

Expected<LoadedRules> ReadRulesForRun(const RuleOptions& options) {
  if (options.no_default || options.read_built_in_text) {
    return ReadRules(options);
  }
  LoadedRules loaded;
  ASSIGN_OR_RETURN(auto image, rules::ReadImage(embedded::rules_image()));
  loaded.set = std::move(image.set);
  rules::BringWorlds(std::move(image.worlds));
  rules::BringTaxonomy(std::move(image.taxonomy));
  loaded.unread_signatures = image.signatures;
  ContentHash hash;
  hash.Add(embedded::rules_pack());
  if (options.paths.empty()) {
    loaded.digest = hash.Hex();
    return loaded;
  }
  RETURN_IF_ERROR(ReadSignatures(&loaded));
  RETURN_IF_ERROR(ReadFiles(options, &hash, &loaded));
  return loaded;
}

Expected<LoadedRules> ReadRulesToApply(const RuleOptions& options) {
  ASSIGN_OR_RETURN(LoadedRules loaded, ReadRulesForRun(options));
  RETURN_IF_ERROR(ReadSignatures(&loaded));
  return loaded;
}

Status ReadSignatures(LoadedRules* rules) {
  if (std::exchange(rules->unread_signatures, 0) == 0) return Status::Ok();
  ASSIGN_OR_RETURN(rules->set.signatures,
                   rules::ReadSignatures(embedded::rules_image()));
  return Status::Ok();
}

}  // namespace inquest::cli
