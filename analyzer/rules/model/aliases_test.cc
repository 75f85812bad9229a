// SPDX-License-Identifier: Apache-2.0
// Rules and signatures under the ids that they had before.
#include "analyzer/rules/model/aliases.h"

#include "analyzer/rules/load/loader.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

constexpr const char* kRenamed = R"(facts: 1
signatures:
  - id: tensorflow.oom
    aliases: [tf.oom]
    pattern: 'ran out of memory'
    role: cause
    cause: memory/capacity
    title: Out of memory
    samples: {match: ['ran out of memory'], no_match: ['memory']}
)";

struct LoadedSite {
  RuleSet set;
  std::string text;
};

LoadedSite With(const std::string& site) {
  LoadedSite loaded;
  Diagnostics diagnostics;
  loaded.set = LoadRules({{"base.yaml", kRenamed, true, nullptr},
                          {"site.yaml", "facts: 1\n" + site, true, nullptr}},
                         &diagnostics);
  for (const auto& d : diagnostics) loaded.text += Render(d, false) + "\n";
  return loaded;
}

}  // namespace

TEST_CASE("an override and a replacement may use a former id") {
  const LoadedSite changed =
      With("overrides: [{id: tf.oom, severity: warning, why: ours}]\n");
  CHECK(changed.text.empty());
  CHECK(changed.set.signatures.at(0).severity == Severity::kWarning);
  CHECK(With("overrides: [{id: 'tf.*', disabled: true}]\n")
            .set.disabled_signatures.size() == 1);
  const LoadedSite replaced = With(
      "signatures: [{id: tf.oom, pattern: 'no memory', role: context, "
      "samples: {match: ['no memory']}}]\n");
  REQUIRE(replaced.set.signatures.size() == 1);
  CHECK(replaced.set.signatures[0].id == "tensorflow.oom");
  CHECK(replaced.set.signatures[0].role == Role::kContext);
}

TEST_CASE("a rule may need a signature by its former id") {
  const LoadedSite loaded = With(R"(
rules:
  - id: site.many
    title: Many
    cause: memory/capacity
    needs: [log_event, 'id:tf.oom', ['id:tf.*', oom]]
    sql: SELECT 1 AS a FROM log_event
    message: many
)");
  CHECK(loaded.text.empty());
  using Needs = std::vector<std::string>;
  const Rule& rule = loaded.set.rules.at(0);
  CHECK(rule.needs == Needs{"log_event", "id:tensorflow.oom"});
  CHECK(rule.needs_any == std::vector<Needs>{{"oom", "id:tensorflow.oom"}});
}

TEST_CASE("relations and SQL may use former ids") {
  const LoadedSite loaded = With(R"(
rules:
  - id: site.many
    title: Many
    cause: memory/capacity
    sql: SELECT 'tf.oom' AS a, 'tf.oomx' AS b FROM log_event WHERE signature='tf.oom'
    message: many
relations:
  - {from: 'id:tf.oom', to: 'id:site.many', kind: explains, why: a}
  - {from: 'id:tf.*', to: ['id:site.*', 'id:tf.oom'], kind: explains, why: b}
)");
  CHECK(loaded.text.empty());
  CHECK(loaded.set.rules.at(0).sql ==
        "SELECT 'tensorflow.oom' AS a, 'tf.oomx' AS b FROM log_event WHERE "
        "signature='tensorflow.oom'");
  using Ends = std::vector<std::string>;
  CHECK(loaded.set.relations.at(0).from == Ends{"id:tensorflow.oom"});
  CHECK(loaded.set.relations.at(1).from == Ends{"id:tensorflow.oom"});
  CHECK(loaded.set.relations.at(1).to ==
        Ends{"id:site.*", "id:tensorflow.oom"});
}

TEST_CASE("an alias is nothing else's id or alias") {
  const auto with = [](const char* id, const char* alias) {
    return With(std::string("signatures: [{id: ") + id + ", aliases: [" +
                alias +
                "], pattern: 'abcd', role: context, samples: {match: "
                "['abcd']}}]\n")
        .text;
  };
  CHECK_THAT(with("site.x", "tf.oom"), HasText("error[R018]"));
  CHECK_THAT(with("site.x", "tensorflow.oom"), HasText("error[R018]"));
  CHECK_THAT(with("site.x", "'No id'"), HasText("error[R014]"));
  CHECK(with("site.x", "site.y").empty());
}

TEST_CASE("a name is that of today") {
  const Aliases aliases = {{"tf.oom", "tensorflow.oom"}};
  CHECK(IdOfToday(aliases, "tf.oom") == "tensorflow.oom");
  CHECK(IdOfToday(aliases, "torch.oom") == "torch.oom");
  CHECK(MatchesId("tf.*", "tensorflow.oom", {"tf.oom"}));
  CHECK_FALSE(MatchesId("torch.*", "tensorflow.oom", {"tf.oom"}));
}
