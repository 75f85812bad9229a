// SPDX-License-Identifier: Apache-2.0
// Signatures with several patterns, and what their samples prove.
#include <nlohmann/json.hpp>

#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/model/entry.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

struct LoadedPattern {
  RuleSet set;
  std::string text;
};

LoadedPattern WithPattern(const std::string& pattern,
                          const std::string& more = "") {
  LoadedPattern loaded;
  Diagnostics diagnostics;
  loaded.set = LoadRules({{"f.yaml",
                           "facts: 1\nsignatures:\n  - id: site.x\n"
                           "    role: context\n    pattern: " +
                               pattern + "\n" + more,
                           true, nullptr}},
                         &diagnostics);
  for (const auto& d : diagnostics) loaded.text += Render(d, false) + "\n";
  return loaded;
}

constexpr const char* kTwo = R"(
      - {re: 'lost card {device:integer}', sample: {line: 'we lost card 3', device: 3}}
      - {re: 'card (?P<device>\d+) fell off', sample: card 4 fell off})";

}  // namespace

TEST_CASE("each pattern of a list brings its sample") {
  const LoadedPattern loaded = WithPattern(kTwo);
  CHECK(loaded.text.empty());
  REQUIRE(loaded.set.signatures.size() == 1);
  const Signature& signature = loaded.set.signatures[0];
  REQUIRE(signature.patterns.size() == 2);
  CHECK(signature.patterns[0].text == "lost card {device:integer}");
  CHECK(signature.patterns[0].re2 == R"(lost card (?P<device>\d+))");
  CHECK(signature.patterns[0].place.line == 6);
  CHECK(signature.patterns[1].sample->line == "card 4 fell off");
  CHECK(signature.types.at("device") == CaptureType::kInteger);
}

TEST_CASE("a sample must be one of its own pattern") {
  CHECK_THAT(WithPattern(R"([{re: abcd, sample: abc}, efgh])").text,
             HasText("R040"));
  const std::string taken =
      WithPattern(R"([lost card, {re: 'card \d', sample: lost card 3}])").text;
  CHECK_THAT(taken, HasText("error[R045]"));
  CHECK_THAT(taken, HasText("in line 5"));
  CHECK_THAT(
      WithPattern(R"([{re: 'card {n:integer}', sample: {line: card 3, n: 4}}])")
          .text,
      HasText("error[R041]"));
}

TEST_CASE("a list without any sample wants one under samples") {
  CHECK_THAT(WithPattern("[abcd, efgh]").text,
             HasText("needs the key 'samples'"));
  CHECK_THAT(WithPattern("[abcd, efgh]", "    samples: {no_match: [x]}\n").text,
             HasText("'samples' needs the key 'match'"));
  CHECK(WithPattern("[abcd, efgh]", "    samples: {match: [efgh]}\n")
            .text.empty());
  CHECK(WithPattern("[{re: abcd, sample: abcd}, efgh]",
                    "    samples: {no_match: [x]}\n")
            .text.empty());
}

TEST_CASE("what is wrong with a pattern of a list is said with its place") {
  const std::string bad = WithPattern("[abcd, '(efgh']").text;
  CHECK_THAT(bad, HasText("error[R030]"));
  CHECK_THAT(bad, HasText("f.yaml:5:"));
  CHECK_THAT(WithPattern("[{re: abcd, smaple: abcd}]").text,
             HasText("did you mean 'sample'?"));
  CHECK_THAT(WithPattern("[{sample: abcd}]").text,
             HasText("a pattern needs the key 're'"));
  CHECK_THAT(WithPattern("[]").text, HasText("error[R012]"));
  CHECK_THAT(WithPattern("7").text, HasText("put it in 'quotes'"));
}

