// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/signature_set.h"

#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "analyzer/rules/load/loader.h"
#include "analyzer/rules/signatures/signature_literals.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "analyzer/rules/signatures/signature_sieve.h"
#include "base/json_text.h"
#include "base/text.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

Signature Of(const std::string& pattern) {
  Signature signature;
  signature.id = "x";
  signature.patterns.resize(1);
  signature.patterns[0].text = pattern;
  signature.patterns[0].re2 = pattern;
  return signature;
}

SignatureSet Compiled(const std::vector<Signature>& signatures) {
  auto set = SignatureSet::Compile(signatures);
  REQUIRE(set.ok());
  return set.Take();
}

std::vector<SignatureHit> Match(const SignatureSet& set,
                                std::string_view text) {
  std::vector<SignatureHit> hits;
  set.Match(text, &hits);
  return hits;
}

size_t NextCandidate(const SignatureSet& set, std::string_view block,
                     size_t from, const SignatureSet::Muted& muted = {}) {
  return set.NextCandidate(set.MarkLiterals(block), from, muted);
}

std::set<size_t> IndicesOf(const SignatureSet& set, std::string_view text) {
  std::set<size_t> indices;
  for (const auto& hit : Match(set, text)) indices.insert(hit.signature);
  return indices;
}

// The other way to the same answer: every pattern, one by one.
using PlainPattern = std::unique_ptr<re2::RE2>;
struct PlainSignature {
  std::vector<PlainPattern> patterns;
  PlainPattern unless;  // may be null
};
using PlainSignatures = std::vector<PlainSignature>;

bool Matches(const PlainSignature& signature, re2::StringPiece line) {
  const auto matches = [&](const PlainPattern& pattern) {
    return re2::RE2::PartialMatch(line, *pattern);
  };
  if (signature.unless != nullptr && matches(signature.unless)) return false;
  return std::any_of(signature.patterns.begin(), signature.patterns.end(),
                     matches);
}

std::set<size_t> Plain(const PlainSignatures& signatures,
                       std::string_view text) {
  const re2::StringPiece line(text.data(), text.size());
  std::set<size_t> indices;
  for (size_t i = 0; i < signatures.size(); ++i) {
    if (Matches(signatures[i], line)) indices.insert(i);
  }
  return indices;
}

PlainPattern PlainOf(const Pattern& pattern) {
  auto plain = std::make_unique<re2::RE2>(pattern.re2, PatternOptions());
  REQUIRE(plain->ok());
  return plain;
}

PlainSignatures PlainOf(const std::vector<Signature>& signatures) {
  PlainSignatures all(signatures.size());
  for (size_t i = 0; i < signatures.size(); ++i) {
    for (const Pattern& pattern : signatures[i].patterns) {
      all[i].patterns.push_back(PlainOf(pattern));
    }
    if (signatures[i].unless) all[i].unless = PlainOf(*signatures[i].unless);
  }
  return all;
}

std::vector<std::string> LiteralsOf(const std::string& pattern) {
  return rules::LiteralsOf(pattern, 4).any;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("captures become typed figures") {
  Signature s = Of(
      R"(tried (?P<size>\S+ \S+) on (?P<device>\d+) at (?P<addr>\S+) took (?P<t>\S+) v(?P<v>\S+) links (?P<links>[\d, ]+) rate (?P<r>\S+) by (?P<who>\w+)(?: for (?P<why>\w+))?)");
  s.types = {{"size", CaptureType::kBytes}, {"device", CaptureType::kInteger},
             {"addr", CaptureType::kHex},   {"t", CaptureType::kMilliseconds},
             {"v", CaptureType::kVersion},  {"links", CaptureType::kList},
             {"r", CaptureType::kReal},     {"why", CaptureType::kString}};
  s.set = {{"cuda_error", "x"}};
  const auto set = Compiled({s});
  const auto hits = Match(set,
                          "it tried 1.99 GiB on 1,024 at 0x7f00 took 6s v8.9.2 "
                          "links 1, 2 3 rate 2.5 by me");
  REQUIRE(hits.empty());  // \d+ takes no comma
  const auto again = Match(set,
                           "it tried 1.99 GiB on 3 at 0xffffffffffffffff took "
                           "6s v8.9.2 links 1, 2 3 rate 2.5 by me");
  REQUIRE(again.size() == 1);
  const auto& figures = again[0].figures;
  CHECK(figures["size"] == 2136746230);
  CHECK(figures["device"] == 3);
  CHECK(figures["addr"] == UINT64_MAX);
  CHECK(figures["t"] == 6000);
  CHECK(figures["v"] == "8.9.2");
  CHECK(figures["links"] == Figure::List{"1", "2", "3"});
  CHECK(figures["r"] == 2.5);
  CHECK(figures["who"] == "me");
  CHECK(figures["cuda_error"] == "x");
  CHECK_FALSE(figures.Contains("why"));  // took no part
  CHECK(again[0].bad_captures == 0);
}

TEST_CASE("a text that does not fit its type is left out and counted") {
  Signature s = Of(R"(size=(?P<size>\S+))");
  s.types = {{"size", CaptureType::kBytes}};
  const auto hits = Match(Compiled({s}), "size=plenty");
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].bad_captures == 1);
  CHECK_FALSE(hits[0].figures.Contains("size"));
}

