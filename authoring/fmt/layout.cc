// SPDX-License-Identifier: Apache-2.0
#include "authoring/fmt/layout.h"

#include <algorithm>
#include <set>

#include "analyzer/rules/load/format.h"
#include "analyzer/rules/load/yaml.h"
#include "authoring/fmt/layout_lines.h"
#include "base/json_text.h"

namespace inquest::authoring {
namespace {

using rules::KeySpec;
using rules::MappingSpec;
using rules::Shape;

void Append(const Lines& from, size_t column, Lines* out) {
  for (const std::string& line : from) {
    out->push_back(std::string(column, ' ') + line);
  }
}

// Keys in the order of the table; unknown keys follow in their own order.
void Order(const MappingSpec& spec, std::vector<Chunk>* chunks) {
  const auto rank = [&](const Chunk& chunk) {
    size_t i = 0;
    while (i < spec.keys.size() && spec.keys[i].name != chunk.key) ++i;
    return i;
  };
  std::stable_sort(
      chunks->begin(), chunks->end(),
      [&](const Chunk& a, const Chunk& b) { return rank(a) < rank(b); });
}

// The text after `key:`, without blanks; a comment there is not a value.
std::string ValueOf(const std::string& line, size_t column,
                    const std::string& key) {
  const std::string value = Stripped(line.substr(column + key.size() + 1));
  const size_t begin = value.find_first_not_of(' ');
  return begin == value.npos ? "" : value.substr(begin);
}

class Writer {
 public:
  Lines File(const Lines& lines) {
    Chunks top = SplitMapping(lines, 0);
    if (top.chunks.empty()) return lines;
    // Comments above the first key are about the file.
    Lines header = std::move(top.chunks.front().comments);
    top.chunks.front().comments.clear();
    out_ = std::move(header);
    Order(rules::FileFormat(), &top.chunks);
    bool any_list = false;
    for (const Chunk& chunk : top.chunks) {
      const KeySpec* key = rules::FindKey(rules::FileFormat(), chunk.key);
      const bool list = key != nullptr && key->shape == Shape::kMappings;
      if (list && any_list) out_.emplace_back();
      any_list = any_list || list;
      Append(chunk.comments, 0, &out_);
      Value(chunk, 0, 0, key);
    }
    Append(top.rest, 0, &out_);
    return std::move(out_);
  }

 private:
  // A mapping whose keys are in the lines `from`, written to `to`.
  void Mapping(const Lines& lines, size_t from, size_t to,
               const MappingSpec& spec) {
    Chunks mapping = SplitMapping(lines, from);
    Order(spec, &mapping.chunks);
    for (const Chunk& chunk : mapping.chunks) {
      Append(chunk.comments, to, &out_);
      Value(chunk, from, to, rules::FindKey(spec, chunk.key));
    }
    Append(mapping.rest, to, &out_);
  }

  void Value(const Chunk& chunk, size_t from, size_t to, const KeySpec* key) {
    const std::string value = ValueOf(chunk.lines.front(), from, chunk.key);
    const Lines below(chunk.lines.begin() + 1, chunk.lines.end());
    out_.push_back(std::string(to, ' ') + chunk.key + ":" +
                   (value.empty() ? "" : " " + value));
    const bool block = value.empty() || value.front() == '#';
    const MappingSpec* child = key == nullptr ? nullptr : key->child;
    if (!block || below.empty()) {
      Keep(Shifted(below, from, to), value);
    } else if (child != nullptr && key->shape == Shape::kMappings) {
      List(below, to + 2, *child);
    } else if (child != nullptr && key->shape == Shape::kMapping) {
      Mapping(below, ColumnOf(below), to + 2, *child);
    } else {
      Keep(MovedTo(below, to + 2), value);
    }
  }

  static size_t ColumnOf(const Lines& lines) {
    const auto first =
        std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
          return !IsBlank(line) && !IsComment(line);
        });
    return first == lines.end() ? 0 : IndentOf(*first);
  }

