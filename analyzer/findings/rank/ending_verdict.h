// SPDX-License-Identifier: Apache-2.0
// The verdict where no finding explains an end: "none" with its proof, else
// "unknown". Names what the run survived. Called by verdict.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/rule_model.h"

namespace inquest::findings {

struct Ending {
  bool died = false;
  bool finished = false;
  bool alive = false;
  bool recorded = false;  // by the exit status of the run or its processes
  bool worked = false;    // there are signs of ordinary work
  std::string evidence;   // the row or line that says how it ended
  std::string state;      // of the recorded run
  int64_t exit_code = 0;
  int64_t signal = 0;
};

Expected<Ending> ReadEnding(facts::Store* store);

// Fills the verdict's cause, title, summary and confidence. Its open question,
// if there is one, is filled already.
void NameByEnding(facts::Store* store, const Ending& ending,
                  const std::vector<rules::Relation>& relations,
                  Diagnosis* diagnosis);

}  // namespace inquest::findings
