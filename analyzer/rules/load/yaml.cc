// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/yaml.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "analyzer/rules/load/yaml_scalar.h"
#include "base/utf8.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

// Limit on a line in a diagnostic: a minified file is one line.
constexpr size_t kSnippetBytes = 64 << 10;

// Leaves yaml-cpp's parser at the first fault; caught in ParseYaml.
struct Fault {
  YAML::Mark mark;
  const char* code;
  std::string message;
  std::string help;
};

std::string Escaped(const std::string& key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

class Builder : public YAML::EventHandler {
 public:
  Builder(const YamlLimits& limits, YamlDocument* document)
      : limits_(limits), document_(document) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Check(mark, "?", anchor);
    if (ExpectsKey()) throw BadKey(mark);
    Put(mark, nullptr);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    throw Fault{mark, "R003", "aliases (*name) are not allowed",
                "write the value out"};
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& value) override {
    Check(mark, tag, anchor);
    if (ExpectsKey()) {
      TakeKey(mark, value);
    } else {
      Put(mark, tag == "?" ? PlainScalar(value) : json(value));
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, json::array());
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag,
                  YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
    Open(mark, tag, anchor, json::object());
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Frame {
    json value;
    std::string pointer;
    std::string key;
    bool has_key = false;
  };

  bool ExpectsKey() const {
    return !frames_.empty() && frames_.back().value.is_object() &&
           !frames_.back().has_key;
  }
  static Fault BadKey(const YAML::Mark& mark) {
    return {mark, "R003", "a key must be a word", ""};
  }
  Place At(const YAML::Mark& mark) const {
    return {document_->name, mark.line + 1, mark.column + 1};
  }

  void Check(const YAML::Mark& mark, const std::string& tag,
             YAML::anchor_t anchor) {
    if (anchor != 0) {
      throw Fault{mark, "R003", "anchors (&name) are not allowed",
                  "write the value out where it is used, or quote the text"};
    }
    if (!tag.empty() && tag != "?" && tag != "!") {
      throw Fault{mark, "R003", "tags (" + tag + ") are not allowed",
                  "remove the tag, or quote a text that begins with '!'"};
    }
    if (++nodes_ > limits_.nodes) {
      throw Fault{
          mark, "R004",
          "more than " + std::to_string(limits_.nodes) + " values in one file",
          "split the file"};
    }
  }

  void TakeKey(const YAML::Mark& mark, const std::string& key) {
    Frame& frame = frames_.back();
    if (frame.value.contains(key)) {
      throw Fault{mark, "R003", "the key '" + key + "' appears twice",
                  "remove one of the two"};
    }
    frame.key = key;
    frame.has_key = true;
    document_->keys[frame.pointer + "/" + Escaped(key)] = At(mark);
  }

  // JSON pointer of the next value.
  std::string Next() const {
    if (frames_.empty()) return "";
    const Frame& frame = frames_.back();
    return frame.pointer + "/" +
           (frame.value.is_object() ? Escaped(frame.key)
                                    : std::to_string(frame.value.size()));
  }

  void Put(const YAML::Mark& mark, json value) {
    document_->places[Next()] = At(mark);
    Add(std::move(value));
  }
  void Add(json value) {
    if (frames_.empty()) {
      document_->root = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.value.is_object()) {
      frame.value[frame.key] = std::move(value);
      frame.has_key = false;
    } else {
      frame.value.push_back(std::move(value));
    }
  }

  void Open(const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor, json empty) {
    Check(mark, tag, anchor);
    if (ExpectsKey()) throw BadKey(mark);
    if (frames_.size() >= limits_.depth) {
      throw Fault{
          mark, "R004",
          "nested deeper than " + std::to_string(limits_.depth) + " levels",
          ""};
    }
    std::string pointer = Next();
    document_->places[pointer] = At(mark);
    frames_.push_back({std::move(empty), std::move(pointer), "", false});
  }
  void Close() {
    json value = std::move(frames_.back().value);
    frames_.pop_back();
    Add(std::move(value));
  }

  const YamlLimits& limits_;
  YamlDocument* document_;
  std::vector<Frame> frames_;
  size_t nodes_ = 0;
};

void Report(const YamlDocument& document, const char* code, int line,
            int column, std::string message, std::string help,
            Diagnostics* diagnostics) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.file = document.name;
  diagnostic.line = line;
  diagnostic.column = column;
  diagnostic.snippet = std::string(LineOf(document.text, line));
  diagnostic.help = std::move(help);
  diagnostics->push_back(std::move(diagnostic));
}

