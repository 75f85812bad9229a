// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/result_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/content_hash.h"
#include "base/input_file.h"
#include "base/json_text.h"
#include "base/text.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kStart = 4096;

// The keys that results begin with, in alphabetical order; there were not
// always actions. Other tools may put the schema first.
bool BeginsAsResult(std::string_view text) {
  std::string start;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') start += c;
  }
  return start.starts_with("{\"actions\":") ||
         start.starts_with("{\"coverage\":") ||
         start.starts_with("{\"schema\":\"inquest.diagnosis/");
}

std::string NameOf(const std::string& path) {
  fs::path plain(path);
  if (plain.filename().empty()) plain = plain.parent_path();
  std::string name = plain.filename().string();
  for (char& c : name) {
    if (isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.') {
      c = '_';
    }
  }
  return name.substr(0, 80);
}

}  // namespace

std::vector<std::string> ResultsIn(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::string path = entry.path().string();
    if (path.ends_with(kResultSuffix)) files.push_back(std::move(path));
  }
  std::ranges::sort(files);
  return files;
}

bool LooksLikeResult(const std::string& path) {
  return path.ends_with(kResultSuffix) ||
         BeginsAsResult(ReadStart(path, kStart));
}

void EachResult(std::istream& in, const std::string& name,
                const TakeResult& take) {
  std::string line;
  if (!std::getline(in, line)) {
    take("", name);
    return;
  }
  if (ParseJson(line).is_discarded() && !line.empty() && Trim(line) == "{") {
    const std::string rest{std::istreambuf_iterator<char>(in), {}};
    take(line + "\n" + rest, name);
    return;
  }
  int64_t number = 1;
  do {
    if (!Trim(line).empty()) take(line, name + ":" + std::to_string(number));
    ++number;
  } while (std::getline(in, line));
}

Status EachResultIn(const std::string& path, const TakeResult& take) {
  RETURN_IF_ERROR(CheckInput("the result", path, Links::kFollow));
  std::ifstream in(path);
  if (!in) return Unreadable("cannot open '" + path + "'");
  EachResult(in, path, take);
  return Status::Ok();
}

std::string ResultFileOf(const std::string& folder, const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  const std::string hash =
      ContentHash().Add(error ? path : whole.string()).Hex().substr(0, 8);
  return (fs::path(folder) /
          (NameOf(path) + "-" + hash + std::string(kResultSuffix)))
      .string();
}

}  // namespace inquest::cli
