// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/attempts/cause_kinds.h"

namespace inquest::fleet {
namespace {

struct Kind {
  std::string_view cause;  // or its beginning, with a slash at the end
  CauseKind kind;
};

// The first that fits: single causes before their area.
constexpr Kind kKinds[] = {
    {"hardware/", CauseKind::kMachine},
    {"host/node-lost", CauseKind::kMachine},
    {"device/unavailable", CauseKind::kMachine},
    {"storage/failed", CauseKind::kMachine},
    {"version/driver-mismatch", CauseKind::kMachine},
    {"version/", CauseKind::kProgram},
    {"build/", CauseKind::kProgram},
    {"access/", CauseKind::kProgram},
    {"memory/other-process", CauseKind::kOutside},
    {"memory/", CauseKind::kProgram},
    {"storage/full", CauseKind::kProgram},
    {"host/limits", CauseKind::kProgram},
    {"cudnn/bad-param", CauseKind::kProgram},
    {"cudnn/not-supported", CauseKind::kProgram},
    {"kernel/device-assert", CauseKind::kProgram},
    {"kernel/launch-config", CauseKind::kProgram},
    {"distributed/desync", CauseKind::kProgram},
    {"data/type-mismatch", CauseKind::kProgram},
    {"data/non-finite", CauseKind::kProgram},
    {"process/exception", CauseKind::kProgram},
    {"process/fork-after-init", CauseKind::kProgram},
    {"process/preempted", CauseKind::kOutside},
    {"process/killed", CauseKind::kOutside},
};

}  // namespace

CauseKind KindOfCause(std::string_view cause) {
  for (const Kind& one : kKinds) {
    const bool area = one.cause.ends_with('/');
    if (area ? cause.starts_with(one.cause) : cause == one.cause) {
      return one.kind;
    }
  }
  return CauseKind::kOpen;
}

}  // namespace inquest::fleet
