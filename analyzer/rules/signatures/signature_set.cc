// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/signature_set.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <utility>

#include "analyzer/rules/signatures/signature_literals.h"
#include "analyzer/rules/signatures/signature_matcher.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "base/timed.h"

namespace inquest::rules {
namespace {

using re2::RE2;
using re2::StringPiece;

// "[^…]" and "\^" are none.
bool HasAnchor(std::string_view pattern) {
  for (size_t at = pattern.find_first_of("^\\["); at != pattern.npos;
       at = pattern.find_first_of("^\\[", at + 1)) {
    if (pattern[at] == '^' || pattern.substr(at, 2) == "\\A") return true;
    if (pattern[at] == '\\' || pattern.substr(at, 2) == "[^") ++at;
  }
  return false;
}

// One automaton for all patterns without a literal, if there are several.
std::unique_ptr<RE2::Set> CompileTogether(
    const std::vector<const Pattern*>& patterns, int64_t max_memory) {
  if (patterns.size() < 2) return nullptr;
  auto set =
      std::make_unique<RE2::Set>(PatternOptions(max_memory), RE2::UNANCHORED);
  for (const Pattern* pattern : patterns) {
    std::string why;
    if (set->Add(pattern->re2, &why) < 0) return nullptr;
  }
  return set->Compile() ? std::move(set) : nullptr;
}

}  // namespace

struct SignatureSet::Impl {
  // A pattern's index among all patterns is its number in the sieve.
  struct Place {
    uint32_t signature;
    uint32_t pattern;  // of the signature
    bool anchored;     // has '^'
  };

  std::vector<std::unique_ptr<SignatureMatcher>> signatures;
  std::vector<Place> places;
  Sieve sieve;
  std::vector<uint32_t> slow;  // numbers of those tried on every line
  std::unique_ptr<RE2::Set> slow_set;
  SignatureProfile* profile = nullptr;
  std::optional<size_t> run_start;

