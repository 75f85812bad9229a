// SPDX-License-Identifier: Apache-2.0
// One stream of the command on its way into console.log: in whole lines, with
// what looks like a credential masked. What the user sees is not touched. One
// thread.
#pragma once

#include <string>
#include <string_view>

#include "base/secrets/secrets.h"
#include "cli/record/console_log.h"

namespace inquest::record {

class ConsoleLines {
 public:
  explicit ConsoleLines(ConsoleLog* log) : log_(log) {}

  // Keeps what follows the last end of line until more comes. False as
  // ConsoleLog::Write.
  bool Add(std::string_view bytes);
  // The stream is silent: writes all but the last word, which may be half of a
  // secret.
  bool Pause();
  // The stream has ended.
  bool End();
  // Whether Pause would write something.
  bool waits() const { return waits_; }

 private:
  bool Write(std::string_view lines);

  ConsoleLog* log_;
  std::string rest_;
  bool waits_ = false;
  bool in_key_ = false;
  SecretLines lines_;
};

}  // namespace inquest::record
