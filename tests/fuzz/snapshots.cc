// A memory snapshot of PyTorch from its bytes to its verdict: pickle, shapes,
// what was live before, the trace, and the replay of what that says.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "analyzer/diagnosis/diagnose.h"
#include "analyzer/importers/kinds.h"
#include "tests/fuzz/target.h"

namespace {

using namespace inquest;

void Check(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what, status.message().c_str());
  std::abort();
}

// Of this process, and gone with it.
class Files {
 public:
  Files() {
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
  }
  ~Files() {
    unlink(snapshot().c_str());
    unlink(trace().c_str());
    rmdir(folder_.c_str());
  }
  std::string snapshot() const { return folder_ + "/fuzzed.pickle"; }
  std::string trace() const { return folder_ + "/fuzzed.trace.sqlite"; }

 private:
  std::string folder_ = "/tmp/inquest-fuzz-XXXXXX";
};

}  // namespace

void FuzzOne(const std::string& bytes) {
  static const Files files;
  std::ofstream(files.snapshot(), std::ios::binary) << bytes;
  const Status imported =
      importers::ImportTorchSnapshot(files.snapshot(), files.trace());
  // That bytes are no snapshot is no fault of the program.
  if (!imported.ok() && imported.code() != StatusCode::kIncomplete) return;
  auto store = facts::Store::Create();
  Check(store.status(), "the store");
  Check(store->AddTrace(files.trace()).status(), "the trace");
  Check(store->DefineFacts(), "the facts");
  Check(diagnosis::DeriveFacts(&*store).status(), "what follows from it");
  unlink(files.trace().c_str());
}
