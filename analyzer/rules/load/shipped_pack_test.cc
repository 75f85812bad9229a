// SPDX-License-Identifier: Apache-2.0
// What the shipped rules keep to beyond what the loader asks for.
#include <re2/re2.h>

#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/signatures/signature_literals.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "analyzer/rules/signatures/signature_sieve.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

const std::string kRoot = std::string(INQUEST_SOURCE_DIR) + "/rules/";

const RuleSet& Shipped() {
  static const RuleSet set = [] {
    auto sources = ReadRuleDirectory(kRoot);
    REQUIRE(sources.ok());
    for (RuleSource& source : *sources) source.check_samples = false;
    Diagnostics diagnostics;
    return LoadRules(*sources, &diagnostics);
  }();
  return set;
}

// "signatures/torch/oom.yaml" asks for "torch.", "traces/…" for "trace.".
std::string PrefixFor(const std::string& file) {
  REQUIRE(file.starts_with(kRoot));
  const std::string path = file.substr(kRoot.size());
  if (path.starts_with("traces/")) return "trace.";
  const std::string folder = "signatures/";
  REQUIRE(path.starts_with(folder));
  const size_t end = path.find('/', folder.size());
  REQUIRE(end != path.npos);
  return path.substr(folder.size(), end - folder.size()) + ".";
}

template <typename Entries>
void CheckIds(const Entries& entries) {
  for (const auto& entry : entries) {
    CAPTURE(entry.id, entry.place.file);
    CHECK(entry.id.starts_with(PrefixFor(entry.place.file)));
  }
}

}  // namespace

TEST_CASE("every shipped id begins with its path") {
  CHECK(Shipped().signatures.size() > 600);
  CheckIds(Shipped().signatures);
  CheckIds(Shipped().rules);
}

TEST_CASE("shipped patterns are short, and those of lists are shown") {
  for (const Signature& signature : Shipped().signatures) {
    CAPTURE(signature.id);
    for (const Pattern& pattern : signature.patterns) {
      CAPTURE(pattern.text);
      CHECK(pattern.length <= kMaxPatternLength);
      // A text without an operator is its own sample.
      const bool plain = re2::RE2::FullMatch(
          pattern.text, R"((?:[^\\.+*?()|\[{^$]|\\[^a-zA-Z0-9])*)");
      CHECK((signature.patterns.size() == 1 || pattern.sample || plain));
    }
  }
}

// A pattern without a literal lets no line pass unlooked at, and five times as
// many are looked at then: a signature that is tried and fails is muted, one
// that the automaton of these patterns leaves out never is.
TEST_CASE("only a dump's frames have patterns that every line is tried with") {
  for (const Signature& signature : Shipped().signatures) {
    CAPTURE(signature.id);
    for (const Pattern& pattern : signature.patterns) {
      CAPTURE(pattern.text);
      const bool has_literal =
          !LiteralsOf(pattern.re2, Sieve::kShortest).any.empty();
      CHECK((has_literal || signature.id == "distributed.stack.dump"));
    }
  }
}
