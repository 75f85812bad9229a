// SPDX-License-Identifier: Apache-2.0
// The two files of a proposal, with comments for the author.

#include <nlohmann/json.hpp>

#include "analyzer/rules/model/entry.h"
#include "authoring/propose/propose.h"

namespace inquest::authoring {
namespace {

using Json = nlohmann::ordered_json;

// A comment above the line that begins with `key`.
void Remark(const std::string& key, const std::string& comment,
            std::string* yaml) {
  const size_t at = yaml->find("\n    " + key);
  if (at == yaml->npos) return;
  yaml->insert(at + 1, "    # " + comment + "\n");
}

Json Case(const char* name, const std::string& line, const std::string& cause) {
  return {{"name", name},
          {"given", {{"log", line + "\n"}}},
          {"expect", {{"verdict", cause}}}};
}

}  // namespace

std::string RuleFileOf(const Proposal& proposal, const std::string& pack) {
  Json signature = rules::ToJson(proposal.signature);
  signature.erase("source");
  signature.erase("severity");
  signature["fix"] = Json::array({{{"text", kDraftFix}}});
  Json samples = std::move(signature["samples"]);
  signature.erase("samples");
  signature["samples"] = std::move(samples);
  Json file = {{"facts", 1}, {"pack", pack}};
  file["signatures"] = Json::array({std::move(signature)});
  if (!proposal.refines.empty()) {
    Json ids = Json::array();
    for (const std::string& id : proposal.refines) ids.push_back("id:" + id);
    file["relations"].push_back(
        {{"from", "id:" + proposal.signature.id},
         {"to", std::move(ids)},
         {"kind", "refines"},
         {"scope", "event"},
         {"order", "any"},
         {"why", "the site's own signature says more about the same line"}});
  }
  std::string yaml = rules::ToYaml(file);
  if (const size_t at = yaml.find("\nrelations:"); at != yaml.npos) {
    yaml.insert(at, "\n");
  }
  Remark("cause:",
         proposal.guessed_from.empty()
             ? "what killed the run: one of `inquest rules list --causes`, or "
               "your own area/name"
             : "guessed, since " + proposal.guessed_from,
         &yaml);
  Remark("title:", "one clause: what happened", &yaml);
  Remark("fix:", "what to do, best first; a step may have a command", &yaml);
  Remark("samples:",
         "replace the line under no_match with a real one of a healthy run",
         &yaml);
  return yaml;
}

std::string TestFileOf(const Proposal& proposal) {
  const rules::Signature& signature = proposal.signature;
  const Json file = {
      {"facts", 1},
      {"tests", Json::array({Case("the line names the cause", proposal.log_line,
                                  signature.cause),
                             Case("a line that looks like it names nothing",
                                  signature.no_match.front().line, "none")})}};
  return rules::ToYaml(file);
}

}  // namespace inquest::authoring
