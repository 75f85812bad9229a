// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/figure_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "analyzer/report/evidence_text.h"
#include "base/places.h"
#include "base/text.h"

namespace inquest::report {
namespace {

constexpr size_t kWidestTold = 300;  // bytes

struct Clause {
  std::string_view name;   // of the figure
  std::string_view words;  // {} is its value
};

struct Sentence {
  std::string_view begin;
  std::vector<Clause> clauses;  // joined by "; "
};

// In the order of reading; the first one is of sizes.
const std::vector<Sentence>& Sentences() {
  static const std::vector<Sentence> all = {
      {"Memory: ",
       {{"requested_bytes", "{} were asked for"},
        {"free_bytes", "{} were free on the device"},
        {"total_bytes", "the device has {}"},
        {"process_bytes", "this process held {}"},
        {"other_bytes", "other processes held {}"},
        {"allocated_bytes", "{} were live in the framework's allocator"},
        {"reserved_bytes", "the framework's allocator had reserved {}"},
        {"reserved_unallocated_bytes", "{} were reserved but not in use"},
        {"limit_bytes", "the limit was {}"},
        {"in_use_bytes", "{} were in use"},
        {"max_in_use_bytes", "at most {} had been in use"},
        {"largest_free_bytes", "the largest free piece had {}"},
        {"missing_bytes", "{} were missing"}}},
      {"The program's own line: ", {{"user_frame", "{}"}}},
      {"Between the free pieces lie: ",
       {{"blocking_blocks", "{} blocks"},
        {"blocking_bytes", "{} in all"},
        {"blocking_site", "allocated by {}"}}},
      {"The largest holder: ", {{"largest_site", "{}"}}},
      {"The tensor's shape: ", {{"tensor_shape", "{}"}}},
      {"Collective: ",
       {{"optype", "{}"},
        {"seqnum", "number {}"},
        {"timeout_ms", "timeout {}"}}},
      {"Where: ",
       {{"gpu", "{}"},
        {"node", "node {}"},
        {"host", "host {}"},
        {"pci", "{}"}}},
      {"When: ", {{"step", "step {}"}, {"iteration", "iteration {}"}}},
      {"Versions: ",
       {{"driver", "driver {}"},
        {"driver_kernel", "kernel module {}"},
        {"cuda", "CUDA {}"},
        {"compute_capability", "compute capability {}"},
        {"cudnn_runtime", "cuDNN {} loaded"},
        {"cudnn_compiled", "cuDNN {} compiled against"},
        {"nccl_version", "NCCL {}"}}},
      {"Concerned: ", {{"library", "library {}"}, {"symbol", "symbol {}"}}},
      {"Codes: ",
       {{"cuda_error", "{}"},
        {"cudnn_status", "{}"},
        {"xid", "Xid {}"},
        {"signal", "signal {}"},
        {"exitcode", "exit code {}"}}}};
  return all;
}

// The verdict's own lines have them.
constexpr std::array<std::string_view, 8> kInTheStanding = {
    "device", "goes_on", "native_place", "phase",
    "pid",    "place",   "process",      "rank"};

// Whether the word goes on there: "12" does in "12.4", not before a full stop.
bool GoesOn(std::string_view text, size_t at) {
  if (at >= text.size()) return false;
  const bool inner = at + 1 < text.size() && IsWordCharacter(text[at + 1]);
  return IsWordCharacter(text[at]) || (text[at] == '.' && inner);
}

// Whether `text` holds `word` as a word of its own.
bool Holds(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos;
       at = text.find(word, at + 1)) {
    const bool begins =
        at == 0 || !(IsWordCharacter(text[at - 1]) || text[at - 1] == '.');
    if (begins && !GoesOn(text, at + word.size())) return true;
  }
  return false;
}

// "SIGSEGV, 11" where the report says "segmentation fault".
bool IsToldInWords(const NamedText& figure, std::string_view told) {
  const size_t digit = figure.text.find_first_of("0123456789");
  if (figure.name != "signal" || digit == figure.text.npos) return false;
  const char* words = sigdescr_np(std::atoi(figure.text.c_str() + digit));
  return words != nullptr &&
         ToLower(told).find(ToLower(words)) != std::string::npos;
}

// The forms of one error are its text and what that is known as; those that no
// line has were looked up. Of other figures all is said unless all is told.
bool IsTold(const NamedText& figure, std::string_view told) {
  if (IsToldInWords(figure, told)) return true;
  const bool forms = figure.name == "cuda_error" || figure.name == "signal" ||
                     figure.name == "cudnn_status";
  bool some = false;
  bool all = true;
  for (size_t at = 0; at <= figure.text.size();) {
    const size_t end = std::min(figure.text.find(", ", at), figure.text.size());
    const bool holds = Holds(told, figure.text.substr(at, end - at));
    some |= holds;
    all &= holds;
    at = end + 2;
  }
  return forms ? some : all;
}

std::string WithValue(std::string_view words, const std::string& value) {
  std::string text(words);
  return text.replace(text.find("{}"), 2, value);
}

// The difference of two sizes that a log printed rounded: its own digits mean
// little, and of a small one none do. Of a trace they are exact.
bool IsRoundedAway(const Figures& figures, std::string_view name) {
  const Figure* reserved = figures.Find("reserved_bytes");
  const Figure* allocated = figures.Find("allocated_bytes");
  const Figure* unused = figures.Find(name);
  if (name != "reserved_unallocated_bytes" || reserved == nullptr ||
      allocated == nullptr || !reserved->IsInteger() ||
      !allocated->IsInteger() || !unused->IsInteger()) {
    return false;
  }
  constexpr int64_t kPart = 20;
  return reserved->Integer() - allocated->Integer() == unused->Integer() &&
         unused->Integer() < reserved->Integer() / kPart;
}

// In a container the driver knows no size of the process: it cannot hold less
// than its own pool.
bool IsBelowPool(const Figures& figures, std::string_view name) {
  const Figure* held = figures.Find(name);
  if (name != "process_bytes" || !held->IsInteger()) return false;
  return std::ranges::any_of(std::array{"reserved_bytes", "allocated_bytes"},
                             [&](const char* pool) {
                               const Figure* bytes = figures.Find(pool);
                               return bytes != nullptr && bytes->IsInteger() &&
                                      held->Integer() < bytes->Integer();
                             });
}

// Beside what is in use of a pool, that is what is free of it.
std::string_view WordsOf(const Clause& clause, const Figures& figures) {
  const bool pool = figures.Contains("in_use_bytes");
  return clause.name == "free_bytes" && pool ? "{} were free in the pool"
                                             : clause.words;
}

// What the report says before its figures.
std::string ToldOf(const findings::Diagnosis& diagnosis,
                   const findings::Finding& root) {
  const findings::Verdict& verdict = diagnosis.verdict;
  std::string told = verdict.title + "\n" + verdict.summary + "\n";
  const auto evidence = WithoutRepeats(root.evidence);
  for (size_t i = 0; i < std::min(kMaxEvidence, evidence.size()); ++i) {
    told += evidence[i].text + "\n";
  }
  return told;
}

// How full the card was matters where the card's memory may be the reason.
bool ConcernsMemory(std::string_view cause) {
  constexpr std::string_view kConcerned[] = {"memory/", "cudnn/", "cublas/",
                                             "kernel/", "unknown"};
  return StartsWithAny(cause, kConcerned) && cause != "memory/host";
}

// Sizes that stand in other lines about the same death, too.
Figures FiguresOf(const findings::Diagnosis& diagnosis,
                  const findings::Finding& root) {
  Figures figures = root.figures;
  if (!ConcernsMemory(root.cause)) return figures;
  for (const Clause& clause : Sentences().front().clauses) {
    const Figure* size = diagnosis.verdict.figures.Find(clause.name);
    if (size != nullptr && !figures.Contains(clause.name)) {
      figures[clause.name] = *size;
    }
  }
  return figures;
}

}  // namespace

