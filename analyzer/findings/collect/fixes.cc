// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/collect/frameworks.h"
#include "analyzer/findings/collect/message.h"
#include "analyzer/rules/model/bound.h"
#include "analyzer/rules/model/message_fields.h"
#include "base/shell_words.h"
#include "base/text.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxWord = 200;  // bytes

// Says a shell's command as cmd.exe takes it, whose `set` sets one variable.
void WriteForWindows(rules::Fix* fix) {
  std::string text;
  bool exports = false;
  std::string_view rest = fix->command;
  while (!rest.empty()) {
    const size_t space = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, space);
    rest.remove_prefix(std::min(space + 1, rest.size()));
    const bool follows = exports;
    exports = word == "export" || (exports && word.find('=') != word.npos);
    if (word == "export") continue;
    const bool joined = text.ends_with('&');
    if (!text.empty()) text += follows && exports && !joined ? " & " : " ";
    const std::string_view value = word.substr(0, word.find(';'));
    text += exports ? fmt::format("set \"{}\"", value) : std::string(word);
    if (exports && value.size() < word.size()) text += " &";
  }
  fix->command = text;
}

bool HasValue(const Figure& figure) {
  return !(figure.IsNull() || figure == 0 || figure == "" || figure == false);
}

bool IsWithin(const Figure& one, const std::vector<std::string>& values) {
  return std::ranges::any_of(values, [&](const std::string& value) {
    const auto bound = rules::ParseBound(value);
    return bound && bound->Holds(one.Real());
  });
}

bool IsAmongValues(const Figure& figure,
                   const std::vector<std::string>& values) {
  return std::ranges::any_of(figure.AsList(), [&](const Figure& one) {
    const std::string text = one.IsText() ? one.Text() : JsonText(one);
    return std::ranges::find(values, text) != values.end() ||
           (one.IsNumber() && IsWithin(one, values));
  });
}

// What steps may depend on beside their finding.
struct StepContext {
  const RunWorld& world;
  const Frameworks& frameworks;
  Figures settings;

  bool Has(const rules::Condition& condition, const Finding& finding) const {
    const Figure& own = finding.figures[condition.figure];
    const Figure& figure = own.IsNull() ? settings[condition.figure] : own;
    return condition.values.empty() ? HasValue(figure)
                                    : IsAmongValues(figure, condition.values);
  }
};

// What lines tell of the run's own settings, wherever they stand.
Expected<Figures> SettingsOf(facts::Store* store) {
  Figures settings;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT DISTINCT figures FROM log_event WHERE "
                          "signature GLOB 'settings.*' ORDER BY id LIMIT 256"));
  for (std::string figures; row.Next(&figures);) {
    MergeFigures(&settings, ParseFigures(figures));
  }
  RETURN_IF_ERROR(row.status());
  return settings;
}

bool Holds(const std::string& when, const StepContext& run,
           const Finding& finding) {
  if (RunWorld::IsWorld(when)) return run.world.Holds(when, finding);
  return run.frameworks.MayBe(when, finding);
}

bool Applies(const rules::Fix& fix, const StepContext& run,
             const Finding& finding) {
  const auto has = [&](const rules::Condition& one) {
    return run.Has(one, finding);
  };
  return std::ranges::all_of(fix.when,
                             [&](const std::string& when) {
                               return Holds(when, run, finding);
                             }) &&
         std::ranges::all_of(fix.applies_if, has) &&
         std::ranges::none_of(fix.unless, has);
}

// What a shell takes as one word, whatever a log made it.
constexpr std::string_view kPlain = "._:/@+-";
// And in single quotes: a path with blanks, node[3-4]. Signs by which a shell
// does something are not pasted, even in quotes.
constexpr std::string_view kQuotable = "._:/@+- ,[]()=~*#\\";

// Whether it is of letters, digits and these signs, and no option.
bool IsWordOf(std::string_view signs, const Figure& figure) {
  if (!figure.IsText()) return false;
  const std::string& text = figure.Text();
  return !text.empty() && text.size() <= kMaxWord && text[0] != '-' &&
         std::ranges::all_of(text, [signs](char c) {
           return IsAlpha(c) || IsDigit(c) || signs.find(c) != signs.npos;
         });
}

// Whether a field is a word of its own wherever it stands, outside of quotes.
bool StandsAlone(std::string_view command, const std::string& name) {
  const std::string field = "{" + name + "}";
  size_t at = command.find(field);
  if (at == command.npos) return false;
  for (; at != command.npos; at = command.find(field, at + 1)) {
    const std::string_view before = command.substr(0, at);
    const std::string_view after = command.substr(at + field.size());
    const bool quoted = std::ranges::count(before, '\'') % 2 != 0 ||
                        std::ranges::count(before, '"') % 2 != 0;
    if (quoted || (!before.empty() && !before.ends_with(' ')) ||
        (!after.empty() && !after.starts_with(' '))) {
      return false;
    }
  }
  return true;
}

// Of several values the first that can be pasted; null: none can.
Figure WordFor(const Figure& figure, bool may_quote) {
  for (const Figure& one : figure.AsList()) {
    if (one.IsInteger() || IsWordOf(kPlain, one)) return one;
    if (may_quote && IsWordOf(kQuotable, one)) return ShellQuoted(one.Text());
  }
  return {};
}

// Fills the fields of a step; false if a figure is missing. A command that
// would have to have what is nothing to paste into a shell is left out.
bool Fill(const Figures& figures, bool windows, rules::Fix* fix) {
  const auto missing = [&](const std::string& name) {
    return figures[name].IsNull();
  };
  const std::vector<std::string> fields = rules::FieldsOf(fix->command);
  if (std::ranges::any_of(rules::FieldsOf(fix->text), missing) ||
      std::ranges::any_of(fields, missing)) {
    return false;
  }
  if (!rules::FieldsOf(fix->text).empty()) {
    fix->text = FillMessage(fix->text, figures);
  }
  if (fields.empty()) return true;
  Figures words = figures;
  for (const std::string& name : fields) {
    // cmd.exe knows no single quotes.
    words[name] =
        WordFor(figures[name], !windows && StandsAlone(fix->command, name));
  }
  const bool whole = std::ranges::none_of(
      fields, [&](const std::string& name) { return words[name].IsNull(); });
  fix->command = whole ? FillMessage(fix->command, words) : "";
  return true;
}

// "in training: ": the run does already all that the step lists.
bool HasNothingLeft(const rules::Fix& fix) {
  return Trim(fix.text).ends_with(':');
}

}  // namespace

Status KeepFixesThatApply(facts::Store* store, const RunWorld& world,
                          Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const Frameworks frameworks,
                   Frameworks::Read(store, diagnosis->findings));
  StepContext run{world, frameworks, {}};
  ASSIGN_OR_RETURN(run.settings, SettingsOf(store));
  for (Finding& finding : diagnosis->findings) {
    std::erase_if(finding.fixes, [&](rules::Fix& fix) {
      const std::string command = fix.command;
      world.SayStep(finding, &fix);
      return HasNothingLeft(fix) || !Applies(fix, run, finding) ||
             !world.CanAct(fix, finding, fix.command != command) ||
             !Fill(finding.figures, world.IsOn("windows"), &fix);
    });
    if (!world.IsOn("windows")) continue;
    for (rules::Fix& fix : finding.fixes) WriteForWindows(&fix);
  }
  return Status::Ok();
}

}  // namespace inquest::findings
