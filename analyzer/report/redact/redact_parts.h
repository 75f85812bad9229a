// SPDX-License-Identifier: Apache-2.0
// Texts, figures and evidence in place. Internal to redact/.
#pragma once

#include <string>
#include <vector>

#include "analyzer/findings/finding.h"
#include "analyzer/report/redact/redactor.h"

namespace inquest::report {

void In(Redactor* redactor, std::string* text);
void InPath(Redactor* redactor, std::string* path);
void InFigures(Redactor* redactor, Figures* figures);
void InEvidence(Redactor* redactor, std::vector<findings::Evidence>* evidence);
void InDiagnosis(Redactor* redactor, findings::Diagnosis* diagnosis);

}  // namespace inquest::report
