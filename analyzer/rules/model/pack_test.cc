// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/pack.h"

#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

constexpr char kFile[] = R"(facts: 1
signatures:
  - id: a.one
    pattern: 'CUDA error: (?P<cuda_error>\w+)'
    role: cause
    cause: kernel/launch-config
    title: A launch failed
    samples: {match: ['CUDA error: oops'], no_match: ['CUDA warning']}
relations:
  - {from: memory/*, to: 'id:a.one', kind: explains, why: because}
)";

RuleSet LoadTaken(const std::vector<RuleSource>& sources) {
  Diagnostics diagnostics;
  RuleSet set = LoadRules(sources, &diagnostics);
  CHECK(diagnostics.empty());
  return set;
}

}  // namespace

TEST_CASE("a packed file loads as its text does") {
  const std::vector<RuleSource> text = {{"one.yaml", kFile, true, nullptr}};
  const auto packed = ReadPack(WritePack(text));
  REQUIRE(packed.ok());
  REQUIRE(packed->size() == 1);
  CHECK((*packed)[0].text == kFile);
  const RuleSet from_text = LoadTaken(text);
  const RuleSet from_pack = LoadTaken(*packed);
  REQUIRE(from_pack.signatures.size() == 1);
  const Signature& a = from_text.signatures[0];
  const Signature& b = from_pack.signatures[0];
  CHECK(a.patterns[0].re2 == b.patterns[0].re2);
  CHECK(a.title == b.title);
  CHECK(a.place.line == b.place.line);
  CHECK(b.match.size() == 1);
  REQUIRE(b.patterns[0].literals.has_value());
  CHECK(b.patterns[0].literals->any ==
        std::vector<std::string>{"cuda error: "});
  CHECK(from_pack.relations.size() == from_text.relations.size());
}

TEST_CASE("a packed file's text is read anew where that is asked for") {
  const auto packed = ReadPack(WritePack({{"one.yaml", kFile, true, nullptr}}),
                               PackForm::kText);
  REQUIRE(packed.ok());
  CHECK((*packed)[0].text == kFile);
  CHECK((*packed)[0].check_samples);
  const RuleSet set = LoadTaken(*packed);
  REQUIRE(set.signatures.size() == 1);
  CHECK(set.signatures[0].patterns[0].literals.has_value());
  CHECK(set.signatures[0].patterns[0].place.column == 14);
}

TEST_CASE("a pack that is none is an error, not an exception") {
  CHECK_FALSE(ReadPack("no CBOR").ok());
  std::string cut = WritePack({{"one.yaml", kFile, true, nullptr}});
  cut.resize(cut.size() / 2);
  CHECK_FALSE(ReadPack(cut).ok());
}

TEST_CASE("patterns of a list bring their literals too") {
  const auto packed = ReadPack(WritePack({{"one.yaml", R"(facts: 1
signatures:
  - id: a.list
    pattern:
      - {re: 'lost card {device:integer}', sample: lost card 3}
      - 'card fell off'
    role: context
)",
                                           true, nullptr}}));
  REQUIRE(packed.ok());
  const RuleSet set = LoadTaken(*packed);
  REQUIRE(set.signatures.size() == 1);
  const auto& patterns = set.signatures[0].patterns;
  REQUIRE(patterns.size() == 2);
  CHECK(patterns[0].literals->any == std::vector<std::string>{"lost card "});
  CHECK(patterns[1].literals->any == std::vector<std::string>{"card fell off"});
}
