// SPDX-License-Identifier: Apache-2.0
// Names of places, and which files are not a user's program; see
// places.h.
#include <algorithm>
#include <iterator>

#include "analyzer/facts/derive/own_code.h"
#include "analyzer/hangs/stacks/places.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

struct PlaceWords {
  Place place;
  const char* name;
  const char* words;
  const char* many;
};

constexpr PlaceWords kWords[] = {
    {Place::kNone, "none", "stands in Python's own code",
     "stand in Python's own code"},
    {Place::kUser, "user", "stands", "stand"},
    {Place::kCollective, "collective", "waits in a collective",
     "wait in a collective"},
    {Place::kPeer, "peer", "waits for another rank", "wait for another rank"},
    {Place::kEngine, "engine", "waits for a worker's answer",
     "wait for a worker's answer"},
    {Place::kDevice, "device", "waits for the GPU", "wait for the GPU"},
    {Place::kLaunch, "launch", "gives the GPU work", "give the GPU work"},
    {Place::kBackward, "backward", "waits for its backward pass",
     "wait for their backward pass"},
    {Place::kLoader, "loader", "waits for its data loader",
     "wait for their data loader"},
    {Place::kStorage, "storage", "reads or writes files",
     "read or write files"},
    {Place::kLock, "lock", "stands (mostly for a lock)",
     "stand (mostly for a lock)"},
    {Place::kCompile, "compile", "compiles code", "compile code"},
    {Place::kSetup, "setup", "sets up communication", "set up communication"},
    {Place::kTeardown, "teardown", "ends its communication",
     "end their communication"},
    {Place::kSleep, "sleep", "sleeps", "sleep"},
    {Place::kNetwork, "network", "moves data for NCCL", "move data for NCCL"},
    {Place::kBackground, "background", "stands in NCCL's own threads",
     "stand in NCCL's own threads"},
    {Place::kAbort, "abort", "is brought down by its watchdog",
     "are brought down by their watchdog"},
    {Place::kDumper, "dumper", "made the dump", "made the dump"},
    {Place::kIdle, "idle", "waits for work", "wait for work"},
};

const PlaceWords& Of(Place place) {
  const auto* found = std::ranges::find(kWords, place, &PlaceWords::place);
  return found == std::end(kWords) ? kWords[0] : *found;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

}  // namespace

const char* NameOf(Place place) {
  return Of(place).name;
}

std::string WordsOf(Place place, bool several) {
  const PlaceWords& found = Of(place);
  return several ? found.many : found.words;
}

bool IsPlumbing(const Site& site) {
  constexpr std::string_view kLibrary[] = {
      "threading.py",   "queue.py",      "selectors.py",         "socket.py",
      "subprocess.py",  "runpy.py",      "contextlib.py",        "functools.py",
      "_contextlib.py", "popen_fork.py", "popen_spawn_posix.py", "signal.py"};
  constexpr std::string_view kFolders[] = {"multiprocessing/",
                                           "concurrent/futures/",
                                           "asyncio/",
                                           "importlib",
                                           "encodings/",
                                           "zmq/",
                                           "redis/"};
  constexpr std::string_view kWrappers[] = {"c10d_logger.py",
                                            "torch/_dynamo/eval_frame.py",
                                            "torch/nn/modules/module.py",
                                            "torch/_tensor.py",
                                            "nvtx.py",
                                            "torch/utils/_contextlib.py",
                                            "elastic/multiprocessing/errors/"};
  const std::string_view file = site.file;
  const bool native = !file.ends_with(".py") && !file.ends_with(".pyx");
  if (native) return !file.starts_with('<') || Contains(file, "frozen");
  const bool relative = !Contains(file, "packages/");
  if (relative && std::ranges::count(kLibrary, LastPart(file)) > 0) return true;
  return ContainsAny(file, kFolders) || ContainsAny(file, kWrappers);
}

bool IsPackage(std::string_view file) {
  constexpr std::string_view kKnown[] = {"torch/",
                                         "vllm/",
                                         "sglang/",
                                         "deepspeed/",
                                         "transformers/",
                                         "accelerate/",
                                         "jax/",
                                         "flax/",
                                         "tensorflow/",
                                         "lightning/",
                                         "pytorch_lightning/",
                                         "megatron/core/",
                                         "ray/",
                                         "triton/",
                                         "_pytest/"};
  if (!facts::IsOwnCode(file)) return true;
  return StartsWithAny(file, kKnown);
}

}  // namespace inquest::hangs