// yaml-cpp would guess other encodings; only UTF-8 is allowed.
bool CheckText(const YamlDocument& document, const YamlLimits& limits,
               Diagnostics* diagnostics) {
  if (document.text.size() > limits.bytes) {
    Report(document, "R004", 0, 0,
           "the file is larger than " + std::to_string(limits.bytes) + " bytes",
           "split it", diagnostics);
    return false;
  }
  const size_t bad =
      std::min(FindInvalidUtf8(document.text), document.text.find('\0'));
  if (bad == std::string::npos) return true;
  const auto line =
      std::count(document.text.begin(),
                 document.text.begin() + static_cast<long>(bad), '\n');
  const size_t begin = document.text.rfind('\n', bad) + 1;
  Report(document, "R002", static_cast<int>(line) + 1,
         static_cast<int>(bad - begin) + 1, "the file is not UTF-8 text",
         "save it as UTF-8", diagnostics);
  return false;
}

// The whole line of a mark.
std::string_view LineAt(std::string_view text, int line) {
  for (; line > 0 && !text.empty(); --line) {
    text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  }
  return text.substr(0, text.find('\n'));
}

// yaml-cpp's messages are short; this adds a hint for common mistakes.
std::string HintFor(const std::string& message, std::string_view line) {
  if (line.substr(0, line.find_first_not_of(" \t")).find('\t') !=
      std::string_view::npos) {
    return "the line is indented with a tab; YAML takes blanks only";
  }
  if (line.find(": {") != std::string_view::npos) {
    return "a text that begins with { or [ needs 'quotes'";
  }
  if (message.find("escape") != std::string::npos) {
    return "in \"double quotes\" a backslash begins an escape; put patterns "
           "in 'single quotes'";
  }
  if (message.find("map value") != std::string::npos) {
    return "a text with ': ' in it, or one that begins with a special "
           "character, needs quotes; or the indentation is off";
  }
  return "check the indentation (blanks, no tabs) and the quotes above";
}

bool Parse(const YamlLimits& limits, YamlDocument* document,
           Diagnostics* diagnostics) {
  try {
    std::istringstream stream(document->text);
    YAML::Parser parser(stream);
    Builder builder(limits, document);
    if (!parser.HandleNextDocument(builder)) return true;  // empty: null
    YamlDocument rest;  // its events are ignored
    Builder second(limits, &rest);
    if (!parser.HandleNextDocument(second)) return true;
    Report(*document, "R003", 0, 0, "the file holds a second document ('---')",
           "make it a file", diagnostics);
  } catch (const Fault& fault) {
    Report(*document, fault.code, fault.mark.line + 1, fault.mark.column + 1,
           fault.message, fault.help, diagnostics);
  } catch (const YAML::Exception& error) {
    Report(*document, "R002", error.mark.line + 1, error.mark.column + 1,
           "not valid YAML: " + error.msg,
           HintFor(error.msg, LineAt(document->text, error.mark.line)),
           diagnostics);
  } catch (const std::exception& error) {
    Report(*document, "R002", 0, 0,
           std::string("the YAML cannot be read: ") + error.what(), "",
           diagnostics);
  }
  return false;
}

Place Find(const std::map<std::string, Place>& places, std::string pointer,
           const Place& none) {
  while (true) {
    const auto found = places.find(pointer);
    if (found != places.end()) return found->second;
    if (pointer.empty()) return none;
    pointer.resize(pointer.rfind('/'));
  }
}

}  // namespace

Place YamlDocument::Where(const std::string& pointer) const {
  return Find(places, pointer, {name, 0, 0});
}

Place YamlDocument::WhereKey(const std::string& pointer) const {
  const auto found = keys.find(pointer);
  return found != keys.end() ? found->second : Where(pointer);
}

bool ParseYaml(std::string_view name, std::string_view text,
               const YamlLimits& limits, YamlDocument* document,
               Diagnostics* diagnostics) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  *document = {};
  document->name = name;
  document->text = text;
  return CheckText(*document, limits, diagnostics) &&
         Parse(limits, document, diagnostics);
}

std::string LineOf(std::string_view text, int number) {
  for (int line = 1; line < number; ++line) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  if (number < 1) return {};
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return std::string(text.substr(0, kSnippetBytes));
}

}  // namespace inquest::rules
