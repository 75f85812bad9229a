#include "analyzer/memory/analyze.h"

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/facts/python_frames.h"
#include "analyzer/memory/process_analysis.h"

namespace inquest::memory {

std::vector<Frame> ProcessAnalysis::Frames(int64_t stack) {
  std::vector<Frame> frames;
  if (options_.frames) frames = options_.frames(process_, stack);
  if (frames.empty()) frames = PythonFrames(stack);
  if (!frames.empty()) return frames;
  auto row = store_->db().Prepare("SELECT frames FROM " + prefix_ +
                                  "stack WHERE id = ?");
  if (stack == 0 || !row.ok()) return frames;
  row->Bind(0, stack);
  if (!row->Step()) return frames;
  const std::string_view blob = row->Blob(0);
  for (size_t at = 0; at + sizeof(uint64_t) <= blob.size();
       at += sizeof(uint64_t)) {
    uint64_t address = 0;
    memcpy(&address, blob.data() + at, sizeof(address));
    frames.push_back(symbolizer_.Resolve(address));
  }
  return frames;
}

// A user of Python thinks in its lines: where there are any, they are the
// stack.
std::vector<Frame> ProcessAnalysis::PythonFrames(int64_t stack) {
  std::vector<Frame> frames;
  for (const facts::PythonFrame& python :
       facts::TellingPythonFrames(store_, process_, stack)) {
    Frame frame;
    frame.function = facts::PlaceOf(python);
    frame.file = python.file;
    frame.line = static_cast<int>(python.line);
    frame.module = "python";
    frames.push_back(std::move(frame));
  }
  return frames;
}

Expected<int64_t> ProcessAnalysis::ReplayEvents() {
  trace::Checkpoint checkpoint;
  const bool folded = store_->HasTable(process_, "checkpoint");
  if (folded) {
    ASSIGN_OR_RETURN(checkpoint, replay_.Resume(&store_->db(), prefix_));
  }
  RETURN_IF_ERROR(steps_.Read(
      &store_->db(), prefix_,
      folded ? std::optional<int64_t>(checkpoint.event) : std::nullopt));
  RETURN_IF_ERROR(ledger_.Read(&store_->db(), prefix_,
                               folded ? checkpoint.time : INT64_MIN));
  ASSIGN_OR_RETURN(const int64_t behind,
                   ForEachEvent(&store_->db(), prefix_, checkpoint.event,
                                [this](const MemoryEvent& event) {
                                  steps_.Before(event);
                                  ledger_.Before(event.time);
                                  replay_.Add(event);
                                }));
  steps_.Finish();
  ledger_.Finish();
  const int64_t count = checkpoint.folded + behind;
  return count;
}

Expected<int64_t> ProcessAnalysis::Run() {
  ASSIGN_OR_RETURN(const int64_t events, ReplayEvents());
  leaks_ = FindLeaks(sites_.sites());
  // These may make sites yet.
  RETURN_IF_ERROR(WriteRefusals());
  RETURN_IF_ERROR(WritePeakFacts());
  RETURN_IF_ERROR(WriteSites());
  RETURN_IF_ERROR(WriteUsage());
  RETURN_IF_ERROR(steps_.Write(store_, process_, offset_));
  RETURN_IF_ERROR(WriteLeaks());
  RETURN_IF_ERROR(WriteFaults());
  RETURN_IF_ERROR(ledger_.Write(store_, process_));
  return events;
}

Expected<MemorySummary> Analyze(facts::Store* store,
                                const AnalyzeOptions& options) {
  MemorySummary summary;
  int64_t next_site = 1;
  for (int process = 1; process <= store->traces(); ++process) {
    RETURN_IF_ERROR(store->db().Execute("BEGIN"));
    ProcessAnalysis analysis(store, process, options, &next_site);
    auto events = analysis.Run();
    RETURN_IF_ERROR(store->db().Execute("COMMIT"));
    RETURN_IF_ERROR(events.status());
    summary.events += *events;
  }
  return summary;
}

}  // namespace inquest::memory
