// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/artefacts.h"

#include <fmt/format.h>

#include "analyzer/hangs/ras/ras_facts.h"
#include "analyzer/hangs/stacks/stack_facts.h"
#include "analyzer/logs/reader/log_block_lines.h"

namespace inquest::hangs {

Artefacts::Artefacts(const rules::RuleSet& rules) {
  for (const rules::Signature& signature : rules.signatures) {
    const std::string_view id = signature.id;
    uint8_t wanted = 0;
    if (id.starts_with("distributed.stack.")) wanted = kStacks;
    if (id.starts_with("nccl.ras.")) wanted = kRas;
    if (id.starts_with("distributed.flight-text.")) wanted = kFlight;
    wanted_by_.push_back(wanted);
  }
}

void Artefacts::OnEvent(const ingest::LogEvent& event) {
  wanted_ |= wanted_by_[event.signature];
}

void Artefacts::OnBlock(size_t source, const ingest::LogBlock& block,
                        const ingest::PrefixProfile& profile) {
  const auto fresh = static_cast<uint8_t>(wanted_ & ~begun_);
  begun_ |= wanted_;
  if ((fresh & kStacks) != 0) stacks_.BeginSource(source, path_);
  if ((fresh & kRas) != 0) {
    ras_.BeginSource(source);
    ras_json_.BeginSource(source);
  }
  if ((fresh & kFlight) != 0) flight_.BeginSource(source);
  if (begun_ == 0) return;
  ingest::ForEachLine(block, profile, [this](const ingest::LogLine& line) {
    if ((begun_ & kStacks) != 0) stacks_.Add(line);
    if ((begun_ & kRas) != 0) {
      ras_.Add(line);
      ras_json_.Add(line);
    }
    if ((begun_ & kFlight) != 0) flight_.Add(line);
  });
}

void Artefacts::End() {
  if ((begun_ & kStacks) != 0) stacks_.EndSource();
  if ((begun_ & kRas) != 0) {
    ras_.EndSource();
    ras_json_.EndSource();
  }
  if ((begun_ & kFlight) != 0) flight_.EndSource();
  begun_ = wanted_ = 0;
}

Status Artefacts::Write(facts::Store* store) {
  RETURN_IF_ERROR(WriteStackFacts(dumps_, store));
  RETURN_IF_ERROR(WriteRasFacts(reports_, store));
  return flight_.Write(store);
}

std::vector<std::string> Artefacts::Limits() const {
  std::vector<std::string> limits;
  if (dumps_.cut) {
    limits.emplace_back("not all stacks were kept: there are too many");
  }
  if (dumps_.malformed > 0) {
    limits.push_back(fmt::format(
        "{} line{} of stacks could not be read, as where processes write over "
        "each other's lines",
        dumps_.malformed, dumps_.malformed == 1 ? "" : "s"));
  }
  return limits;
}

}  // namespace inquest::hangs
