// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/redact/redact_whatif.h"

#include <functional>

#include "analyzer/report/redact/redact_parts.h"

namespace inquest::report {
namespace {

// Every text that the report has.
void ForEachText(WhatifOfDevice* device,
                 const std::function<void(std::string*)>& look) {
  look(&device->history.settings_text);
  look(&device->history.note);
  look(&device->history.room.source);
  for (whatif::Change& change : device->answer.changes) {
    look(&change.name);
    look(&change.setting);
    look(&change.assumption);
  }
  for (std::string& why : device->answer.untried) look(&why);
}

}  // namespace

void RedactWhatif(WhatifReport* report, Redactor* redactor) {
  const auto for_all = [&](const std::function<void(std::string*)>& look) {
    for (std::string& sentence : report->missing) look(&sentence);
    for (WhatifOfDevice& one : report->devices) ForEachText(&one, look);
  };
  for_all([&](std::string* text) { redactor->Learn(*text); });
  for_all([&](std::string* text) { In(redactor, text); });
}

}  // namespace inquest::report
