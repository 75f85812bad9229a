// SPDX-License-Identifier: Apache-2.0
// The words that keys of rule files take, with the value of each. The loader
// looks them up, the tables of format.h list them, `rules show` writes them.
// Internal to rules/.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::rules {

template <typename T>
using WordFor = std::pair<std::string_view, T>;

inline constexpr WordFor<Role> kSignatureRoles[] = {
    {"cause", Role::kCause},       {"symptom", Role::kSymptom},
    {"confirm", Role::kConfirm},   {"context", Role::kContext},
    {"progress", Role::kProgress}, {"milestone", Role::kMilestone},
    {"finish", Role::kFinish},     {"advice", Role::kAdvice},
    {"benign", Role::kBenign},     {"suspect", Role::kSuspect}};
inline constexpr WordFor<Role> kRuleRoles[] = {{"cause", Role::kCause},
                                               {"symptom", Role::kSymptom},
                                               {"note", Role::kNote}};
inline constexpr WordFor<Severity> kSeverities[] = {
    {"note", Severity::kNote},
    {"warning", Severity::kWarning},
    {"error", Severity::kError}};
inline constexpr WordFor<Stage> kStages[] = {
    {"experimental", Stage::kExperimental},
    {"stable", Stage::kStable},
    {"deprecated", Stage::kDeprecated}};
inline constexpr WordFor<Confidence> kConfidences[] = {
    {"possible", Confidence::kPossible},
    {"probable", Confidence::kProbable},
    {"confirmed", Confidence::kConfirmed}};
inline constexpr WordFor<CaptureType> kCaptureTypes[] = {
    {"string", CaptureType::kString},
    {"bytes", CaptureType::kBytes},
    {"integer", CaptureType::kInteger},
    {"hex", CaptureType::kHex},
    {"real", CaptureType::kReal},
    {"milliseconds", CaptureType::kMilliseconds},
    {"version", CaptureType::kVersion},
    {"list", CaptureType::kList}};
inline constexpr WordFor<Relation::Kind> kKinds[] = {
    {"explains", Relation::Kind::kExplains},
    {"refines", Relation::Kind::kRefines},
    {"excludes", Relation::Kind::kExcludes}};
inline constexpr WordFor<Relation::Scope> kScopes[] = {
    {"event", Relation::Scope::kEvent},
    {"process", Relation::Scope::kProcess},
    {"device", Relation::Scope::kDevice},
    {"node", Relation::Scope::kNode},
    {"job", Relation::Scope::kJob},
    {"elsewhere", Relation::Scope::kElsewhere}};
inline constexpr WordFor<bool> kOrders[] = {{"before", false}, {"any", true}};
// Which logs a signature looks at.
inline constexpr WordFor<int> kSources[] = {
    {"any", 0}, {"app", 0}, {"kernel", 0}};
// Named facts that a signature's event can also fill.
inline constexpr WordFor<int> kNamedFacts[] = {
    {"none", 0},         {"oom", 0},          {"xid", 0},
    {"kernel_event", 0}, {"process_exit", 0}, {"collective", 0},
    {"library", 0},      {"api_error", 0},    {"heap_block", 0},
    {"frame", 0},        {"native_frame", 0}, {"error_code", 0}};
// The frameworks that a fix can be for: those that facts can show.
inline constexpr WordFor<int> kFrameworks[] = {
    {"torch", 0}, {"tensorflow", 0}, {"jax", 0}};
// The kind of a fix, so that operators of many machines can sort by it.
inline constexpr WordFor<int> kActions[] = {
    {"change-code", 0},      {"change-settings", 0}, {"set-env", 0},
    {"install", 0},          {"inspect", 0},         {"restart", 0},
    {"stop-process", 0},     {"free-space", 0},      {"reset-device", 0},
    {"replace-hardware", 0}, {"ask-admin", 0}};

template <typename T, size_t N>
constexpr std::array<std::string_view, N> WordsOf(
    const WordFor<T> (&table)[N]) {
  std::array<std::string_view, N> words{};
  for (size_t i = 0; i < N; ++i) words[i] = table[i].first;
  return words;
}

template <typename T, size_t N>
std::string_view WordIn(const WordFor<T> (&table)[N], T value) {
  for (const auto& [word, meant] : table) {
    if (meant == value) return word;
  }
  return {};
}

}  // namespace inquest::rules
