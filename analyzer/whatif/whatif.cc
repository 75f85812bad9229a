#include "analyzer/whatif/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analyzer/base/units.h"
#include "analyzer/whatif/cards.h"
#include "analyzer/whatif/judge.h"

namespace inquest::whatif {
namespace {

// Settings that are tried of their own accord. Sizes around what models ask for
// most; a threshold as PyTorch's page has it.
constexpr const char* kTorchSettings[] = {
    "expandable_segments:True",   "max_split_size_mb:64",
    "max_split_size_mb:128",      "max_split_size_mb:512",
    "roundup_power2_divisions:4", "roundup_power2_divisions:8",
};

class Trial {
 public:
  Trial(History* history, const Options& options)
      : history_(history), options_(options) {}

  Expected<Answer> Run() {
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

// `--device-memory` says what the whole device has; what it takes for itself is
// what it took in the record.
void Trial::TakeDevice() {
  if (!options_.device_memory) return;
  Room& room = history_->room;
  const int64_t taken = room.total && room.bytes
                            ? std::max<int64_t>(0, *room.total - *room.bytes)
                            : 0;
  room.bytes = std::max<int64_t>(0, *options_.device_memory - taken);
  room.total = options_.device_memory;
  room.source = taken > 0 ? "as asked for, less what was not for these requests"
                          : "as asked for; what the context takes is unknown";
}

Setup Trial::AsRecorded() const {
  Setup setup = Afresh();
  setup.place = !history_->segments.empty();
  return setup;
}

Setup Trial::Afresh() const {
  Setup setup;
  setup.model = history_->level == Level::kDriver  ? Model::kCudaMalloc
                : history_->settings.async_backend ? Model::kAsync
                                                   : Model::kTorch;
  setup.torch = history_->settings;
  return setup;
}

void Trial::Judged(const Setup& setup, Change change) {
  Judge(*history_, setup, &change);
  answer_.changes.push_back(std::move(change));
}

void Trial::CheckModel() {
  Check& check = answer_.check;
  const Setup setup = AsRecorded();
  const int64_t room = RoomOf(*history_);
  const auto count = [](const Simulation& run) {
    int64_t segments = 0;
    run.allocator->VisitSegments([&](uint64_t, int64_t) { ++segments; });
    return segments;
  };
  Simulation run;
  const Outcome placed = Simulate(*history_, setup, room, &run);
  check.peak_reserved = placed.totals.peak_reserved;
  check.peak_segments = placed.totals.peak_segments;
  if (placed.ok() || history_->died) {
    check.reserved_at_end = placed.totals.reserved;
    check.segments_at_end = count(run);
    check.largest_free_at_end = run.allocator->LargestFree();
  }
  if (history_->died && history_->room.bytes) {
    check.refuses_the_same =
        placed.refused && placed.refused->request == *history_->died;
  }
  if (!setup.place) return;
  const Outcome fresh = Simulate(*history_, Afresh(), room);
  check.fresh_reserved_at_end = fresh.totals.reserved;
  check.fresh_peak_reserved = fresh.totals.peak_reserved;
}

void Trial::Recorded() {
  CheckModel();
  Change change;
  change.kind = ChangeKind::kRecorded;
  change.family = "recorded";
  change.name = "as recorded";
  Judged(AsRecorded(), change);
}

// The recorded settings stay; what is set later wins.
std::string Trial::Environment(const std::string& text) const {
  const std::string& before = history_->settings_text;
  return "PYTORCH_CUDA_ALLOC_CONF=" + before + (before.empty() ? "" : ",") +
         text;
}

void Trial::TrySetting(const std::string& text, const std::string& more) {
  Setup setup = Afresh();
  if (!ParseTorchSettings(text, &setup.torch).ok()) return;
  Change change;
  change.family = "torch";
  change.name = text;
  change.setting = Environment(text) + more;
  if (setup.torch.async_backend) {
    setup.model = Model::kAsync;
    change.family = "async";
    change.assumption = "frees have finished when the next request comes";
  }
  Judged(setup, change);
}

Status Trial::OwnSettings() {
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

Status Trial::Settings() {
  RETURN_IF_ERROR(OwnSettings());
  if (!history_->torch) {
    answer_.untried.push_back(
        "settings of PyTorch's allocator: the requests are not PyTorch's");
  } else if (Wants("torch")) {
    for (const char* text : kTorchSettings) {
      const bool is_so = history_->settings.expandable_segments &&
                         std::string_view(text).starts_with("expandable");
      TrySetting(is_so ? "expandable_segments:False" : text);
    }
    Setup setup = Afresh();
    setup.torch.memory_fraction = 1;
    setup.torch.garbage_collection_threshold = 0.8;
    Change change;
    change.family = "torch";
    change.name = "garbage_collection_threshold:0.8";
    change.setting = Environment(change.name) +
                     " and torch.cuda.set_per_process_memory_fraction(1.0)";
    Judged(setup, change);
  }
  if (Wants("async")) TrySetting("backend:cudaMallocAsync");
  if (options_.only == "bfc") Bfc();
  return Status::Ok();
}

void Trial::Bfc() {
  for (const bool growth : {true, false}) {
    Setup setup;
    setup.model = Model::kBfc;
    setup.bfc.allow_growth = growth;
    Change change;
    change.kind = ChangeKind::kComparison;
    change.family = "bfc";
    change.name = growth ? "TensorFlow's BFC allocator, allow_growth"
                         : "TensorFlow's BFC allocator, one region";
    if (growth || history_->room.bytes) Judged(setup, change);
  }
}

// What a program that asks the driver itself would have had from others.
void Trial::DriverModels() {
  if (history_->torch || history_->tensorflow) {
    answer_.untried.push_back(fmt::format(
        "settings of {}: the trace holds only the driver's calls, not the "
        "requests inside the allocator's memory",
        history_->torch ? "PyTorch's allocator" : "TensorFlow's or JAX's"));
    if (history_->torch) {
      answer_.untried.back() +=
          "; torch.cuda.memory._dump_snapshot() or a recording that sees its "
          "tensors has them";
    }
    SmallerPool();
    return;
  }
  if (Wants("async")) {
    Setup setup;
    setup.model = Model::kAsync;
    Change change;
    change.family = "async";
    change.name = "cudaMallocAsync";
    change.setting =
        "cudaMallocAsync and cudaFreeAsync for cudaMalloc and "
        "cudaFree";
    change.assumption = "frees have finished when the next request comes";
    Judged(setup, change);
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
    Judged(setup, change);
  }
  if (Wants("bfc")) Bfc();
}

// A framework's pool that took most of the device at once and left too little
// for the request that was refused.
void Trial::SmallerPool() {
  const Change& recorded = answer_.changes.front();
  if (!history_->tensorflow || !Wants("pool") || !history_->died ||
      !history_->room.total || recorded.margin.value_or(0) >= 0) {
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
  largest->bytes = after;
  const double fraction =
      std::floor(100.0 * static_cast<double>(after) /
                 static_cast<double>(*history_->room.total)) /
      100;
  Change change;
  change.family = "pool";
  change.name = fmt::format("a pool of {} for one of {}", FormatBytes(after),
                            FormatBytes(before));
  change.setting = fmt::format(
      "XLA_PYTHON_CLIENT_MEM_FRACTION={:.2f}, or "
      "per_process_gpu_memory_fraction={:.2f}",
      fraction, fraction);
  change.assumption = "that less is enough inside the pool is not recorded";
  change.estimate = true;
  Judged(AsRecorded(), change);
  largest->bytes = before;
}

void Trial::Batch() {
  if (history_->persistence.empty() || history_->allocations == 0) {
    answer_.untried.push_back(
        "another batch: the record tells no steps, so that lasting memory "
        "cannot be told from that of a step");
    return;
  }
  std::vector<double> factors;
  if (options_.batch) factors.push_back(*options_.batch);
  if (history_->room.bytes) {
    factors.push_back(LargestBatch(*history_, Afresh()));
  }
  for (const double factor : factors) {
    if (factor <= 0) {
      answer_.untried.push_back("another batch: even a 64th is too large");
      continue;
    }
    Setup setup = Afresh();
    setup.scale = factor;
    Change change;
    change.kind = ChangeKind::kDemand;
    change.family = "batch";
    change.name = fmt::format("batch x {:.3g}", factor);
    change.factor = factor;
    change.estimate = true;
    change.setting = fmt::format(
        "a batch of {:.3g} times its size, rounded "
        "down",
        factor);
    change.assumption = history_->persistence +
                        " with what has the same size, the rest grows "
                        "with the batch";
    Judged(setup, change);
  }
}

void Trial::Precision() {
  if (history_->persistence.empty() || history_->allocations == 0) return;
  Setup setup = Afresh();
  setup.scale = 0.5;
  Change change;
  change.kind = ChangeKind::kDemand;
  change.family = "precision";
  change.name = "mixed precision";
  change.setting = "torch.autocast(\"cuda\", dtype=torch.bfloat16)";
  change.estimate = true;
  change.assumption =
      "all memory of a step is 32-bit floats and halves; weights, gradients "
      "and "
      "optimizer stay as they are; autocast's copies of weights are not "
      "counted";
  Judged(setup, change);
}

void Trial::Demand() {
  if (Wants("leak") && !history_->leaks.empty()) {
    Setup setup = Afresh();
    setup.hold_leaks = true;
    Change change;
    change.kind = ChangeKind::kDemand;
    change.family = "leak";
    change.name = "no leak";
    change.assumption = "leaking sites stay at their level of the first steps";
    std::string sites;
    for (const LeakingSite& leak : history_->leaks) {
      sites += (sites.empty() ? "" : ", ") + leak.name;
    }
    change.setting = "let go of what is made in " + sites;
    Judged(setup, change);
  }
  if (Wants("batch")) Batch();
  if (Wants("precision")) Precision();
}

void Trial::Machine() {
  Room& room = history_->room;
  if (!room.bytes) {
    answer_.untried.push_back(
        "a larger device, and whether anything survives: the record does not "
        "say how much memory there was; --device-memory 24GiB would");
    return;
  }
  const Change recorded = answer_.changes.front();
  if (Wants("other-process") && room.others > 0) {
    const auto before = room.bytes;
    room.bytes = *before + room.others;
    Change change;
    change.kind = ChangeKind::kDevice;
    change.family = "other-process";
    change.name = "no other process";
    change.setting = fmt::format("a device without the {} of others",
                                 FormatBytes(room.others));
    Judged(AsRecorded(), change);
    room.bytes = before;
  }
  if (!Wants("device") || recorded.survives.value_or(true)) return;
  const int64_t taken =
      room.total ? std::max<int64_t>(0, *room.total - *room.bytes) : 0;
  Change change = recorded;
  change.kind = ChangeKind::kDevice;
  change.family = "device";
  change.refused.reset();
  const int64_t whole = recorded.needed + taken;
  change.name = "a device of " + FormatBytes(whole);
  const Card card = SmallestCard(whole);
  change.setting =
      card.name.empty() ? "" : "the smallest such card: " + card.name;
  if (taken == 0) change.assumption = "what its context takes is not counted";
  change.survives = true;
  change.peak_reserved = recorded.needed;
  change.margin = card.name.empty() ? 0 : card.bytes - whole;
  answer_.changes.push_back(std::move(change));
}

}  // namespace

const std::vector<std::string>& Families() {
  static const std::vector<std::string> kFamilies = {
      "torch", "async",     "bfc",           "pool",  "leak",
      "batch", "precision", "other-process", "device"};
  return kFamilies;
}

Expected<Answer> TryChanges(History* history, const Options& options) {
  return Trial(history, options).Run();
}

}  // namespace inquest::whatif
