// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/hang_sentence.h"

#include "analyzer/findings/collect/row_words.h"
#include "base/ranges.h"

namespace inquest::findings {
namespace {

std::string RanksAt(const RowText& row, std::string_view column) {
  return RanksInWords(NumbersIn(At(row, column)));
}

// "all_reduce 77 of group 0 (dp)"
std::string WhichCollective(const RowText& row) {
  std::string text = fmt::format("{} {} of group {}", At(row, "optype"),
                                 At(row, "seqnum"), At(row, "group_name"));
  const std::string_view description = At(row, "description");
  if (!description.empty() && description != At(row, "group_name")) {
    text += fmt::format(" ({})", description);
  }
  return text;
}

std::string Plural(int64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

}  // namespace

std::string StallSentence(const RowText& row) {
  std::string text =
      fmt::format("{}{} entered {}", Clock(row), RanksAt(row, "entered_ranks"),
                  WhichCollective(row));
  if (!At(row, "missing_ranks").empty()) {
    text += fmt::format("; {} did not", RanksAt(row, "missing_ranks"));
  } else if (!At(row, "odd_ranks").empty()) {
    text +=
        fmt::format("; {} called {}, most called {}", RanksAt(row, "odd_ranks"),
                    At(row, "found"), At(row, "expected"));
  } else {
    text += ", which did not complete";
  }
  if (!At(row, "dumpless_ranks").empty()) {
    text +=
        fmt::format("; no whole dump of {}", RanksAt(row, "dumpless_ranks"));
  }
  return text;
}

std::string StalledRankSentence(const RowText& row) {
  const std::string_view path = At(row, "path");
  std::string text = fmt::format("rank {} ({}): ", At(row, "rank"),
                                 path.substr(path.find_last_of('/') + 1));
  const int64_t pending = NumberAt(row, "pending");
  text += At(row, "entries") == "0" ? "nothing was under way"
          : pending == 0            ? "all that it began had completed"
                         : Plural(pending, "operation") + " did not complete";
  if (const int64_t missing = NumberAt(row, "missing_from"); missing > 0) {
    text += fmt::format("; it did not come to {} that others wait in",
                        Plural(missing, "operation"));
  }
  if (NumberAt(row, "behind") > 0) {
    text += fmt::format(
        "; it stands at {} {} of group {}, which a peer has "
        "completed",
        At(row, "behind_optype"), At(row, "behind_seqnum"),
        At(row, "behind_group"));
  }
  if (!At(row, "waits_for").empty()) {
    text += "; it waits for " + RanksAt(row, "waits_for");
  }
  return text;
}

std::string AbsentRankSentence(const RowText& row) {
  const std::string_view path = At(row, "path");
  const std::string waiting = Plural(NumberAt(row, "waiting"), "rank");
  if (path.empty()) {
    return fmt::format("rank {}: no dump, awaited by {}", At(row, "rank"),
                       waiting);
  }
  return fmt::format("rank {} ({}): the dump is cut off, awaited by {}",
                     At(row, "rank"), path.substr(path.find_last_of('/') + 1),
                     waiting);
}

std::string StackHangSentence(const RowText& row) {
  std::string text = fmt::format("{} {}", At(row, "who"), At(row, "words"));
  if (!At(row, "site").empty()) text += fmt::format(" in {}", At(row, "site"));
  if (const int64_t waiting = NumberAt(row, "waiting"); waiting > 0) {
    text += fmt::format("; of {} dumped processes {} wait", At(row, "dumped"),
                        waiting);
  }
  return text;
}

}  // namespace inquest::findings
