// SPDX-License-Identifier: Apache-2.0
// Hosts and users: where they are named, and how they are replaced.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "analyzer/report/redact/redactor.h"
#include "analyzer/report/redact/replace.h"
#include "base/text.h"

namespace inquest::report {
namespace {

using re2::RE2;

constexpr size_t kShortestName = 3;

// Words in the place of a name that identify nobody.
constexpr std::array<std::string_view, 56> kNoNames = {
    "localhost", "localdomain", "unknown", "none",   "null",    "root",
    "nobody",    "user",        "users",   "ubuntu", "admin",   "host",
    "node",      "name",        "the",     "and",    "not",     "for",
    "all",       "any",         "this",    "that",   "with",    "from",
    "error",     "failed",      "memory",  "device", "cpu",     "gpu",
    "cuda",      "nccl",        "kernel",  "local",  "default", "python",
    "python3",   "torch",       "process", "rank",   "true",    "false",
    "shared",    "data",        "home",    "public", "test",    "tmp",
    "pytorch",   "tensorflow",  "jax",     "nvidia", "slurm",   "docker",
    "jovyan",    "runner"};

bool CouldBeName(std::string_view name) {
  return name.size() >= kShortestName &&
         std::ranges::find(kNoNames, ToLower(name)) == kNoNames.end() &&
         std::ranges::any_of(name, [](char c) { return IsAlpha(c); });
}

// Ordinary words have none of the `marks` that hosts' names have.
bool LooksLikeHost(std::string_view name, std::string_view marks) {
  constexpr std::array<std::string_view, 5> kOthers = {
      "x86_64", "aarch64", "GLIBC", "CXXABI", "lib"};
  const bool other = StartsWithAny(name, kOthers);
  constexpr std::array<std::string_view, 8> kSources = {
      ".py", ".cc", ".cpp", ".cu", ".cuh", ".c", ".h", ".hpp"};
  const bool file = name.find(".so") != name.npos ||
                    std::ranges::any_of(kSources, [&](std::string_view one) {
                      return name.ends_with(one);
                    });
  return !other && !file && CouldBeName(name) &&
         name.find_first_of(marks) != name.npos;
}

// Where only a host stands.
const std::vector<std::unique_ptr<RE2>>& SureHosts() {
  static const auto patterns = [] {
    std::vector<std::unique_ptr<RE2>> all;
    for (
        const char* one :
        {R"((?:^|[\s\]])([A-Za-z][\w.-]*):\d+:\d+ \[\d+\] NCCL)",
         R"((?m)^(?:\[[^\]]*\] ?)?[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d ([A-Za-z][\w.-]*) [\w./-]+(?:\[\d+\])?:)",
         R"((?m)^\d{4}-\d\d-\d\dT[\d:.,+-]+Z? ([A-Za-z][\w.-]*) [\w./-]+(?:\[\d+\])?:)",
         R"(srun: error: ([A-Za-z][\w.-]*): task)",
         R"(\bON ([A-Za-z][\w.-]*) CANCELLED)",
         R"((?i)\b(?:host_?name|node_?name|slurmd_nodename|master_addr)["']?\s*[=:]\s*["']?([A-Za-z][\w.-]*\w))",
         R"((?i)\bhost["']?\s*[=:]\s*["']([A-Za-z][\w.-]*\w)["'])"}) {
      all.push_back(std::make_unique<RE2>(one));
    }
    return all;
  }();
  return patterns;
}

// Where a word may stand, too. What stands before a host's name says how much
// of a name it must be.
struct Likely {
  std::unique_ptr<RE2> pattern;
  std::string_view marks;
};

