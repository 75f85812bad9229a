// SPDX-License-Identifier: Apache-2.0
// What all readers of histories need from a trace: devices, their memory over
// time, settings, sites. For read_history.cc and read_blocks.cc.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/store/store.h"
#include "analyzer/memory/pool/torch_recorded.h"
#include "analyzer/memory/sites/sites.h"
#include "analyzer/memory/sites/stack_frames.h"
#include "analyzer/whatif/history/history_builder.h"
#include "analyzer/whatif/history/read_history.h"

namespace inquest::whatif {

class TraceReader {
 public:
  TraceReader(facts::Store* store, int process, const ReadLimits& limits);
  TraceReader(const TraceReader&) = delete;  // the builders point back
  TraceReader& operator=(const TraceReader&) = delete;

  // Call this first.
  Status Prepare();

  Database& db() { return store_->db(); }
  const std::string& prefix() const { return prefix_; }
  bool HasTable(std::string_view table) const {
    return store_->HasTable(process_, table);
  }
  // The builder of a device; nullptr for host memory.
  HistoryBuilder* Builder(int device);
  std::map<int, std::unique_ptr<HistoryBuilder>>& builders() {
    return builders_;
  }
  memory::StackFrames& frames() { return frames_; }
  bool Full() const { return requests_ >= limits_.max_requests; }
  void Count() { ++requests_; }
  // Free bytes of a device in the failure sample nearest to this moment, if
  // there is one within a second.
  std::optional<int64_t> FreeAt(int device, int64_t time) const;
  // The first step's beginning.
  std::optional<int64_t> first_step() const { return first_step_; }

  // The histories, completed with all that does not depend on their requests.
  Expected<std::vector<History>> Finish(Level level);

 private:
  Status ReadDeviceMemory();
  Status ReadFrameworks();
  Status FinishRoom(History* history);
  Status FinishEnd(History* history);
  Status FinishSums(History* history);
  void FinishLeaks(const memory::SiteTable& sites, History* history);
  Expected<int64_t> Others(int device);

  struct Sample {
    int64_t free = 0;
    std::string reason;
  };
  facts::Store* store_;
  int process_;
  ReadLimits limits_;
  std::string prefix_;
  memory::StackFrames frames_;
  std::map<int, std::unique_ptr<HistoryBuilder>> builders_;
  std::map<int, std::map<int64_t, Sample>> samples_;  // by device and time
  size_t requests_ = 0;
  size_t expected_ = 0;  // events, at most
  std::optional<int64_t> first_step_;
  bool torch_ = false;
  bool tensorflow_ = false;
  bool moment_ = false;
  memory::RecordedTorchSettings settings_;
};

// Reads framework_block, after Prepare.
Status ReadBlocks(TraceReader* reader);

}  // namespace inquest::whatif
