// SPDX-License-Identifier: Apache-2.0
#include "collector/python/python_reader.h"

#include <cstdio>

namespace inquest::collector {

void AppendUtf8(uint32_t c, std::string* out) {
  const auto tail = [&](int shift) {
    out->push_back(static_cast<char>(0x80 | (c >> shift & 0x3f)));
  };
  if (c < 0x80) {
    out->push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out->push_back(static_cast<char>(0xc0 | c >> 6));
    tail(0);
  } else if (c >= 0xd800 && c < 0xe000) {
    char text[8];
    snprintf(text, sizeof text, "\\u%04x", c);
    out->append(text);
  } else if (c < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | c >> 12));
    tail(6);
    tail(0);
  } else {
    out->push_back(static_cast<char>(0xf0 | (c >> 18 & 7)));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace inquest::collector
