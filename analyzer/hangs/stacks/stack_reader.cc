// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/stacks/stack_reader.h"

#include <algorithm>
#include <utility>

#include "analyzer/hangs/stacks/places.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

bool IsWord(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return IsAlpha(c) || IsDigit(c) || c == '_' || c == '.' || c == '-' ||
           c == '/';
  });
}

// "rank=3", "myrank = 3": an argument of a native frame.
std::optional<int64_t> RankInArguments(std::string_view arguments) {
  constexpr std::string_view kNames[] = {
      "(rank=", " rank=", "myrank=", "rank@entry="};
  for (const std::string_view name : kNames) {
    const size_t at = arguments.find(name);
    if (at != arguments.npos) {
      return NumberAt(arguments.substr(at + name.size()));
    }
  }
  return {};
}

// "--local_rank=3" and "RANK=3" in a command line.
std::optional<int64_t> RankInTitle(std::string_view title) {
  const size_t at = title.find("RANK=");
  const bool own = at != title.npos && (at == 0 || title[at - 1] == ' ');
  return own ? NumberAt(title.substr(at + 5)) : RankIn(title);
}

}  // namespace

uint32_t Sites::Add(const std::string& function, const std::string& file,
                    int64_t line) {
  const auto [at, added] = known_.try_emplace(
      std::tuple(function, file, line), static_cast<uint32_t>(sites_.size()));
  if (added) sites_.push_back({function, file, line, PlaceOf(function, file)});
  return at->second;
}

void StackReader::BeginSource(size_t source, const std::string& path) {
  source_ = source;
  const size_t slash = path.rfind('/');
  label_ = path == "-" ? "" : path.substr(slash == path.npos ? 0 : slash + 1);
  source_rank_ = RankIn(label_);
  heading_.clear();
}

void StackReader::EndSource() {
  for (auto& [rank, open] : open_) Close(&open);
  open_.clear();
}

StackReader::Open& StackReader::Of(const ingest::LogLine& line) {
  return open_[line.rank.value_or(-1)];
}

void StackReader::Add(const ingest::LogLine& line) {
  Open& open = Of(line);
  const std::string_view text = line.text;
  if (const auto head = ReadProcessLine(text)) return Begin(&open, line, *head);
  if (const auto head = ReadThreadLine(text)) {
    return BeginThread(&open, line, *head);
  }
  if (auto frame = ReadFrameLine(text, {open.in_thread, open.as_traceback})) {
    if (open.as_traceback) frame->tool = open.process.tool;
    return AddFrame(&open, line, *frame);
  }
  if (!Digest(&open, line)) Other(&open, line);
}

void StackReader::Renew(Open* open, const ingest::LogLine& line) {
  Close(open);
  *open = Open();
  open->process.source = source_;
  open->process.line = line.number;
  open->process.rank = line.rank ? line.rank : source_rank_;
  open->process.pid = line.pid;
  open->process.label = heading_;
}

void StackReader::Close(Open* open) {
  StackProcess& process = open->process;
  std::erase_if(process.threads, [](const StackThread& thread) {
    return thread.frames.empty() && thread.name.empty() && !thread.id;
  });
  if (process.threads.empty() && !process.failed) return;
  if (dumps_->processes.size() >= kMaxProcesses) {
    dumps_->cut = true;
    return;
  }
  if (process.label.empty()) process.label = label_;
  if (!process.rank) process.rank = RankInTitle(process.title);
  dumps_->processes.push_back(std::move(process));
  process = StackProcess();
}

// A heading names the process that follows; several may stand together.
void StackReader::Begin(Open* open, const ingest::LogLine& line,
                        const ProcessLine& head) {
  const bool fresh =
      open->process.line != 0 && open->process.threads.empty() &&
      !open->process.failed &&
      (!open->process.pid || !head.pid || open->process.pid == head.pid);
  if (!fresh) Renew(open, line);
  StackProcess& process = open->process;
  if (process.tool == Tool::kUnknown) process.tool = head.tool;
  if (!head.label.empty()) {
    process.label = head.label;
    heading_ = head.label;
  }
  if (!head.title.empty()) process.title = head.title;
  if (head.pid) process.pid = head.pid;
  if (head.rank) process.rank = head.rank;
  open->in_thread = false;
}