  // Blanks at line ends belong to the text of a literal block.
  void Keep(Lines lines, const std::string& value) {
    const bool literal = value.starts_with('|');
    for (std::string& line : lines) {
      out_.push_back(literal ? std::move(line) : Stripped(std::move(line)));
    }
  }

  void List(const Lines& lines, size_t to, const MappingSpec& spec) {
    const Chunks list = SplitList(lines);
    const bool entries =
        &spec == &rules::SignatureFormat() || &spec == &rules::RuleFormat();
    for (size_t i = 0; i < list.chunks.size(); ++i) {
      const Chunk& item = list.chunks[i];
      if (i > 0 && (entries || item.gap)) out_.emplace_back();
      Append(item.comments, to, &out_);
      Item(item, list.column, to, spec);
    }
    Append(list.rest, to, &out_);
  }

  // Removes the dash, lays the mapping out, and puts the dash before the first
  // key; comments above that key go above the dash.
  void Item(const Chunk& item, size_t from, size_t to,
            const MappingSpec& spec) {
    Lines lines = item.lines;
    lines.front()[from] = ' ';
    const size_t column = IndentOf(lines.front());
    const bool mapping = !SplitMapping({lines.front()}, column).chunks.empty();
    if (!mapping) {
      for (const std::string& line : Shifted(item.lines, from, to)) {
        out_.push_back(Stripped(line));
      }
      return;
    }
    const size_t begin = out_.size();
    Mapping(lines, column, to + 2, spec);
    size_t first = begin;
    while (first < out_.size() && IsComment(out_[first])) {
      out_[first] = out_[first].substr(2);
      ++first;
    }
    out_[first][to] = '-';
  }

  Lines out_;
};

std::string Joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::multiset<std::string> CommentsOf(const Lines& lines) {
  std::multiset<std::string> comments;
  for (const std::string& line : lines) {
    if (IsComment(line)) comments.insert(Stripped(line.substr(IndentOf(line))));
  }
  return comments;
}

Expected<nlohmann::json> ValueOf(const std::string& name,
                                 const std::string& text) {
  rules::YamlDocument document;
  Diagnostics diagnostics;
  if (rules::ParseYaml(name, text, {}, &document, &diagnostics)) {
    return std::move(document.root);
  }
  return Status(StatusCode::kRules, Render(diagnostics.front(), false))
      .WithHint("`inquest rules lint` lists all its errors");
}

// JSON has no comments; only the order of keys changes.
nlohmann::ordered_json Ordered(const nlohmann::json& value,
                               const MappingSpec* spec) {
  using nlohmann::ordered_json;
  if (value.is_array()) {
    ordered_json list = ordered_json::array();
    for (const auto& one : value) list.push_back(Ordered(one, spec));
    return list;
  }
  if (!value.is_object()) return ordered_json(value);
  ordered_json object = ordered_json::object();
  if (spec != nullptr) {
    for (const KeySpec& key : spec->keys) {
      const std::string name(key.name);
      if (value.contains(name)) object[name] = Ordered(value[name], key.child);
    }
  }
  for (const auto& [name, one] : value.items()) {
    if (!object.contains(name)) object[name] = Ordered(one, nullptr);
  }
  return object;
}

}  // namespace

Expected<std::string> LayOut(const rules::RuleSource& source) {
  ASSIGN_OR_RETURN(const nlohmann::json before,
                   ValueOf(source.name, source.text));
  if (source.name.ends_with(".json")) {
    return JsonText(Ordered(before, &rules::FileFormat()), 2) + "\n";
  }
  const Lines lines = SplitLines(source.text);
  const Lines laid_out = Writer().File(lines);
  std::string text = Joined(laid_out);
  const auto after = ValueOf(source.name, text);
  if (!after.ok() || *after != before ||
      CommentsOf(laid_out) != CommentsOf(lines)) {
    return Internal(source.name +
                    " is written in a way that cannot be laid out without "
                    "changing it")
        .WithHint("write its entries in blocks, one key per line");
  }
  return text;
}

}  // namespace inquest::authoring
