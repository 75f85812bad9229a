// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/pattern_shorthand.h"

#include <re2/re2.h>

#include <nlohmann/json.hpp>

#include "tests/catch_compat.h"

using namespace inquest::rules;

TEST_CASE("a shorthand becomes a named capture and its type") {
  const Expanded expanded =
      ExpandKinds("tried {requested_bytes:bytes} on {device:integer}");
  CHECK(
      expanded.re2 ==
      R"(tried (?P<requested_bytes>[\d.]+ ?(?:[KMGTPE]i?B|[Bb]ytes|B)) on (?P<device>\d+))");
  CHECK(expanded.types.at("requested_bytes") == CaptureType::kBytes);
  CHECK(expanded.types.at("device") == CaptureType::kInteger);
  CHECK(expanded.unknown.empty());
}

TEST_CASE("other braces stay as they are") {
  for (
      const char* text :
      {R"(x{2,3} [{a:bytes}] \{a:bytes} [^]{a:bytes}] [[:word:]{a:bytes}] {a} )",
       R"({a:} {:} {1a:bytes} {a:bytes {a b:bytes} \)", "", "{", "["}) {
    CHECK(ExpandKinds(text).re2 == text);
    CHECK(ExpandKinds(text).types.empty());
  }
}

TEST_CASE("an unknown kind is text, and said") {
  const Expanded expanded = ExpandKinds("{device:int}");
  CHECK(expanded.re2 == "{device:int}");
  CHECK(expanded.unknown == "int");
}

TEST_CASE("each kind matches its example") {
  for (const CaptureKind& kind : CaptureKinds()) {
    CAPTURE(kind.name);
    const Expanded expanded =
        ExpandKinds("^{x:" + std::string(kind.name) + "}$");
    CHECK(re2::RE2::PartialMatch(std::string(kind.example), expanded.re2));
  }
}

TEST_CASE("a file with codes has fragments for them, or its own") {
  const nlohmann::json file = {
      {"codes", {{{"name", {"EIO", "ENOSPC"}}, {"cause", "storage/full"}}}},
      {"fragments", {{"calm", "again"}}}};
  const Fragments fragments = FragmentsOf(file, CodesIn(file));
  CHECK(fragments.at("code_name") == "ENOSPC");
  CHECK_FALSE(fragments.contains("code_text"));
  CHECK(fragments.at("calm") == "again");
  const re2::RE2 source(fragments.at("source"));
  CHECK(re2::RE2::PartialMatch("if (status == cudaSuccess) {", source));
  CHECK(re2::RE2::PartialMatch("---> 24     raise Full(\"no room\")", source));
  CHECK_FALSE(re2::RE2::PartialMatch("24 of them raise errors", source));
  CHECK_FALSE(
      re2::RE2::PartialMatch("(status == cudaSuccess) is false", source));
}

TEST_CASE("fragments are inserted, captured or not") {
  const Fragments fragments = FragmentsOf(
      {{"fragments",
        {{"head", "^(?:a|b) "}, {"error-name", {"Key", "Value"}}, {"bad", 7}}}},
      {});
  CHECK(fragments.size() == 2);
  CHECK(InsertFragments("{:head}x{error:error-name} {n:integer} [{:head}]",
                        fragments) ==
        "(?:^(?:a|b) )x(?P<error>Key|Value) {n:integer} [{:head}]");
  CHECK(ExpandKinds("used {:integer}").re2 == R"(used (?:\d+))");
}
