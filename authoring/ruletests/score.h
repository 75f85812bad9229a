// SPDX-License-Identifier: Apache-2.0
// How well rules do on labelled logs: right causes, false alarms, figures, the
// confusion matrix, and how often each confidence word was right. Counts over
// diagnoses that `rules score` runs.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>

#include "analyzer/findings/finding.h"
#include "authoring/ruletests/labels.h"

namespace inquest::ruletests {

struct Share {
  int64_t part = 0;
  int64_t whole = 0;
  void Count(bool hit) {
    part += hit;
    ++whole;
  }
  double Of() const {
    return whole == 0 ? 0
                      : static_cast<double>(part) / static_cast<double>(whole);
  }
};

struct Miss {
  std::string id;
  std::string expected;  // causes, joined by " or "
  std::string got;
};

struct Score {
  Share right;
  Share first_label;  // only the first of the accepted causes counts
  Share hard;
  Share alarms;  // on healthy logs
  Share figures;
  Share evidence;                      // fatal logs with a line for the verdict
  std::map<std::string, Share> words;  // confidence -> how often it was right
  // expected (first label), got -> count; including right ones
  std::map<std::pair<std::string, std::string>, int64_t> confusion;
  std::vector<Miss> misses;

  void Add(const Label& label, const findings::Diagnosis& diagnosis);
};

std::string ScoreText(const Score& score);
std::string ScoreJson(const Score& score);

}  // namespace inquest::ruletests