TEST_CASE("figures are printable whatever the line holds") {
  Signature s = Of(R"((?s)name=(?P<name>\C*))");
  const auto hits = Match(Compiled({s}), "name=\xff\x1b[31m");
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].figures["name"] == "\\xFF\\x1B[31m");
  CHECK_NOTHROW(JsonText(hits[0].figures));
}

TEST_CASE("every occurrence with repeat, the first one without") {
  Signature once = Of(R"(Xid (?P<xid>\d+))");
  Signature many = once;
  many.repeat = true;
  const auto set = Compiled({once, many});
  const auto hits = Match(set, "Xid 1 Xid 22 Xid 333");
  REQUIRE(hits.size() == 4);
  CHECK(hits[0].signature == 0);
  CHECK(hits[3].figures["xid"] == "333");
  std::string endless;
  for (int i = 0; i < 10000; ++i) endless += "Xid 1 ";
  CHECK(Match(set, endless).size() == 65);
}

TEST_CASE("required literals") {
  CHECK(LiteralsOf("CUDA out of memory") == Words{"cuda out of memory"});
  CHECK(LiteralsOf(R"(CUDA error: (\d+) happened here)") ==
        Words{" happened here"});
  CHECK(LiteralsOf("(?:alpha|beta) x") == Words{"alpha x", "beta x"});
  CHECK(LiteralsOf("(?:x (?:alpha|beta)s|alpha)") == Words{"alpha", "x betas"});
  CHECK(LiteralsOf(R"(a\d+b)").empty());
  CHECK(LiteralsOf(".*").empty());
  CHECK(LiteralsOf("(abcd)?").empty());
  CHECK(LiteralsOf("(?i)stack") == Words{"stack"});
  CHECK(LiteralsOf("(?i)out of memory") == Words{"out of memory"});
  // Small letters and those without case are kept, others may be lowered.
  CHECK(LiteralsOf("(?:a|段错误)") == Words{});
  CHECK(LiteralsOf("段错误") == Words{"段错误"});
  CHECK(LiteralsOf("Getötet") == Words{"getötet"});
  CHECK(LiteralsOf("ÜBER") == Words{});
}

TEST_CASE("common literals are required with another word") {
  const auto also = [](const std::string& pattern) {
    return rules::LiteralsOf(pattern, 4).also;
  };
  CHECK(also(R"(loss[=: ]+(?:nan|-?inf\b))") == Words{"inf\b", "nan"});
  CHECK(also(R"((?i)\bepoch \d+.*\b(?:MSE|acc)\b)") ==
        Words{"\bacc\b", "\bmse\b"});
  CHECK(also(R"(grad_norm.*\bNaN\b)") == Words{"\bnan\b"});
  // Not a common one, nothing else required, or nothing that says more.
  CHECK(also("rocket.*nan") == Words{});
  CHECK(also("loss.*nan|step") == Words{});
  CHECK(also("loss.*(?:nan)?") == Words{});
  CHECK(also("loss.*inf") == Words{});  // as in "INFO"
  CHECK(also("loss.*step") == Words{});
  // Not boundaries.
  CHECK(also(R"(loss.*n\\b)") == Words{"n\\b"});
  CHECK(also(R"(loss.*\Qnan\b\E)") == Words{});
}

