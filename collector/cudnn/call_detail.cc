// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/call_detail.h"

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "base/secrets/secrets.h"
#include "collector/core/thread_state.h"
#include "collector/cudnn/cudnn_words.h"

namespace inquest::collector {
namespace {

constexpr int kMaxListed = 8;
constexpr uintptr_t kWellAligned = 16;

// "8x3x224x224" or "8,3,224,224".
void PrintList(const int* values, int count, char separator, char* to,
               size_t size) {
  size_t used = 0;
  for (int i = 0; i < count && used < size; ++i) {
    const int printed = std::snprintf(to + used, size - used, "%.*s%d",
                                      i == 0 ? 0 : 1, &separator, values[i]);
    used += static_cast<size_t>(printed);
  }
}

}  // namespace

void CallDetail::Put(int printed) {
  const size_t left = sizeof text_ - size_;
  // A value that does not fit is left out entirely.
  if (printed > 0 && static_cast<size_t>(printed) + 2 < left) {
    size_ += static_cast<size_t>(printed);
  }
}

void CallDetail::Word(const char* format, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const size_t room = sizeof words_ - word_size_;
  const int printed = std::snprintf(words_ + word_size_, room, "%s%s",
                                    word_size_ == 0 ? "" : ", ", text);
  if (printed > 0 && static_cast<size_t>(printed) < room) {
    word_size_ += static_cast<size_t>(printed);
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

void CallDetail::AddType(const char* name, int type) {
  Number(name, type);
  Word("%s", CudnnWords::TypeName(type));
}

void CallDetail::AddList(const char* name, const int* values, int count) {
  if (values == nullptr) return Null(name);
  if (count < 1 || count > kMaxListed) return;
  char listed[kMaxListed * 12];
  PrintList(values, count, ',', listed, sizeof listed);
  Put(std::snprintf(text_ + size_, sizeof text_ - size_, "%s\"%s\":[%s]",
                    size_ > 1 ? "," : "", name, listed));
  PrintList(values, count, 'x', listed, sizeof listed);
  Word("%s %s", name, listed);
}

void CallDetail::AddAddress(const char* name, const void* address) {
  if (address == nullptr) return Null(name);
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (at % kWellAligned == 0) return;
  Put(std::snprintf(text_ + size_, sizeof text_ - size_,
                    "%s\"%s_alignment\":%d", size_ > 1 ? "," : "", name,
                    static_cast<int>(at & -at)));
}

// Characters that JSON would have to escape become spaces.
void CallDetail::Text(const char* name, std::string_view value) {
  char plain[128];
  const size_t size = value.copy(plain, sizeof plain);
  for (char* at = plain; at != plain + size; ++at) {
    if (*at == '"' || *at == '\\' || (*at >= 0 && *at < ' ')) *at = ' ';
  }
  Put(std::snprintf(text_ + size_, sizeof text_ - size_, "%s\"%s\":\"%.*s\"",
                    size_ > 1 ? "," : "", name, static_cast<int>(size), plain));
}

void CallDetail::AddRange() {
  const ThreadState* thread = GetThreadState();
  if (thread == nullptr || thread->range_depth == 0) return;
  const int open = std::min<int>(thread->range_depth, ThreadState::kRanges);
  const std::string_view name = thread->range_names[open - 1];
  const auto masked = FindAndMaskSecrets(name);
  if (!name.empty()) Text("range", masked ? *masked : name);
}

std::string_view CallDetail::Text() {
  if (size_ == 1) return {};
  text_[size_] = '}';
  return {text_, size_ + 1};
}

}  // namespace inquest::collector
