// SPDX-License-Identifier: Apache-2.0
// The exception that a program ended with, where it is another line than those
// which the verdict quotes: it is what the reader of a log saw last. Pure.
#pragma once

#include "analyzer/findings/finding.h"

namespace inquest::report {

// Its line, a piece of the findings' evidence; null if there is none, or if the
// verdict tells it.
const findings::Evidence* LastException(const findings::Diagnosis& diagnosis);

}  // namespace inquest::report
