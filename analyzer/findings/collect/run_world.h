// SPDX-License-Identifier: Apache-2.0
// Of which vendor's accelerators and on which platform a run was, and what it
// did already, as far as its lines (signatures vendor.*, platform.* and
// settings.*) and the libraries of recorded processes show; and what that means
// for a step and for words. Made once, when findings are collected. Where no
// vendor shows itself, NVIDIA is assumed.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "analyzer/rules/model/world.h"

namespace inquest::findings {

class RunWorld {
 public:
  static Expected<RunWorld> Read(facts::Store* store);

  // Whether a word of `when` is a vendor or a platform, and holds for the
  // finding. A finding of one vendor's own rule is of that vendor.
  static bool IsWorld(const std::string& word);
  bool Holds(const std::string& word, const Finding& finding) const;

  // Whether the step's text and command can act there. A command of this
  // vendor keeps a text with a word for others, unless it was `translated`.
  bool CanAct(const rules::Fix& fix, const Finding& finding,
              bool translated) const;
  // The command as vendor and platform take it, the text as the platform does.
  void SayStep(const Finding& finding, rules::Fix* fix) const;
  // Libraries and devices by the vendor's names in title and message; what
  // they quote stays.
  void SayWords(Finding* finding) const;

  bool IsOn(const std::string& place) const;
  // The only vendor that shows itself; null: none, or several.
  const rules::World* OnlyVendor(const Finding& finding) const;

 private:
  std::set<std::string> VendorsOf(const Finding& finding) const;

  std::set<std::string> vendors_;            // seen
  std::vector<const rules::World*> places_;  // platforms and settings
};

}  // namespace inquest::findings
