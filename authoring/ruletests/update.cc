// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/update.h"

#include <algorithm>
#include <set>

#include "analyzer/rules/load/yaml.h"
#include "authoring/ruletests/update_answer.h"

namespace inquest::ruletests {
namespace {

using Lines = std::vector<std::string>;

Lines Split(const std::string& text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string Join(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

size_t IndentOf(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// The line after a block key's value. A list may be indented like its key.
size_t EndOfBlock(const Lines& lines, size_t key) {
  const size_t indent = IndentOf(lines[key]);
  size_t end = key + 1;
  for (size_t i = end; i < lines.size(); ++i) {
    const size_t here = IndentOf(lines[i]);
    if (here == lines[i].size()) continue;  // blank
    const bool item = here == indent && lines[i].compare(here, 2, "- ") == 0;
    if (here <= indent && !item) break;
    end = i + 1;
  }
  return end;
}

struct Edit {
  size_t begin;
  size_t end;
  Lines lines;
};

class Updater {
 public:
  explicit Updater(const TestFile& file) : lines_(Split(file.text)) {
    Diagnostics ignored;  // the file was loaded before
    rules::ParseYaml(file.path, file.text, {}, &document_, &ignored);
  }

  // Empty on success, else the reason.
  std::string Add(const Result& result) {
    const std::string expect = result.test->pointer + "/expect";
    std::set<std::string> keys;
    for (const Difference& one : result.differences) keys.insert(one.key);
    if (keys.contains("exact")) return "it asks for an exact match";
    if (keys.contains("limits")) return "a rule was stopped";
    std::vector<Edit> edits;
    for (const std::string& key : keys) {
      const auto at = document_.keys.find(expect + "/" + key);
      if (at == document_.keys.end()) return "its keys cannot be found";
      const auto line = static_cast<size_t>(at->second.line) - 1;
      const auto column = static_cast<size_t>(at->second.column) - 1;
      if (line >= lines_.size() || IndentOf(lines_[line]) != column) {
        return "write its 'expect' with each key on a line of its own";
      }
      edits.push_back({line, EndOfBlock(lines_, line),
                       AnswerLines(result.test->expect, result.diagnosis, key,
                                   std::string(column, ' '))});
    }
    edits_.insert(edits_.end(), edits.begin(), edits.end());
    return "";
  }

  std::string Text() {
    std::sort(edits_.begin(), edits_.end(),
              [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
    for (const Edit& edit : edits_) {
      const auto at = lines_.begin() + static_cast<std::ptrdiff_t>(edit.begin);
      lines_.erase(at, at + static_cast<std::ptrdiff_t>(edit.end - edit.begin));
      lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(edit.begin),
                    edit.lines.begin(), edit.lines.end());
    }
    return Join(lines_);
  }

 private:
  Lines lines_;
  rules::YamlDocument document_;
  std::vector<Edit> edits_;
};

}  // namespace

Update UpdateExpectations(const TestFile& file,
                          const std::vector<const Result*>& results) {
  Update update;
  Updater updater(file);
  for (const Result* result : results) {
    if (result->state != State::kFailed) continue;
    const std::string why = updater.Add(*result);
    if (why.empty()) {
      ++update.tests;
    } else {
      update.left.push_back("'" + result->test->name + "': " + why);
    }
  }
  update.text = update.tests > 0 ? updater.Text() : file.text;
  return update;
}

}  // namespace inquest::ruletests
