#include "analyzer/ruletests/update.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/report/words.h"
#include "analyzer/rules/yaml.h"
#include "analyzer/ruletests/compare.h"

namespace inquest::ruletests {
namespace {

using findings::Diagnosis;
using findings::Finding;
using nlohmann::json;

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

// A scalar as YAML; quoted unless it plainly needs no quotes.
std::string Yaml(const json& value) {
  if (!value.is_string()) return Shown(value);
  const auto& text = value.get_ref<const std::string&>();
  const bool plain = !text.empty() &&
                     isalpha(static_cast<unsigned char>(text.front())) &&
                     std::all_of(text.begin(), text.end(),
                                 [](unsigned char c) {
                                   return isalnum(c) || c == '/' || c == '.' ||
                                          c == '-' || c == '_';
                                 }) &&
                     text != "true" && text != "false" && text != "null";
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

// What came, in the shape of what was asked.
class Answer {
 public:
  Answer(const Expectation& expect, const Diagnosis& diagnosis)
      : expect_(expect), diagnosis_(diagnosis) {}

  // The lines of one key of `expect`, indented by `indent`.
  Lines Of(const std::string& key, const std::string& indent) const {
    Lines body;
    if (key == "verdict") {
      body = Verdict();
    } else if (key == "findings") {
      body = Findings();
    } else if (key == "explained") {
      body = Explained();
    } else if (key == "absent") {
      body = Absent();
    } else if (key == "skipped") {
      body = Skipped();
    } else {
      body = Facts();
    }
    if (body.empty()) return {};
    Lines lines;
    const bool one = body.size() == 1 && body.front().front() != ' ';
    lines.push_back(indent + key + (one ? ": " + body.front() : ":"));
    for (const std::string& line : body) {
      if (!one) lines.push_back(indent + line);
    }
    return lines;
  }

 private:
  Lines Verdict() const {
    const FindingExpectation& asked = *expect_.verdict;
    const auto& verdict = diagnosis_.verdict;
    const bool word = asked.rule.empty() && asked.role.empty() &&
                      asked.severity.empty() && asked.confidence.empty() &&
                      asked.evidence.empty() && !asked.line && !asked.rank &&
                      !asked.device && asked.facts.empty();
    if (word) return {Yaml(verdict.cause)};
    Lines lines;
    if (!asked.causes.empty()) lines.push_back("  cause: " + verdict.cause);
    if (!verdict.finding) return lines;
    const Finding& root = diagnosis_.findings[*verdict.finding];
    if (!asked.rule.empty()) lines.push_back("  rule: " + root.rule);
    if (!asked.confidence.empty()) {
      lines.push_back("  confidence: " +
                      std::string(report::Word(verdict.confidence)));
    }
    AddPlace(asked, root, &lines);
    if (!asked.facts.empty()) lines.push_back("  facts:");
    for (const auto& [name, unused] : asked.facts.items()) {
      lines.push_back("    " + name + ": " + Figure(name));
    }
    return lines;
  }

  static void AddPlace(const FindingExpectation& asked, const Finding& root,
                       Lines* lines) {
    if (asked.rank && root.unit.rank) {
      lines->push_back("  rank: " + std::to_string(*root.unit.rank));
    }
    if (asked.device && root.unit.device) {
      lines->push_back("  device: " + std::to_string(*root.unit.device));
    }
    if (root.evidence.empty()) return;
    const auto& first = root.evidence.front();
    if (asked.line) lines->push_back("  line: " + std::to_string(first.line));
    if (!asked.evidence.empty()) {
      lines->push_back("  evidence: " + Yaml(first.text));
    }
  }

  std::string Figure(const std::string& name) const {
    const auto& figures = diagnosis_.verdict.figures;
    const auto found = figures.find(name);
    return found == figures.end() ? "null" : Yaml(*found);
  }

  Lines Facts() const {
    Lines lines;
    for (const auto& [name, value] : expect_.facts.items()) {
      const auto found = diagnosis_.verdict.figures.find(name);
      const bool fits =
          found != diagnosis_.verdict.figures.end() && Fits(value, *found);
      lines.push_back("  " + name + ": " + (fits ? Yaml(value) : Figure(name)));
    }
    return lines;
  }

  Lines Findings() const {
    Lines lines;
    for (const Finding& finding : diagnosis_.findings) {
      const std::string line = "  - " + Yaml(finding.rule);
      const bool known =
          std::find(lines.begin(), lines.end(), line) != lines.end();
      if (!known) lines.push_back(line);
    }
    return lines;
  }

  Lines Explained() const {
    Lines lines;
    for (const Pair& pair : expect_.explained) {
      for (const Finding& finding : diagnosis_.findings) {
        if (!NamesIt(pair.what, finding.cause, finding.rule)) continue;
        if (finding.links.empty()) continue;
        const Finding& by = diagnosis_.findings[finding.links.front().by];
        lines.push_back("  " + Yaml(pair.what) + ": " + Yaml(by.rule));
        break;
      }
    }
    return lines;
  }

  Lines Absent() const {
    Lines lines;
    for (const std::string& pattern : expect_.absent) {
      const bool found =
          std::any_of(diagnosis_.findings.begin(), diagnosis_.findings.end(),
                      [&](const Finding& one) {
                        return NamesIt(pattern, one.cause, one.rule);
                      });
      if (!found) lines.push_back("  - " + Yaml(pattern));
    }
    return lines;
  }

  Lines Skipped() const {
    Lines lines;
    for (const Pair& pair : expect_.skipped) {
      for (const findings::Skipped& one : diagnosis_.skipped) {
        if (!NamesIt(pair.what, one.rule, one.rule)) continue;
        lines.push_back("  " + Yaml(pair.what) + ": " + Yaml(one.missing));
      }
    }
    return lines;
  }

  const Expectation& expect_;
  const Diagnosis& diagnosis_;
};

size_t IndentOf(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// The line behind a block key's value. A list may stand as deep as its key.
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

  // Empty where it went well, else why not.
  std::string Add(const Result& result) {
    const std::string expect = result.test->pointer + "/expect";
    const Answer answer(result.test->expect, result.diagnosis);
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
                       answer.Of(key, std::string(column, ' '))});
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
