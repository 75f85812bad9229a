// JSON values as YAML text. Every text comes out in a form that the parser
// reads back as the same text.

#include <algorithm>

#include "analyzer/rules/entry.h"
#include "analyzer/rules/yaml_scalar.h"

namespace inquest::rules {
namespace {

using Json = nlohmann::ordered_json;

// Whether a text can stand without quotes: words that begin with a letter or a
// path's slash and hold nothing that YAML gives a meaning to.
bool IsPlain(const std::string& text) {
  if (text.empty() || text.back() == ' ' || text.back() == ':') return false;
  const char first = text.front();
  if (std::isalpha(static_cast<unsigned char>(first)) == 0 && first != '/') {
    return false;
  }
  for (const unsigned char c : text) {
    if (c < ' ' || c == 0x7f) return false;
  }
  return text.find(": ") == text.npos && text.find(" #") == text.npos &&
         text != "null" && text != "Null" && text != "NULL" &&
         PlainScalar(text).is_string();
}

// Literal blocks keep lines as they are; they cannot begin with a blank, nor
// hold other control characters.
bool FitsBlock(const std::string& text) {
  return text.find('\n') != text.npos && text.front() != ' ' &&
         text.front() != '\n' && text.front() != '\t' &&
         text.find("\n\n", text.size() - std::min<size_t>(2, text.size())) ==
             text.npos &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return c == '\n' || (c >= ' ' && c != 0x7f);
         });
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
  const bool control =
      std::any_of(text.begin(), text.end(),
                  [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (control) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  std::string out = "'";
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  return out + "'";
}

std::string ScalarYaml(const Json& value) {
  if (!value.is_string()) return value.dump();
  const auto& text = value.get_ref<const std::string&>();
  return IsPlain(text) ? text : Quoted(text);
}

void Append(const Json& value, const std::string& indent, std::string* out);

// What follows `key:` or `- `: on the same line, or below and deeper.
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
