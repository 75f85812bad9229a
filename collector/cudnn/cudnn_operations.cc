// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_operations.h"

#include "collector/core/emit.h"
#include "collector/core/pair_cache.h"
#include "collector/core/seen_table.h"
#include "collector/core/thread_state.h"
#include "collector/cudnn/cudnn_hash.h"
#include "collector/cudnn/cudnn_living.h"
#include "collector/cudnn/cudnn_words.h"

namespace inquest::collector {
namespace {

constexpr size_t kMaxOperands = 12;

constinit SeenTable<1u << 13> g_operations;
constinit SeenTable<1u << 14> g_choices;
constinit PairCache<1u << 12>
    g_workspaces;  // requested bytes, by the hash of the query

// The hashes of a call's operands; false when one could not be read.
bool HashAll(const void* real, const CudnnRun& run, uint64_t* hashes) {
  if (real == nullptr || run.count > kMaxOperands) return false;
  for (size_t i = 0; i < run.count; ++i) {
    if (!HashCudnnOperand(run.getters, real, run.operands[i], &hashes[i])) {
      return false;
    }
  }
  return true;
}

void AddModes(const CudnnRun& run, CudnnWords* words) {
  for (size_t i = 0; i < run.mode_count; ++i) {
    words->AddNamed(run.modes[i].name, run.modes[i].kind, run.modes[i].value);
  }
}

std::string_view WordsOf(const void* real, const CudnnRun& run,
                         CudnnWords* words) {
  for (size_t i = 0; i < run.count; ++i) {
    CudnnContents contents;
    if (!ReadCudnnOperand(run.getters, real, run.operands[i], &contents)) break;
    words->Add(run.operands[i], contents);
  }
  AddModes(run, words);
  return words->Text();
}

uint64_t OperationOf(const char* function, const void* real,
                     const CudnnRun& run, const uint64_t* hashes) {
  CudnnHash hash;
  hash.Add(run.function);
  for (size_t i = 0; i < run.count; ++i) hash.Add(hashes[i]);
  for (size_t i = 0; i < run.mode_count; ++i) {
    hash.Add(static_cast<uint64_t>(run.modes[i].value));
  }
  if (g_operations.Has(hash.id())) return hash.id();
  CudnnWords words;
  return RecordCudnnOperation(hash.id(), function, WordsOf(real, run, &words));
}

// Whether every descriptor lives, is filled, and nothing else was asked of it.
bool AllKnown(const CudnnRun& run) {
  for (size_t i = 0; i < run.count; ++i) {
    const CudnnLife life = LifeOfCudnnDescriptor(run.operands[i].descriptor);
    if (life.state != CudnnLife::State::kSet || life.refused ||
        life.kind != run.operands[i].kind) {
      return false;
    }
  }
  return true;
}

// Why an operand of a rejected call cannot be read; null if it can.
const char* WhyUnreadable(const CudnnOperand& operand, const CudnnLife& life) {
  if (operand.descriptor == nullptr) return "null";
  switch (life.state) {
    case CudnnLife::State::kUnknown:
      return "unknown";
    case CudnnLife::State::kDestroyed:
      return "destroyed";
    case CudnnLife::State::kUnset:
      return "not set";
    case CudnnLife::State::kSet:
      break;
  }
  return life.kind == operand.kind ? nullptr : "of another kind";
}

void AddRejected(const void* real, const CudnnRun& run,
                 const CudnnOperand& operand, CudnnWords* words) {
  const CudnnLife life = LifeOfCudnnDescriptor(operand.descriptor);
  const char* why = WhyUnreadable(operand, life);
  CudnnContents contents;
  if (why == nullptr &&
      !ReadCudnnOperand(run.getters, real, operand, &contents)) {
    why = "unreadable";
  }
  if (why == nullptr) {
    words->Add(operand, contents);
  } else {
    words->AddState(operand.name, why);
  }
  char text[240];
  if (!life.refused) return;
  const auto refusal = CopyCudnnRefusal(operand.descriptor, text, sizeof text);
  if (!refusal.empty()) words->AddRemark(refusal);
}

// The layer of a call with descriptors that cannot all be read.
uint64_t RejectedOperation(const char* function, const void* real,
                           const CudnnRun& run) {
  CudnnWords words;
  for (size_t i = 0; i < run.count; ++i) {
    AddRejected(real, run, run.operands[i], &words);
  }
  AddModes(run, &words);
  CudnnHash hash;
  hash.Add(run.function);
  hash.Add(words.Text());
  return RecordCudnnOperation(hash.id(), function, words.Text());
}

// Sums, because functions take their operands in different orders.
uint64_t AskedKey(const CudnnRun& run, const uint64_t* hashes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < run.count; ++i) {
    if ((run.asked_operands >> i & 1) != 0) sum += hashes[i];
  }
  CudnnHash hash;
  hash.Add(run.asking);
  hash.Add(sum);
  return hash.value() | 2;  // neither 0 nor 1
}

int64_t Asked(const CudnnRun& run, const uint64_t* hashes) {
  uint64_t bytes = 0;
  return run.asking != 0 && g_workspaces.Find(AskedKey(run, hashes), &bytes)
             ? static_cast<int64_t>(bytes)
             : trace::kNoNumber;
}

}  // namespace

