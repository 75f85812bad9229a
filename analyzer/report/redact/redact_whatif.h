// SPDX-License-Identifier: Apache-2.0
// The answer of `inquest whatif` without what tells who, where and on what.
#pragma once

#include "analyzer/report/redact/redactor.h"
#include "analyzer/report/whatif_report.h"

namespace inquest::report {

// Names of the facts are learned before (LearnFacts); those that only the
// answer tells are learned here.
void RedactWhatif(WhatifReport* report, Redactor* redactor);

}  // namespace inquest::report
