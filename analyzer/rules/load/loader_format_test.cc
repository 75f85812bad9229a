// SPDX-License-Identifier: Apache-2.0
// Format 1.0: packs, needs, exceptions, fixes, overrides, and entries written
// back.
#include <sstream>

#include "analyzer/rules/load/format.h"
#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/load/schema.h"
#include "analyzer/rules/load/yaml.h"
#include "analyzer/rules/model/entry.h"
#include "analyzer/rules/model/exceptions.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;
using nlohmann::json;

namespace {

constexpr const char* kBase = R"(facts: 1
pack: {name: base, version: 1.2.0}
signatures:
  - id: base.lost
    pattern: 'lost card (?P<device>\d+)'
    types: {device: integer}
    role: cause
    cause: hardware/off-bus
    title: A card was lost
    falsepositives: [drills]
    samples: {match: ['lost card 3'], no_match: ['found card 3']}
rules:
  - id: base.many
    title: Many
    cause: hardware/other
    needs: [log_event, [xid, kernel_event]]
    sql: SELECT 1 AS cards, 'node1' AS host
    message: '{cards} cards'
    fix:
      - {action: inspect, text: Look, command: 'ls /', url: 'https://example.org/x', applies_if: cards}
)";

struct Loaded {
  RuleSet set;
  std::string text;
};

Loaded Load(const std::vector<RuleSource>& sources) {
  Loaded loaded;
  Diagnostics diagnostics;
  loaded.set = LoadRules(sources, &diagnostics);
  for (const auto& d : diagnostics) loaded.text += Render(d, false) + "\n";
  return loaded;
}

Loaded WithSite(const std::string& overrides) {
  return Load({{"base.yaml", kBase},
               {"site.yaml", "facts: 1\noverrides:\n" + overrides}});
}

Loaded WithException(const std::string& exception) {
  return WithSite("  - id: base.many\n    exceptions: [" + exception + "]\n");
}

}  // namespace

TEST_CASE("a pack has a name, a version and the facts it needs") {
  const Loaded loaded = Load({{"base.yaml", kBase}, {"more.yaml", "facts: 1"}});
  CHECK(loaded.text.empty());
  REQUIRE(loaded.set.packs.size() == 2);
  CHECK(loaded.set.packs[0].name == "base");
  CHECK(loaded.set.packs[0].version == "1.2.0");
  CHECK(loaded.set.packs[0].facts == 1);
  CHECK(loaded.set.packs[1].name == "more");
  CHECK(loaded.set.signatures[0].pack == "base");
  const Loaded two = Load({{"base.yaml", kBase},
                           {"b.yaml",
                            "facts: 1\npack: {name: base, version: "
                            "'2'}"}});
  CHECK_THAT(two.text, HasText("warning[R006]"));
  CHECK_THAT(Load({{"f", "facts: 1\npack: {name: x}"}}).text,
             HasText("needs the key 'version'"));
  CHECK_THAT(Load({{"f", "facts: 2"}}).text, HasText("error[R005]"));
}

TEST_CASE("needs are all of, and any of inner lists") {
  const Rule rule = Load({{"base.yaml", kBase}}).set.rules.at(0);
  CHECK(rule.needs == std::vector<std::string>{"log_event"});
  REQUIRE(rule.needs_any.size() == 1);
  CHECK(rule.needs_any[0] == std::vector<std::string>{"xid", "kernel_event"});
}

TEST_CASE("a signature that a rule needs has to exist") {
  std::string text = kBase;
  const std::string facts = "[xid, kernel_event]";
  text.replace(text.find(facts), facts.size(), "'id:site.*'");
  CHECK_THAT(Load({{"f", text}}).text,
             HasText("no rule or signature has the id 'site.*'"));
}

TEST_CASE("a fix has an action, a text, a command, a place and a condition") {
  const Fix fix = Load({{"base.yaml", kBase}}).set.rules.at(0).fix.at(0);
  CHECK(fix.action == "inspect");
  CHECK(fix.url == "https://example.org/x");
  REQUIRE(fix.applies_if.size() == 1);
  CHECK(fix.applies_if[0].figure == "cards");
  CHECK(fix.applies_if[0].values.empty());
  std::string text = kBase;
  text.replace(text.find("inspect"), 7, "insect");
  CHECK_THAT(Load({{"f", text}}).text, HasText("did you mean 'inspect'?"));
}

