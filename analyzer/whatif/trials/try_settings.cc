// SPDX-License-Identifier: Apache-2.0
// Changes of allocators and of their settings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analyzer/whatif/trials/trial.h"
#include "base/units.h"

namespace inquest::whatif {
namespace {

// Settings that are always tried. Sizes around the most frequent requests of
// models; the threshold is that of PyTorch's documentation.
constexpr const char* kTorchSettings[] = {
    "expandable_segments:True",   "max_split_size_mb:64",
    "max_split_size_mb:128",      "max_split_size_mb:512",
    "roundup_power2_divisions:4", "roundup_power2_divisions:8",
};

}  // namespace

// The recorded settings stay; later ones override them.
std::string Trial::Environment(const std::string& text) const {
  const std::string& before = history_->settings_text;
  return "PYTORCH_CUDA_ALLOC_CONF=" + before + (before.empty() ? "" : ",") +
         text;
}

void Trial::TrySetting(const std::string& text, const std::string& more) {
  Setup setup = FreshSetup();
  if (!ParseTorchSettings(text, &setup.torch).ok()) return;
  Change change;
  change.family = "torch";
  change.name = text;
  change.setting = Environment(text) + more;
  if (setup.torch.async_backend) {
    setup.model = Model::kAsync;
    change.family = "async";
    change.assumption = "frees have finished before the next request";
  }
  AddJob(setup, change);
}

Status Trial::AddOwnSettings() {
  if (options_.settings.empty()) return Status::Ok();
  std::string text;
  for (std::string one : options_.settings) {
    std::replace(one.begin(), one.end(), '=', ':');
    text += (text.empty() ? "" : ",") + one;
  }
  TorchSettings settings = history_->settings;
  RETURN_IF_ERROR(ParseTorchSettings(text, &settings));
  TrySetting(text);
  return Status::Ok();
}

Status Trial::AddSettings() {
  RETURN_IF_ERROR(AddOwnSettings());
  if (!history_->torch) {
    answer_.untried.push_back(
        "settings of PyTorch's allocator: the requests are not PyTorch's");
  } else if (Wants("torch")) {
    for (const char* text : kTorchSettings) {
      const bool is_so = history_->settings.expandable_segments &&
                         std::string_view(text).starts_with("expandable");
      TrySetting(is_so ? "expandable_segments:False" : text);
    }
    Setup setup = FreshSetup();
    setup.torch.memory_fraction = 1;
    setup.torch.garbage_collection_threshold = 0.8;
    Change change;
    change.family = "torch";
    change.name = "garbage_collection_threshold:0.8";
    change.setting = Environment(change.name) +
                     " and torch.cuda.set_per_process_memory_fraction(1.0)";
    AddJob(setup, change);
  }
  if (Wants("async")) TrySetting("backend:cudaMallocAsync");
  if (options_.only == "bfc") AddBfc();
  return Status::Ok();
}

void Trial::AddBfc() {
  for (const bool growth : {true, false}) {
    Setup setup;
    setup.model = Model::kBfc;
    setup.bfc.allow_growth = growth;
    Change change;
    change.kind = ChangeKind::kComparison;
    change.family = "bfc";
    change.name = growth ? "TensorFlow's BFC allocator, allow_growth"
                         : "TensorFlow's BFC allocator, one region";
    if (growth || history_->room.bytes) AddJob(setup, change);
  }
}

// Tries other allocators for a program that calls the driver itself.
void Trial::AddDriverModels() {
  if (!SeesBlocks()) {
    answer_.untried.push_back(fmt::format(
        "settings of {}, and another batch: the trace holds only the driver's "
        "calls, not the requests inside the allocator's memory",
        history_->torch ? "PyTorch's allocator" : "TensorFlow's or JAX's"));
    if (history_->torch) {
      answer_.untried.back() +=
          "; torch.cuda.memory._dump_snapshot() or a recording that sees its "
          "tensors has them";
    }
    return;
  }
  if (Wants("async")) {
    Setup setup;
    setup.model = Model::kAsync;
    Change change;
    change.family = "async";
    change.name = "cudaMallocAsync";
    change.setting =
        "cudaMallocAsync and cudaFreeAsync instead of cudaMalloc and "
        "cudaFree";
    change.assumption = "frees have finished before the next request";
    AddJob(setup, change);
  }
  for (const bool growing : {false, true}) {
    if (!Wants("torch")) break;
    Setup setup;
    setup.torch.expandable_segments = growing;
    Change change;
    change.kind = ChangeKind::kComparison;
    change.family = "torch";
    change.name = growing ? "PyTorch's allocator, expandable_segments:True"
                          : "PyTorch's allocator";
    AddJob(setup, change);
  }
  if (Wants("bfc")) AddBfc();
}

// For a framework's pool that took most of the device at once and left too
// little for the refused request.
void Trial::AddSmallerPool() {
  const Change& recorded = answer_.changes.front();
  if (history_->level != Level::kDriver || !history_->tensorflow ||
      !Wants("pool") || !history_->died || !history_->room.total ||
      recorded.margin.value_or(0) >= 0) {
    return;
  }
  const auto largest = std::max_element(
      history_->requests.begin(),
      history_->requests.begin() + static_cast<ptrdiff_t>(*history_->died),
      [](const Request& a, const Request& b) {
        return (a.op == Op::kAllocate ? a.bytes : 0) <
               (b.op == Op::kAllocate ? b.bytes : 0);
      });
  const int64_t before = largest->bytes;
  const int64_t after = before + *recorded.margin;
  if (after <= 0) return;
  Setup setup = AsRecorded();
  setup.resized = {largest->block, after};
  const double fraction =
      std::floor(100.0 * static_cast<double>(after) /
                 static_cast<double>(*history_->room.total)) /
      100;
  Change change;
  change.family = "pool";
  change.name = fmt::format("a pool of {} instead of {}", FormatBytes(after),
                            FormatBytes(before));
  change.setting = fmt::format(
      "XLA_PYTHON_CLIENT_MEM_FRACTION={:.2f}, or "
      "per_process_gpu_memory_fraction={:.2f}",
      fraction, fraction);
  change.assumption = "the smaller pool is large enough, which is not recorded";
  change.estimate = true;
  AddJob(setup, change);
}

}  // namespace inquest::whatif
