// SPDX-License-Identifier: Apache-2.0
// Parses strict JSON, as JsonMender makes it, from a stream and passes each
// value to a handler as it is read. A string that lies whole in the buffer and
// has no escapes is passed on where it is: long strings are most of a profile.
// Relies on valid UTF-8, which the mender sees to. Numbers of any length and
// any depth are accepted. One thread; memory is a buffer, the longest string
// and one bit per level of nesting.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/importers/common/json_stream.h"

namespace inquest::importers {

class JsonParser {
 public:
  JsonParser(ingest::ByteStream* bytes, JsonHandler* handler)
      : bytes_(bytes), handler_(handler), buffer_(kBuffer) {}

  enum class End {
    kWhole,    // one value; whether anything follows it does not matter
    kStopped,  // by the handler
    kEarly,    // the stream ended within the value
    kBroken,   // not JSON
  };
  End Run();
  // What is not JSON, or its beginning.
  const std::string& unexpected() const { return unexpected_; }

 private:
  static constexpr size_t kBuffer = 64 << 10;
  static constexpr size_t kMaxUnexpected = 60;

  bool More() { return at_ < end_ || Fill(); }
  bool Fill();
  void SkipByteOrderMark();
  // The next byte that is not blank, which stays; -1 at the end.
  int Significant();
  int TakeByte();
  bool Unexpected();
  // All of these say whether to go on.
  bool Continues() const { return !handler_->stopped(); }
  bool Follow();
  bool Value();
  bool Open(bool array);
  bool SkipToEnd();
  bool Key();
  bool Text(std::string_view* text);
  bool LongText(std::string_view* text);
  bool Escape();
  bool Unicode();
  bool Hex(unsigned* value);
  bool Word();
  bool Number();

  // The bytes from here on that `is` accepts; the view holds until the next
  // byte is read.
  std::string_view TakeRun(bool (*is)(char));

  ingest::ByteStream* bytes_;
  JsonHandler* handler_;
  std::vector<char> buffer_;
  size_t at_ = 0, end_ = 0;
  bool ended_ = false;        // the stream
  std::vector<bool> levels_;  // whether each open one is an array
  bool first_ = false;        // nothing stands in the innermost one yet
  std::string text_;          // one that does not lie whole in the buffer
  std::string unexpected_;
};

}  // namespace inquest::importers
