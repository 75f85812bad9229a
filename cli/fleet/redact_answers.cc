// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/redact_answers.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "analyzer/report/redact/redactor.h"
#include "base/text.h"

namespace inquest::cli {
namespace {

using Visit = std::function<void(const std::string& column, std::string*)>;

void EachText(const std::vector<fleet::Rows*>& answers, const Visit& visit) {
  for (fleet::Rows* answer : answers) {
    for (fleet::Fields& row : answer->rows) {
      for (size_t i = 0; i < row.size() && i < answer->columns.size(); ++i) {
        auto* text = std::get_if<std::string>(&row[i]);
        if (text != nullptr) visit(answer->columns[i], text);
      }
    }
  }
}

bool HoldsNodes(const std::string& column) {
  return column == "node" || column == "host";
}

// Numbers are taken out of wordings: "node7" is "node<n>" there.
std::string InWording(const std::string& node) {
  std::string wording;
  for (const char c : node) {
    if (!IsDigit(c)) {
      wording += c;
    } else if (!wording.ends_with("<n>")) {
      wording += "<n>";
    }
  }
  return wording;
}

// Only where a word begins: "n<n>" of node n3 is not a part of "run<n>".
void ReplaceWord(const std::string& from, const std::string& to,
                 std::string* text) {
  size_t at = 0;
  while ((at = text->find(from, at)) != text->npos) {
    const bool begins =
        at == 0 || !(IsAlpha((*text)[at - 1]) || IsDigit((*text)[at - 1]));
    if (begins) text->replace(at, from.size(), to);
    at += begins ? to.size() : 1;
  }
}

}  // namespace

void RedactAnswers(const std::vector<fleet::Rows*>& answers) {
  report::Redactor redactor;
  std::set<std::string> wordings;
  EachText(answers, [&](const std::string& column, std::string* text) {
    redactor.Learn(*text);
    if (!HoldsNodes(column)) return;
    redactor.LearnHost(*text);
    // Nothing about the text "7" shows that it is a name.
    if (std::ranges::any_of(*text, IsAlpha)) wordings.insert(InWording(*text));
  });
  EachText(answers, [&](const std::string& column, std::string* text) {
    if (column == "template") {
      for (const std::string& one : wordings)
        ReplaceWord(one, "HOST-<n>", text);
    }
    *text = redactor.Redacted(*text);
  });
}

}  // namespace inquest::cli
