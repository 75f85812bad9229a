// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/rank/words_below.h"

#include <string>
#include <string_view>

#include "analyzer/findings/rank/quote.h"
#include "base/text.h"

namespace inquest::findings {
namespace {

constexpr int kMostLinesBelow = 2;

// Pydantic's list of errors has a field and a reason for each.
bool GoesOn(std::string_view words) {
  words = Trim(words);
  return words.ends_with(':') || words.find(" validation error") != words.npos;
}

// What stands between the parts of a chain, or begins something else.
bool IsOther(std::string_view line) {
  constexpr std::string_view kBegins[] = {"Traceback (",
                                          "During handling",
                                          "The above exception",
                                          "For further inf",
                                          "File \"",
                                          "===",
                                          "---"};
  return line.empty() || StartsWithAny(line, kBegins);
}

std::string WordsBelow(facts::Store* store, const Evidence& line) {
  auto row = store->db().Prepare(
      "SELECT text FROM store_log_line WHERE source = ? AND line BETWEEN ? + 1 "
      "AND ? + 2 ORDER BY line");
  if (!row.ok()) return {};
  row->BindAll(line.source, line.line, line.line);
  std::string words;
  int lines = 0;
  for (std::string text; lines < kMostLinesBelow && row->Next(&text); ++lines) {
    std::string_view trimmed = Trim(text);
    if (IsOther(trimmed)) break;
    if (trimmed.starts_with("- ")) trimmed.remove_prefix(2);
    words += (words.empty() ? "" : " ") + QuoteOf(trimmed);
  }
  return words;
}

}  // namespace

void QuoteWordsBelow(facts::Store* store, Diagnosis* diagnosis) {
  Verdict& verdict = diagnosis->verdict;
  const Finding& root = diagnosis->findings[*verdict.finding];
  if (root.cause != "process/exception" || root.evidence.empty()) return;
  const auto& texts = root.figures["exception_text"].AsList();
  if (texts.empty() || !texts.front().IsText()) return;
  const std::string own(Trim(texts.front().Text()));
  const size_t at = verdict.summary.find(own);
  if (!GoesOn(own) || at == std::string::npos) return;
  const std::string words = WordsBelow(store, root.evidence.front());
  if (words.empty()) return;
  verdict.summary.insert(at + own.size(),
                         (own.ends_with(':') ? " " : ": ") + words);
}

}  // namespace inquest::findings
