// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analyzer/rules/load/loader_codes.h"
#include "analyzer/rules/model/taxonomy.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

constexpr const char* kGood = R"(facts: 1
pack: torch
signatures:
  - id: torch.oom
    pattern: 'CUDA out of memory\. Tried to allocate (?P<requested_bytes>[\d.]+ [KMGT]?i?B)'
    types: {requested_bytes: bytes}
    role: cause
    cause: memory/capacity
    fact: oom
    title: PyTorch's allocator found no memory on the GPU
    message: 'no room for {requested_bytes|bytes}'
    fix: [{text: smaller batches, command: 'x=1', when: torch}]
    references: [the manual]
    samples:
      match:
        - {line: 'OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.', requested_bytes: 2147483648}
      no_match: ['If reserved memory is >> allocated memory try setting max_split_size_mb']
rules:
  - id: memory.fragmentation
    title: in pieces
    cause: memory/fragmentation
    needs: [oom]
    sql: SELECT 'oom:' || id AS evidence FROM oom
    confidence: possible
    message: '{held|bytes}'
    exceptions: [{name: known, where: {rank: 3}}]
    limits: {rows: 5, milliseconds: 10}
relations:
  - {from: memory/fragmentation, to: 'id:torch.*', kind: refines, scope: event, within: 30min, order: any, why: the same request}
)";

struct Loaded {
  RuleSet set;
  Diagnostics diagnostics;
  std::string text;  // all diagnostics, rendered
};

Loaded Load(const std::vector<RuleSource>& sources) {
  Loaded loaded;
  loaded.set = LoadRules(sources, &loaded.diagnostics);
  for (const auto& d : loaded.diagnostics) {
    loaded.text += Render(d, false) + "\n";
  }
  return loaded;
}

// kGood with one piece replaced by another.
Loaded With(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  return Load({{"rules/torch.yaml", text}});
}

std::string Minimal(const std::string& pattern, const std::string& sample,
                    const std::string& more = "") {
  return "facts: 1\nsignatures:\n  - id: x.y\n    pattern: '" + pattern +
         "'\n    role: benign\n    samples: {match: [" + sample + "]" +
         (more.empty() ? "" : ", " + more) + "}\n";
}

}  // namespace

TEST_CASE("everything of a good file arrives") {
  const Loaded loaded = Load({{"rules/torch.yaml", kGood}});
  CHECK(loaded.text.empty());
  REQUIRE(loaded.set.signatures.size() == 1);
  const auto& signature = loaded.set.signatures[0];
  CHECK(signature.id == "torch.oom");
  CHECK(signature.pack == "torch");
  CHECK(signature.role == Role::kCause);
  CHECK(signature.fact == "oom");
  CHECK(signature.severity == Severity::kError);
  CHECK(signature.types.at("requested_bytes") == CaptureType::kBytes);
  REQUIRE(signature.fix.size() == 1);
  CHECK(signature.fix[0].when == std::vector<std::string>{"torch"});
  CHECK(signature.match[0].figures["requested_bytes"] == 2147483648);
  CHECK(signature.place.line == 4);
  CHECK(signature.patterns[0].place.line == 5);
  REQUIRE(loaded.set.rules.size() == 1);
  const auto& rule = loaded.set.rules[0];
  CHECK(rule.confidence == Confidence::kPossible);
  CHECK(rule.exceptions[0].tuples[0]["rank"] == 3);
  CHECK(rule.max_rows == 5);
  CHECK(rule.max_milliseconds == 10);
  REQUIRE(loaded.set.relations.size() == 1);
  const auto& relation = loaded.set.relations[0];
  CHECK(relation.kind == Relation::Kind::kRefines);
  CHECK(relation.scope == Relation::Scope::kEvent);
  CHECK(relation.any_order);
  CHECK(relation.within_ns == 1800LL * 1000000000);
}

