// SPDX-License-Identifier: Apache-2.0
#include "trace/store/left_journal.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "trace/records/event.h"

namespace inquest::trace {
namespace {

// Where segments differ, one that proves more decides.
JournalReader::Life LifeOf(const Segments& segments) {
  auto life = segments.empty() ? JournalReader::Life::kUnknown
                               : JournalReader::Life::kDead;
  for (const JournalReader& segment : segments) {
    const JournalReader::Life one = segment.ProcessLife();
    if (one == JournalReader::Life::kAlive) return one;
    if (one == JournalReader::Life::kUnknown) life = one;
  }
  return life;
}

class Mover {
 public:
  explicit Mover(TraceWriter* writer) : writer_(writer) {}

  Status Move(JournalReader* segment) {
    const JournalHeader& header = segment->header();
    const uint64_t from =
        std::max(writer_->drained_ticket(), header.drained.load());
    const JournalReader::Recovered done = segment->Recover(
        from, [this](uint64_t ticket, uint32_t kind, std::string_view payload) {
          writer_->Add(ticket, kind, payload);
          end_ns_ = std::max(end_ns_, TimeOf(kind, payload));
        });
    if (done.error != 0) {
      return Unreadable(std::string("cannot read its journal: ") +
                        std::strerror(done.error));
    }
    end_ns_ = std::max(end_ns_, header.heartbeat_ns.load());
    next_ = std::max({next_, done.next, from});
    losses_.Add(header);
    losses_.torn += done.torn;
    moved_.records += done.records;
    moved_.clean_end |= header.clean_end.load() != 0;
    NoteRolledBack(header);
    return Status::Ok();
  }

  Expected<Moved> Commit() {
    writer_->AddJournalLosses(losses_);
    Status status = writer_->Commit(next_);
    if (!status.ok()) {
      writer_->Rollback();
      return status;
    }
    moved_.torn = losses_.torn;
    const bool clean = moved_.clean_end || writer_->clean_end();
    RETURN_IF_ERROR(
        writer_->Finish(clean ? "collector" : "analyzer", clean, end_ns_));
    return moved_;
  }

 private:
  // Recycled slots had been stored: the trace has been lost or rolled back
  // since.
  void NoteRolledBack(const JournalHeader& header) {
    const uint64_t drained = header.drained.load();
    const uint64_t stored =
        std::max(writer_->drained_ticket(), FirstOf(header));
    if (drained <= stored) return;
    writer_->Lose("rolled back", static_cast<int64_t>(drained - stored),
                  "journal slots that an earlier trace held");
  }

  TraceWriter* writer_;
  Moved moved_;
  JournalLosses losses_;
  int64_t end_ns_ = 0;  // the last time at which the process was alive
  uint64_t next_ = 0;   // the first ticket that is not in the trace
};

}  // namespace

Expected<Segments> OpenSegments(const std::vector<std::string>& paths) {
  Segments segments;
  for (const std::string& path : paths) {
    Expected<JournalReader> segment = JournalReader::Open(path);
    // Only a living process gives a segment another name.
    if (!segment.ok() && access(path.c_str(), F_OK) != 0) continue;
    RETURN_IF_ERROR(segment.status());
    if (!segment->is_unused()) segments.push_back(segment.Take());
  }
  std::sort(segments.begin(), segments.end(),
            [](const JournalReader& a, const JournalReader& b) {
              return a.header().drained.load() < b.header().drained.load();
            });
  return segments;
}

ProcessState StateOf(const Segments& segments) {
  switch (LifeOf(segments)) {
    case JournalReader::Life::kDead:
      return ProcessState::kDead;
    case JournalReader::Life::kAlive:
      return ProcessState::kAlive;
    case JournalReader::Life::kUnknown:
      break;
  }
  const bool lately = std::any_of(
      segments.begin(), segments.end(),
      [](const JournalReader& one) { return one.LivedAMomentAgo(); });
  return lately ? ProcessState::kAlive : ProcessState::kUnproven;
}

Expected<Moved> MoveRecords(Segments* segments, TraceWriter* writer) {
  RETURN_IF_ERROR(writer->Begin());
  Mover mover(writer);
  for (JournalReader& segment : *segments) {
    Status moved = mover.Move(&segment);
    if (moved.ok()) continue;
    writer->Rollback();
    return moved;
  }
  return mover.Commit();
}

}  // namespace inquest::trace
