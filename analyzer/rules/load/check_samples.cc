// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/check_samples.h"

#include <algorithm>

#include "analyzer/rules/signatures/signature_matcher.h"
#include "base/parallel.h"
#include "base/units.h"

namespace inquest::rules {
namespace {

std::string Shown(const Figure& value) {
  return Printable(JsonText(value), 120);
}

// Describes the difference between a sample's expectation and a hit; empty:
// there is none.
Complaint Difference(const Figures& expected, const Figures& figures) {
  for (const auto& [name, want] : expected) {
    const Figure& got = figures[name];
    if (got == want) continue;
    Complaint complaint{"R041", "", "", ""};
    complaint.message =
        "the sample expects " + name + " = " + Shown(want) +
        ", the line gives " +
        (got.IsNull() ? std::string("no such figure") : Shown(got));
    if (got.IsText() && want.IsNumber()) {
      complaint.help =
          "give '" + name + "' a type, or put the expected value in 'quotes'";
    } else if (got.IsNull()) {
      complaint.reason =
          "there is no capture of that name, or its text does not fit its type";
    } else {
      complaint.help =
          "correct the sample, or the pattern or the type of '" + name + "'";
    }
    return complaint;
  }
  return {};
}

// Lines of a log do not contain the line feed; a sample from a block scalar
// does.
std::string_view OneLine(const std::string& line) {
  std::string_view text = line;
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

class SampleChecker {
 public:
  SampleChecker(const SignatureMatcher& matcher, Reporter* reporter)
      : matcher_(matcher), reporter_(reporter) {}

  // Reports what is wrong.
  void Check(const Signature& signature) {
    for (uint32_t i = 0; i < signature.patterns.size(); ++i) {
      if (signature.patterns[i].sample) MustTake(signature, i);
    }
    for (const Sample& sample : signature.match) MustMatch(signature, sample);
    for (const Sample& sample : signature.no_match) {
      if (!matcher_.FirstThatMatches(OneLine(sample.line))) continue;
      reporter_->Error(
          sample.place,
          {"R042",
           "'" + signature.id + "' matches a line that it must not match", "",
           "make the pattern more exact"});
    }
  }

 private:
  // A pattern's own sample: no earlier pattern may take it.
  void MustTake(const Signature& signature, uint32_t pattern) {
    const Sample& sample = *signature.patterns[pattern].sample;
    if (!matcher_.pattern(pattern).Matches(OneLine(sample.line))) {
      DoesNotMatch(signature, sample);
      return;
    }
    const size_t first = *matcher_.FirstThatMatches(OneLine(sample.line));
    if (first == pattern) {
      CheckFigures(sample, pattern);
      return;
    }
    reporter_->Error(
        sample.place,
        {"R045",
         "an earlier pattern of '" + signature.id + "' takes this sample",
         "it is the pattern in line " +
             std::to_string(signature.patterns[first].place.line) +
             "; patterns are tried in their order",
         "show a line that only this pattern matches, or put it first"});
  }

  void MustMatch(const Signature& signature, const Sample& sample) {
    const auto pattern = matcher_.FirstThatMatches(OneLine(sample.line));
    if (pattern) {
      CheckFigures(sample, static_cast<uint32_t>(*pattern));
    } else {
      DoesNotMatch(signature, sample);
    }
  }

  void DoesNotMatch(const Signature& signature, const Sample& sample) {
    reporter_->Error(
        sample.place,
        {"R040", "'" + signature.id + "' does not match its own sample",
         sample.line.find('\n') < sample.line.size() - 1
             ? "a signature sees one line at a time"
             : "",
         "compare the sample with the pattern, including blanks and brackets"});
  }

  // With `repeat`, one of the occurrences must have the figures.
  void CheckFigures(const Sample& sample, uint32_t pattern) {
    if (sample.figures.empty()) return;
    std::vector<SignatureHit> hits;
    matcher_.AddHits(0, OneLine(sample.line), {&pattern, 1}, &hits);
    Complaint first;
    for (const SignatureHit& hit : hits) {
      Complaint difference = Difference(sample.figures, hit.figures);
      if (difference.message.empty()) return;
      if (first.message.empty()) first = std::move(difference);
    }
    reporter_->Error(sample.place, std::move(first));
  }

  const SignatureMatcher& matcher_;
  Reporter* reporter_;
};

// A log needs few expressions of a large pack; each is compiled again when a
// line needs it.
void TrySamples(Signature* signature, Reporter* reporter) {
  const SignatureMatcher matcher(*signature, Lines::kFew);
  for (Pattern& pattern : signature->patterns) pattern.compiled = nullptr;
  SampleChecker(matcher, reporter).Check(*signature);
}

}  // namespace

void CheckSamples(const std::set<std::string>& sources, RuleSet* set,
                  Reporter* reporter) {
  std::vector<Signature*> tried;
  for (Signature& signature : set->signatures) {
    if (sources.contains(signature.place.file)) tried.push_back(&signature);
  }
  std::vector<Diagnostics> said(tried.size());
  InParallel(tried.size(), [&](size_t i) {
    Reporter own(reporter->sources(), &said[i]);
    TrySamples(tried[i], &own);
  });
  std::set<std::string> bad;
  for (size_t i = 0; i < tried.size(); ++i) {
    if (!said[i].empty()) bad.insert(tried[i]->id);
    reporter->Pass(std::move(said[i]));
  }
  std::erase_if(set->signatures,
                [&](const Signature& one) { return bad.contains(one.id); });
}

}  // namespace inquest::rules