TEST_CASE("a line with a common literal only is passed over") {
  const auto set = Compiled({Of(R"(loss.*\b(?:nan|inf)\b)"), Of("loss.*zeta")});
  const std::string calm = "INFO loss 1 nano\nINFO loss 2\nloss 3\n";
  CHECK(NextCandidate(set, calm, 0) == std::string_view::npos);
  // The next line may be the rest of this one.
  const std::string text = calm + "x loss\nNaN\nloss 4\n";
  const size_t found = NextCandidate(set, text, 0);
  CHECK(found >= text.find("x loss"));
  CHECK(found < text.find("NaN"));
  CHECK(NextCandidate(set, text, 0, {1, 0}) == std::string_view::npos);
  CHECK(IndicesOf(set, "INFO loss=inf") == std::set<size_t>{0});
  // In a very long line nothing further is looked for.
  const std::string wide = "loss" + std::string(10'000, ' ') + "nan";
  CHECK(NextCandidate(set, wide, 0) < 4);
  CHECK(IndicesOf(set, wide) == std::set<size_t>{0});
}

TEST_CASE("a thousand patterns with one common literal") {
  std::vector<Signature> many;
  for (int i = 0; i < 1000; ++i) {
    many.push_back(Of("loss.*\\bw" + std::to_string(i) + "\\b"));
  }
  const auto set = Compiled(many);
  CHECK(IndicesOf(set, "loss: w7 w999") == std::set<size_t>{7, 999});
  CHECK(NextCandidate(set, "loss: w999\n", 0) < 4);
}

TEST_CASE("required literals of a long list of words") {
  std::string words;
  Words each;
  for (char c = 'A'; c <= 'Z'; ++c) {
    words += (c == 'A' ? "SIG" : "|SIG") + std::string(1, c);
    each.push_back(std::string("sig") + ToLower(c));
  }
  CHECK(LiteralsOf("\\b(?P<name>" + words + ")\\b") == each);
  CHECK(LiteralsOf("(?i:died|kill) (?:" + words + ")") == each);
  // The list is not required, may be folded, or holds a word that is too short.
  CHECK(LiteralsOf("(?:" + words + ")?x") == Words{});
  CHECK(LiteralsOf("(?:" + words + ")|x") == Words{});
  CHECK(LiteralsOf("(?i)(?:" + words + ")") == Words{});
  CHECK(LiteralsOf("(?i:" + words + ")") == Words{});
  CHECK(LiteralsOf("(?:" + words + "|EIO)") == Words{});
}

TEST_CASE("letters outside ASCII") {
  const auto set = Compiled({Of("(?i)kaskade"), Of("na\xc3\xafve wert"),
                             Of("\xe2\x80\x98quoted\xe2\x80\x99")});
  CHECK(IndicesOf(set, "kaSKade").size() == 1);
  CHECK(IndicesOf(set, "na\xc3\xafve wert").size() == 1);
  CHECK(IndicesOf(set, "\xe2\x80\x98quoted\xe2\x80\x99").size() == 1);
}

TEST_CASE("patterns without a literal are slow but right") {
  const auto set =
      Compiled({Of(R"(^\d+$)"), Of(R"(^[a-f]+$)"), Of("long literal here")});
  CHECK(set.Slow() == std::vector<size_t>{0, 1});
  CHECK(IndicesOf(set, "123") == std::set<size_t>{0});
  CHECK(IndicesOf(set, "abc") == std::set<size_t>{1});
  CHECK(IndicesOf(set, "a long literal here") == std::set<size_t>{2});
  CHECK(NextCandidate(set, "xyz", 1) == 1);
}

TEST_CASE("no signatures, no lines") {
  const auto set = Compiled({});
  CHECK(Match(set, "anything").empty());
  CHECK(NextCandidate(set, "anything", 0) == std::string_view::npos);
  CHECK(Match(Compiled({Of("abcd")}), "").empty());
}

TEST_CASE("muted signatures stay silent") {
  const auto set = Compiled({Of("step \\d+"), Of("CUDA error")});
  std::vector<SignatureHit> hits;
  set.Match("step 1: CUDA error", &hits, {1, 0});
  REQUIRE(hits.size() == 1);
  CHECK(hits[0].signature == 1);
  CHECK(NextCandidate(set, "step 1\nstep 2\n", 0, {1, 0}) ==
        std::string_view::npos);
}

TEST_CASE("literals brought along lead to the same hits") {
  Signature plain = Of("CUDA error: (?P<n>\\d+)");
  Signature packed = plain;
  packed.patterns[0].literals = Literals{{"cuda error: "}, {}};
  const auto one = Match(Compiled({plain}), "a CUDA error: 77");
  const auto two = Match(Compiled({packed}), "a CUDA error: 77");
  REQUIRE(one.size() == 1);
  REQUIRE(two.size() == 1);
  CHECK(one[0].figures == two[0].figures);
  CHECK(Match(Compiled({packed}), "a CUDA warning: 77").empty());
}

TEST_CASE("a bad pattern is a status") {
  const auto set = SignatureSet::Compile({Of("a(")});
  REQUIRE_FALSE(set.ok());
  CHECK(set.status().code() == StatusCode::kRules);
}

TEST_CASE("the sieve finds exactly what a plain search finds") {
  std::mt19937 random(3);
  // Few, so that literals do occur. The last ones are taken for one.
  const std::string letters = "abAB \n@`";
  const auto word = [&](size_t least, size_t most) {
    std::string text;
    const size_t length = least + random() % (most - least + 1);
    while (text.size() < length) text += letters[random() % letters.size()];
    return text;
  };
  const auto folded = [](std::string some) {
    for (char& c : some) c |= ' ';
    return some;
  };
  for (int round = 0; round < 400; ++round) {
    Sieve sieve;
    Words literals;
    for (uint32_t i = 0; i < 6; ++i) {
      literals.push_back(ToLower(word(4, 16)));
      sieve.Add({{literals.back()}, {}}, i, i);
    }
    sieve.Build();
    std::string text = word(0, 400);
    if (random() % 2 == 0) text += literals[random() % 6];
    if (random() % 2 == 0) text.insert(0, literals[random() % 6]);
    std::vector<uint32_t> owners;
    sieve.Owners(text, {}, &owners);
    std::set<uint32_t> expected;
    size_t first_end = std::string::npos;
    for (uint32_t i = 0; i < 6; ++i) {
      const size_t at = folded(text).find(folded(literals[i]));
      if (at == std::string::npos) continue;
      expected.insert(i);
      first_end = std::min(first_end, at + literals[i].size());
    }
    CHECK(std::set<uint32_t>(owners.begin(), owners.end()) == expected);
    const auto marks = sieve.FindAll(text);
    CHECK(marks.empty() == expected.empty());
    if (!expected.empty()) CHECK(marks[0].at < first_end);
  }
}

TEST_CASE("the set agrees with RE2 on random lines") {
  const std::vector<std::string> pieces = {
      "CUDA",   "out of", "memory",   "error", "illegal", "access", " ", "rank",
      "Tried",  "12",     "GiB",      "NCCL",  "timeout", "-",      ":", "xid",
      "Xid 79", "\xff",   "\xc3\xa9", "ECC",   "launch",  "failed"};
  std::vector<Signature> signatures;
  for (const char* pattern :
       {"error.*\\bmemory\\b", "(?i)rank.*(?:gib|XID \\d+)\\b",
        "CUDA.*(?:GiB|memory)$", "NCCL.*\\baccess",
        "CUDA (?:error|out of memory)", "(?i)ecc|xid \\d+", "^rank.*timeout$",
        "illegal.{0,20}access", "NCCL|Tried", "(?:GiB|memory) ?:", "\\bxid\\b",
        "(failed|launch)+", "12", "[^a-z]memory", "(?i)MEMORY.*rank", "a|b"}) {
    signatures.push_back(Of(pattern));
  }
  const auto set = Compiled(signatures);
  const auto plain = PlainOf(signatures);
  std::mt19937 random(11);
  for (int round = 0; round < 20000; ++round) {
    std::string line;
    for (size_t i = random() % 9; i > 0; --i) {
      line += pieces[random() % pieces.size()];
      if (random() % 3 == 0) line += ' ';
    }
    const auto expected = Plain(plain, line);
    if (IndicesOf(set, line) != expected) {
      CAPTURE(line);
      CHECK(IndicesOf(set, line) == expected);
    }
  }
}

TEST_CASE("the shipped signatures agree with RE2 on the real logs") {
  const std::filesystem::path root = INQUEST_SOURCE_DIR;
  const auto corpus = root / "../shared/corpus";
  const auto sources = ReadRuleDirectory((root / "rules").string());
  if (!std::filesystem::exists(corpus) || !sources.ok()) return;
  Diagnostics diagnostics;
  const RuleSet rules = LoadRules(*sources, &diagnostics);
  const auto set = Compiled(rules.signatures);
  const auto plain = PlainOf(rules.signatures);
  size_t hits = 0;
  for (const auto& file : std::filesystem::directory_iterator(corpus)) {
    std::ifstream stream(file.path());
    std::ostringstream all;
    all << stream.rdbuf();
    const std::string text = all.str();
    const auto marks = set.MarkLiterals(text);
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line(text.data() + at, end - at);
      const size_t candidate = set.NextCandidate(marks, at);
      const auto expected = Plain(plain, line);
      CAPTURE(file.path().string(), std::string(line));
      if (IndicesOf(set, line) != expected) {
        CHECK(IndicesOf(set, line) == expected);
      }
      // What the sieve passes over holds no match.
      if (candidate >= end && !expected.empty()) CHECK(candidate < end);
      hits += expected.size();
      at = end + 1;
    }
  }
  CHECK(hits > 0);
}

