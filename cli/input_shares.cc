// SPDX-License-Identifier: Apache-2.0
#include "cli/input_shares.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/content_hash.h"
#include "trace/records/event.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

uint64_t SizeOf(const std::string& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  // Opening a file costs as much as reading some.
  return (error ? 0 : size) + 4096;
}

// The files whose middle lies in the share.
std::vector<std::string> Cut(const std::vector<std::string>& paths,
                             const Shard& shard) {
  std::vector<uint64_t> sizes;
  uint64_t all = 0;
  for (const std::string& path : paths) {
    sizes.push_back(SizeOf(path));
    all += sizes.back();
  }
  std::vector<std::string> share;
  uint64_t before = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    const double middle =
        static_cast<double>(before) + static_cast<double>(sizes[i]) / 2;
    const auto part = static_cast<size_t>(middle / static_cast<double>(all) *
                                          static_cast<double>(shard.count));
    if (std::min(part, shard.count - 1) == shard.index) {
      share.push_back(paths[i]);
    }
    before += sizes[i];
  }
  return share;
}

Status AddFile(const std::string& path, ContentHash* hash) {
  std::ifstream file(path, std::ios::binary);
  hash->Add(path);
  if (!file) return Status::Ok();  // a journal without a trace, for instance
  std::string bytes(1 << 20, '\0');
  while (file.read(bytes.data(), std::ssize(bytes)) || file.gcount() > 0) {
    hash->Add(
        std::string_view(bytes).substr(0, static_cast<size_t>(file.gcount())));
  }
  return Status::Ok();
}

std::string JournalOf(const std::string& trace) {
  std::string journal = trace;
  if (journal.ends_with(trace::kTraceSuffix)) {
    journal.resize(journal.size() - trace::kTraceSuffix.size());
  }
  return journal + std::string(trace::kJournalSuffix);
}

}  // namespace

Inputs ShareOf(const Inputs& inputs, const Shard& shard) {
  if (shard.count == 1) return inputs;
  Inputs share;
  share.logs = Cut(inputs.logs, shard);
  share.traces = Cut(inputs.traces, shard);
  share.logs_in_job = inputs.logs_in_job;
  share.units = inputs.units;
  share.job = inputs.job;
  if (shard.index == 0) share.run_directories = inputs.run_directories;
  if (shard.index + 1 == shard.count) {
    share.foreign = inputs.foreign;
    share.texts = inputs.texts;
  }
  return share;
}

Expected<std::string> ContentOf(const Inputs& inputs,
                                const std::string& rules_digest) {
  ContentHash hash;
  hash.Add("facts 1").Add(INQUEST_VERSION).Add(rules_digest);
  for (const std::string& path : inputs.logs) {
    if (path == "-") {
      return Usage("facts are made of files, not of standard input")
          .WithHint("write it to a file first");
    }
    RETURN_IF_ERROR(AddFile(path, &hash));
    if (const auto unit = inputs.units.find(path); unit != inputs.units.end()) {
      hash.Add(unit->second.rank.value_or(-1)).Add(unit->second.host);
    }
  }
  for (const std::string& path : inputs.traces) {
    RETURN_IF_ERROR(AddFile(path, &hash));
    RETURN_IF_ERROR(AddFile(JournalOf(path), &hash));
  }
  for (const std::string& folder : inputs.run_directories) {
    RETURN_IF_ERROR(
        AddFile(folder + "/" + std::string(trace::kRunFile), &hash));
  }
  for (const ForeignInput& foreign : inputs.foreign) {
    for (const std::string& path : foreign.paths) {
      RETURN_IF_ERROR(AddFile(path, &hash));
    }
  }
  for (const ingest::LogText& log : inputs.texts) {
    hash.Add(log.name).Add(log.text);
  }
  return hash.Hex();
}

}  // namespace inquest::cli
