// The changes that are tried, family by family, each a file: try_settings.cc
// for those of an allocator, try_demand.cc for those of the program and the
// machine. For whatif.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyzer/whatif/whatif.h"

namespace inquest::whatif {

class Trial {
 public:
  Trial(History* history, const Options& options)
      : history_(history), options_(options) {}

  Expected<Answer> Run() {
    if (history_->moment) {
      answer_.untried.push_back(
          "anything: the file holds one moment of the allocator, and no "
          "requests");
      return std::move(answer_);
    }
    TakeDevice();
    Recorded();
    if (history_->level == Level::kPool) {
      RETURN_IF_ERROR(Settings());
    } else {
      DriverModels();
    }
    Demand();
    OtherProcess();
    JudgeAll();
    // What follows from the margin of the record.
    SmallerPool();
    LargerDevice();
    JudgeAll();
    WeighHelp();
    return std::move(answer_);
  }

 private:
  bool Wants(const std::string& family) const {
    return options_.only.empty() || options_.only == family;
  }
  // Not only what a framework's allocator asked of the driver.
  bool SeesBlocks() const {
    return history_->level == Level::kPool ||
           (!history_->torch && !history_->tensorflow);
  }
  void TakeDevice();
  Setup AsRecorded() const;
  Setup Afresh() const;
  // To be judged with the others, in this order.
  void Judged(const Setup& setup, Change change) {
    change.afresh = !setup.place && !history_->segments.empty();
    jobs_.push_back({setup, std::move(change), false});
  }
  void JudgeAll();
  void Recorded();
  void WeighHelp();
  void CheckModel();
  void TrySetting(const std::string& text, const std::string& more = "");
  Status Settings();
  Status OwnSettings();
  void Bfc();
  void DriverModels();
  void SmallerPool();
  void Demand();
  void Batch();
  static void NameBatch(double factor, Change* change);
  void Precision();
  void OtherProcess();
  void LargerDevice();
  std::string Environment(const std::string& text) const;

  struct Job {
    Setup setup;
    Change change;
    bool largest_batch = false;  // its factor is to be found
  };
  void Do(Job* job) const;

  History* history_;
  const Options& options_;
  std::vector<Job> jobs_;
  bool checked_ = false;
  Answer answer_;
};

}  // namespace inquest::whatif
