// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/fixes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/findings/collect/message.h"
#include "analyzer/rules/model/message_fields.h"

namespace inquest::findings {
namespace {

constexpr size_t kMaxWord = 200;  // bytes

// A framework is present if a process mapped a library of its own (CUDA's
// libraries may lie in a folder of that name), if a launcher of its own was
// started, if the trace is a file that only this framework writes or, where no
// libraries were recorded, if a line of the log is its own
// (first word of the signature's id). XLA's words are printed in JAX's and in
// TensorFlow's runs, so those two count only by their own names and paths;
// `platform.` stands for frameworks that no step is for.
constexpr char kFrameworks[] =
    "SELECT DISTINCT f.name FROM (SELECT 'torch' AS name UNION ALL "
    "SELECT 'tensorflow' UNION ALL SELECT 'jax' UNION ALL SELECT 'platform') "
    "AS f WHERE "
    "EXISTS (SELECT 1 FROM library AS l WHERE CASE f.name "
    "WHEN 'torch' THEN l.name LIKE 'libtorch%' OR l.name LIKE 'libc10%' "
    "WHEN 'tensorflow' THEN instr(l.name, 'tensorflow') > 0 "
    "WHEN 'jax' THEN l.name NOT LIKE 'libcu%' AND "
    "(instr(l.path, '/jaxlib/') > 0 OR instr(l.path, '/jax_plugins/') > 0) "
    "END) OR "
    "(f.name = 'torch' AND EXISTS (SELECT 1 FROM process AS p WHERE "
    "instr(p.command, 'torchrun') > 0 OR instr(p.command, ' -m torch.') > 0)) "
    "OR "
    "EXISTS (SELECT 1 FROM coverage AS c WHERE f.name = CASE WHEN c.source IN "
    "('torch-snapshot', 'kineto', 'memory-timeline', 'flight-recorder') THEN "
    "'torch' WHEN c.source = 'pprof' THEN 'jax' END) OR "
    "(NOT EXISTS (SELECT 1 FROM library) AND EXISTS (SELECT 1 FROM log_event "
    "AS e WHERE substr(e.signature, 1, length(f.name) + 1) = f.name || '.' AND "
    "CASE f.name WHEN 'tensorflow' THEN e.signature = 'tensorflow.frame' "
    "WHEN 'jax' THEN e.signature NOT LIKE 'jax.oom%' AND "
    "e.signature NOT LIKE 'jax.peer.%' AND e.signature <> 'jax.custom-call' "
    "WHEN 'platform' THEN e.signature <> 'platform.windows' ELSE 1 END))";

constexpr char kOnWindows[] =
    "SELECT EXISTS (SELECT 1 FROM log_event WHERE signature = "
    "'platform.windows')";

// What only a Linux system has.
constexpr std::string_view kLinuxWords[] = {
    "dmesg",     "sudo ",      "ldconfig",        "coredumpctl", "lsof",
    "/dev/",     "journalctl", "LD_LIBRARY_PATH", "ulimit",      "apt-get",
    "systemctl", "docker run", "free -h"};

struct Frameworks {
  std::set<std::string> seen;
  // A recorded process names its libraries; the absence of a framework in a log
  // says nothing.
  bool all = false;
  bool windows = false;
};

Expected<Frameworks> FrameworksOf(facts::Store* store) {
  Frameworks frameworks;
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(kFrameworks));
  for (std::string name; row.Next(&name);) frameworks.seen.insert(name);
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(Statement recorded,
                   store->db().Prepare("SELECT 1 FROM library LIMIT 1"));
  int64_t one = 0;
  frameworks.all = recorded.Next(&one);
  RETURN_IF_ERROR(recorded.status());
  ASSIGN_OR_RETURN(const int64_t windows, store->db().QueryInt(kOnWindows));
  frameworks.windows = windows != 0;
  return frameworks;
}

bool IsForLinux(const rules::Fix& fix) {
  return std::any_of(std::begin(kLinuxWords), std::end(kLinuxWords),
                     [&](std::string_view word) {
                       return fix.command.find(word) != std::string::npos;
                     });
}

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
    if (!text.empty()) text += follows && exports ? " & " : " ";
    const std::string_view value = word.substr(0, word.find(';'));
    text += exports ? fmt::format("set \"{}\"", value) : std::string(word);
    if (exports && value.size() < word.size()) text += " &";
  }
  fix->command = text;
}

bool Holds(const Figure& figure) {
  return !(figure.IsNull() || figure == 0 || figure == "" || figure == false);
}

bool Applies(const rules::Fix& fix, const Frameworks& frameworks,
             const Figures& figures) {
  const bool known = frameworks.all || !frameworks.seen.empty();
  if (!fix.when.empty() && known && !frameworks.seen.contains(fix.when)) {
    return false;
  }
  if (frameworks.windows && IsForLinux(fix)) return false;
  return fix.applies_if.empty() || Holds(figures[fix.applies_if]);
}

// Text that a shell takes as one word, whatever a log made it.
bool IsPlainWord(const std::string& text) {
  return !text.empty() && text.size() <= kMaxWord && text[0] != '-' &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                  std::string_view("._:/@+-").find(c) != std::string_view::npos;
         });
}

// Fills the fields of a step; false if a figure is missing, or is nothing to
// paste into a shell.
bool Fill(const Figures& figures, rules::Fix* fix) {
  for (const std::string* text : {&fix->text, &fix->command}) {
    for (const std::string& name : rules::FieldsOf(*text)) {
      const Figure& figure = figures[name];
      const bool plain =
          figure.IsInteger() || (figure.IsText() && IsPlainWord(figure.Text()));
      if (figure.IsNull() || (text == &fix->command && !plain)) return false;
    }
  }
  if (!rules::FieldsOf(fix->text).empty()) {
    fix->text = FillMessage(fix->text, figures);
  }
  if (!rules::FieldsOf(fix->command).empty()) {
    fix->command = FillMessage(fix->command, figures);
  }
  return true;
}

}  // namespace

Status KeepFixesThatApply(facts::Store* store, Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const auto frameworks, FrameworksOf(store));
  for (Finding& finding : diagnosis->findings) {
    std::erase_if(finding.fixes, [&](rules::Fix& fix) {
      return !Applies(fix, frameworks, finding.figures) ||
             !Fill(finding.figures, &fix);
    });
    if (!frameworks.windows) continue;
    for (rules::Fix& fix : finding.fixes) WriteForWindows(&fix);
  }
  return Status::Ok();
}

}  // namespace inquest::findings
