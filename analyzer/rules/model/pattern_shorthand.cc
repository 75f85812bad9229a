// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/pattern_shorthand.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace inquest::rules {
namespace {

using nlohmann::json;

constexpr CaptureKind kCaptureKinds[] = {
    {"bytes", R"([\d.]+ ?(?:[KMGTPE]i?B|[Bb]ytes|B))", CaptureType::kBytes,
     "1.99 GiB"},
    {"integer", R"(\d+)", CaptureType::kInteger, "42"},
    {"hex", R"(0x[0-9a-fA-F]+)", CaptureType::kHex, "0x7f3a00000000"},
    {"real", R"([\d.]+)", CaptureType::kReal, "0.9"},
    {"version", R"(\d+(?:\.\d+)+)", CaptureType::kVersion, "8.9.2"},
    {"pci",
     R"([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.[0-9a-fA-F])?)",
     CaptureType::kString, "0000:3b:00.0"},
    {"word", R"(\w+)", CaptureType::kString, "ncclAllReduce"},
    {"string", R"(\S+)", CaptureType::kString, "worker-3:29500"},
};

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}
bool IsKindByte(char c) {
  return IsNameByte(c) || c == '-';
}

// The name that begins at `from`; empty if there is none.
template <typename Fits>
std::string_view NameAt(std::string_view text, size_t from, Fits fits) {
  size_t end = from;
  while (end < text.size() && fits(text[end])) ++end;
  const bool digit = end > from && text[from] >= '0' && text[from] <= '9';
  return digit ? std::string_view() : text.substr(from, end - from);
}

struct Brace {
  std::string_view name;  // may be empty
  std::string_view kind;
  size_t size;  // of the whole, with its braces
};

// "{name:kind}" or "{:kind}" at `at`.
std::optional<Brace> BraceAt(std::string_view text, size_t at) {
  const std::string_view name = NameAt(text, at + 1, IsNameByte);
  const size_t colon = at + 1 + name.size();
  if (colon >= text.size() || text[colon] != ':') return {};
  const std::string_view kind = NameAt(text, colon + 1, IsKindByte);
  const size_t close = colon + 1 + kind.size();
  if (kind.empty() || close >= text.size() || text[close] != '}') return {};
  return Brace{name, kind, close + 1 - at};
}

// The end of the character class that begins at `at`, after its bracket.
size_t EndOfClass(std::string_view text, size_t at) {
  size_t i = at + 1;
  if (i < text.size() && text[i] == '^') ++i;
  if (i < text.size() && text[i] == ']') ++i;
  while (i < text.size() && text[i] != ']') {
    if (text[i] == '\\') {
      i += 2;
    } else if (text.substr(i, 2) == "[:") {
      const size_t close = text.find(":]", i + 2);
      i = close == text.npos ? i + 1 : close + 2;
    } else {
      ++i;
    }
  }
  return std::min(i + 1, text.size());
}

// Copies the text with each brace replaced by the result of `replace`.
template <typename Replace>
std::string ReplaceBraces(std::string_view text, Replace replace) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    if (text[i] == '\\') {
      end = std::min(i + 2, text.size());
    } else if (text[i] == '[') {
      end = EndOfClass(text, i);
    } else if (text[i] == '{') {
      if (const auto brace = BraceAt(text, i)) {
        out += replace(*brace, text.substr(i, brace->size));
        i += brace->size;
        continue;
      }
    }
    out += text.substr(i, end - i);
    i = end;
  }
  return out;
}

std::string Group(std::string_view name, std::string_view expression) {
  const std::string open =
      name.empty() ? "(?:" : "(?P<" + std::string(name) + ">";
  return open + std::string(expression) + ")";
}

std::string AnyOf(const json& list) {
  std::string expression;
  for (const json& one : list) {
    if (!one.is_string()) return {};
    if (!expression.empty()) expression += '|';
    expression += one.get_ref<const std::string&>();
  }
  return expression;
}

}  // namespace

std::span<const CaptureKind> CaptureKinds() {
  return kCaptureKinds;
}

Fragments FragmentsOf(const json& file, const std::vector<Code>& codes) {
  Fragments fragments;
  if (!file.is_object()) return fragments;
  if (!codes.empty()) {
    CodeExpressions of_codes = ExpressionsOf(codes);
    fragments["code_name"] = std::move(of_codes.names);
    fragments["code_text"] = std::move(of_codes.texts);
    fragments["calm"] = std::move(of_codes.calm);
    fragments["source"] = std::move(of_codes.source);
    fragments["number_follows"] = std::move(of_codes.number_follows);
    std::erase_if(fragments,
                  [](const auto& one) { return one.second.empty(); });
  }
  const auto mapping = file.find("fragments");
  if (mapping == file.end() || !mapping->is_object()) return fragments;
  for (const auto& [name, value] : mapping->items()) {
    std::string expression = value.is_string()  ? value.get<std::string>()
                             : value.is_array() ? AnyOf(value)
                                                : std::string();
    if (!expression.empty()) fragments[name] = std::move(expression);
  }
  return fragments;
}

std::string InsertFragments(std::string_view written,
                            const Fragments& fragments) {
  if (fragments.empty()) return std::string(written);
  return ReplaceBraces(written, [&](const Brace& brace, std::string_view all) {
    const auto fragment = fragments.find(std::string(brace.kind));
    return fragment == fragments.end() ? std::string(all)
                                       : Group(brace.name, fragment->second);
  });
}

Expanded ExpandKinds(std::string_view text) {
  Expanded out;
  out.re2 = ReplaceBraces(text, [&](const Brace& brace, std::string_view all) {
    const auto kind = std::find_if(
        std::begin(kCaptureKinds), std::end(kCaptureKinds),
        [&](const CaptureKind& one) { return one.name == brace.kind; });
    if (kind == std::end(kCaptureKinds)) {
      if (out.unknown.empty()) out.unknown = brace.kind;
      return std::string(all);
    }
    if (!brace.name.empty() && kind->type != CaptureType::kString) {
      out.types.emplace(brace.name, kind->type);
    }
    return Group(brace.name, kind->expression);
  });
  return out;
}

}  // namespace inquest::rules
