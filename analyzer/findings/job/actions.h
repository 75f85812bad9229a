// SPDX-License-Identifier: Apache-2.0
// What to do with the nodes and GPUs of a job that died: one action each.
// Follows the immediate actions of NVIDIA's Xid catalogue, the driver's own
// request where it makes one (Xid 154), and the history of the same GPU in the
// kernel's log: the same unit again is hardware, faults of a program on several
// units are software. Commands are text for a person; nothing here runs any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inquest::facts {
class Store;
}

namespace inquest::findings {

struct Diagnosis;

// From the mildest to the most severe; of several for one unit the last counts.
enum class Action : uint8_t {
  kKeep,
  kFixProgram,  // the unit is sound, the program is not
  kRestartApp,
  kResetGpu,
  kReboot,
  kDrain,    // take it out and examine it
  kContact,  // hand it in, or ask the vendor
};
const char* Word(Action action);

struct UnitAction {
  std::string host;             // empty: the whole job
  std::string pci;              // empty: the whole node
  std::optional<int64_t> rank;  // that used the GPU
  Action action = Action::kKeep;
  bool cold = false;  // a reboot cuts the power, by hand
  std::string why;
  std::vector<std::string> commands;
};

// What the catalogue recommends at once for an Xid without further evidence;
// empty if the unit is not concerned.
std::optional<Action> ActionOfXid(int64_t xid);
// What the driver asks for, as Xid 154 says it: "GPU Reset Required".
std::optional<Action> ActionOfRequest(const std::string& request);

// The units with something to say of them, the most severe first.
std::vector<UnitAction> DecideActions(facts::Store* store,
                                      const Diagnosis& diagnosis);

}  // namespace inquest::findings
