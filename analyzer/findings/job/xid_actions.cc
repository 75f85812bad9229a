// SPDX-License-Identifier: Apache-2.0
// NVIDIA's Xid catalogue (docs.nvidia.com/deploy/xid-errors), its column of
// immediate actions. Left out are codes that it only wants looked at (display,
// warnings, clean-up after another error).
#include <algorithm>
#include <array>

#include "analyzer/findings/job/actions.h"

namespace inquest::findings {
namespace {

constexpr std::array kRestart = {
    8,   13,  25,  31,  32,  39,  40,  41,  60,  68,  69,  70,
    71,  72,  75,  76,  77,  80,  82,  83,  84,  85,  86,  88,
    89,  94,  96,  97,  98,  99,  100, 101, 102, 103, 104, 105,
    126, 127, 128, 129, 130, 131, 132, 133, 134, 135, 139, 151};
// 48 alone, 63 to activate the spare row, 74 and 144 to 146 as far as they are
// fatal, which the log may not tell.
constexpr std::array kReset = {46,  48,  58,  59,  61,  62,  63,  64,
                               74,  95,  109, 110, 119, 120, 136, 140,
                               143, 144, 145, 146, 149, 155, 156, 158,
                               159, 166, 167, 169, 170, 171, 172};
constexpr std::array kRebootNode = {79, 173};
constexpr std::array kVendor = {54, 125, 150, 175};

template <size_t kSize>
bool Has(const std::array<int, kSize>& codes, int64_t code) {
  return std::ranges::find(codes, code) != codes.end();
}

}  // namespace

const char* Word(Action action) {
  switch (action) {
    case Action::kKeep:
      return "keep";
    case Action::kFixProgram:
      return "fix-program";
    case Action::kRestartApp:
      return "restart-app";
    case Action::kResetGpu:
      return "reset-gpu";
    case Action::kReboot:
      return "reboot";
    case Action::kDrain:
      return "drain";
    case Action::kContact:
      break;
  }
  return "contact-vendor";
}

std::optional<Action> ActionOfXid(int64_t xid) {
  if (Has(kRestart, xid)) return Action::kRestartApp;
  if (Has(kReset, xid)) return Action::kResetGpu;
  if (Has(kRebootNode, xid)) return Action::kReboot;
  if (Has(kVendor, xid)) return Action::kContact;
  return {};
}

std::optional<Action> ActionOfRequest(const std::string& request) {
  if (request == "None") return Action::kKeep;
  if (request == "GPU Reset Required" || request == "Drain and Reset") {
    return Action::kResetGpu;
  }
  if (request == "Node Reboot Required") return Action::kReboot;
  if (request == "Drain P2P") return Action::kDrain;
  if (request.starts_with("Recover IMEX")) return Action::kDrain;
  return {};
}

}  // namespace inquest::findings
