#include "analyzer/rules/signatures/signature_matcher.h"

#include <algorithm>
#include <utility>

#include "analyzer/rules/signatures/signature_figures.h"
#include "analyzer/rules/signatures/signature_pattern.h"

namespace inquest::rules {

using nlohmann::json;
using re2::RE2;
using re2::StringPiece;

constexpr size_t kLongestTried = 2048;  // bytes; more would be quadratic

SignatureMatcher::SignatureMatcher(const Signature& signature, Lines lines)
    : constants(signature.set.is_object() ? signature.set : json::object()),
      repeat(signature.repeat),
      app_only(signature.source == "app"),
      part_of_many(signature.fact == "heap_block" || signature.fact == "frame"),
      role(signature.role),
      lines_(lines),
      text_(signature.pattern),
      types_(signature.types),
      expression_(signature.compiled) {}

const RE2& SignatureMatcher::expression() const {
  std::call_once(once_, [this] { Compile(); });
  return *expression_;
}

void SignatureMatcher::Compile() const {
  if (expression_ == nullptr) {
    expression_ = std::make_shared<RE2>(text_, PatternOptions());
  }
  for (const auto& [name, group] : expression_->NamedCapturingGroups()) {
    const auto type = types_.find(name);
    captures_.push_back(
        {group, name,
         type == types_.end() ? CaptureType::kString : type->second});
    groups_ = std::max(groups_, group);
  }
}

bool SignatureMatcher::Matches(std::string_view text) const {
  return expression().Match({text.data(), text.size()}, 0, text.size(),
                            RE2::UNANCHORED, nullptr, 0);
}

bool SignatureMatcher::Find(StringPiece text, size_t from,
                            std::vector<StringPiece>* groups) const {
  const RE2& wanted = expression();
  const auto match = [&](size_t at, RE2::Anchor anchor) {
    return wanted.Match(text, at, text.size(), anchor, groups->data(),
                        static_cast<int>(groups->size()));
  };
  if (lines_ == Lines::kMany || text.size() > kLongestTried) {
    return match(from, RE2::UNANCHORED);
  }
  for (size_t at = from; at <= text.size(); ++at) {
    if (match(at, RE2::ANCHOR_START)) return true;
  }
  return false;
}

void SignatureMatcher::AddFigures(const std::vector<StringPiece>& groups,
                                  SignatureHit* hit) const {
  for (const Capture& capture : captures_) {
    const StringPiece& group = groups[static_cast<size_t>(capture.group)];
    if (group.empty()) continue;  // took no part: no figure
    auto figure = FigureOf({group.data(), group.size()}, capture.type);
    if (figure) {
      hit->figures[capture.name] = std::move(*figure);
    } else {
      ++hit->bad_captures;
    }
  }
}

void SignatureMatcher::AddHits(size_t index, std::string_view text,
                               std::vector<SignatureHit>* hits,
                               int64_t most) const {
  expression();
  std::vector<StringPiece> groups(static_cast<size_t>(groups_) + 1);
  if (!repeat) most = 1;
  size_t from = 0;
  for (int64_t i = 0; i < most && from <= text.size(); ++i) {
    if (!Find({text.data(), text.size()}, from, &groups)) return;
    SignatureHit hit{index, constants, 0};
    AddFigures(groups, &hit);
    hits->push_back(std::move(hit));
    const auto end =
        static_cast<size_t>(groups[0].data() - text.data()) + groups[0].size();
    from = std::max(end, from + 1);
  }
}

}  // namespace inquest::rules
