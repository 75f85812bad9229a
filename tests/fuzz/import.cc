// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/import.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyzer/diagnosis/pipeline.h"
#include "analyzer/importers/import.h"

namespace {

using namespace inquest;

void Check(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what, status.message().c_str());
  std::abort();
}

// Files of this process, removed when it ends.
class Files {
 public:
  Files() {
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  std::string input() const { return folder_ + "/fuzzed"; }
  std::string trace(size_t number) const {
    return folder_ + "/" + std::to_string(number) + ".trace.sqlite";
  }

 private:
  std::string folder_ = "/tmp/inquest-fuzz-XXXXXX";
};

}  // namespace

void FuzzImport(std::string_view kind, const std::string& bytes) {
  static const Files files;
  const importers::Importer* importer = importers::FindImporter(kind);
  if (importer == nullptr) std::abort();
  std::ofstream(files.input(), std::ios::binary) << bytes;
  std::vector<std::string> traces;
  importers::ImportOutput output;
  output.next_trace = [&]() -> Expected<std::string> {
    traces.push_back(files.trace(traces.size()));
    return traces.back();
  };
  const std::string path = files.input();
  const Status imported = importer->import({&path, 1}, &output);
  if (imported.ok() || imported.code() == StatusCode::kIncomplete) {
    const rules::RuleSet no_rules;
    diagnosis::Pipeline run(&no_rules);
    const auto attach = [&](facts::Store* store) {
      for (const std::string& trace : traces) {
        RETURN_IF_ERROR(store->AddTrace(trace).status());
      }
      return Status::Ok();
    };
    Check(run.Attach(attach), "the traces");
    Check(run.DeriveFacts(), "what follows from it");
  } else if (imported.code() == StatusCode::kInternal) {
    Check(imported, "the import");
  }
  for (const std::string& trace : traces) unlink(trace.c_str());
}
