// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/signatures/signature_matcher.h"

#include <algorithm>
#include <utility>

#include "analyzer/rules/signatures/signature_figures.h"
#include "analyzer/rules/signatures/signature_pattern.h"

namespace inquest::rules {

using re2::RE2;
using re2::StringPiece;

constexpr size_t kMaxTriedBytes = 2048;  // bytes; more would be quadratic

PatternMatcher::PatternMatcher(const Pattern& pattern, const Types& types,
                               Lines lines)
    : lines_(lines),
      re2_(pattern.re2),
      types_(types),
      expression_(pattern.compiled) {}

const RE2& PatternMatcher::expression() const {
  std::call_once(once_, [this] { Compile(); });
  return *expression_;
}

void PatternMatcher::Compile() const {
  if (expression_ == nullptr) {
    expression_ = std::make_shared<RE2>(re2_, PatternOptions());
  }
  for (const auto& [name, group] : expression_->NamedCapturingGroups()) {
    const auto type = types_.find(name);
    captures_.push_back(
        {group, name,
         type == types_.end() ? CaptureType::kString : type->second});
    groups_ = std::max(groups_, group);
  }
}

bool PatternMatcher::Matches(std::string_view text) const {
  return expression().Match({text.data(), text.size()}, 0, text.size(),
                            RE2::UNANCHORED, nullptr, 0);
}

std::optional<PatternMatcher::Groups> PatternMatcher::Find(
    std::string_view text, size_t from) const {
  const RE2& wanted = expression();
  Groups groups(static_cast<size_t>(groups_) + 1);
  const StringPiece line(text.data(), text.size());
  const auto match = [&](size_t at, RE2::Anchor anchor) {
    return wanted.Match(line, at, line.size(), anchor, groups.data(),
                        static_cast<int>(groups.size()));
  };
  if (lines_ == Lines::kMany || text.size() > kMaxTriedBytes) {
    if (match(from, RE2::UNANCHORED)) return groups;
    return std::nullopt;
  }
  for (size_t at = from; at <= text.size(); ++at) {
    if (match(at, RE2::ANCHOR_START)) return groups;
  }
  return std::nullopt;
}

void PatternMatcher::AddFigures(const Groups& groups, SignatureHit* hit) const {
  for (const Capture& capture : captures_) {
    const StringPiece& group = groups[static_cast<size_t>(capture.group)];
    if (group.empty()) continue;  // did not match: no figure
    auto figure = FigureOf({group.data(), group.size()}, capture.type);
    if (figure) {
      hit->figures[capture.name] = std::move(*figure);
    } else {
      ++hit->bad_captures;
    }
  }
  // A difference below zero is printed as a number near 2 to the power of 64.
  const Figures& read = hit->figures;
  const Figure& free = read["free_bytes"];
  const Figure& total = read["total_bytes"];
  if (free.IsInteger() && total.IsInteger() &&
      free.Integer() > total.Integer()) {
    hit->figures.Remove("free_bytes");
  }
}

SignatureMatcher::SignatureMatcher(const Signature& signature, Lines lines)
    : constants(signature.set),
      repeat(signature.repeat),
      app_only(signature.source == "app"),
      part_of_many(signature.fact == "heap_block" ||
                   signature.fact == "frame" ||
                   signature.fact == "native_frame"),
      role(signature.role),
      types_(signature.types) {
  for (const Pattern& pattern : signature.patterns) {
    patterns_.push_back(
        std::make_unique<PatternMatcher>(pattern, types_, lines));
  }
  if (signature.unless) {
    unless_ =
        std::make_unique<PatternMatcher>(*signature.unless, types_, lines);
  }
}

std::optional<size_t> SignatureMatcher::FirstThatMatches(
    std::string_view text) const {
  for (size_t i = 0; i < patterns_.size(); ++i) {
    if (patterns_[i]->Matches(text))
      return IsExcepted(text) ? std::nullopt : std::optional(i);
  }
  return std::nullopt;
}

std::optional<SignatureMatcher::Found> SignatureMatcher::FindNext(
    std::string_view text, size_t from, Among among) const {
  std::optional<Found> next;
  for (const uint32_t i : among) {
    auto groups = patterns_[i]->Find(text, from);
    if (!groups) continue;
    const bool nearer = !next || (*groups)[0].data() < next->groups[0].data();
    if (nearer) next = Found{patterns_[i].get(), std::move(*groups)};
    if (!repeat) break;
  }
  return next;
}

void SignatureMatcher::AddHits(size_t index, std::string_view text, Among among,
                               std::vector<SignatureHit>* hits) const {
  const int64_t most = repeat ? kMaxRepeats : 1;
  size_t from = 0;
  for (int64_t i = 0; i < most && from <= text.size(); ++i) {
    const auto found = FindNext(text, from, among);
    if (!found || (i == 0 && IsExcepted(text))) return;
    SignatureHit hit{index, constants, 0};
    found->pattern->AddFigures(found->groups, &hit);
    hits->push_back(std::move(hit));
    const StringPiece& whole = found->groups[0];
    const auto end =
        static_cast<size_t>(whole.data() - text.data()) + whole.size();
    from = std::max(end, from + 1);
  }
}

}  // namespace inquest::rules