TEST_CASE("exceptions are tuples of columns and values") {
  const auto excepts = [](const std::string& exception, const Figures& row) {
    const Loaded loaded = WithException(exception);
    CHECK(loaded.text.empty());
    return Excepts(loaded.set.rules.at(0).exceptions.at(0), row);
  };
  const std::string where = "{name: n, where: {host: [a, b], rank: 3}}";
  CHECK(excepts(where, {{"host", "b"}, {"rank", 3}}));
  CHECK_FALSE(excepts(where, {{"host", "c"}, {"rank", 3}}));
  CHECK_FALSE(excepts(where, {{"host", "a"}}));
  CHECK_FALSE(excepts(where, {{"host", "a"}, {"rank", nullptr}}));
  const std::string tuples =
      "{name: n, fields: [host, rank], values: [[a, 1], [b, 2]]}";
  CHECK(excepts(tuples, {{"host", "b"}, {"rank", 2}, {"x", 1}}));
  CHECK_FALSE(excepts(tuples, {{"host", "b"}, {"rank", 1}}));
  CHECK(excepts("{name: n, where: {survived: true}}", {{"survived", 1}}));
}

TEST_CASE("wrong exceptions are named") {
  CHECK_THAT(WithException("{name: n}").text, HasText("needs 'where', or"));
  CHECK_THAT(WithException("{name: n, where: {}}").text, HasText("R012"));
  CHECK_THAT(WithException("{name: n, fields: [a]}").text, HasText("R011"));
  CHECK_THAT(WithException("{name: n, where: {a: 1}, fields: [a], values: "
                           "[[1]]}")
                 .text,
             HasText("it has both"));
  CHECK_THAT(WithException("{name: n, fields: [a, b], values: [[1]]}").text,
             HasText("'fields' names 2 columns, these are 1 values"));
}

TEST_CASE("an override changes single fields and says where from") {
  const Loaded loaded = WithSite(
      "  - id: base.many\n    severity: warning\n    limits: {rows: 5}\n"
      "  - id: base.lost\n    title: Gone\n    fix: [{text: reseat it}]\n");
  CHECK(loaded.text.empty());
  const Rule& rule = loaded.set.rules.at(0);
  CHECK(rule.severity == Severity::kWarning);
  CHECK(rule.max_rows == 5);
  CHECK(rule.title == "Many");
  CHECK(rule.overridden.at("severity").file == "site.yaml");
  CHECK(rule.overridden.at("severity").line == 4);
  const Signature& signature = loaded.set.signatures.at(0);
  CHECK(signature.title == "Gone");
  CHECK(signature.message == "Gone");  // the title was the message
  CHECK(signature.fix.at(0).text == "reseat it");
}

TEST_CASE("an override switches entries off and on again") {
  const Loaded off = WithSite("  - {id: 'base.*', disabled: true}\n");
  CHECK(off.text.empty());
  CHECK(off.set.rules.empty());
  CHECK(off.set.signatures.empty());
  CHECK(off.set.disabled_rules.size() == 1);
  CHECK(off.set.disabled_signatures.size() == 1);
  const Loaded on = WithSite(
      "  - {id: 'base.*', disabled: true}\n"
      "  - {id: base.many, disabled: false}\n");
  CHECK(on.set.rules.size() == 1);
  CHECK(on.set.signatures.empty());
}

TEST_CASE("wrong overrides are named") {
  CHECK_THAT(WithSite("  - {id: base.mny, disabled: true}\n").text,
             HasText("did you mean 'base.many'?"));
  CHECK_THAT(WithSite("  - {id: base.many, sql: SELECT 2}\n").text,
             HasText("an override has no key 'sql'"));
  CHECK_THAT(WithSite("  - {id: base.many, why: because}\n").text,
             HasText("changes nothing"));
  CHECK_THAT(WithSite("  - {id: base.lost, limits: {rows: 1}}\n").text,
             HasText("error[R017]"));
  CHECK_THAT(WithSite("  - {id: base.lost, message: '{card} lost'}\n").text,
             HasText("no capture supplies the figure {card}"));
  // A file does not see what comes after it.
  CHECK_THAT(Load({{"a.yaml",
                    "facts: 1\noverrides:\n  - {id: base.many, "
                    "severity: note}\n"},
                   {"base.yaml", kBase}})
                 .text,
             HasText("error[R016]"));
}

