// SPDX-License-Identifier: Apache-2.0
// `# inquest: allow R077 why`, in the text of rule files.

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/rules/load/yaml.h"
#include "authoring/lint/lint.h"

namespace inquest::authoring {
namespace {

using Level = Diagnostic::Level;

constexpr std::string_view kMark = "# inquest: allow ";

struct Allow {
  std::string code;
  int line = 0;
  int from = 0;  // the lines that it covers
  int to = 0;
  bool has_reason = false;
  bool used = false;
};

// Lines on which an entry begins, including comments directly above it.
std::set<int> EntriesOf(const LintSubject& subject,
                        const rules::RuleSource& source) {
  std::set<int> lines;
  const auto add = [&](const auto& entries) {
    for (const auto& entry : entries) {
      if (entry.place.file == source.name) lines.insert(entry.place.line);
    }
  };
  add(subject.set.signatures);
  add(subject.set.rules);
  add(subject.set.relations);
  std::set<int> begins;
  for (int line : lines) {
    const auto above = [&] {
      std::string text = rules::LineOf(source.text, line - 1);
      text.erase(0, text.find_first_not_of(' '));
      return text.starts_with('#');
    };
    while (line > 1 && above()) --line;
    begins.insert(line);
  }
  return begins;
}

Allow Parse(std::string_view text, int line, const std::set<int>& begins) {
  const size_t blank = text.find(' ');
  Allow allow;
  allow.code = text.substr(0, blank);
  allow.has_reason = blank != text.npos && blank + 1 < text.size();
  allow.line = line;
  const auto next = begins.upper_bound(line);
  // Above the first entry it covers the whole file.
  if (next != begins.begin()) {
    allow.from = *std::prev(next);
    allow.to = next == begins.end() ? 0 : *next - 1;
  }
  return allow;
}

std::vector<Allow> AllowsOf(const LintSubject& subject,
                            const rules::RuleSource& source) {
  std::vector<Allow> allows;
  if (source.text.find(kMark) == std::string::npos) return allows;
  const std::set<int> begins = EntriesOf(subject, source);
  int number = 0;
  for (std::string_view rest = source.text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view text = rest.substr(0, end);
    ++number;
    if (const size_t at = text.find(kMark); at != text.npos) {
      allows.push_back(Parse(text.substr(at + kMark.size()), number, begins));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return allows;
}

bool Covers(Allow* allow, const Diagnostic& one) {
  const bool covers = allow->code == one.code && one.line >= allow->from &&
                      (allow->to == 0 || one.line <= allow->to);
  allow->used = allow->used || covers;
  return covers;
}

void LintAllow(const LintSubject& subject, const std::string& file,
               const Allow& allow, Diagnostics* diagnostics) {
  if (allow.used && allow.has_reason) return;
  diagnostics->push_back(Remark(
      subject, Level::kWarning, {file, allow.line, 0}, "R061",
      allow.used ? "'allow " + allow.code + "' gives no reason"
                 : "'allow " + allow.code + "' silences nothing",
      "",
      allow.used ? "write the reason after the code"
                 : "remove it, or put it into the entry that it is meant for"));
}

using AllowsByFile = std::map<std::string, std::vector<Allow>>;

AllowsByFile Silence(const LintSubject& subject, Diagnostics* diagnostics) {
  AllowsByFile by_file;
  for (const rules::RuleSource& source : subject.sources) {
    auto allows = AllowsOf(subject, source);
    if (!allows.empty()) by_file[source.name] = std::move(allows);
  }
  // Errors cannot be allowed.
  std::erase_if(*diagnostics, [&](const Diagnostic& one) {
    const auto found = by_file.find(one.file);
    return found != by_file.end() && one.level != Level::kError &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](Allow& allow) { return Covers(&allow, one); });
  });
  return by_file;
}

}  // namespace

void DropAllowed(const LintSubject& subject, Diagnostics* diagnostics) {
  if (!diagnostics->empty()) Silence(subject, diagnostics);
}

void ApplyAllows(const LintSubject& subject, Diagnostics* diagnostics) {
  const AllowsByFile by_file = Silence(subject, diagnostics);
  for (const auto& [file, allows] : by_file) {
    for (const Allow& allow : allows) {
      LintAllow(subject, file, allow, diagnostics);
    }
  }
}

}  // namespace inquest::authoring
