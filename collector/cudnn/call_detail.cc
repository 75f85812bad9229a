// SPDX-License-Identifier: Apache-2.0
// A failed call's operands as a JSON object; see cudnn_hooks.h.
#include "collector/cudnn/cudnn_hooks.h"

namespace inquest::collector {

void CallDetail::Put(int printed) {
  const size_t left = sizeof text_ - size_;
  // A value that does not fit is left out entirely.
  if (printed > 0 && static_cast<size_t>(printed) + 2 < left) {
    size_ += static_cast<size_t>(printed);
  }
}

void CallDetail::Number(const char* name, long long value) {
  Put(std::snprintf(text_ + size_, sizeof text_ - size_, "%s\"%s\":%lld",
                    size_ > 1 ? "," : "", name, value));
}

void CallDetail::Real(const char* name, double value) {
  if (value != value || value - value != 0) return;  // JSON has no such number
  Put(std::snprintf(text_ + size_, sizeof text_ - size_, "%s\"%s\":%.17g",
                    size_ > 1 ? "," : "", name, value));
}

void CallDetail::Null(const char* name) {
  Put(std::snprintf(text_ + size_, sizeof text_ - size_, "%s\"%s\":null",
                    size_ > 1 ? "," : "", name));
}

std::string_view CallDetail::Text() {
  if (size_ == 1) return {};
  text_[size_] = '}';
  return {text_, size_ + 1};
}

}  // namespace inquest::collector
