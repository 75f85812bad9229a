#include "collector/cudnn_operations.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "collector/emit.h"
#include "collector/seen_table.h"
#include "collector/thread_state.h"

namespace inquest::collector {
namespace {

constexpr size_t kMostOperands = 8;

constinit SeenTable<1u << 12> g_seen;  // by the operation's id

class Hash {
 public:
  void Add(uint64_t value) {
    hash_ = (hash_ ^ value) * 0xff51afd7ed558ccdu;
    hash_ ^= hash_ >> 32;
  }
  void Add(int a, int b) {
    Add(uint64_t{static_cast<uint32_t>(a)} << 32 | static_cast<uint32_t>(b));
  }
  void Add(std::string_view text) {
    while (!text.empty()) {
      const size_t size = std::min<size_t>(text.size(), 8);
      uint64_t word = 0;
      std::memcpy(&word, text.data(), size);
      Add(word);
      text.remove_prefix(size);
    }
  }
  void Add(CudnnOperand::Kind kind, const CudnnContents& contents) {
    Add(contents.type, contents.form);
    Add(contents.there ? contents.count : -1, contents.groups);
    for (int list = 0; list < CudnnListsOf(kind); ++list) {
      for (int i = 0; i < contents.count; i += 2) {
        Add(contents.lists[list][i], contents.lists[list][i + 1]);
      }
    }
  }
  // 63 bits, so that it is not negative in SQL.
  uint64_t id() const { return hash_ >> 1 == 0 ? 1 : hash_ >> 1; }

 private:
  uint64_t hash_ = 0x9e3779b97f4a7c15u;
};

void Say(uint64_t id, const char* function, const CudnnRun& run,
         const CudnnContents* contents) {
  CudnnWords words;
  for (size_t i = 0; i < run.count; ++i) {
    words.Add(run.operands[i], contents[i]);
  }
  Emit(trace::CudnnOperationRecord{id, function, words.Text()},
       Journal::Full::kWait);
}

}  // namespace

uint64_t CudnnOperation(const char* function, const void* real,
                        const CudnnRun& run, bool* refused) {
  InsideScope inside;
  if (run.count > kMostOperands) return 0;
  if (!FindCudnnGetters(real, run.getters)) return 0;
  CudnnContents contents[kMostOperands];
  Hash hash;
  hash.Add(std::string_view(function));
  for (size_t i = 0; i < run.count; ++i) {
    if (!ReadCudnnOperand(*run.getters, run.operands[i], &contents[i])) {
      *refused = true;
      return 0;
    }
    hash.Add(run.operands[i].kind, contents[i]);
  }
  const auto place = g_seen.Enter(hash.id());
  if (place.is_new) Say(hash.id(), function, run, contents);
  if (place.number != 0) return hash.id();
  g_seen.CountLost("cudnn_operation",
                   "calls on more different layers than the table holds");
  return 0;
}

void ForgetCudnnOperations() {
  g_seen.Forget();
}

}  // namespace inquest::collector
