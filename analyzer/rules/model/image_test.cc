// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/image.h"

#include <nlohmann/json.hpp>

#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/model/codes.h"
#include "analyzer/rules/model/entry.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

constexpr char kMine[] = R"(facts: 1
pack: {name: mine, version: 1.2.3}
codes:
  - {number: 77, name: [ERROR_ODD, ODD], text: an odd error, cause: kernel/launch-config}
  - {name: [ERROR_EVEN]}
signatures:
  - id: a.one
    aliases: [a.former]
    pattern: 'CUDA error: {error_number:integer} at {share:real}'
    set: {part: left, parts: -3, weight: 2.5, odd: true}
    code: cuda_error
    role: cause
    cause: kernel/launch-config
    title: A launch failed
    fix: [{text: Look, command: ls, when: amd, applies_if: {part: left}, unless: odd, url: 'https://example.org'}]
    references: [a manual]
    samples: {match: ['CUDA error: 7 at 0.5'], no_match: ['CUDA warning']}
  - id: a.two
    pattern: [{re: 'lost card {device:integer}', sample: lost card 3}, 'card fell off']
    unless: 'only a drill'
    role: context
  - {id: a.off, pattern: switched off, role: context, samples: {match: [switched off]}}
rules:
  - id: b.rule
    title: Memory is full
    cause: memory/capacity
    needs: [log_event]
    sql: SELECT 1 AS process, 2 AS bytes FROM log_event
    message: '{bytes} are missing'
    exceptions:
      - {name: small, where: {bytes: [1, 2], process: 7}}
    limits: {rows: 7, milliseconds: 9}
relations:
  - {from: memory/*, to: 'id:a.former', kind: explains, within: 5s, why: because}
overrides:
  - {id: a.off, disabled: true}
)";

constexpr char kSites[] = R"(facts: 1
signatures:
  - id: a.one
    pattern: 'CUDA error (?P<error_number>\d+)'
    role: cause
    cause: memory/leak
    title: It replaces one
    samples: {match: ['CUDA error 7'], no_match: ['CUDA warning 7']}
  - {id: site.two, pattern: the fan stands, role: context, samples: {match: [the fan stands]}}
relations:
  - {from: 'id:a.former', to: 'id:b.rule', kind: explains, why: because}
  - {from: 'id:a.nowhere', to: 'id:b.rule', kind: explains, why: because}
overrides:
  - {id: a.off, disabled: false}
  - {id: b.*, severity: warning, message: '{bytes}'}
  - {id: a.two, disabled: true}
  - {id: c.none, disabled: true}
)";

const RuleSource kMineFile = {"one.yaml", kMine, true, nullptr};
const RuleSource kSitesFile = {"site.yaml", kSites, true, nullptr};

RuleSet LoadMine() {
  Diagnostics diagnostics;
  RuleSet set = LoadRules({kMineFile}, &diagnostics);
  for (const Diagnostic& one : diagnostics) UNSCOPED_INFO(Render(one, false));
  CHECK_FALSE(HasErrors(diagnostics));
  return set;
}

RuleSet Again(const RuleSet& set) {
  const std::string image = WriteImage(set);
  auto read = ReadImage(image);
  REQUIRE(read.ok());
  CHECK(read->set.signatures.empty());
  CHECK(read->signatures == set.signatures.size());
  CHECK(read->worlds.vendors.size() == Vendors().size());
  CHECK(read->taxonomy.areas == TheTaxonomy().areas);
  CHECK(read->taxonomy.causes.back().layer == Causes().back().layer);
  CHECK(read->worlds.phases.back().frames == TheWorlds().phases.back().frames);
  auto signatures = ReadSignatures(image);
  REQUIRE(signatures.ok());
  read->set.signatures = signatures.Take();
  return std::move(read->set);
}

}  // namespace

TEST_CASE("an image has what was loaded, but no samples") {
  RuleSet set = LoadMine();
  const RuleSet again = Again(set);
  REQUIRE(again.signatures.size() == 2);
  CHECK(again.signatures[0].match.empty());
  CHECK(again.signatures[0].place.line == set.signatures[0].place.line);
  for (Signature& signature : set.signatures) {
    signature.match.clear();
    signature.no_match.clear();
    for (Pattern& pattern : signature.patterns) pattern.sample.reset();
  }
  for (size_t i = 0; i < set.signatures.size(); ++i) {
    CHECK(ToJson(again.signatures[i]) == ToJson(set.signatures[i]));
  }
  REQUIRE(again.rules.size() == 1);
  CHECK(ToJson(again.rules[0]) == ToJson(set.rules[0]));
  CHECK(again.rules[0].sql_place.line == set.rules[0].sql_place.line);
  REQUIRE(again.disabled_signatures.size() == 1);
  CHECK(again.disabled_signatures[0].overridden.at("disabled").line ==
        set.disabled_signatures[0].overridden.at("disabled").line);
  CHECK(again.aliases == set.aliases);
  REQUIRE(again.relations.size() == 1);
  CHECK(again.relations[0].to == set.relations[0].to);
  CHECK(again.relations[0].within_ns == set.relations[0].within_ns);
  REQUIRE(again.packs.size() == 1);
  CHECK(again.packs[0].version == "1.2.3");
  CHECK(WriteImage(again) == WriteImage(set));
}

TEST_CASE("files over an image mean what they mean over its files") {
  Diagnostics said, said_over;
  const RuleSet set = LoadRules({kMineFile, kSitesFile}, &said);
  const RuleSet over =
      LoadRulesOver(Again(LoadMine()), {kSitesFile}, &said_over);
  CHECK(WriteImage(over) == WriteImage(set));
  REQUIRE(said_over.size() == said.size());
  CHECK(said.size() == 3);  // what is replaced, and two ids that nobody has
  for (size_t i = 0; i < said.size(); ++i) {
    CHECK(Render(said_over[i], false) == Render(said[i], false));
  }
}

TEST_CASE("an image brings the codes of its signatures, once") {
  const RuleSet again = Again(LoadMine());
  const Codes* codes = again.signatures[0].codes.get();
  REQUIRE(codes != nullptr);
  const Code* odd = codes->Find({{"error_name", "odd"}});
  REQUIRE(odd != nullptr);
  CHECK(odd->number == 77);
  CHECK(odd->cause == "kernel/launch-config");
  CHECK(again.signatures[1].codes == nullptr);
}

TEST_CASE("an image that is none is an error, not an exception") {
  const std::string image = WriteImage(LoadMine());
  CHECK_FALSE(ReadImage("no image").ok());
  CHECK_FALSE(ReadSignatures("no image").ok());
  CHECK_FALSE(ReadImage("").ok());
  CHECK_FALSE(ReadSignatures(image.substr(0, image.size() - 9)).ok());
}