TEST_CASE("an unknown key names the nearest known one") {
  const Loaded loaded = With("    types:", "    typs:");
  CHECK_THAT(loaded.text,
             HasText("error[R010]: a signature has no key 'typs'"));
  CHECK_THAT(loaded.text, HasText("rules/torch.yaml:6:5"));
  CHECK_THAT(loaded.text, HasText("did you mean 'types'?"));
  CHECK(loaded.set.signatures.empty());
  CHECK(loaded.set.rules.size() == 1);  // the rest loads
  CHECK(HasErrors(loaded.diagnostics));
}

TEST_CASE("missing keys") {
  CHECK_THAT(With("    role: cause\n", "").text,
             HasText("a signature needs the key 'role'"));
  CHECK_THAT(With("    cause: memory/capacity\n", "").text,
             HasText("role 'cause' needs the key 'cause'"));
  CHECK_THAT(
      With("    title: PyTorch's allocator found no memory on the GPU\n", "")
          .text,
      HasText("needs the key 'title'"));
  CHECK_THAT(With("facts: 1\n", "").text,
             HasText("a rule file needs the key 'facts'"));
  CHECK_THAT(With("    sql: SELECT", "    #").text,
             HasText("a rule needs the key 'sql'"));
  CHECK_THAT(With(", why: the same request", "").text,
             HasText("a relation needs the key 'why'"));
}

TEST_CASE("wrong types say what was found") {
  CHECK_THAT(With("pack: torch", "pack: 5").text,
             HasText("put it in 'quotes'"));
  CHECK_THAT(With("needs: [oom]", "needs: oom").text,
             HasText("'needs' must be a list of texts"));
  CHECK_THAT(With("types: {requested_bytes: bytes}", "types: bytes").text,
             HasText("'types' must be a mapping"));
  CHECK_THAT(With("{rows: 5,", "{rows: -5,").text,
             HasText("a whole number above 0"));
  CHECK_THAT(With("    fact: oom", "    repeat: 'yes'").text,
             HasText("'repeat' must be true or false"));
  CHECK_THAT(With("[{text: smaller batches, command: 'x=1', when: torch}]",
                  "[smaller]")
                 .text,
             HasText("'fix' must be a list of mappings"));
  CHECK_THAT(Load({{"f", "[1, 2]"}}).text, HasText("must be a mapping"));
  CHECK_THAT(Load({{"f", "facts: 1\nrules: [7]"}}).text,
             HasText("a rule must be a mapping"));
  CHECK_THAT(Load({{"f", ""}}).text, HasText("must be a mapping"));
}

TEST_CASE("words that the format does not know") {
  CHECK_THAT(With("role: cause", "role: couse").text,
             HasText("did you mean 'cause'?"));
  CHECK_THAT(With("fact: oom", "fact: ooom").text,
             HasText("did you mean 'oom'?"));
  CHECK_THAT(With("requested_bytes: bytes", "requested_bytes: byte").text,
             HasText("did you mean 'bytes'?"));
  CHECK_THAT(With("kind: refines", "kind: zzz").text,
             HasText("one of: explains, refines, excludes"));
  CHECK_THAT(With("when: torch", "when: mxnet").text,
             HasText("torch, tensorflow, jax"));
}

TEST_CASE("ids and causes") {
  CHECK_THAT(With("id: torch.oom", "id: Torch OOM").text, HasText("R014"));
  CHECK_THAT(With("cause: memory/capacity", "cause: memory/capcity").text,
             HasText("did you mean 'memory/capacity'?"));
  const Loaded unlisted =
      With("cause: memory/capacity", "cause: site/broken-cable");
  CHECK_THAT(unlisted.text, HasText("warning[R021]"));
  CHECK(unlisted.set.signatures.size() == 1);
  CHECK_THAT(With("cause: memory/capacity", "cause: Out of memory").text,
             HasText("error[R020]"));
}