FigureSentences SentencesOf(const findings::Diagnosis& diagnosis,
                            const findings::Finding& root) {
  const std::string told = ToldOf(diagnosis, root);
  const Figures figures = FiguresOf(diagnosis, root);
  std::vector<NamedText> untold;
  for (NamedText& one : FigureTexts(figures, kAllFigures, kWidestTold)) {
    const bool known =
        std::ranges::find(kInTheStanding, one.name) != kInTheStanding.end();
    // "(no stack recorded)"; that nothing lay unused is not news.
    const bool nothing =
        one.name == "reserved_unallocated_bytes" && one.text == "0 B";
    // The report's place has it.
    if (one.name == "user_frame" && figures.Contains("place")) continue;
    const bool value = !one.text.empty() && !one.text.starts_with('(') &&
                       !nothing && !IsRoundedAway(figures, one.name) &&
                       !IsBelowPool(figures, one.name);
    if (!known && value && !IsTold(one, told)) untold.push_back(std::move(one));
  }
  FigureSentences result;
  result.others = untold.size();
  for (const Sentence& sentence : Sentences()) {
    std::string text;
    for (const Clause& clause : sentence.clauses) {
      const auto one = std::ranges::find(untold, clause.name, &NamedText::name);
      if (one == untold.end()) continue;
      text += (text.empty() ? "" : "; ") +
              WithValue(WordsOf(clause, figures), WithoutFolders(one->text));
      --result.others;
    }
    if (text.empty()) continue;
    // The time limit of a store or a rendezvous is that of no collective.
    const bool only_limit = text.starts_with("timeout ");
    result.sentences.push_back(
        (only_limit ? "Time limit: " + text.substr(text.find(' ') + 1)
                    : std::string(sentence.begin) + text));
  }
  return result;
}

}  // namespace inquest::report
