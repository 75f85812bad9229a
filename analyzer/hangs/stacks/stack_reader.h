// SPDX-License-Identifier: Apache-2.0
// Gathers stack dumps from the lines of logs: which frames make a thread, which
// threads a process, which process is which rank. Lines of several ranks may be
// mixed if they carry their rank. A dump may begin and end anywhere: frames
// before the first heading are kept as a thread. Never fails: what does not fit
// ends the thread. One thread; memory is bounded by kMax….
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "analyzer/hangs/stacks/stack_lines.h"
#include "analyzer/logs/reader/log_event.h"

namespace inquest::hangs {

class StackReader {
 public:
  explicit StackReader(StackDumps* dumps) : dumps_(dumps) {}

  // `path` names the processes of a log that names none.
  void BeginSource(size_t source, const std::string& path);
  void Add(const ingest::LogLine& line);
  // Keeps what is open.
  void EndSource();

 private:
  static constexpr size_t kMaxProcesses = 1 << 16;
  static constexpr size_t kMaxThreads = 1 << 12;  // of a process
  static constexpr size_t kMaxFrames = 256;       // of a thread
  static constexpr size_t kMaxSites = 1 << 18;
  static constexpr size_t kMaxText = 1000;         // bytes of a line
  static constexpr size_t kMaxTexts = 128u << 20;  // of all lines

  struct Open {
    StackProcess process;
    bool in_thread = false;
    bool outermost_first = false;
    bool as_traceback = false;
    std::optional<int64_t> last_number;  // gdb's, of the last thread
    int64_t last_file = -1;  // gdb: the frame whose library may follow
  };

  Open& Of(const ingest::LogLine& line);
  void Begin(Open* open, const ingest::LogLine& line, const ProcessLine& head);
  void BeginThread(Open* open, const ingest::LogLine& line,
                   const ThreadLine& head);
  bool IsAnother(const Open& open, const ThreadLine& head) const;
  void AddFrame(Open* open, const ingest::LogLine& line,
                const FrameLine& frame);
  void Renew(Open* open, const ingest::LogLine& line);
  void Close(Open* open);
  void Other(Open* open, const ingest::LogLine& line);
  TextAt Keep(const ingest::LogLine& line);
  bool Digest(Open* open, const ingest::LogLine& line);

  StackDumps* dumps_;
  size_t source_ = 0;
  std::string label_;  // of the source
  std::optional<int64_t> source_rank_;
  std::map<int64_t, Open> open_;  // by the rank of the lines, -1: none
  std::string heading_;           // the last unindented word on its own
  int64_t below_heading_ = 0;
};

}  // namespace inquest::hangs
