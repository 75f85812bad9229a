// SPDX-License-Identifier: Apache-2.0
// Paths: the folders become a token, the name of a file stays, because a
// traceback says nothing without it. What is the same on every machine stays,
// too: system folders, and the inside of installed packages.
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "analyzer/report/redact/redactor.h"
#include "analyzer/report/redact/replace.h"
#include "base/text.h"

namespace inquest::report {
namespace {

using re2::RE2;

constexpr std::array<std::string_view, 16> kSystem = {
    "/dev/",      "/proc/",          "/sys/",           "/etc/",
    "/bin/",      "/sbin/",          "/lib/",           "/lib64/",
    "/usr/bin/",  "/usr/lib/",       "/usr/lib64/",     "/usr/include/",
    "/usr/sbin/", "/usr/local/cuda", "/usr/local/lib/", "/opt/conda/"};

// From here on a path is the same wherever the package is installed.
constexpr std::array<std::string_view, 4> kPackages = {
    "/site-packages/", "/dist-packages/", "/lib/python3.", "/nvidia/cudnn/"};

// Sources of frameworks, as their own messages name them.
constexpr std::array<std::string_view, 9> kSources = {
    "aten/", "torch/", "c10/",      "csrc/",       "tensorflow/",
    "jax/",  "xla/",   "external/", "third_party/"};

const RE2& FileName() {
  static const RE2 pattern(
      R"((?i)[^/\\]+\.(?:py|pyc|pyx|so(?:\.[\d.]+)?|cc|cpp|cxx|cu|cuh|c|h|hpp|sh|bash|json|jsonl|ndjson|yaml|yml|toml|txt|log|out|err|pt|pth|ckpt|bin|safetensors|pkl|pickle|sqlite|db|csv|ipynb|js|rs|go|java|whl|tar|gz|zst|zip|cfg|conf|ini|md|html|npz|npy|h5|hdf5|tfrecord|parquet|arrow|onnx|engine|plan|nsys-rep|cubin|ptx|o|a|slurm|sbatch|pid|sock|lock|journal|inc))");
  return pattern;
}

bool IsFileName(std::string_view name) {
  return RE2::FullMatch(re2::StringPiece(name.data(), name.size()), FileName());
}

bool IsRedacted(std::string_view path) {
  static const RE2 token(R"(DIR-\d+(?:/.*)?)");
  return RE2::FullMatch(re2::StringPiece(path.data(), path.size()), token);
}

// Where a folder of users is, the next name is a user, whatever it looks like.
bool HoldsUsers(std::string_view folder) {
  return folder.ends_with("/home") || folder.ends_with("/Users") ||
         folder.ends_with("/users");
}

}  // namespace

std::string Redactor::PathToken(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (IsRedacted(path)) return std::string(path);
  for (const std::string_view package : kPackages) {
    const size_t at = path.find(package);
    if (at == path.npos) continue;
    const std::string_view before = path.substr(0, at);
    const bool system = StartsWithAny(path, kSystem);
    return (system ? std::string(before) : TokenFor(Kind::kDir, before)) +
           std::string(path.substr(at));
  }
  if (StartsWithAny(path, kSystem)) return std::string(path);
  const size_t slash = path.rfind('/');
  if (slash == path.npos) {
    return IsFileName(path) ? std::string(path) : TokenFor(Kind::kDir, path);
  }
  const std::string_view folder = path.substr(0, slash);
  const std::string_view name = path.substr(slash + 1);
  if (!IsFileName(name) || HoldsUsers(folder))
    return TokenFor(Kind::kDir, path);
  // A file in the root has no folder to hide.
  if (folder.empty() || folder == "." || folder == "..") {
    return std::string(path);
  }
  return TokenFor(Kind::kDir, folder) + "/" + std::string(name);
}

std::string Redactor::RedactedPath(std::string_view path) {
  if (path.empty() || path == "-" || path.starts_with("/dev/fd/")) {
    return std::string(path);
  }
  std::string redacted = PathToken(path);
  ReplaceNames(&redacted);
  return redacted;
}

void Redactor::ReplacePaths(std::string* text) {
  static const RE2 windows(R"([A-Za-z]:\\[^\s"'<>|,;]+)");
  static const RE2 absolute(
      R"((?:~[\w.-]*)?(?:/[^\s"'`()<>\[\]{},;:|*?\\]+)+/?)");
  static const RE2 relative(R"((?:\.{1,2}/)*[\w.+@=-]+(?:/[\w.+@=-]+)+)");
  ReplaceAll(
      windows,
      [&](const Match& m) -> std::optional<std::string> {
        if (IsWordPart(m.before)) return {};
        const size_t slash = m.whole.rfind('\\');
        const std::string_view name = m.whole.substr(slash + 1);
        if (!IsFileName(name)) return TokenFor(Kind::kDir, m.whole);
        return TokenFor(Kind::kDir, m.whole.substr(0, slash)) + "\\" +
               std::string(name);
      },
      text);
  ReplaceAll(
      absolute,
      [&](const Match& m) -> std::optional<std::string> {
        const bool inside = IsWordPart(m.before) || m.before == '.' ||
                            m.before == '-' || m.before == '_' ||
                            m.before == '/' || m.before == ')' ||
                            m.before == '>' || m.before == '}';
        const size_t parts =
            static_cast<size_t>(std::ranges::count(m.whole, '/'));
        if (inside || (parts < 2 && !IsFileName(m.whole.substr(1)))) return {};
        std::string_view path = m.whole;
        std::string scheme;  // of file:///home/…
        if (path.starts_with("///")) {
          scheme = "//";
          path.remove_prefix(2);
        } else if (path.starts_with("//")) {
          return {};  // ReplaceUrls has seen it
        }
        std::string_view stop;
        while (path.ends_with('.') || path.ends_with('/')) {
          stop = path.substr(path.size() - 1);
          path.remove_suffix(1);
        }
        return scheme + PathToken(path) + std::string(stop == "." ? "." : "");
      },
      text);
  ReplaceAll(
      relative,
      [&](const Match& m) -> std::optional<std::string> {
        const size_t slash = m.whole.rfind('/');
        std::string_view path = m.whole;
        while (path.starts_with("../")) path.remove_prefix(3);
        if (m.before == '/' || IsWordPart(m.before) || m.before == '$' ||
            !IsFileName(m.whole.substr(slash + 1)) || IsRedacted(m.whole) ||
            path.starts_with("site-packages/") ||
            path.starts_with("dist-packages/") ||
            StartsWithAny(path, kSources)) {
          return {};
        }
        return PathToken(m.whole);
      },
      text);
}

}  // namespace inquest::report
