// SPDX-License-Identifier: Apache-2.0
// Numbers and texts of a pickle, in binary and in text form; see
// pickle_reader.h.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>

#include "analyzer/importers/pickle/pickle_opcodes.h"
#include "analyzer/importers/pickle/pickle_reader.h"

namespace inquest::importers {
namespace {

using Kind = PickleValue::Kind;

double BigEndianDouble(const char* at) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return std::bit_cast<double>(__builtin_bswap64(bits));
}

PickleValue Real(double number) {
  PickleValue value;
  value.kind = Kind::kFloat;
  value.real = number;
  return value;
}

int64_t Saturated(bool negative) {
  return negative ? INT64_MIN : INT64_MAX;
}

// Two's complement, little-endian. Addresses use all 64 bits, so nine bytes of
// which the last is zero are taken by their bits.
int64_t Integer(std::string_view bytes) {
  const bool negative = !bytes.empty() && (bytes.back() & 0x80) != 0;
  const char fill = negative ? '\xff' : '\0';
  for (size_t i = 8; i < bytes.size(); ++i) {
    if (bytes[i] != fill) return Saturated(negative);
  }
  uint64_t value = negative ? UINT64_MAX : 0;
  std::memcpy(&value, bytes.data(), std::min<size_t>(bytes.size(), 8));
  return static_cast<int64_t>(value);
}

// In decimal digits, with an L after them in Python 2.
int64_t Decimal(std::string_view digits, bool* good) {
  if (digits.ends_with('L')) digits.remove_suffix(1);
  int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  *good = end == digits.data() + digits.size() && !digits.empty();
  return error == std::errc::result_out_of_range
             ? Saturated(digits.starts_with('-'))
             : value;
}

void AppendUtf8(uint32_t code, std::string* text) {
  const auto add = [text](uint32_t byte) { *text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xc0 | code >> 6);
    add(0x80 | (code & 0x3f));
  } else {
    add(0xe0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3f));
    add(0x80 | (code & 0x3f));
  }
}

// The character that an escape sequence means: those of repr() of a text, and
// the \uXXXX of raw-unicode-escape.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain += text[i];
      continue;
    }
    const char kind = text[++i];
    const size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : 0;
    uint32_t code = 0;
    const auto hex = text.substr(i + 1, digits);
    const auto [end, error] =
        std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (digits > 0 && error == std::errc() && end == hex.data() + digits) {
      AppendUtf8(code, &plain);
      i += digits;
    } else if (kind == 'n') {
      plain += '\n';
    } else {
      plain += kind == 't' ? '\t' : kind;
    }
  }
  return plain;
}

}  // namespace

bool PickleReader::PushText(uint64_t size) {
  if (size <= PickleInput::kMaxAtOnce) {
    const char* at = input_.Take(static_cast<size_t>(size));
    if (at == nullptr) return Ends();
    return PushInterned({at, static_cast<size_t>(size)});
  }
  if (size > limits_.text) return TooMuch("a text larger than the limit");
  if (!input_.Take(size, &scratch_)) return Ends();
  return PushInterned(scratch_);
}

bool PickleReader::PushInterned(std::string_view text) {
  const uint32_t index = texts_.Intern(text);
  if (texts_.full()) return TooMuch("its texts exceed the limit");
  return Push(PickleValue::Text(index));
}

bool PickleReader::PushInteger(uint64_t size) {
  if (size > PickleInput::kMaxAtOnce)
    return TooMuch("a number larger than the limit");
  const char* at = input_.Take(static_cast<size_t>(size));
  if (at == nullptr) return Ends();
  return Push(PickleValue::Int(Integer({at, static_cast<size_t>(size)})));
}

bool PickleReader::PushQuoted(std::string_view line) {
  const bool quoted = line.size() >= 2 && line.front() == line.back() &&
                      (line.front() == '\'' || line.front() == '"');
  if (!quoted) return Bad("STRING without quotes");
  return PushInterned(Unescape(line.substr(1, line.size() - 2)));
}

// Most frequent first; sizes are those of what follows.
bool PickleReader::Scalar(uint8_t op) {
  size_t size = 0;
  switch (static_cast<PickleOp>(op)) {
    case PickleOp::kLong1:
    case PickleOp::kBinInt1:
      size = 1;
      break;
    case PickleOp::kBinInt2:
      size = 2;
      break;
    case PickleOp::kBinInt:
    case PickleOp::kLong4:
      size = 4;
      break;
    case PickleOp::kBinFloat:
      size = 8;
      break;
    case PickleOp::kNone:
      return Push({});
    case PickleOp::kNewTrue:
    case PickleOp::kNewFalse:
      return Push(PickleValue::Of(
          Kind::kBool, op == static_cast<uint8_t>(PickleOp::kNewTrue)));
    default:
      return Text(op);
  }
  const char* at = input_.Take(size);
  if (at == nullptr) return Ends();
  const uint64_t number = LittleEndian(at, size);
  switch (static_cast<PickleOp>(op)) {
    case PickleOp::kBinFloat:
      return Push(Real(BigEndianDouble(at)));
    case PickleOp::kLong1:
    case PickleOp::kLong4:
      return PushInteger(number);
    case PickleOp::kBinInt:
      return Push(PickleValue::Int(static_cast<int32_t>(number)));
    default:
      return Push(PickleValue::Int(static_cast<int64_t>(number)));
  }
}

bool PickleReader::Text(uint8_t op) {
  size_t size = 0;
  switch (static_cast<PickleOp>(op)) {
    case PickleOp::kShortBinUnicode:
    case PickleOp::kShortBinString:
    case PickleOp::kShortBinBytes:
      size = 1;
      break;
    case PickleOp::kBinUnicode:
    case PickleOp::kBinString:
    case PickleOp::kBinBytes:
      size = 4;
      break;
    case PickleOp::kBinUnicode8:
    case PickleOp::kBinBytes8:
      size = 8;
      break;
    default:
      return Line(op);
  }
  const char* at = input_.Take(size);
  return at == nullptr ? Ends() : PushText(LittleEndian(at, size));
}

bool PickleReader::Line(uint8_t op) {
  const auto kind = static_cast<PickleOp>(op);
  switch (kind) {
    case PickleOp::kInt:
    case PickleOp::kLong:
    case PickleOp::kFloat:
    case PickleOp::kString:
    case PickleOp::kUnicode:
    case PickleOp::kGet:
    case PickleOp::kPut:
      break;
    default:
      return Build(op);
  }
  std::string_view line;
  if (!input_.TakeLine(&line)) return Ends();
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (kind == PickleOp::kString) return PushQuoted(line);
  if (kind == PickleOp::kUnicode) {
    return PushInterned(Unescape(line));
  }
  if (kind == PickleOp::kFloat) {
    return Push(Real(std::strtod(std::string(line).c_str(), nullptr)));
  }
  bool good = false;
  const int64_t number = Decimal(line, &good);
  if (!good) return Bad("the digits are not a number");
  if (kind == PickleOp::kGet) return GetMemo(static_cast<uint64_t>(number));
  if (kind == PickleOp::kPut) return PutMemo(static_cast<uint64_t>(number));
  // INT writes bools as 00 and 01.
  const bool is_bool =
      kind == PickleOp::kInt && line.size() == 2 && line.front() == '0';
  return Push(PickleValue::Of(is_bool ? Kind::kBool : Kind::kInt, number));
}

}  // namespace inquest::importers
