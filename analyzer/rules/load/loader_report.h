// SPDX-License-Identifier: Apache-2.0
// Makes diagnostics about places in rule files, with the line concerned. Shared
// by the loader and its checks. Stops after kMaxPerLoad: a broken file must
// not fill the screen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/load/loader.h"

namespace inquest::rules {

// The text of a diagnostic, without its place and level.
struct Complaint {
  std::string_view code;
  std::string message;
  std::string reason;
  std::string help;
};

class Reporter {
 public:
  static constexpr size_t kMaxPerLoad = 200;

  Reporter(const std::vector<RuleSource>& sources, Diagnostics* diagnostics)
      : sources_(sources), diagnostics_(diagnostics) {}

  void Error(const Place& place, Complaint complaint);
  void Warning(const Place& place, Complaint complaint);
  void Note(const Place& place, Complaint complaint);

  // Takes over the diagnostics of one file.
  void Pass(Diagnostics&& said);

  // The text of a source; empty if there is none of that name.
  std::string_view TextOf(const std::string& name) const;
  const std::vector<RuleSource>& sources() const { return sources_; }

 private:
  void Add(Diagnostic::Level level, const Place& place, Complaint complaint);
  bool MaySay(Diagnostic::Level level);

  const std::vector<RuleSource>& sources_;
  Diagnostics* diagnostics_;
  size_t made_ = 0;
};

}  // namespace inquest::rules
