// The changes that are tried, family by family, each a file: try_settings.cc
// for those of an allocator, try_demand.cc for those of the program and the
// machine. For whatif.cc.
#pragma once

#include <string>
#include <utility>

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
    Machine();
    return std::move(answer_);
  }

 private:
  bool Wants(const std::string& family) const {
    return options_.only.empty() || options_.only == family;
  }
  void TakeDevice();
  Setup AsRecorded() const;
  Setup Afresh() const;
  Change& Add(ChangeKind kind, const std::string& family,
              const std::string& name);
  void Judged(const Setup& setup, Change change);
  void Recorded();
  void CheckModel();
  void TrySetting(const std::string& text, const std::string& more = "");
  Status Settings();
  Status OwnSettings();
  void Async();
  void Bfc();
  void DriverModels();
  void SmallerPool();
  void Demand();
  void Batch();
  void Precision();
  void Machine();
  std::string Environment(const std::string& text) const;

  History* history_;
  const Options& options_;
  Answer answer_;
};

}  // namespace inquest::whatif
