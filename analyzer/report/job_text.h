// SPDX-License-Identifier: Apache-2.0
// The part of a report about a job of many ranks, as text and as JSON: the
// ranks that there are, what they waited for, where to look, how the clocks are
// related, and what to do with each node and GPU. Never a line for each rank.
#pragma once

#include <string>

#include "analyzer/findings/finding.h"
#include "analyzer/report/json_values.h"
#include "analyzer/report/painter.h"

namespace inquest::report {

std::string JobText(const findings::Diagnosis& diagnosis, const Painter& paint);
std::string ActionsText(const findings::Diagnosis& diagnosis,
                        const Painter& paint);
// null for a run of one rank.
nlohmann::json JobJson(const findings::Diagnosis& diagnosis);
nlohmann::json ActionsJson(const findings::Diagnosis& diagnosis);

}  // namespace inquest::report
