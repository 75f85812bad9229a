#include "analyzer/rules/signature_set.h"

#include <re2/filtered_re2.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <utility>

#include "analyzer/rules/signature_figures.h"
#include "analyzer/rules/signature_literals.h"
#include "analyzer/rules/signature_pattern.h"
#include "analyzer/rules/signature_sieve.h"

namespace inquest::rules {
namespace {

using nlohmann::json;
using re2::RE2;
using re2::StringPiece;

struct Capture {
  int group;
  std::string name;
  CaptureType type;
};

struct Pattern {
  // Owns the RE2 as well: analysed once, compiled once.
  std::unique_ptr<re2::FilteredRE2> filter;
  std::vector<Capture> captures;
  int groups = 0;  // submatches that must be asked for
  json constants;
  bool repeat = false;
  bool app_only = false;
  Role role = Role::kContext;

  const RE2& re() const { return filter->GetRE2(0); }
};

std::vector<Capture> CapturesOf(const RE2& re, const Signature& signature) {
  std::vector<Capture> captures;
  for (const auto& [name, group] : re.NamedCapturingGroups()) {
    const auto type = signature.types.find(name);
    captures.push_back(
        {group, name,
         type == signature.types.end() ? CaptureType::kString : type->second});
  }
  return captures;
}

Expected<Pattern> CompileOne(const Signature& signature, int64_t memory) {
  Pattern pattern;
  pattern.filter =
      std::make_unique<re2::FilteredRE2>(static_cast<int>(Sieve::kShortest));
  int id = 0;
  if (pattern.filter->Add(signature.pattern, PatternOptions(memory), &id) !=
      RE2::NoError) {
    const RE2 again(signature.pattern, PatternOptions(memory));
    return Status(StatusCode::kRules,
                  "the pattern of signature '" + signature.id +
                      "' cannot be compiled: " + again.error());
  }
  pattern.captures = CapturesOf(pattern.re(), signature);
  for (const Capture& capture : pattern.captures) {
    pattern.groups = std::max(pattern.groups, capture.group);
  }
  pattern.constants =
      signature.set.is_object() ? signature.set : json::object();
  pattern.repeat = signature.repeat;
  pattern.role = signature.role;
  pattern.app_only = signature.source == "app";
  return pattern;
}

}  // namespace

struct SignatureSet::Impl {
  std::vector<Pattern> patterns;
  Sieve sieve;
  std::vector<size_t> slow;  // no literal: tried on every line
  std::unique_ptr<RE2::Set> slow_set;
  int64_t max_repeats = 1;

  void CompileSlow(const std::vector<Signature>& signatures);
  void Candidates(std::string_view text, std::vector<uint32_t>* out) const;
  void AddHits(size_t index, std::string_view text,
               std::vector<SignatureHit>* hits) const;
};

// One automaton for all that have no literal, where there are several.
void SignatureSet::Impl::CompileSlow(const std::vector<Signature>& signatures) {
  if (slow.size() < 2) return;
  auto set = std::make_unique<RE2::Set>(PatternOptions(0), RE2::UNANCHORED);
  for (const size_t index : slow) {
    std::string why;
    if (set->Add(signatures[index].pattern, &why) < 0) return;
  }
  if (set->Compile()) slow_set = std::move(set);
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
  const Pattern& pattern = patterns[index];
  const StringPiece piece(text.data(), text.size());
  const int asked = pattern.groups + 1;
  std::vector<StringPiece> groups(static_cast<size_t>(asked));
  size_t from = 0;
  const int64_t most = pattern.repeat ? max_repeats : 1;
  for (int64_t i = 0; i < most && from <= text.size(); ++i) {
    if (!pattern.re().Match(piece, from, text.size(), RE2::UNANCHORED,
                            groups.data(), asked)) {
      return;
    }
    SignatureHit hit{index, pattern.constants, 0};
    for (const Capture& capture : pattern.captures) {
      const StringPiece& group = groups[static_cast<size_t>(capture.group)];
      if (group.empty()) continue;  // took no part: no figure
      auto figure = FigureOf({group.data(), group.size()}, capture.type);
      if (figure) {
        hit.figures[capture.name] = std::move(*figure);
      } else {
        ++hit.bad_captures;
      }
    }
    hits->push_back(std::move(hit));
    const auto end =
        static_cast<size_t>(groups[0].data() - text.data()) + groups[0].size();
    from = std::max(end, from + 1);
  }
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
  impl->max_repeats = std::max<int64_t>(1, options.max_repeats);
  const int64_t memory =
      options.max_memory / std::max<int64_t>(1, std::ssize(signatures));
  for (size_t i = 0; i < signatures.size(); ++i) {
    ASSIGN_OR_RETURN(Pattern pattern, CompileOne(signatures[i], memory));
    std::vector<std::string> literals;
    if (options.sieve) {
      literals = RequiredLiterals(pattern.filter.get(), Sieve::kShortest);
    }
    for (const std::string& literal : literals) {
      impl->sieve.Add(literal, static_cast<uint32_t>(i));
    }
    if (literals.empty()) impl->slow.push_back(i);
    impl->patterns.push_back(std::move(pattern));
  }
  impl->sieve.Build();
  impl->CompileSlow(signatures);
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
    impl_->AddHits(index, text, hits);
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
  return impl_->patterns[signature].role;
}

bool SignatureSet::IsAppOnly(size_t signature) const {
  return impl_->patterns[signature].app_only;
}

std::vector<size_t> SignatureSet::Slow() const {
  return impl_->slow;
}

}  // namespace inquest::rules
