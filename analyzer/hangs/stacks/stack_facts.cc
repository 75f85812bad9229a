// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/stacks/stack_facts.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "analyzer/hangs/common/quoted_lines.h"
#include "analyzer/hangs/common/who.h"
#include "analyzer/hangs/stacks/places.h"
#include "base/rows.h"

namespace inquest::hangs {
namespace {

using facts::NullIfEmpty;

constexpr size_t kMaxHangs = 32;
constexpr size_t kMaxOthers = 6;

struct ProcessRow {
  template <class V>
  void Columns(V& v) {
    v("tool", tool);
    v("dump", dump);
    v("role", role);
    v("place", place);
    v("rank", rank);
    v("pid", pid);
    v("label", label);
    v("title", title);
    v("source", source);
    v("line", line);
    v("threads", threads);
    v("thread", thread);
    v("function", function);
    v("file", file);
    v("file_line", file_line);
    v("caller", caller);
    v("time_limit", time_limit);
  }
  const char* tool = "";
  int64_t dump = 0;
  const char* role = "";
  const char* place = "";
  std::optional<int64_t> rank, pid;
  std::optional<std::string> label, title;
  int64_t source = 0, line = 0, threads = 0;
  std::optional<std::string> thread, function, file;
  std::optional<int64_t> file_line;
  std::optional<std::string> caller;
  bool time_limit = false;
};

struct HangRow {
  template <class V>
  void Columns(V& v) {
    v("kind", kind);
    v("place", place);
    v("who", who);
    v("processes", processes);
    v("dumped", dumped);
    v("rank", rank);
    v("pid", pid);
    v("label", label);
    v("function", function);
    v("file", file);
    v("file_line", file_line);
    v("site", site);
    v("words", words);
    v("others", others);
    v("waiting", waiting);
    v("own_code", own_code);
    v("repeated", repeated);
    v("went_on", went_on);
    v("event", event);
  }
  const char* kind = "";
  const char* place = "";
  std::string who;
  int64_t processes = 0, dumped = 0;
  std::optional<int64_t> rank, pid;
  std::optional<std::string> label, function, file;
  std::optional<int64_t> file_line;
  std::optional<std::string> site;
  std::string words;
  std::optional<std::string> others;
  int64_t waiting = 0;
  bool own_code = false, repeated = false, went_on = false;
  std::optional<int64_t> event;
};

const char* NameOf(Tool tool) {
  constexpr const char* kNames[] = {"unknown", "pyspy", "faulthandler", "gdb",
                                    "digest"};
  return kNames[static_cast<size_t>(tool)];
}

std::string SiteInWords(const StackDumps& dumps, const ProcessState& state) {
  if (!state.site) return {};
  std::string text = SiteText(dumps.sites[*state.site]);
  if (state.caller)
    text += ", called by " + SiteText(dumps.sites[*state.caller]);
  return text;
}

class Writer {
 public:
  Writer(const StackDumps& dumps, const StackComparison& comparison,
         facts::Store* store)
      : dumps_(dumps), comparison_(comparison), store_(store) {}

  Status Processes() {
    NoteRoles();
    ASSIGN_OR_RETURN(auto rows, InsertInto<ProcessRow>(&store_->db(),
                                                       "store_stack_process"));
    for (size_t i = 0; i < dumps_.processes.size(); ++i) {
      RETURN_IF_ERROR(rows.Add(RowOf(i)));
    }
    return Status::Ok();
  }

  Status Hangs() {
    ASSIGN_OR_RETURN(auto rows,
                     InsertInto<HangRow>(&store_->db(), "store_stack_hang"));
    ASSIGN_OR_RETURN(QuotedLines lines, QuotedLines::Make(store_));
    for (size_t i = 0; i < comparison_.hangs.size() && i < kMaxHangs; ++i) {
      HangRow row = RowOf(comparison_.hangs[i]);
      RETURN_IF_ERROR(Quote(comparison_.hangs[i], &lines, &row));
      RETURN_IF_ERROR(rows.Add(row));
    }
    return Status::Ok();
  }

 private:
  void NoteRoles() {
    for (const StackHang& hang : comparison_.hangs) {
      const bool outlier =
          hang.kind == HangKind::kOutlier || hang.kind == HangKind::kLockstep;
      const char* role = outlier                        ? "holds-up"
                         : hang.kind == HangKind::kIdle ? "idle"
                                                        : "stands";
      for (const size_t i : hang.who.members) roles_.emplace(i, role);
      for (const StackGroup& group : hang.others) {
        for (const size_t i : group.members) roles_.emplace(i, "waits");
      }
    }
  }