TEST_CASE("many threads may match at once") {
  const auto set = Compiled({Of("CUDA error: (?P<e>\\w+)"), Of("^\\w+$")});
  std::vector<std::thread> threads;
  std::vector<size_t> counts(4, 0);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i) {
        counts[t] += Match(set, i % 2 == 0 ? "CUDA error: x" : "word").size();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const size_t count : counts) CHECK(count == 2000);
}

namespace {

Signature ListOf(const std::vector<std::string>& patterns) {
  Signature signature = Of("");
  signature.patterns.clear();
  for (const std::string& pattern : patterns) {
    signature.patterns.push_back({pattern, pattern, 0, {}, {}, {}, {}});
  }
  return signature;
}

}  // namespace

TEST_CASE("of several patterns the first that matches gives the figures") {
  const auto set = Compiled({ListOf({R"(card (?P<device>\d+) is lost)",
                                     R"(lost (?P<what>\w+ (?P<device>\d+)))"}),
                             Of(R"(card \d+)")});
  const auto both = Match(set, "lost card 1, so card 2 is lost");
  REQUIRE(both.size() == 2);
  CHECK(both[0].signature == 0);
  CHECK(both[0].figures == Figures{{"device", "2"}});
  CHECK(both[1].signature == 1);
  const auto second = Match(set, "lost link 7");
  REQUIRE(second.size() == 1);
  CHECK(second[0].figures == Figures{{"what", "link 7"}, {"device", "7"}});
  CHECK(Match(set, "link 7 is up").empty());
}