TEST_CASE("a bad pattern shows the piece and where it stands") {
  const Loaded loaded = With("[KMGT]?i?B)'", "[KMGT]?i?B'");
  CHECK_THAT(loaded.text,
             HasText("error[R030]: the pattern is not a valid RE2"));
  CHECK_THAT(loaded.text, HasText("missing )"));

  const Loaded look = Load({{"f", Minimal("abc(?=def)", "abcdef")}});
  CHECK_THAT(look.text, HasText("error[R031]"));
  CHECK_THAT(look.text, HasText("f:4:18"));
  CHECK_THAT(look.text, HasText("look-ahead"));
  CHECK_THAT(
      look.text,
      HasText("   |     pattern: 'abc(?=def)'\n   |                  ^"));
  CHECK_THAT(Load({{"f", Minimal("(a)\\1", "aa")}}).text,
             HasText("back-references"));
  CHECK_THAT(Load({{"f", Minimal("a++b", "ab")}}).text, HasText("possessive"));
  CHECK_THAT(Load({{"f", Minimal("a{2000}", "ab")}}).text, HasText("R030"));
  CHECK_THAT(Load({{"f", Minimal("x*", "x")}}).text, HasText("R034"));
}

TEST_CASE("names around the pattern") {
  CHECK_THAT(With("types: {requested_bytes:", "types: {requested_byte:").text,
             HasText("did you mean 'requested_bytes'?"));
  CHECK_THAT(With("{requested_bytes|bytes}'", "{requested|bytes}'").text,
             HasText("no capture supplies the figure {requested}"));
  CHECK_THAT(With("{requested_bytes|bytes}'", "{requested_bytes|byts}'").text,
             HasText("did you mean 'bytes'?"));
  CHECK_THAT(With("    fact: oom", "    set: {requested_bytes: 1}").text,
             HasText("is both set and captured"));
}

TEST_CASE("samples are tried") {
  CHECK_THAT(With("Tried to allocate 2.00 GiB.'", "Tried to allot.'").text,
             HasText("error[R040]: 'torch.oom' does not match its own sample"));
  CHECK_THAT(With("requested_bytes: 2147483648}", "requested_bytes: 2}").text,
             HasText("expects requested_bytes = 2, the line gives 2147483648"));
  CHECK_THAT(With("requested_bytes: 2147483648}", "pid: 2}").text,
             HasText("no such figure"));
  CHECK_THAT(
      With("['If reserved", "['CUDA out of memory. Tried to allocate 1 B ")
          .text,
      HasText("error[R042]"));
  CHECK_THAT(
      Load({{"f", Minimal("(?P<v>[\\d.]+) here", "{line: 8.0 here, v: 8.0}")}})
          .text,
      HasText("in 'quotes'"));
  CHECK_THAT(Load({{"f", Minimal("abcd", "")}}).text, HasText("R043"));
  CHECK_THAT(Load({{"f", Minimal("abcd", "7")}}).text, HasText("R012"));
  CHECK(Load({{"f", Minimal("abcd", "xabcdx")}}).text.empty());
}

TEST_CASE("samples of tested sources are taken as they are") {
  std::vector<RuleSource> sources = {{"f", Minimal("abcd", "nothing")}};
  CHECK_FALSE(Load(sources).text.empty());
  sources[0].check_samples = false;
  CHECK(Load(sources).text.empty());
}

TEST_CASE("ids used twice name both places") {
  std::string text = kGood;
  text.replace(text.find("id: memory.fragmentation"), 24, "id: torch.oom");
  const Loaded both = Load({{"f.yaml", text}});
  CHECK_THAT(both.text,
             HasText("error[R015]: the id 'torch.oom' is used twice"));
  CHECK_THAT(both.text, HasText("it is already at f.yaml:4:5"));
  CHECK(both.set.rules.empty());
}

TEST_CASE("a later file replaces what an earlier one defined") {
  std::string later = kGood;
  later.replace(later.find("smaller batches"), 15, "other batches");
  const Loaded loaded = Load({{"a.yaml", kGood}, {"b.yaml", later}});
  CHECK_FALSE(HasErrors(loaded.diagnostics));
  CHECK_THAT(loaded.text, HasText("note[R060]: 'torch.oom' replaces"));
  REQUIRE(loaded.set.signatures.size() == 1);
  CHECK(loaded.set.signatures[0].fix[0].text == "other batches");
  CHECK(loaded.set.signatures[0].place.file == "b.yaml");
}