// Whether the heading of a thread belongs to another process than the open one,
// without a heading of its own.
bool StackReader::IsAnother(const Open& open, const ThreadLine& head) const {
  const StackProcess& process = open.process;
  if (process.line == 0) return true;
  if (process.tool != Tool::kUnknown && process.tool != head.tool) return true;
  if (head.tool == Tool::kGdb) {
    return head.number && open.last_number &&
           *head.number > *open.last_number && open.last_number == 1;
  }
  const bool main = head.name == "MainThread";
  return std::ranges::any_of(process.threads, [&](const StackThread& thread) {
    return (head.id && thread.id == head.id) ||
           (main && thread.name == "MainThread") ||
           (head.current && thread.current);
  });
}

void StackReader::BeginThread(Open* open, const ingest::LogLine& line,
                              const ThreadLine& head) {
  if (IsAnother(*open, head)) Renew(open, line);
  StackProcess& process = open->process;
  process.tool = head.tool;
  if (head.number) open->last_number = head.number;
  open->in_thread = true;
  open->outermost_first = head.outermost_first;
  open->as_traceback = head.as_traceback;
  open->last_file = -1;
  if (process.threads.size() >= kMaxThreads) {
    dumps_->cut = true;
    open->in_thread = false;
    return;
  }
  StackThread thread;
  thread.name = std::string(head.name);
  thread.id = head.id;
  thread.current = head.current;
  thread.main = head.name == "MainThread" || head.number == 1;
  if (thread.main && head.id && !process.pid &&
      (head.tool == Tool::kGdb || *head.id < (1 << 24))) {
    process.pid = head.id;
  }
  process.threads.push_back(std::move(thread));
  if (head.frame.empty()) return;
  const std::string listed = "#0  " + std::string(head.frame);
  if (const auto frame = ReadFrameLine(listed)) AddFrame(open, line, *frame);
}

void StackReader::AddFrame(Open* open, const ingest::LogLine& line,
                           const FrameLine& frame) {
  StackProcess& process = open->process;
  const bool other_tool =
      process.tool != Tool::kUnknown && process.tool != frame.tool;
  if (process.line == 0 || (other_tool && frame.tool != Tool::kGdb)) {
    Renew(open, line);
  }
  if (!open->in_thread) {
    ThreadLine head;
    head.tool = frame.tool;
    process.tool = frame.tool;
    BeginThread(open, line, head);
    if (!open->in_thread) return;
  }
  StackThread& thread = process.threads.back();
  if (thread.frames.size() >= kMaxFrames || dumps_->sites.size() >= kMaxSites) {
    dumps_->cut = true;
    return;
  }
  const uint32_t site = dumps_->sites.Add(std::string(frame.function),
                                          std::string(frame.file), frame.line);
  const auto at = open->outermost_first ? 0 : std::ssize(thread.frames);
  thread.frames.insert(thread.frames.begin() + at, site);
  thread.at.insert(thread.at.begin() + at, Keep(line));
  open->last_file = frame.file.empty() && frame.tool == Tool::kGdb ? at : -1;
  if (!process.rank) process.rank = RankInArguments(frame.arguments);
}

TextAt StackReader::Keep(const ingest::LogLine& line) {
  TextAt at{line.number, line.offset};
  std::string& texts = dumps_->texts;
  const std::string_view text = line.text.substr(0, kMaxText);
  if (texts.size() + text.size() > kMaxTexts) return at;
  at.begin = static_cast<uint32_t>(texts.size());
  at.bytes = static_cast<uint32_t>(text.size());
  texts += text;
  return at;
}

// Lists of top frames below a name: "node52", "    all_reduce", …; each is a
// process.
bool StackReader::Digest(Open* open, const ingest::LogLine& line) {
  const std::string_view text = line.text;
  const std::string_view word = Trim(text);
  if (!IsWord(word)) return false;
  const bool indented = text.front() == ' ' || text.front() == '\t';
  if (!indented) {
    if (open->in_thread) return false;
    heading_ = word;
    below_heading_ = 0;
    return false;
  }
  if (open->in_thread || heading_.empty() || word.find('/') != word.npos) {
    return false;
  }
  Renew(open, line);
  open->process.tool = Tool::kDigest;
  open->process.place_in_label = ++below_heading_;
  StackThread thread;
  thread.main = true;
  thread.frames.push_back(dumps_->sites.Add(std::string(word), kTopFrame, 0));
  thread.at.push_back(Keep(line));
  open->process.threads.push_back(std::move(thread));
  Close(open);
  *open = Open();
  return true;
}

}  // namespace inquest::hangs
