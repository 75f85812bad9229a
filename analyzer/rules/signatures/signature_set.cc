#include "analyzer/rules/signatures/signature_set.h"

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <utility>

#include "analyzer/rules/signatures/signature_literals.h"
#include "analyzer/rules/signatures/signature_matcher.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "analyzer/rules/signatures/signature_sieve.h"
#include "base/timed.h"

namespace inquest::rules {
namespace {

using re2::RE2;
using re2::StringPiece;

// One automaton for all that have no literal, where there are several.
std::unique_ptr<RE2::Set> CompileTogether(
    const std::vector<Signature>& signatures,
    const std::vector<size_t>& indices, int64_t max_memory) {
  if (indices.size() < 2) return nullptr;
  auto set =
      std::make_unique<RE2::Set>(PatternOptions(max_memory), RE2::UNANCHORED);
  for (const size_t index : indices) {
    std::string why;
    if (set->Add(signatures[index].pattern, &why) < 0) return nullptr;
  }
  return set->Compile() ? std::move(set) : nullptr;
}

}  // namespace

struct SignatureSet::Impl {
  std::vector<std::unique_ptr<SignatureMatcher>> patterns;
  Sieve sieve;
  std::vector<size_t> slow;  // no literal: tried on every line
  std::unique_ptr<RE2::Set> slow_set;
  SignatureProfile* profile = nullptr;

  Status Add(const Signature& signature);
  void Candidates(std::string_view text, std::vector<uint32_t>* out) const;
  void AddHits(size_t index, std::string_view text,
               std::vector<SignatureHit>* hits) const;
  void AddTimedHits(size_t index, std::string_view text,
                    std::vector<SignatureHit>* hits) const;
};

Status SignatureSet::Impl::Add(const Signature& signature) {
  const auto index = static_cast<uint32_t>(patterns.size());
  patterns.push_back(std::make_unique<SignatureMatcher>(signature));
  std::vector<std::string> literals;
  if (signature.literals) {
    literals = *signature.literals;
  } else if (!patterns.back()->expression().ok()) {
    return Status(
        StatusCode::kRules,
        "the pattern of signature '" + signature.id +
            "' cannot be compiled: " + patterns.back()->expression().error());
  } else {
    literals = RequiredLiterals(signature.pattern, Sieve::kShortest);
  }
  for (const std::string& literal : literals) sieve.Add(literal, index);
  if (literals.empty()) slow.push_back(index);
  return Status::Ok();
}

void SignatureSet::Impl::Candidates(std::string_view text,
                                    std::vector<uint32_t>* out) const {
  sieve.Owners(text, out);
  std::vector<int> matched;
  RE2::Set::ErrorInfo error{};
  const bool asked = slow_set != nullptr &&
                     (slow_set->Match(StringPiece(text.data(), text.size()),
                                      &matched, &error) ||
                      error.kind == RE2::Set::kNoError);
  if (asked) {
    for (const int i : matched) {
      out->push_back(static_cast<uint32_t>(slow[static_cast<size_t>(i)]));
    }
  } else {  // none, one, or the automaton ran out of its memory
    for (const size_t index : slow) {
      out->push_back(static_cast<uint32_t>(index));
    }
  }
  std::sort(out->begin(), out->end());
  out->erase(std::unique(out->begin(), out->end()), out->end());
}

void SignatureSet::Impl::AddHits(size_t index, std::string_view text,
                                 std::vector<SignatureHit>* hits) const {
  patterns[index]->AddHits(index, text, hits);
}

void SignatureSet::Impl::AddTimedHits(size_t index, std::string_view text,
                                      std::vector<SignatureHit>* hits) const {
  const size_t before = hits->size();
  int64_t ns = 0;
  {
    const Timed timed(&ns);
    AddHits(index, text, hits);
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
  for (const Signature& signature : signatures) {
    RETURN_IF_ERROR(impl->Add(signature));
  }
  impl->sieve.Build();
  impl->slow_set = CompileTogether(signatures, impl->slow, options.max_memory);
  return SignatureSet(std::move(impl));
}

void SignatureSet::Match(std::string_view text, std::vector<SignatureHit>* hits,
                         const Muted& muted) const {
  std::vector<size_t> tried;
  Match(text, hits, muted, &tried);
}

void SignatureSet::Match(std::string_view text, std::vector<SignatureHit>* hits,
                         const Muted& muted, std::vector<size_t>* tried) const {
  std::vector<uint32_t> candidates;
  impl_->Candidates(text, &candidates);
  for (const uint32_t index : candidates) {
    if (!muted.empty() && muted[index] != 0) continue;
    tried->push_back(index);
    if (impl_->profile == nullptr) {
      impl_->AddHits(index, text, hits);
    } else {
      impl_->AddTimedHits(index, text, hits);
    }
  }
}

size_t SignatureSet::NextCandidate(std::string_view block, size_t from,
                                   const Muted& muted) const {
  if (from >= block.size()) return std::string_view::npos;
  if (!impl_->slow.empty()) return from;
  return impl_->sieve.Next(block, from, muted);
}

size_t SignatureSet::size() const {
  return impl_->patterns.size();
}

Role SignatureSet::role(size_t signature) const {
  return impl_->patterns[signature]->role;
}

bool SignatureSet::IsAppOnly(size_t signature) const {
  return impl_->patterns[signature]->app_only;
}

bool SignatureSet::IsPartOfMany(size_t signature) const {
  return impl_->patterns[signature]->part_of_many;
}

std::vector<size_t> SignatureSet::Slow() const {
  return impl_->slow;
}

}  // namespace inquest::rules
