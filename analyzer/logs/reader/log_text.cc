// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_text.h"

#include <algorithm>
#include <cstring>

namespace inquest::ingest {
namespace {

constexpr char kEscape = '\x1b';
constexpr size_t kLongRun = 8;
constexpr size_t kMaxTitleLength = 4096;  // of an OSC that is never closed

// ESC [ parameters final
size_t CsiLength(std::string_view text) {
  size_t at = 2;
  while (at < text.size() && text[at] >= 0x20 && text[at] <= 0x3F) ++at;
  const bool final = at < text.size() && text[at] >= 0x40 && text[at] <= 0x7E;
  return final ? at + 1 : at;
}

// ESC ] … (BEL or ESC \); also DCS, APC, PM, SOS. If it is not closed on its
// line, only two bytes are removed, so that no text is lost.
size_t StringLength(std::string_view text) {
  const size_t most = std::min(text.size(), kMaxTitleLength);
  for (size_t at = 2; at < most; ++at) {
    if (text[at] == '\x07') return at + 1;
    if (text[at] == kEscape && at + 1 < text.size() && text[at + 1] == '\\') {
      return at + 2;
    }
  }
  return 2;
}

size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return text.size();
  switch (text[1]) {
    case '[':
      return CsiLength(text);
    case ']':
    case 'P':
    case 'X':
    case '^':
    case '_':
      return StringLength(text);
    case '(':
    case ')':
    case '#':
    case '%':
      return std::min<size_t>(3, text.size());
    default:
      return text[1] >= 0x20 && text[1] <= 0x7E ? 2 : 1;
  }
}

void TakeBack(size_t floor, std::string* out) {
  while (out->size() > floor) {
    const auto byte = static_cast<unsigned char>(out->back());
    out->pop_back();
    if ((byte & 0xC0) != 0x80) return;
  }
}

}  // namespace

void CleanText(std::string_view raw, std::string* out) {
  const size_t floor = out->size();
  for (size_t at = 0; at < raw.size();) {
    const char c = raw[at];
    if (c == kEscape) {
      at += EscapeLength(raw.substr(at));
      continue;
    }
    if (c == '\b') {
      TakeBack(floor, out);
    } else if (c != '\0' && c != '\r') {
      *out += c;
    }
    ++at;
  }
}

bool NeedsCleaning(std::string_view text) {
  const auto has = [&](int c) {
    return std::memchr(text.data(), c, text.size()) != nullptr;
  };
  return !text.empty() && (has(kEscape) || has('\b') || has('\0') || has('\r'));
}

size_t EndOfPart(std::string_view line, size_t begin, size_t* gap) {
  for (size_t at = begin; at < line.size(); ++at) {
    const char c = line[at];
    if (c != '\r' && c != '\b' && c != '\0') continue;
    size_t end = at + 1;
    while (end < line.size() && line[end] == c) ++end;
    if (c == '\r' || end - at >= kLongRun) {
      *gap = end - at;
      return at;
    }
    at = end - 1;
  }
  *gap = 0;
  return line.size();
}

bool IsBinary(std::string_view head) {
  constexpr std::string_view kOfTerminals = "\a\b\t\n\v\f\r\x0e\x0f\x1b";
  constexpr size_t kFew = 4;
  size_t bytes = 0;
  size_t control = 0;
  for (const char c : head) {
    if (c == '\0') continue;
    ++bytes;
    const bool low = static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
    if (low && kOfTerminals.find(c) == kOfTerminals.npos) ++control;
  }
  const bool nothing = bytes == 0 && !head.empty();
  return nothing || (control > kFew && control * 25 > bytes);
}

}  // namespace inquest::ingest
