// SPDX-License-Identifier: Apache-2.0
#include "common/options.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace samples {
namespace {

// Whole number with an optional K, M or G; false for anything else.
bool Parse(const char* text, size_t* value) {
  char* end = nullptr;
  errno = 0;
  *value = std::strtoull(text, &end, 10);
  if (errno != 0 || end == text || *text == '-') return false;
  if (*end == 'K' || *end == 'M' || *end == 'G') {
    *value <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
    ++end;
  }
  return *end == '\0';
}

}  // namespace

Options::Options(int argc, char** argv, std::string about)
    : arguments_(argv + 1, argv + argc),
      used_(arguments_.size(), false),
      program_(argv[0]) {
  const size_t slash = program_.rfind('/');
  if (slash != std::string::npos) program_.erase(0, slash + 1);
  help_ = program_ + ": " + about + "\n\nOptions:\n";
}

const char* Options::Find(const char* name, bool has_value) {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i] != name) continue;
    used_[i] = true;
    if (!has_value) return "";
    if (i + 1 == arguments_.size())
      Refuse(std::string(name) + " needs a value");
    used_[i + 1] = true;
    return arguments_[i + 1].c_str();
  }
  return nullptr;
}

size_t Options::Bytes(const char* name, size_t standard, const char* help) {
  help_ += "  " + std::string(name) + " N  " + help + " (default " +
           (standard == 0 ? "by the card" : std::to_string(standard)) + ")\n";
  const char* text = Find(name, true);
  size_t value = standard;
  if (text != nullptr && !Parse(text, &value)) {
    Refuse(std::string(name) + " needs a number, not \"" + text + "\"");
  }
  return value;
}

long Options::Number(const char* name, long standard, const char* help) {
  return static_cast<long>(Bytes(name, static_cast<size_t>(standard), help));
}

std::string Options::Text(const char* name, const char* standard,
                          const char* help) {
  help_ += "  " + std::string(name) + " TEXT  " + help + "\n";
  const char* text = Find(name, true);
  return text ? text : standard;
}

bool Options::Flag(const char* name, const char* help) {
  help_ += "  " + std::string(name) + "  " + help + "\n";
  return Find(name, false) != nullptr;
}

void Options::Refuse(const std::string& why) {
  std::fprintf(stderr, "%s: %s (see --help)\n", program_.c_str(), why.c_str());
  std::exit(2);
}

void Options::Finish() {
  if (Find("--help", false) != nullptr) {
    std::fputs(help_.c_str(), stdout);
    std::exit(0);
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (!used_[i]) Refuse("unknown option \"" + arguments_[i] + "\"");
  }
}

}  // namespace samples