  ProcessRow RowOf(size_t i) const {
    const StackProcess& process = dumps_.processes[i];
    const ProcessState& state = comparison_.states[i];
    ProcessRow row;
    row.tool = NameOf(process.tool);
    row.dump = static_cast<int64_t>(i) + 1;
    const auto role = roles_.find(i);
    row.role = role != roles_.end()      ? role->second
               : process.threads.empty() ? "failed"
               : !comparison_.counted[i] ? "repeated"
                                         : "idle";
    row.place = hangs::NameOf(state.place);
    row.rank = process.rank;
    row.pid = process.pid;
    row.label = NullIfEmpty(process.label);
    row.title = NullIfEmpty(process.title);
    row.source = static_cast<int64_t>(process.source) + 1;
    row.line = process.line;
    row.threads = std::ssize(process.threads);
    row.time_limit = process.timed_out;
    if (!state.site) return row;
    const Site& site = dumps_.sites[*state.site];
    row.thread = NullIfEmpty(process.threads[state.thread].name);
    row.function = site.function;
    row.file = NullIfEmpty(site.file);
    if (site.line != 0) row.file_line = site.line;
    if (state.caller) row.caller = SiteText(dumps_.sites[*state.caller]);
    return row;
  }

  HangRow RowOf(const StackHang& hang) const {
    const StackProcess& first = dumps_.processes[hang.who.members.front()];
    const ProcessState& state = hang.who.state;
    HangRow row;
    row.kind = hangs::NameOf(hang.kind);
    row.place = hangs::NameOf(state.place);
    row.who = WhoOf(dumps_, hang.who.members);
    row.processes = std::ssize(hang.who.members);
    for (const bool counted : comparison_.counted) row.dumped += counted;
    row.rank = first.rank;
    row.pid = first.pid;
    row.label = NullIfEmpty(first.label);
    row.words = WordsOf(state.place, row.processes > 1);
    row.repeated = hang.repeated;
    row.went_on = hang.went_on;
    row.others = NullIfEmpty(Others(hang, &row.waiting));
    row.site = NullIfEmpty(SiteInWords(dumps_, state));
    if (!state.site) return row;
    const Site& site = dumps_.sites[*state.site];
    row.function = site.function;
    row.file = NullIfEmpty(site.file);
    if (site.line != 0) row.file_line = site.line;
    row.own_code = !IsPackage(site.file);
    return row;
  }

  std::string Others(const StackHang& hang, int64_t* waiting) const {
    std::vector<std::string> all;
    for (const StackGroup& group : hang.others) {
      *waiting += std::ssize(group.members);
      const std::string where = SiteInWords(dumps_, group.state);
      all.push_back(WhoOf(dumps_, group.members) + " in " +
                    (where.empty() ? "Python's own code" : where));
    }
    std::string text;
    for (size_t i = 0; i < all.size() && i < kMaxOthers; ++i) {
      text += (text.empty() ? "" : "; ") + all[i];
    }
    if (all.size() > kMaxOthers) {
      text += fmt::format("; and in {} more places", all.size() - kMaxOthers);
    }
    return text;
  }

  Status Quote(const StackHang& hang, QuotedLines* lines, HangRow* row) const {
    const TextAt& at = hang.who.state.at;
    if (at.bytes == 0) return Status::Ok();
    QuotedLine line;
    line.source = dumps_.processes[hang.who.members.front()].source;
    line.line = at.line;
    line.offset = at.offset;
    line.rank = row->rank;
    line.pid = row->pid;
    line.text = std::string_view(dumps_.texts).substr(at.begin, at.bytes);
    line.signature = "distributed.stack.frame";
    ASSIGN_OR_RETURN(row->event, lines->Add(line));
    return Status::Ok();
  }

  const StackDumps& dumps_;
  const StackComparison& comparison_;
  facts::Store* store_;
  std::map<size_t, const char*> roles_;
};

}  // namespace

std::string SiteText(const Site& site) {
  if (site.file.empty() || site.file == kTopFrame) return site.function;
  if (site.line == 0) return fmt::format("{} ({})", site.function, site.file);
  return fmt::format("{} ({}:{})", site.function, site.file, site.line);
}

Status WriteStackFacts(const StackDumps& dumps, facts::Store* store) {
  if (dumps.processes.empty()) return Status::Ok();
  const StackComparison comparison = Compare(dumps);
  Writer writer(dumps, comparison, store);
  RETURN_IF_ERROR(writer.Processes());
  RETURN_IF_ERROR(writer.Hangs());
  return WriteStackTree(dumps, comparison, store);
}

}  // namespace inquest::hangs
