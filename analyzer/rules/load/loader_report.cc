// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader_report.h"

#include <utility>

#include "analyzer/rules/load/yaml.h"
#include "base/units.h"

namespace inquest::rules {
namespace {

std::string_view Find(const std::vector<RuleSource>& sources,
                      const std::string& name) {
  for (const RuleSource& source : sources) {
    if (source.name == name) return source.text;
  }
  return {};
}

// Columns do not count a byte order mark, as in the parser.
// Bytes of one part of a message, which may quote the file.
constexpr size_t kMaxSaid = 2000;
constexpr size_t kMaxSnippet = 2000;

std::string SnippetAt(std::string_view text, int line) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return LineOf(text, line);
}

}  // namespace

Diagnostic RuleDiagnostic(const std::vector<RuleSource>& sources,
                          Diagnostic::Level level, const Place& place,
                          std::string code, std::string message) {
  Diagnostic diagnostic;
  diagnostic.level = level;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.file = place.file;
  diagnostic.line = place.line;
  diagnostic.column = place.column;
  Shorten(&diagnostic.message, kMaxSaid);
  diagnostic.snippet = SnippetAt(Find(sources, place.file), place.line);
  // Two hundred of these are kept, and a file may be one line.
  if (place.column > static_cast<int>(kMaxSnippet)) diagnostic.snippet.clear();
  Shorten(&diagnostic.snippet, 2 * kMaxSnippet);
  return diagnostic;
}

void Reporter::Error(const Place& place, Complaint complaint) {
  Add(Diagnostic::Level::kError, place, std::move(complaint));
}
void Reporter::Warning(const Place& place, Complaint complaint) {
  Add(Diagnostic::Level::kWarning, place, std::move(complaint));
}
void Reporter::Note(const Place& place, Complaint complaint) {
  Add(Diagnostic::Level::kNote, place, std::move(complaint));
}

std::string_view Reporter::TextOf(const std::string& name) const {
  return Find(sources_, name);
}

void Reporter::Pass(Diagnostics&& said) {
  for (Diagnostic& one : said) {
    if (MaySay(one.level)) diagnostics_->push_back(std::move(one));
  }
  said.clear();
}

// Reports it if this is the last one shown.
bool Reporter::MaySay(Diagnostic::Level level) {
  // A pack that replaces another one gets a note for each entry.
  if (level == Diagnostic::Level::kNote) return made_ <= kMaxPerLoad;
  if (++made_ <= kMaxPerLoad) return true;
  if (made_ == kMaxPerLoad + 1) {
    Diagnostic last;
    last.code = "R004";
    last.message = "more than " + std::to_string(kMaxPerLoad) +
                   " errors and warnings; the rest is not shown";
    diagnostics_->push_back(std::move(last));
  }
  return false;
}

void Reporter::Add(Diagnostic::Level level, const Place& place,
                   Complaint complaint) {
  if (!MaySay(level)) return;
  Diagnostic diagnostic =
      RuleDiagnostic(sources_, level, place, std::string(complaint.code),
                     std::move(complaint.message));
  diagnostic.reason = std::move(complaint.reason);
  diagnostic.help = std::move(complaint.help);
  Shorten(&diagnostic.reason, kMaxSaid);
  Shorten(&diagnostic.help, kMaxSaid);
  diagnostics_->push_back(std::move(diagnostic));
}

}  // namespace inquest::rules