TEST_CASE("with repeat, patterns take turns in the order of the line") {
  Signature s = ListOf({R"(free: (?P<free>\d+))", R"(used: (?P<used>\d+))"});
  s.repeat = true;
  const auto hits = Match(Compiled({s}), "used: 1 free: 2 used: 3");
  REQUIRE(hits.size() == 3);
  CHECK(hits[0].figures == Figures{{"used", "1"}});
  CHECK(hits[1].figures == Figures{{"free", "2"}});
  CHECK(hits[2].figures == Figures{{"used", "3"}});
}

TEST_CASE("a pattern of a list without a literal is tried on every line") {
  const auto set = Compiled({ListOf({"out of memory", R"(\d\d:\d\d)"}),
                             ListOf({"error: ", R"(x\d)", R"(y\d)"})});
  CHECK(set.Slow() == std::vector<size_t>{0, 1});
  CHECK(IndicesOf(set, "12:30 y7") == std::set<size_t>{0, 1});
  CHECK(IndicesOf(set, "out of memory") == std::set<size_t>{0});
}

TEST_CASE("muting a signature mutes all its patterns") {
  const auto set = Compiled({ListOf({"alpha", "beta"}), Of("gamma")});
  const SignatureSet::Muted muted = {1, 0};
  CHECK(NextCandidate(set, "a beta, a gamma", 0, muted) == 10);
  CHECK(NextCandidate(set, "a beta, a gamma", 0) == 2);
}
