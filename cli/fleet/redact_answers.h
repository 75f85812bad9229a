// SPDX-License-Identifier: Apache-2.0
// What `--redact` takes out of the answers of `fleet report`: the names of
// nodes and folders, UUIDs of cards, and what analyzer/report/redact finds in
// texts.
#pragma once

#include <vector>

#include "analyzer/fleet/reports/sections.h"

namespace inquest::cli {

// Together, so that a node has one token in all answers. Columns `node` and
// `host` hold nodes, `template` wordings without numbers; others hold text.
void RedactAnswers(const std::vector<fleet::Rows*>& answers);

}  // namespace inquest::cli
