// SPDX-License-Identifier: Apache-2.0
#include "authoring/propose/propose.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/rules/model/pattern_shorthand.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "analyzer/rules/signatures/signature_set.h"
#include "authoring/fmt/line_pieces.h"
#include "base/secrets/secrets.h"
#include "base/text.h"

namespace inquest::authoring {
namespace {

using rules::Role;
using rules::RuleSet;
using rules::Signature;

constexpr size_t kMaxPattern = 400;
constexpr size_t kMaxLine = 4000;

bool Accuses(Role role) {
  return role == Role::kCause || role == Role::kSymptom;
}

// {name:kind} if a kind matches the text and has its type, else a named group,
// whose type is added to `types`.
std::string CaptureOf(const LinePiece& piece,
                      std::map<std::string, rules::CaptureType>* types) {
  for (const rules::CaptureKind& kind : rules::CaptureKinds()) {
    const bool special = kind.type != rules::CaptureType::kString;
    if (special && kind.type == piece.type &&
        re2::RE2::FullMatch(piece.text, re2::StringPiece(kind.expression))) {
      return fmt::format("{{{}:{}}}", piece.name, kind.name);
    }
  }
  if (piece.type != rules::CaptureType::kString) {
    (*types)[piece.name] = piece.type;
  }
  return "(?P<" + piece.name + ">" + piece.pattern + ")";
}

// Builds pattern, types and message, piece by piece until the pattern is long
// enough to be exact.
void TakePieces(const std::vector<LinePiece>& pieces, Signature* signature) {
  std::string pattern;
  for (const LinePiece& piece : pieces) {
    if (pattern.size() + piece.pattern.size() > kMaxPattern) break;
    if (piece.name.empty()) {
      pattern += piece.pattern;
      for (const char c : piece.text) {
        if (c != '{' && c != '}') signature->message += c;
      }
      continue;
    }
    pattern += CaptureOf(piece, &signature->types);
    const bool size = piece.type == rules::CaptureType::kBytes;
    signature->message += "{" + piece.name + (size ? "|bytes}" : "}");
  }
  signature->patterns.resize(1);
  signature->patterns.front().text = pattern;
  rules::Expanded expanded = rules::ExpandKinds(pattern);
  signature->patterns.front().re2 = std::move(expanded.re2);
  signature->types.merge(expanded.types);
}

std::string TextOf(const std::vector<LinePiece>& pieces) {
  std::string text;
  for (const LinePiece& piece : pieces) {
    if (piece.name.empty() && piece.text != kMaskedSecret) text += piece.text;
  }
  return text;
}

void NameIt(const std::vector<std::string>& words, Signature* signature) {
  std::string id = "site.";
  std::string title;
  for (size_t i = 0; i < words.size() && i < 8; ++i) {
    if (i < 3) id += (i > 0 ? "-" : "") + words[i];
    title += (i > 0 ? " " : "") + words[i];
  }
  signature->id = words.empty() ? "site.line" : id;
  signature->title = words.empty() ? "Line" : title;
  signature->title[0] = static_cast<char>(std::toupper(signature->title[0]));
}

// How much two lines have in common, 0 to 1, by their different words.
double Likeness(const std::set<std::string>& a, const std::string& line) {
  const auto words = WordsOf(line);
  const std::set<std::string> b(words.begin(), words.end());
  size_t common = 0;
  for (const std::string& word : b) common += a.count(word);
  const size_t all = a.size() + b.size() - common;
  return all == 0 ? 0 : static_cast<double>(common) / static_cast<double>(all);
}

constexpr double kNearEnough = 0.3;

void GuessByLikeness(const std::vector<std::string>& words,
                     const RuleSet& known, Proposal* proposal) {
  const std::set<std::string> own(words.begin(), words.end());
  double best = kNearEnough;
  for (const Signature& signature : known.signatures) {
    if (!Accuses(signature.role)) continue;
    for (const std::string& line : rules::SampleLines(signature)) {
      const double likeness = Likeness(own, line);
      if (likeness <= best) continue;
      best = likeness;
      proposal->signature.cause = signature.cause;
      proposal->guessed_from = "the line is like one of " + signature.id;
    }
  }
}

void GuessCause(const rules::SignatureSet& compiled, std::string_view line,
                const std::vector<std::string>& words, const RuleSet& known,
                Proposal* proposal) {
  proposal->signature.cause = "unknown";
  std::vector<rules::SignatureHit> hits;
  compiled.Match(line, &hits);
  for (const rules::SignatureHit& hit : hits) {
    const Signature& signature = known.signatures[hit.signature];
    if (!Accuses(signature.role) || signature.codes != nullptr) continue;
    const bool names_cause = signature.cause != "unknown";
    if (proposal->refines.empty() ||
        (names_cause && proposal->signature.cause == "unknown")) {
      proposal->signature.cause = signature.cause;
      proposal->guessed_from = signature.id + " matches the line already";
    }
    proposal->refines.push_back(signature.id);
  }
  if (proposal->refines.empty()) GuessByLikeness(words, known, proposal);
}

// Words of failures, and the word of a healthy run instead.
constexpr std::pair<const char*, const char*> kOpposites[] = {
    {"failed", "succeeded"}, {"failure", "success"}, {"error", "check"},
    {"lost", "found"},       {"cannot", "can"},      {"unable", "able"},
    {"refused", "accepted"}, {"killed", "started"},  {"timed out", "finished"},
    {"timeout", "interval"}, {"dead", "alive"},      {"fatal", "normal"},
    {"invalid", "valid"},    {"missing", "present"}, {"aborted", "completed"},
    {"abort", "complete"},   {"crashed", "started"}, {"exceeded", "below"},
    {"denied", "granted"},   {"broken", "ready"},    {"stuck", "done"},
    {"hung", "done"},        {"corrupt", "intact"},  {"not ", "now "},
    {"out of ", "enough "},  {"no ", "some "}};

std::string WithOpposites(std::string line) {
  for (const auto& [from, to] : kOpposites) {
    const std::string small(from);
    const auto at =
        std::search(line.begin(), line.end(), small.begin(), small.end(),
                    [](char a, char b) { return ToLower(a) == b; });
    if (at != line.end()) line.replace(at - line.begin(), small.size(), to);
  }
  return line;
}

// Replaces the longest word of the line.
std::string WithoutItsWord(const std::string& line) {
  const auto words = WordsOf(line);
  const auto longest = std::max_element(
      words.begin(), words.end(),
      [](const auto& a, const auto& b) { return a.size() < b.size(); });
  if (longest == words.end()) return "ready";
  std::string changed = line;
  return changed.replace(ToLower(line).find(*longest), longest->size(),
                         "ready");
}

// A similar line that neither the pattern nor a known signature of a cause
// matches.
std::string LookAlike(const std::string& line, const re2::RE2& pattern,
                      const rules::SignatureSet& compiled,
                      const RuleSet& known) {
  for (const std::string& candidate :
       {WithOpposites(line), WithoutItsWord(line),
        WithoutItsWord(WithOpposites(line))}) {
    if (re2::RE2::PartialMatch(candidate, pattern)) continue;
    std::vector<rules::SignatureHit> hits;
    compiled.Match(candidate, &hits);
    const bool accused =
        std::any_of(hits.begin(), hits.end(), [&](const auto& hit) {
          return Accuses(known.signatures[hit.signature].role);
        });
    if (!accused) return candidate;
  }
  return "all is well";
}

// The signature's figures for its own line become the sample's.
Status TakeSample(const std::string& line, Signature* signature) {
  ASSIGN_OR_RETURN(const auto compiled,
                   rules::SignatureSet::Compile({*signature}));
  std::vector<rules::SignatureHit> hits;
  compiled.Match(line, &hits);
  if (hits.empty()) {
    return Internal("the proposed pattern does not match its line: " +
                    signature->patterns.front().re2);
  }
  signature->match.push_back({line, hits.front().figures, {}});
  return Status::Ok();
}

}  // namespace

Expected<Proposal> Propose(std::string_view raw, std::string_view line,
                           const RuleSet& known) {
  line.remove_prefix(LoggerHeader(line));
  line = line.substr(0, kMaxLine);
  const auto pieces = CutLine(line);
  const auto words = WordsOf(TextOf(pieces));
  if (words.empty()) {
    return Usage("the line has no words to recognise it by")
        .WithHint("give the line that describes the failure");
  }
  Proposal proposal;
  proposal.log_line = raw.substr(0, kMaxLine);
  Signature& signature = proposal.signature;
  signature.role = Role::kCause;
  signature.status = rules::Stage::kExperimental;
  TakePieces(pieces, &signature);
  NameIt(words, &signature);
  ASSIGN_OR_RETURN(const auto compiled,
                   rules::SignatureSet::Compile(known.signatures));
  GuessCause(compiled, line, words, known, &proposal);
  const std::string text(line);
  RETURN_IF_ERROR(TakeSample(text, &signature));
  const re2::RE2 pattern(signature.patterns.front().re2,
                         rules::PatternOptions());
  signature.no_match.push_back(
      {LookAlike(text, pattern, compiled, known), {}, {}});
  return proposal;
}

}  // namespace inquest::authoring