const std::vector<Likely>& LikelyHosts() {
  static const auto patterns = [] {
    std::vector<Likely> all;
    const auto add = [&](const char* pattern, std::string_view marks) {
      all.push_back({std::make_unique<RE2>(pattern), marks});
    };
    add(R"((?i)\b(?:host|node|machine|pod|node_?list)s?["']?\s*[=:/]\s*["'(]?([A-Za-z][\w.-]*\w))",
        "0123456789-.");
    add(R"((?i)\b(?:host|node|machine|pod)s? ["'(]?([A-Za-z][\w.-]*\w))",
        "0123456789");
    // With a port: "from gpu-7<4242>", "--rdzv_endpoint=gpu-7:29400".
    add(R"((?i)\b(?:to|from|by|peer|remote) \[?([A-Za-z][\w.-]*\w)\]?(?:<\d{4,5}>|:\d{4,5}\b))",
        "0123456789-.");
    add(R"((?i)(?:endpoint|addr|address|coordinator|server|master|peer)s?["']?[ =:]+["'\[(]*([A-Za-z][\w.-]*\w)\]?:\d{4,5}\b)",
        "0123456789-.");
    add(R"(\b[a-z_][\w.-]*@([A-Za-z][\w.-]*\w))", "0123456789-.");
    return all;
  }();
  return patterns;
}

const std::vector<std::unique_ptr<RE2>>& Users() {
  static const auto patterns = [] {
    std::vector<std::unique_ptr<RE2>> all;
    for (
        const char* one :
        {R"(/(?:home|Users|users|scratch/users|u)/([\w.-]+))",
         R"(\\Users\\([\w.-]+))",
         R"((?i)\b(?:\w*_user|user|logname|user_?name)["']?\s*[=:]\s*["']?([A-Za-z_][\w.-]*))",
         R"(\b[ug]id=\d+\(([\w.-]+)\))", R"((?i)\bfor user ([\w.-]+))",
         R"(\b([a-z_][\w.-]*)@[a-z][\w-]*[\w.-]*[:~\s])"}) {
      all.push_back(std::make_unique<RE2>(one));
    }
    return all;
  }();
  return patterns;
}

std::string_view WithoutDots(std::string_view name) {
  while (name.ends_with('.')) name.remove_suffix(1);
  return name;
}

}  // namespace

void Redactor::LearnHost(std::string_view name) {
  name = WithoutDots(name);
  if (!CouldBeName(name)) return;
  if (names_.emplace(ToLower(name), Kind::kHost).second) any_name_.reset();
  const std::string_view first = name.substr(0, name.find('.'));
  if (first.size() < name.size()) LearnHost(first);
}

void Redactor::LearnUser(std::string_view name) {
  name = WithoutDots(name);
  if (!CouldBeName(name)) return;
  if (names_.emplace(ToLower(name), Kind::kUser).second) any_name_.reset();
}

void Redactor::Learn(std::string_view coloured) {
  const std::string text = WithoutColours(coloured);
  for (const auto& pattern : Users()) {
    ForEachMatch(*pattern, text,
                 [&](const Match& match) { LearnUser(match.groups[0]); });
  }
  for (const auto& pattern : SureHosts()) {
    ForEachMatch(*pattern, text,
                 [&](const Match& match) { LearnHost(match.groups[0]); });
  }
  for (const Likely& likely : LikelyHosts()) {
    ForEachMatch(*likely.pattern, text, [&](const Match& match) {
      const std::string_view name = WithoutDots(match.groups[0]);
      if (LooksLikeHost(name, likely.marks)) LearnHost(name);
    });
  }
}

void Redactor::ReplaceNames(std::string* text) {
  if (names_.empty()) return;
  if (any_name_ == nullptr) {
    std::vector<std::string> longest_first;
    for (const auto& [name, kind] : names_) longest_first.push_back(name);
    std::ranges::stable_sort(longest_first, std::greater<>(),
                             &std::string::size);
    std::string pattern = "(?i)";
    for (const std::string& name : longest_first) {
      pattern += (pattern.size() > 4 ? "|" : "") + RE2::QuoteMeta(name);
    }
    any_name_ = std::make_unique<RE2>(pattern);
  }
  ReplaceAll(
      *any_name_,
      [&](const Match& match) -> std::optional<std::string> {
        if (IsWordPart(match.before) || IsWordPart(match.after)) return {};
        const std::string name = ToLower(match.whole);
        const auto known = names_.find(name);
        if (known == names_.end()) return {};
        return known->second == Kind::kHost ? HostToken(name)
                                            : TokenFor(Kind::kUser, name);
      },
      text);
}

// A host has one token, with its domain or without.
std::string Redactor::HostToken(std::string_view host) {
  const std::string name = ToLower(WithoutDots(host));
  const size_t dot = name.find('.');
  return TokenFor(Kind::kHost, name.substr(0, dot));
}

}  // namespace inquest::report
