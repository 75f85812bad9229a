// Profiles of JAX, dumps of TensorFlow's allocator and of flight recorders,
// from their bytes to what follows from them. Whatever the bytes are, each
// reader gets them.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyzer/diagnosis/diagnose.h"
#include "analyzer/importers/import.h"
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
  ~Files() { std::filesystem::remove_all(folder_); }
  // A name that tells a rank.
  std::string dump() const { return folder_ + "/_dump_1"; }
  std::string trace() const { return folder_ + "/fuzzed.trace.sqlite"; }

 private:
  std::string folder_ = "/tmp/inquest-fuzz-XXXXXX";
};

void Follow(const std::string& trace) {
  auto store = facts::Store::Create();
  Check(store.status(), "the store");
  Check(store->AddTrace(trace).status(), "the trace");
  Check(store->DefineFacts(), "the facts");
  Check(diagnosis::DeriveFacts(&*store).status(), "what follows from it");
}

}  // namespace

void FuzzOne(const std::string& bytes) {
  static const Files files;
  std::ofstream(files.dump(), std::ios::binary) << bytes;
  const auto* likely = importers::ImporterOf(files.dump());
  for (const char* kind : {"pprof", "bfc-dump", "flight-recorder"}) {
    const auto* importer = importers::FindImporter(kind);
    if (likely != nullptr && likely != importer) continue;
    const Status imported = importer->import(files.dump(), files.trace());
    // That bytes are nothing of that kind is no fault of the program.
    if (imported.ok() || imported.code() == StatusCode::kIncomplete) {
      Follow(files.trace());
    } else if (imported.code() == StatusCode::kInternal) {
      Check(imported, kind);
    }
    unlink(files.trace().c_str());
  }
}