TEST_CASE("relations must lead somewhere") {
  CHECK_THAT(With("'id:torch.*'", "'id:torch.om'").text,
             HasText("did you mean 'id:torch.oom'?"));
  CHECK_THAT(With("'id:torch.*'", "torch.oom").text,
             HasText("write 'id:torch.oom'"));
  CHECK_THAT(
      With("from: memory/fragmentation", "from: [memory/*, memry/*]").text,
      HasText("there is no cause 'memry/*'"));
  CHECK_THAT(With("within: 30min", "within: '30'").text, HasText("R051"));
  CHECK_THAT(With("within: 30min", "within: soon").text, HasText("R051"));
  // A relation to an entry that failed for its own reason is not blamed.
  const Loaded failed = With("role: cause", "role: couse");
  CHECK(failed.text.find("R050") == std::string::npos);
}

TEST_CASE("files for other facts") {
  CHECK_THAT(With("facts: 1", "facts: 2").text, HasText("error[R005]"));
}

TEST_CASE("a broken file does not take the others with it") {
  const Loaded loaded = Load({{"bad.yaml", "a: [1"}, {"good.yaml", kGood}});
  CHECK(loaded.set.signatures.size() == 1);
  CHECK_THAT(loaded.text, HasText("bad.yaml:"));
}

TEST_CASE("complaints are bounded") {
  std::string text = "facts: 1\nrelations:\n";
  for (int i = 0; i < 5000; ++i) text += "  - {frm: x}\n";
  const Loaded loaded = Load({{"f", text}});
  CHECK(loaded.diagnostics.size() <= 201);
  CHECK_THAT(loaded.text, HasText("the rest is not shown"));
}

TEST_CASE("every code that is used is explained") {
  for (const RuleCode& code : RuleCodes()) {
    CHECK_FALSE(code.title.empty());
    CHECK(code.explanation.size() > 15);
    CHECK(FindRuleCode(code.code) != nullptr);
  }
  CHECK(FindRuleCode("R999") == nullptr);
  const auto bad = With("[KMGT]?i?B)'", "[KMGT]?i?B'");
  for (const auto& d : bad.diagnostics) CHECK(FindRuleCode(d.code) != nullptr);
}

TEST_CASE("causes look like causes") {
  for (const Cause& cause : Causes()) CHECK(LooksLikeCause(cause.id));
  for (const char* no :
       {"", "memory", "memory/", "/x", "Memory/x", "a/b/c", "none/", "a b/c"}) {
    CAPTURE(no);
    CHECK_FALSE(LooksLikeCause(no));
  }
}

TEST_CASE("rule folders") {
  namespace fs = std::filesystem;
  const fs::path root =
      fs::temp_directory_path() / ("inquest-rules-" + std::to_string(getpid()));
  fs::create_directories(root / "sub");
  for (const char* name : {"b.yaml", "a.yml", "sub/c.json", "a.test.yaml",
                           "notes.txt", ".hidden.yaml"}) {
    std::ofstream(root / name) << "facts: 1\n";
  }
  std::ofstream(root / "empty.yaml");
  fs::create_directory_symlink(root, root / "sub" / "loop");
  const auto sources = ReadRuleDirectory(root.string());
  REQUIRE(sources.ok());
  std::vector<std::string> names;
  for (const auto& source : *sources) {
    names.push_back(fs::path(source.name).filename().string());
  }
  CHECK(names ==
        std::vector<std::string>{"a.yml", "b.yaml", "empty.yaml", "c.json"});
  CHECK(ReadRuleDirectory((root / "b.yaml").string())->size() == 1);
  const auto none = ReadRuleDirectory((root / "none").string());
  CHECK(none.status().code() == StatusCode::kUnreadable);
  CHECK_FALSE(ReadRuleDirectory("/dev/null").ok());
  fs::remove_all(root);
}
