// SPDX-License-Identifier: Apache-2.0
// A copy of a trace in a folder of its own, for runs that belong to someone
// else, cannot be written or may still grow on another machine: it is finished
// there, and the run stays as it is. Used by finish.cc; the folder (0700, in
// TMPDIR, else /tmp) is removed with the object. One thread.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "trace/store/temporary_folder.h"
#include "trace/store/trace_files.h"

namespace inquest::trace {

class PrivateCopy {
 public:
  // Copies the trace, what SQLite left beside it, and the journal if wanted.
  // Safe while a process writes the trace. Without room kIncomplete.
  static Expected<std::unique_ptr<PrivateCopy>> Make(const TraceFiles& files,
                                                     bool with_journal);
  PrivateCopy(const PrivateCopy&) = delete;
  PrivateCopy& operator=(const PrivateCopy&) = delete;

  std::string trace_path() const { return folder_.path() + files_.trace; }
  // The original's paths in place of ours.
  Status InWordsOfTheOriginal(const Status& status) const;

 private:
  explicit PrivateCopy(const TraceFiles& files) : files_(files) {}
  Status CopyAll(bool with_journal);
  Status Copy(const std::string& name);
  void Clear();

  TraceFiles files_;  // of the original
  TemporaryFolder folder_;
};

}  // namespace inquest::trace
