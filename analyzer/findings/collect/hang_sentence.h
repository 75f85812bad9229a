// SPDX-License-Identifier: Apache-2.0
// What ranks and processes waited for, as sentences: rows of collective_stall,
// collective_rank, collective_absent and stack_hang. Used by row_sentence.cc
// alone.
#pragma once

#include <string>

#include "analyzer/findings/collect/row_sentence.h"

namespace inquest::findings {

// "22:47:17.547 UTC ranks 8, 10–13, 15 entered all_to_all 45265 of group 72
// (EXPERT_MODEL_PARALLEL_GROUP); ranks 9, 14 did not".
std::string StallSentence(const RowText& row);

// "rank 9 (its dump: _dump_9): it had nothing under way; it did not come to 4
// collectives that others wait in".
std::string StalledRankSentence(const RowText& row);

// "rank 3 (_dump_3): the dump is cut off, awaited by 3 ranks".
std::string AbsentRankSentence(const RowText& row);

// "rank 5 (pid 4005) stands in tokenize (prep.py:71); of 16 dumped processes 15
// wait".
std::string StackHangSentence(const RowText& row);

}  // namespace inquest::findings