TEST_CASE("kinds and types of captures") {
  const std::string samples = "    samples: {match: ['used 1 GiB']}\n";
  CHECK_THAT(WithPattern("'used {size:byte}'", samples).text,
             HasText("did you mean 'bytes'?"));
  CHECK_THAT(WithPattern("'used {size:bytes}'",
                         samples + "    types: {size: integer}\n")
                 .text,
             HasText("error[R037]: 'size' is given two types"));
  CHECK(
      WithPattern("'used {size:bytes}'", samples + "    types: {size: bytes}\n")
          .text.empty());
}

TEST_CASE("fragments are of the file") {
  const auto with = [](const std::string& fragments) {
    return WithPattern("'{:head}lost {card:card}'",
                       "    samples: {match: [{line: 'NVRM: lost card 3', "
                       "card: card 3}]}\nfragments: " +
                           fragments + "\n");
  };
  const LoadedPattern loaded =
      with("{head: 'NVRM: ', card: ['card \\d+', GPU]}");
  CHECK(loaded.text.empty());
  REQUIRE(loaded.set.signatures.size() == 1);
  CHECK(loaded.set.signatures[0].patterns[0].re2 ==
        R"((?:NVRM: )lost (?P<card>card \d+|GPU))");
  CHECK_THAT(with("{bytes: x}").text, HasText("error[R039]"));
  CHECK_THAT(with("{head: 7}").text, HasText("a text or a list of texts"));
}

TEST_CASE("patterns are written back as they were") {
  const auto json = ToJson(WithPattern(kTwo).set.signatures.at(0));
  REQUIRE(json["pattern"].size() == 2);
  CHECK(json["pattern"][0]["re"] == "lost card {device:integer}");
  CHECK(json["pattern"][0]["sample"]["device"] == 3);
  CHECK(json["pattern"][1]["sample"] == "card 4 fell off");
  CHECK_FALSE(json.contains("types"));
  CHECK_FALSE(json.contains("samples"));
}

TEST_CASE("unless excludes lines") {
  const auto with = [](const std::string& unless, const std::string& match) {
    return WithPattern("lost card",
                       "    unless: '" + unless + "'\n    samples: {match: ['" +
                           match + "'], no_match: ['drill: lost card']}\n");
  };
  const LoadedPattern loaded = with("^drill", "lost card");
  CHECK(loaded.text.empty());
  REQUIRE(loaded.set.signatures.size() == 1);
  CHECK(loaded.set.signatures[0].unless->re2 == "^drill");
  CHECK_THAT(with("^drill", "drill: lost card").text, HasText("error[R040]"));
  CHECK_THAT(with("(drill", "lost card").text, HasText("error[R030]"));
  CHECK_THAT(with("^fire", "lost card").text, HasText("error[R042]"));
}

TEST_CASE("a signature keeps its codes under an override") {
  const std::string signature =
      "facts: 1\nsignatures:\n  - id: site.x\n    role: context\n"
      "    pattern: 'status {error_number:integer}'\n    code: status\n"
      "    samples: {match: [{line: status 5, error_number: 5}], "
      "no_match: [status five]}\n";
  const std::string codes = "codes:\n  - {number: 5, name: LOST}\n";
  const auto load = [](const std::string& text) {
    LoadedPattern loaded;
    Diagnostics diagnostics;
    loaded.set = LoadRules(
        {{"f.yaml", text},
         {"g.yaml",
          "facts: 1\noverrides:\n  - {id: site.x, severity: warning}\n"}},
        &diagnostics);
    for (const auto& d : diagnostics) loaded.text += Render(d, false) + "\n";
    return loaded;
  };
  const LoadedPattern loaded = load(signature + codes);
  CHECK(loaded.text.empty());
  REQUIRE(loaded.set.signatures.size() == 1);
  CHECK(loaded.set.signatures[0].severity == Severity::kWarning);
  CHECK(loaded.set.signatures[0].codes != nullptr);
  CHECK_THAT(load(signature).text, HasText("'code' needs the key 'codes'"));
  CHECK_THAT(load(signature + "codes: [{name: LOST}, 7]\n").text,
             HasText("error[R012]"));
}