TEST_CASE("entries written back are the same entries") {
  const Loaded first = Load({{"base.yaml", kBase}});
  nlohmann::ordered_json file = {{"facts", 1}};
  file["signatures"].push_back(ToJson(first.set.signatures.at(0)));
  file["rules"].push_back(ToJson(first.set.rules.at(0)));
  const Loaded second = Load({{"again.yaml", ToYaml(file)}});
  CHECK(second.text.empty());
  CHECK(ToJson(second.set.signatures.at(0)) == file["signatures"][0]);
  CHECK(ToJson(second.set.rules.at(0)) == file["rules"][0]);
}

TEST_CASE("any text survives being written as YAML") {
  const char* texts[] = {"",
                         "yes",
                         "12",
                         "it's",
                         "a: b",
                         " x ",
                         "a\nb\n",
                         "a\n\nb",
                         "#no",
                         "x #y",
                         "a\n\n",
                         "\ttab",
                         "null",
                         "- a",
                         "{x}",
                         "\x01x",
                         "a\n  b\n",
                         " a\nb",
                         "'q'",
                         "tail:",
                         "[1, 2]",
                         "|",
                         "a\xC2\x9B"
                         "2J",
                         "@at",
                         "*p",
                         "true\n"};
  for (const char* text : texts) {
    const nlohmann::ordered_json value = {{"k", text}, {"l", {text, "x"}}};
    YamlDocument document;
    Diagnostics diagnostics;
    INFO(ToYaml(value));
    REQUIRE(ParseYaml("t", ToYaml(value), {}, &document, &diagnostics));
    CHECK(document.root == json(value));
  }
}

TEST_CASE("every key has a meaning, every word its place in the schema") {
  const auto schema = RuleFileSchema();
  for (const MappingSpec* mapping : AllFormats()) {
    const auto& definition = mapping->name == "file"
                                 ? schema
                                 : schema["$defs"][std::string(mapping->name)];
    for (const KeySpec& key : mapping->keys) {
      INFO(mapping->name << " " << key.name);
      CHECK_FALSE(key.meaning.empty());
      CHECK(definition["properties"].contains(std::string(key.name)));
    }
    CHECK(definition["properties"].size() == mapping->keys.size());
    CHECK(definition["additionalProperties"] == false);
  }
}

TEST_CASE("a condition may name values, and `when` several things") {
  std::string text = kBase;
  const std::string plain = "applies_if: cards}";
  text.replace(text.find(plain), plain.size(),
               "when: [torch, amd], applies_if: {phase: loading}, unless: "
               "{cards: [few, one], host: none}}");
  const Loaded loaded = Load({{"f", text}});
  CHECK(loaded.text.empty());
  const Fix fix = loaded.set.rules.at(0).fix.at(0);
  CHECK(fix.when == std::vector<std::string>{"torch", "amd"});
  REQUIRE(fix.applies_if.size() == 1);
  CHECK(fix.applies_if[0].figure == "phase");
  CHECK(fix.applies_if[0].values == std::vector<std::string>{"loading"});
  REQUIRE(fix.unless.size() == 2);
  CHECK(fix.unless[0].values == std::vector<std::string>{"few", "one"});
  text.replace(text.find("one]"), 4, "1]");
  text.replace(text.find("none}"), 5, "137}");
  const Loaded numbers = Load({{"f", text}});
  CHECK(numbers.text.empty());
  const Fix numbered = numbers.set.rules.at(0).fix.at(0);
  CHECK(numbered.unless[0].values == std::vector<std::string>{"few", "1"});
  CHECK(numbered.unless[1].values == std::vector<std::string>{"137"});
  text.replace(text.find("137}"), 4, "true}");
  const Loaded any = Load({{"f", text}});
  CHECK(any.text.empty());
  CHECK(any.set.rules.at(0).fix.at(0).unless[1].values.empty());
  text.replace(text.find("1]"), 2, "[1]]");
  CHECK_THAT(Load({{"f", text}}).text, HasText("text or a whole number"));
  text.replace(text.find("[1]]"), 4, "1]");
  text.replace(text.find("amd]"), 4, "amt]");
  CHECK_THAT(Load({{"f", text}}).text,
             HasText("'amt' is not a known framework, vendor or platform"));
}
