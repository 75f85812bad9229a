// SPDX-License-Identifier: Apache-2.0
// Feeds a target with valid inputs that were damaged:
//
//   PROGRAM SECONDS PATH...
//
// Paths are files or folders of seeds. Changes bytes, drops, repeats and swaps
// pieces and lines, mixes seeds. Prints how many inputs it tried and its random
// seed (INQUEST_FUZZ_SEED repeats a run). Writes the input on which the target
// ended to `fuzz-input` in the current folder. Not guided by coverage.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

// Defined by a sanitizer, if one is linked.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(
    void (*callback)());

namespace {

constexpr size_t kLongest = 256 << 10;
constexpr unsigned kHangSeconds = 60;  // seconds that one input may take

std::string g_input;

void KeepInput() {
  std::ofstream("fuzz-input", std::ios::binary) << g_input;
}

void OnSignal(int signal) {
  KeepInput();
  _exit(128 + signal);
}

std::vector<std::string> ReadSeeds(int count, char** paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> seeds;
  const auto add = [&](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file),
                       std::istreambuf_iterator<char>());
    if (seeds.back().size() > kLongest) seeds.back().resize(kLongest);
  };
  for (int i = 0; i < count; ++i) {
    if (!fs::exists(paths[i])) {
      std::fprintf(stderr, "there is no seed %s\n", paths[i]);
      std::exit(2);
    }
    if (!fs::is_directory(paths[i])) {
      add(paths[i]);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(paths[i])) {
      if (entry.is_regular_file()) add(entry.path());
    }
  }
  std::sort(seeds.begin(), seeds.end());  // directory order is arbitrary
  return seeds;
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, uint64_t seed)
      : seeds_(std::move(seeds)), dice_(seed) {}

  std::string Next() {
    std::string text = seeds_[Below(seeds_.size())];
    for (size_t i = Below(8) + 1; i > 0; --i) Change(&text);
    if (text.size() > kLongest) text.resize(kLongest);
    return text;
  }

 private:
  size_t Below(size_t limit) {
    return limit == 0
               ? 0
               : std::uniform_int_distribution<size_t>(0, limit - 1)(dice_);
  }

  // A random piece of the text, in half of the cases whole lines.
  std::pair<size_t, size_t> Piece(const std::string& text) {
    size_t begin = Below(text.size() + 1);
    size_t end = std::min(text.size(), begin + Below(64) + 1);
    if (Below(2) == 0) {
      const size_t feed = text.rfind('\n', begin);
      begin = feed == text.npos ? 0 : std::min(feed + 1, text.size());
      end = std::min(text.find('\n', begin), text.size());
      end = std::min(end + 1, text.size());
    }
    return {begin, std::max(begin, end) - begin};
  }

  void Change(std::string* text) {
    const auto [begin, size] = Piece(*text);
    const std::string& other = seeds_[Below(seeds_.size())];
    switch (Below(8)) {
      case 0:
        text->erase(begin, size);
        break;
      case 1:
        text->insert(begin, text->substr(begin, size));
        break;
      case 2: {
        const auto [from, length] = Piece(other);
        text->insert(begin, other, from, length);
        break;
      }
      case 3:
        text->resize(begin);
        break;
      case 4: {
        const std::string piece = text->substr(begin, size);
        for (size_t i = Below(200); i > 0 && text->size() < kLongest; --i) {
          text->insert(begin, piece);
        }
        break;
      }
      case 5:
        ChangeNumber(text, begin);
        break;
      default:
        if (begin < text->size()) {
          (*text)[begin] = static_cast<char>(Below(256));
        }
    }
  }

  // Replaces the next number by an unusual one.
  void ChangeNumber(std::string* text, size_t from) {
    static const std::vector<std::string> kNumbers = {"0",
                                                      "-1",
                                                      "9223372036854775807",
                                                      "99999999999999999999999",
                                                      "1e308",
                                                      "0x8000000000000000",
                                                      "2147483648"};
    const size_t begin = text->find_first_of("0123456789", from);
    if (begin == text->npos) return;
    const size_t end = text->find_first_not_of("0123456789", begin);
    text->replace(begin, std::min(end, text->size()) - begin,
                  kNumbers[Below(kNumbers.size())]);
  }

  std::vector<std::string> seeds_;
  std::mt19937_64 dice_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s SECONDS PATH...\n", argv[0]);
    return 2;
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
    ::signal(signal, OnSignal);
  }
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(KeepInput);
  }
  const char* given = std::getenv("INQUEST_FUZZ_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10)
                                         : std::random_device()();
  std::vector<std::string> seeds = ReadSeeds(argc - 2, argv + 2);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: no seeds\n", argv[0]);
    return 2;
  }
  Mutator mutator(std::move(seeds), seed);
  const auto end = std::chrono::steady_clock::now() +
                   std::chrono::seconds(std::atoi(argv[1]));
  long tried = 0;
  for (; std::chrono::steady_clock::now() < end; ++tried) {
    g_input = mutator.Next();
    alarm(kHangSeconds);
    FuzzOne(g_input);
  }
  std::printf("%ld inputs, INQUEST_FUZZ_SEED=%llu\n", tried,
              static_cast<unsigned long long>(seed));
  return 0;
}
