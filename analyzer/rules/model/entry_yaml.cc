// SPDX-License-Identifier: Apache-2.0
// JSON values as YAML text. The parser reads every text back unchanged.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/rules/load/yaml_scalar.h"
#include "analyzer/rules/model/entry.h"
#include "base/json_text.h"
#include "base/text.h"

namespace inquest::rules {
namespace {

using Json = nlohmann::ordered_json;

// Characters that control a terminal: C0, delete, and C1 in UTF-8.
bool HasControl(const std::string& text, bool lines_too) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < ' ' && (c != '\n' || lines_too)) || c == 0x7f) return true;
    const auto next =
        i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    if (c == 0xC2 && next >= 0x80 && next < 0xA0) return true;
  }
  return false;
}

// Whether a text needs no quotes: it begins with a letter or a slash and
// contains nothing that has a meaning in YAML.
bool IsPlain(const std::string& text) {
  if (text.empty() || text.back() == ' ' || text.back() == ':') return false;
  const char first = text.front();
  if (!IsAlpha(first) && first != '/') {
    return false;
  }
  return !HasControl(text, true) && text.find(": ") == text.npos &&
         text.find(" #") == text.npos && text != "null" && text != "Null" &&
         text != "NULL" && PlainScalar(text).is_string();
}

// Literal blocks keep lines as they are; they cannot begin with a blank or
// contain other control characters.
bool FitsBlock(const std::string& text) {
  return text.find('\n') != text.npos && text.front() != ' ' &&
         text.front() != '\n' && text.front() != '\t' &&
         text.find("\n\n", text.size() - std::min<size_t>(2, text.size())) ==
             text.npos &&
         !HasControl(text, false);
}

std::string Block(const std::string& text, const std::string& indent) {
  std::string out = text.back() == '\n' ? "|\n" : "|-\n";
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) out += indent + text.substr(begin, end - begin);
    out += '\n';
    begin = end + 1;
  }
  return out;
}

std::string Quoted(const std::string& text) {
  if (HasControl(text, true)) {
    return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
  }
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string ScalarYaml(const Json& value) {
  if (!value.is_string()) return JsonText(value);
  const auto& text = value.get_ref<const std::string&>();
  return IsPlain(text) ? text : Quoted(text);
}

void Append(const Json& value, const std::string& indent, std::string* out);

// Appends the value after `key:` or `- `: on the same line, or below and
// indented.
void AppendValue(const Json& value, const std::string& indent, bool in_list,
                 std::string* out) {
  if (value.is_structured() && !value.empty()) {
    std::string inner;
    Append(value, indent, &inner);
    *out += in_list ? " " + inner.substr(indent.size()) : "\n" + inner;
    return;
  }
  const bool block =
      value.is_string() && FitsBlock(value.get_ref<const std::string&>());
  *out += ' ';
  *out += block ? Block(value.get_ref<const std::string&>(), indent)
                : ScalarYaml(value) + "\n";
}

void Append(const Json& value, const std::string& indent, std::string* out) {
  const std::string deeper = indent + "  ";
  if (value.is_array()) {
    for (const Json& one : value) {
      *out += indent + "-";
      AppendValue(one, deeper, true, out);
    }
    return;
  }
  for (const auto& [key, one] : value.items()) {
    *out += indent + (IsPlain(key) ? key : Quoted(key)) + ":";
    AppendValue(one, deeper, false, out);
  }
}

}  // namespace

std::string ToYaml(const Json& value) {
  if (!value.is_structured() || value.empty()) return ScalarYaml(value) + "\n";
  std::string out;
  Append(value, "", &out);
  return out;
}

}  // namespace inquest::rules
