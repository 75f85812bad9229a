// Patterns that the sieve cannot spare the expression engine: RE2 is linear,
// but a log of a week has a hundred million lines.

#include <algorithm>
#include <iterator>
#include <set>

#include "analyzer/authoring/lint.h"
#include "analyzer/base/parallel.h"
#include "analyzer/rules/signature_literals.h"
#include "analyzer/rules/signature_sieve.h"

namespace inquest::authoring {
namespace {

using Level = Diagnostic::Level;

constexpr size_t kShortest = rules::Sieve::kShortest;

// Words that every other line of a training log holds. A pattern that asks for
// no more than one of these is tried nearly everywhere.
const std::set<std::string>& CommonWords() {
  static const std::set<std::string> words = {
      "cuda",   "data", "debug",   "device", "epoch", "error", "file",
      "info",   "iter", "line",    "loss",   "model", "nccl",  "none",
      "python", "rank", "step",    "time",   "torch", "train", "true",
      "false",  "warn", "warning", "worker", "with",  "from"};
  return words;
}

std::string Trimmed(const std::string& literal) {
  const auto outside = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) == 0;
  };
  auto begin = std::find_if_not(literal.begin(), literal.end(), outside);
  auto end = std::find_if_not(literal.rbegin(), literal.rend(), outside).base();
  return begin < end ? std::string(begin, end) : std::string();
}

// The first of the literals that says next to nothing.
std::string CommonOne(const std::vector<std::string>& literals) {
  for (const std::string& literal : literals) {
    if (CommonWords().contains(Trimmed(literal))) return literal;
  }
  return {};
}

void LintPattern(const LintSubject& subject, const rules::Signature& signature,
                 Diagnostics* diagnostics) {
  const auto literals = signature.literals ? *signature.literals
                                           : rules::RequiredLiterals(
                                                 signature.pattern, kShortest);
  if (literals.empty()) {
    diagnostics->push_back(
        Remark(subject, Level::kWarning, signature.pattern_place, "R070",
               "the pattern of '" + signature.id + "' is tried on every line",
               "it asks for no fixed text of four letters or more, by which "
               "lines could be passed over",
               "name a word of the line that is always there"));
    return;
  }
  // Signs of ordinary work stand in ordinary lines; that is their trade.
  const bool ordinary = signature.role == rules::Role::kProgress ||
                        signature.role == rules::Role::kFinish;
  const std::string common = ordinary ? "" : CommonOne(literals);
  if (common.empty()) return;
  diagnostics->push_back(
      Remark(subject, Level::kWarning, signature.pattern_place, "R071",
             "the pattern of '" + signature.id +
                 "' is tried on every line with '" + common + "'",
             "that is a word of ordinary lines",
             "ask for more of the line than this word"));
}

}  // namespace

void LintPatterns(const LintSubject& subject, Diagnostics* diagnostics) {
  const auto& signatures = subject.set.signatures;
  std::vector<Diagnostics> said(signatures.size());
  InParallel(signatures.size(), [&](size_t i) {
    LintPattern(subject, signatures[i], &said[i]);
  });
  for (Diagnostics& one : said) {
    std::move(one.begin(), one.end(), std::back_inserter(*diagnostics));
  }
}

}  // namespace inquest::authoring
