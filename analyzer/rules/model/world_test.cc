// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/world.h"

#include <set>

#include "analyzer/rules/load/yaml.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::rules;

namespace {

std::vector<std::string> ProgramsOf(std::string_view command) {
  std::vector<std::string> programs;
  for (const CommandWord& word : WordsOfCommand(command)) {
    if (word.starts) programs.emplace_back(word.text);
  }
  return programs;
}

std::string PhaseIn(const std::vector<FrameName>& frames) {
  const Phase* phase = PhaseOf(frames);
  return phase == nullptr ? "none" : phase->id;
}

}  // namespace

TEST_CASE("world.yaml is read, and names each world and phase once") {
  YamlDocument document;
  Diagnostics said;
  REQUIRE(
      ParseYaml("world.yaml", std::string(WorldText()), {}, &document, &said));
  CHECK(Vendors().size() == document.root.at("vendors").size());
  CHECK(Platforms().size() == document.root.at("platforms").size());
  CHECK(Settings().size() == document.root.at("settings").size());
  std::set<std::string> ids;
  for (const auto* worlds : {&Vendors(), &Platforms(), &Settings()}) {
    for (const World& one : *worlds) CHECK(ids.insert(one.id).second);
  }
  for (const auto& phase : document.root.at("phases")) {
    const std::string id = phase.at("id");
    REQUIRE(FindPhase(id) != nullptr);
    CHECK_FALSE(FindPhase(id)->words.empty());
    // Only a trainer's words tell that it is done.
    CHECK(FindPhase(id)->frames.empty() == (id == "trained" || id == "worked"));
  }
}

TEST_CASE("the programs of a command stand where a shell starts them") {
  using Words = std::vector<std::string>;
  CHECK(ProgramsOf("sudo dmesg -T | grep -i xid; free -h").size() == 4);
  CHECK(ProgramsOf("python -m x --id 3") == Words{"python"});
  CHECK(ProgramsOf("nvidia-smi   # AMD: rocm-smi") == Words{"nvidia-smi"});
  CHECK(ProgramsOf("CUDA_LAUNCH_BLOCKING=1 python t.py") ==
        Words{"CUDA_LAUNCH_BLOCKING", "python"});
}

TEST_CASE("a phase is proved by functions, and by paths with them") {
  CHECK(PhaseIn({{"a.py", "main"}}) == "none");
  CHECK(PhaseIn({{"/x/torch/nn/modules/module.py", "_call_impl"},
                 {"net.py", "Net.forward"}}) == "forward");
  // The forward pass of a checkpointed block runs in the backward pass, that
  // of a closure in the optimizer's step.
  CHECK(PhaseIn({{"/x/torch/_tensor.py", "backward"}, {"net.py", "forward"}}) ==
        "backward");
  CHECK(PhaseIn({{"/x/torch/optim/adamw.py", "step"},
                 {"t.py", "closure"},
                 {"net.py", "forward"}}) == "forward");
  CHECK(PhaseIn({{"/x/torch/optim/adamw.py", "step"}}) == "optimizer");
  CHECK(PhaseIn({{"walk.py", "step"}}) == "none");
}

TEST_CASE("a vendor's command in another's words") {
  const World* amd = FindVendor("amd");
  REQUIRE(amd != nullptr);
  CHECK(SayIn(*amd, "export CUDA_LAUNCH_BLOCKING=1") ==
        "export AMD_SERIALIZE_KERNEL=3");
  CHECK(SayIn(*amd, "nvidia-smi --query-gpu=name,compute_cap --format=csv") ==
        "rocminfo | grep gfx");
  CHECK(SayIn(*amd, "ls") == "ls");
}
