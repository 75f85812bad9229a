// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "authoring/ruletests/score.h"
#include "base/json_text.h"

namespace inquest::ruletests {
namespace {

using nlohmann::json;

std::string Line(std::string_view what, const Share& share) {
  if (share.whole == 0) return fmt::format("{:<20}none\n", what);
  return fmt::format("{:<20}{:5.1f} % ({}/{})\n", what, 100 * share.Of(),
                     share.part, share.whole);
}

json ShareJson(const Share& share) {
  return {{"part", share.part},
          {"whole", share.whole},
          {"share", share.whole == 0 ? json(nullptr) : json(share.Of())}};
}

// A row for each expected cause: how often it was named, and the causes named
// instead.
std::string Matrix(const Score& score) {
  std::map<std::string, std::pair<int64_t, std::string>> rows;
  for (const auto& [pair, count] : score.confusion) {
    auto& [right, others] = rows[pair.first];
    if (pair.first == pair.second) {
      right += count;
    } else {
      others += fmt::format("  {} x {}", count, pair.second);
    }
  }
  std::string text =
      fmt::format("\n{:<34}{:>6}  taken for\n", "cause", "right");
  for (const auto& [cause, row] : rows) {
    text += fmt::format("{:<34}{:>6}{}\n", cause, row.first, row.second);
  }
  return text;
}

}  // namespace

std::string ScoreText(const Score& score) {
  std::string text = Line("cause right", score.right);
  text += Line("first label only", score.first_label);
  text += Line("cause right, hard", score.hard);
  text += Line("false alarms", score.alarms);
  text += Line("figures extracted", score.figures);
  text += Line("with evidence", score.evidence);
  text += "\n";
  for (const char* word : {"confirmed", "probable", "possible"}) {
    const auto found = score.words.find(word);
    text += Line(std::string("right, ") + word,
                 found == score.words.end() ? Share{} : found->second);
  }
  text += Matrix(score);
  for (const Miss& miss : score.misses) {
    text += fmt::format("{}: expected {}, got {}\n", miss.id, miss.expected,
                        miss.got);
  }
  return text;
}

std::string ScoreJson(const Score& score) {
  json words = json::object();
  for (const auto& [word, share] : score.words) words[word] = ShareJson(share);
  json confusion = json::array();
  for (const auto& [pair, count] : score.confusion) {
    confusion.push_back(
        {{"expected", pair.first}, {"got", pair.second}, {"count", count}});
  }
  json misses = json::array();
  for (const Miss& miss : score.misses) {
    misses.push_back(
        {{"id", miss.id}, {"expected", miss.expected}, {"got", miss.got}});
  }
  const json report = {{"schema", "inquest.score/1"},
                       {"cause_right", ShareJson(score.right)},
                       {"first_label_only", ShareJson(score.first_label)},
                       {"cause_right_hard", ShareJson(score.hard)},
                       {"false_alarms", ShareJson(score.alarms)},
                       {"figures_extracted", ShareJson(score.figures)},
                       {"with_evidence", ShareJson(score.evidence)},
                       {"precision", words},
                       {"confusion", confusion},
                       {"misses", misses}};
  return JsonText(report, 2) + "\n";
}

}  // namespace inquest::ruletests