uint64_t CudnnChoiceOf(const char* function, const void* real,
                       const CudnnRun& run, CudnnTrust trust, bool* refused) {
  InsideScope inside;
  uint64_t hashes[kMaxOperands];
  const bool readable = trust == CudnnTrust::kAccepted ||
                        (trust == CudnnTrust::kRejected && AllKnown(run));
  const bool read = readable && HashAll(real, run, hashes);
  *refused = !read && trust != CudnnTrust::kMissing;
  trace::CudnnChoiceRecord choice;
  choice.function = function;
  if (read) {
    choice.operation = OperationOf(function, real, run, hashes);
  } else if (trust == CudnnTrust::kRejected) {
    choice.operation = RejectedOperation(function, real, run);
  }
  choice.workspace_bytes = static_cast<int64_t>(run.workspace_bytes);
  if (read) choice.workspace_asked = Asked(run, hashes);
  choice.algorithm = run.algorithm;
  return RecordCudnnChoice(choice);
}

void NoteCudnnWorkspace(const void* real, const CudnnRun& run, size_t bytes) {
  InsideScope inside;
  uint64_t hashes[kMaxOperands];
  if (!HashAll(real, run, hashes)) return;
  g_workspaces.Keep(AskedKey(run, hashes), bytes);
}

uint64_t RecordCudnnOperation(uint64_t id, const char* function,
                              std::string_view text) {
  const auto place = g_operations.Enter(id);
  if (place.is_new) {
    Emit(trace::CudnnOperationRecord{id, function, text}, Journal::Full::kWait);
  }
  if (place.number != 0) return id;
  g_operations.CountLost("cudnn_operation",
                         "calls on more different layers than the table holds");
  return 0;
}

uint64_t RecordCudnnChoice(trace::CudnnChoiceRecord choice, uint64_t more) {
  CudnnHash hash;
  hash.Add(choice.operation);
  // If the operation is unknown, no operation's hash contains the function.
  if (choice.operation == 0) hash.Add(choice.function);
  hash.Add(static_cast<uint64_t>(choice.workspace_bytes));
  hash.Add(static_cast<uint64_t>(choice.workspace_asked));
  hash.Add(static_cast<uint64_t>(choice.algorithm));
  hash.Add(more);
  choice.id = hash.id();
  if (g_choices.Has(choice.id)) return choice.id;
  // Recorded before it is entered: no other thread may refer to it before.
  if (Emit(choice, Journal::Full::kWait) == Journal::kDropped) return 0;
  if (g_choices.Enter(choice.id).number != 0) return choice.id;
  g_choices.CountLost("cudnn_choice",
                      "calls made in more ways than the table holds");
  return 0;
}

void ForgetCudnnOperations() {
  g_operations.Forget();
  g_choices.Forget();
  g_workspaces.Forget();
}

}  // namespace inquest::collector
