// SPDX-License-Identifier: Apache-2.0
// Adds what a trace knows of the device that a finding is about: the product's
// name and, where memory is short, its size. So rules need not ask for them.
// Called once when findings are collected; what a finding says itself stays.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

Status AddDeviceFigures(facts::Store* store, Diagnosis* diagnosis);

}  // namespace inquest::findings