  Status Add(const Signature& signature, std::vector<const Pattern*>* without);
  Status Add(const Signature& signature, uint32_t pattern,
             std::vector<const Pattern*>* without);
  bool AllSlowAreMuted(const Muted& muted) const;
  void Candidates(std::string_view text, const Muted& muted,
                  std::vector<uint32_t>* out) const;
  void CountSlow(const Muted& muted, int64_t ns, MatchBudget* budget) const;
  void AddHits(size_t index, std::string_view text,
               SignatureMatcher::Among among,
               std::vector<SignatureHit>* hits) const;
  void AddTimedHits(size_t index, std::string_view text,
                    SignatureMatcher::Among among,
                    std::vector<SignatureHit>* hits) const;
};

// `without`: the patterns that have no literal.
Status SignatureSet::Impl::Add(const Signature& signature,
                               std::vector<const Pattern*>* without) {
  signatures.push_back(std::make_unique<SignatureMatcher>(signature));
  if (!run_start && !signature.set["starts_run"].IsNull()) {
    run_start = signatures.size() - 1;
  }
  for (uint32_t i = 0; i < signature.patterns.size(); ++i) {
    RETURN_IF_ERROR(Add(signature, i, without));
  }
  return Status::Ok();
}

Status SignatureSet::Impl::Add(const Signature& signature, uint32_t pattern,
                               std::vector<const Pattern*>* without) {
  const auto owner = static_cast<uint32_t>(places.size());
  const auto group = static_cast<uint32_t>(signatures.size() - 1);
  const Pattern& added = signature.patterns[pattern];
  places.push_back({group, pattern, HasAnchor(added.re2)});
  Literals literals;
  if (added.literals) {
    literals = *added.literals;
  } else if (const RE2& re2 = signatures[group]->pattern(pattern).expression();
             !re2.ok()) {
    return Status(StatusCode::kRules,
                  "the pattern of signature '" + signature.id +
                      "' cannot be compiled: " + re2.error());
  } else {
    literals = LiteralsOf(added.re2, Sieve::kShortest);
  }
  sieve.Add(literals, owner, group);
  if (literals.any.empty()) {
    slow.push_back(owner);
    without->push_back(&added);
  }
  return Status::Ok();
}

bool SignatureSet::Impl::AllSlowAreMuted(const Muted& muted) const {
  return std::all_of(slow.begin(), slow.end(), [&](uint32_t number) {
    return !muted.empty() && muted[places[number].signature] != 0;
  });
}

// Those that are tried on every line share the time of finding candidates.
void SignatureSet::Impl::CountSlow(const Muted& muted, int64_t ns,
                                   MatchBudget* budget) const {
  for (const uint32_t number : slow) {
    const size_t signature = places[number].signature;
    if (!muted.empty() && muted[signature] != 0) continue;
    budget->CountTry(signature, ns / static_cast<int64_t>(slow.size()));
  }
}

void SignatureSet::Impl::Candidates(std::string_view text, const Muted& muted,
                                    std::vector<uint32_t>* out) const {
  sieve.Owners(text, muted, out);
  if (AllSlowAreMuted(muted)) {
    std::sort(out->begin(), out->end());
    out->erase(std::unique(out->begin(), out->end()), out->end());
    return;
  }
  std::vector<int> matched;
  RE2::Set::ErrorInfo error{};
  const bool asked = slow_set != nullptr &&
                     (slow_set->Match(StringPiece(text.data(), text.size()),
                                      &matched, &error) ||
                      error.kind == RE2::Set::kNoError);
  if (asked) {
    for (const int i : matched) out->push_back(slow[static_cast<size_t>(i)]);
  } else {  // none, one, or the automaton ran out of memory
    out->insert(out->end(), slow.begin(), slow.end());
  }
  std::sort(out->begin(), out->end());
  out->erase(std::unique(out->begin(), out->end()), out->end());
}

void SignatureSet::Impl::AddHits(size_t index, std::string_view text,
                                 SignatureMatcher::Among among,
                                 std::vector<SignatureHit>* hits) const {
  if (profile != nullptr) {
    AddTimedHits(index, text, among, hits);
  } else {
    signatures[index]->AddHits(index, text, among, hits);
  }
}

void SignatureSet::Impl::AddTimedHits(size_t index, std::string_view text,
                                      SignatureMatcher::Among among,
                                      std::vector<SignatureHit>* hits) const {
  const size_t before = hits->size();
  int64_t ns = 0;
  {
    const Timed timed(&ns);
    signatures[index]->AddHits(index, text, among, hits);
  }
  profile->Add(index, hits->size() > before, ns);
}

SignatureSet::SignatureSet(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
SignatureSet::SignatureSet(SignatureSet&&) noexcept = default;
SignatureSet& SignatureSet::operator=(SignatureSet&&) noexcept = default;
SignatureSet::~SignatureSet() = default;

Expected<SignatureSet> SignatureSet::Compile(
    const std::vector<Signature>& signatures,
    const SignatureSetOptions& options) {
  auto impl = std::make_unique<Impl>();
  impl->profile = options.profile;
  std::vector<const Pattern*> slow;
  for (const Signature& signature : signatures) {
    RETURN_IF_ERROR(impl->Add(signature, &slow));
  }
  impl->sieve.Build();
  impl->slow_set = CompileTogether(slow, options.max_memory);
  return SignatureSet(std::move(impl));
}

void SignatureSet::Match(std::string_view text, std::vector<SignatureHit>* hits,
                         const Muted& muted) const {
  std::vector<size_t> tried;
  Match(text, hits, muted, &tried);
}

void SignatureSet::Match(std::string_view text, std::vector<SignatureHit>* hits,
                         const Muted& muted, std::vector<size_t>* tried,
                         MatchBudget* budget, Try which) const {
  std::vector<uint32_t> candidates;
  if (budget != nullptr) budget->clock().Begin();
  impl_->Candidates(text, muted, &candidates);
  if (which == Try::kAnchored) {
    std::erase_if(candidates, [&](uint32_t number) {
      return !impl_->places[number].anchored;
    });
  }
  if (budget != nullptr) {
    impl_->CountSlow(muted, budget->clock().Lap(), budget);
  }
  std::vector<uint32_t> among;  // patterns of one signature
  for (size_t i = 0; i < candidates.size();) {
    const uint32_t index = impl_->places[candidates[i]].signature;
    among.clear();
    for (; i < candidates.size(); ++i) {
      const Impl::Place& place = impl_->places[candidates[i]];
      if (place.signature != index) break;
      among.push_back(place.pattern);
    }
    if (!muted.empty() && muted[index] != 0) continue;
    tried->push_back(index);
    impl_->AddHits(index, text, among, hits);
    if (budget != nullptr) budget->CountTry(index, budget->clock().Lap());
  }
}

SignatureSet::Marks SignatureSet::MarkLiterals(std::string_view block) const {
  return impl_->sieve.FindAll(block);
}

size_t SignatureSet::NextCandidate(const Marks& marks, size_t from,
                                   const Muted& muted) const {
  if (!impl_->AllSlowAreMuted(muted)) return from;
  auto mark = std::lower_bound(
      marks.begin(), marks.end(), from,
      [](const Sieve::Mark& one, size_t at) { return one.at < at; });
  // A literal may occur at each byte and have a thousand owners.
  Sieve::Mark unwanted = {0, UINT32_MAX, 0};
  for (; mark != marks.end(); ++mark) {
    if (mark->literal == unwanted.literal && mark->parts == unwanted.parts) {
      continue;
    }
    if (impl_->sieve.IsWanted(*mark, muted)) break;
    unwanted = *mark;
  }
  return mark == marks.end() ? std::string_view::npos : mark->at;
}

size_t SignatureSet::size() const {
  return impl_->signatures.size();
}

Role SignatureSet::role(size_t signature) const {
  return impl_->signatures[signature]->role;
}

bool SignatureSet::IsExcepted(size_t signature, std::string_view text) const {
  return impl_->signatures[signature]->IsExcepted(text);
}

bool SignatureSet::IsAppOnly(size_t signature) const {
  return impl_->signatures[signature]->app_only;
}

bool SignatureSet::IsPartOfMany(size_t signature) const {
  return impl_->signatures[signature]->part_of_many;
}

std::optional<size_t> SignatureSet::run_start() const {
  return impl_->run_start;
}

const Figures& SignatureSet::constants(size_t signature) const {
  return impl_->signatures[signature]->constants;
}

std::vector<size_t> SignatureSet::Slow() const {
  std::vector<size_t> signatures;
  for (const uint32_t number : impl_->slow) {
    const size_t signature = impl_->places[number].signature;
    if (signatures.empty() || signatures.back() != signature) {
      signatures.push_back(signature);
    }
  }
  return signatures;
}

}  // namespace inquest::rules
