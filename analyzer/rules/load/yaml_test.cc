// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/yaml.h"

#include <random>

#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;
using nlohmann::json;

namespace {

YamlDocument Parsed(const std::string& text) {
  YamlDocument document;
  Diagnostics diagnostics;
  const bool ok = ParseYaml("f.yaml", text, {}, &document, &diagnostics);
  for (const auto& d : diagnostics) UNSCOPED_INFO(Render(d, false));
  REQUIRE(ok);
  CHECK(diagnostics.empty());
  return document;
}

// The one diagnostic that a faulty text gets, rendered.
std::string Refused(const std::string& text, const YamlLimits& limits = {}) {
  YamlDocument document;
  Diagnostics diagnostics;
  CHECK_FALSE(ParseYaml("f.yaml", text, limits, &document, &diagnostics));
  REQUIRE(diagnostics.size() == 1);
  return Render(diagnostics[0], false);
}

}  // namespace

TEST_CASE("plain scalars are typed, quoted ones are text") {
  const json root = Parsed(R"(
int: 42
minus: -7
hex: 0x1F
octal: 0o17
big: 18446744073709551615
real: 1.5e3
point: .5
yes: true
no: False
word: yes
nothing: ~
empty:
quoted: "42"
single: '0x1F'
version: 8.9.2
time: 12:30
plus: +5
inf: .inf
nan: nan
)")
                        .root;
  CHECK(root["int"] == 42);
  CHECK(root["minus"] == -7);
  CHECK(root["hex"] == 31);
  CHECK(root["octal"] == 15);
  CHECK(root["big"] == 18446744073709551615u);
  CHECK(root["real"] == 1500.0);
  CHECK(root["point"] == 0.5);
  CHECK(root["yes"] == true);
  CHECK(root["no"] == false);
  CHECK(root["word"] == "yes");
  CHECK(root["nothing"].is_null());
  CHECK(root["empty"].is_null());
  CHECK(root["quoted"] == "42");
  CHECK(root["single"] == "0x1F");
  CHECK(root["version"] == "8.9.2");
  CHECK(root["time"] == "12:30");
  CHECK(root["plus"] == 5);
  CHECK(root["inf"] == ".inf");
  CHECK(root["nan"] == "nan");
}

TEST_CASE("places of keys and values") {
  const auto document = Parsed("a:\n  - b: 1\n    c/d: [x, y]\n");
  CHECK(document.Where("/a/0/b").line == 2);
  CHECK(document.Where("/a/0/b").column == 8);
  CHECK(document.WhereKey("/a/0/c~1d").line == 3);
  CHECK(document.Where("/a/0/c~1d/1").column == 14);
  // What has no place of its own gets its parent's.
  CHECK(document.Where("/a/0/missing/deep").line == 2);
  CHECK(document.Where("").line == 1);
}

TEST_CASE("JSON is YAML") {
  const json root =
      Parsed(R"({"a": [1, "x\u00e9\/", null, true], "b": {}})").root;
  CHECK(root == json::parse(R"({"a": [1, "xé/", null, true], "b": {}})"));
}

TEST_CASE("byte order mark, empty texts") {
  CHECK(Parsed("\xEF\xBB\xBF"
               "a: 1")
            .root["a"] == 1);
  CHECK(Parsed("").root.is_null());
  CHECK(Parsed("# only a comment\n").root.is_null());
}

TEST_CASE("parts of YAML that are refused") {
  CHECK_THAT(Refused("a: &x 1"), HasText("anchors"));
  CHECK_THAT(Refused("a: &x 1\nb: *x"), HasText("R003"));
  CHECK_THAT(Refused("a: !!python/object:os.system x"), HasText("tags"));
  CHECK_THAT(Refused("a: 1\na: 2\n"), HasText("f.yaml:2:1"));
  CHECK_THAT(Refused("a: 1\na: 2\n"), HasText("appears twice"));
  CHECK_THAT(Refused("? [a, b]\n: 1\n"), HasText("a key must be a word"));
  CHECK_THAT(Refused("~: 1\n"), HasText("a key must be a word"));
  CHECK_THAT(Refused("a: 1\n---\nb: 2\n"), HasText("second document"));
}

TEST_CASE("faulty YAML says where") {
  const std::string message = Refused("a: 1\nb: [1, 2\nc: 3\n");
  CHECK_THAT(message, HasText("error[R002]"));
  CHECK_THAT(message, HasText("f.yaml:"));
  CHECK_THAT(Refused("p: \"\\d+\"\n"), HasText("single quotes"));
  CHECK_THAT(Refused("a: b: c\n"), HasText("needs quotes"));
  CHECK_THAT(Refused("a: 1\nb: caf\xe9\n"), HasText("f.yaml:2:7"));
  CHECK_THAT(Refused(std::string("a: \0b", 5)), HasText("not UTF-8"));
}

TEST_CASE("budgets") {
  YamlLimits limits;
  limits.nodes = 10;
  CHECK_THAT(Refused("[1,2,3,4,5,6,7,8,9,10,11]", limits), HasText("R004"));
  limits = {};
  limits.bytes = 10;
  CHECK_THAT(Refused("a: 123456789", limits), HasText("larger than 10"));
}

TEST_CASE("deep nesting ends in a message, not in a crash") {
  const size_t deep = 200000;
  CHECK_THAT(Refused(std::string(deep, '[')), HasText("f.yaml:1:"));
  CHECK_THAT(Refused("a: " + std::string(100, '[') + std::string(100, ']')),
             HasText("nested deeper"));
  CHECK_THAT(Refused(std::string(deep, '{')), HasText("f.yaml:1:"));
  std::string maps;
  for (int i = 0; i < 3000; ++i) {
    maps += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  }
  CHECK_THAT(Refused(maps), HasText("nested deeper"));
  std::string dashes;
  for (size_t i = 0; i < deep; ++i) dashes += "- ";
  CHECK_THAT(Refused(dashes), HasText("nested deeper"));
}

TEST_CASE("an alias bomb is no bomb") {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    bomb += std::string(1, c) + ": &" + c + " [*" + static_cast<char>(c - 1) +
            ",*" + static_cast<char>(c - 1) + "]\n";
  }
  CHECK_THAT(Refused(bomb), HasText("anchors"));
}

TEST_CASE("random bytes and mutations never crash") {
  std::mt19937 random(7);
  const std::string seed =
      "facts: 1\nsignatures:\n  - id: a.b\n    pattern: 'x(?P<n>\\d+)'\n"
      "    samples: {match: [{line: 'x1', n: 1}], no_match: [\"y\"]}\n";
  const std::string alphabet = "\t\n\r -:?[]{},#&*!|>'\"%@`~\\x0a1\x01\xC3\xE9";
  for (int round = 0; round < 3000; ++round) {
    std::string text = seed;
    for (int i = 0; i < 6; ++i) {
      const size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      switch (random() % 3) {
        case 0:
          text[at] = c;
          break;
        case 1:
          text.insert(at, 1, c);
          break;
        default:
          text.erase(at, 1 + random() % 4);
      }
    }
    YamlDocument document;
    Diagnostics diagnostics;
    const bool ok = ParseYaml("f", text, {}, &document, &diagnostics);
    CHECK(ok == diagnostics.empty());
  }
}

TEST_CASE("lines by number") {
  CHECK(LineOf("a\nb\r\nc", 1) == "a");
  CHECK(LineOf("a\nb\r\nc", 2) == "b");
  CHECK(LineOf("a\nb\r\nc", 3) == "c");
  CHECK(LineOf("a\nb\r\nc", 4).empty());
  CHECK(LineOf("a", 0).empty());
}
