// SPDX-License-Identifier: Apache-2.0
// The changes that are tried: try_settings.cc has those of allocators,
// try_demand.cc those of the program and the machine. For whatif.cc.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/whatif/whatif.h"

namespace inquest::whatif {

// What grows with the batch does so within these factors: workspaces do not,
// and other memory grows faster where sequences are padded to the longest.
inline constexpr double kLeastGrowth = 0.9;
inline constexpr double kMaxGrowth = 1.1;

class Trial {
 public:
  Trial(History* history, const Options& options)
      : history_(history), options_(options) {}

  Expected<Answer> Run() {
    if (history_->moment) {
      answer_.untried.push_back(
          "all changes: the file shows one moment of the allocator and has no "
          "requests");
      return std::move(answer_);
    }
    // First on the recorded device, not on one that is only asked about.
    CheckModel();
    SetDevice();
    AddRecorded();
    if (history_->level == Level::kPool) {
      RETURN_IF_ERROR(AddSettings());
    } else {
      AddDriverModels();
    }
    AddDemand();
    AddOtherProcess();
    JudgeAll();
    // These need the margin of the recorded settings.
    AddSmallerPool();
    AddLargerDevice();
    JudgeAll();
    Withhold();
    PutOff();
    SayWhatIsUnknown();
    DecideHelp();
    return std::move(answer_);
  }

 private:
  bool Wants(const std::string& family) const {
    return options_.only.empty() || options_.only == family;
  }
  // Whether the requests are the program's own, not those of an allocator with
  // unrecorded blocks.
  bool SeesBlocks() const {
    return history_->level == Level::kPool ||
           (!history_->torch && !history_->tensorflow);
  }
  void SetDevice();
  Setup AsRecorded() const;
  Setup FreshSetup() const;
  // Changes are judged together and reported in this order.
  void AddJob(const Setup& setup, Change change) {
    change.afresh = !setup.place && !history_->segments.empty();
    jobs_.push_back({setup, std::move(change), false});
  }
  void JudgeAll();
  void AddRecorded();
  void DecideHelp();
  std::string WhyWithheld() const;
  void Withhold();
  void PutOff();
  void SayWhatIsUnknown();
  void CheckModel();
  void TrySetting(const std::string& text, const std::string& more = "");
  Status AddSettings();
  Status AddOwnSettings();
  void AddBfc();
  void AddDriverModels();
  void AddSmallerPool();
  void AddDemand();
  void AddBatch();
  static void NameBatch(double factor, Change* change);
  void AddPrecision();
  void AddScaled(const Setup& setup, const Change& change, double least,
                 double most);
  void AddOtherProcess();
  void AddLargerDevice();
  std::string Environment(const std::string& text) const;

  struct Job {
    Setup setup;
    Change change;
    bool largest_batch = false;  // find its factor first
    // Of an estimate: the least and the most favourable scale.
    std::optional<std::pair<double, double>> scales = {};
  };
  void RunJob(Job* job) const;
  void AddRange(const Setup& setup, double least, double most,
                Change* change) const;

  History* history_;
  const Options& options_;
  std::vector<Job> jobs_;
  Answer answer_;
};

}  // namespace inquest::whatif
