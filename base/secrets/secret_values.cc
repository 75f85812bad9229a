// SPDX-License-Identifier: Apache-2.0
#include "base/secrets/secret_values.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace inquest::secrets {
namespace {

constexpr size_t kShortestToken = 14;  // with its prefix
// Bytes that are examined, so that a long text of prefixes takes no longer than
// any other.
constexpr size_t kDecisive = 1024;

bool IsAlnum(char c) {
  return IsAlpha(c) || IsDigit(c);
}

enum class Body : uint8_t {
  kAlnum,   // letters and digits
  kWord,    // and '_', '-'
  kDotted,  // and '.'
  kUpper,   // capitals and digits, exactly `least` of them
};

struct Prefix {
  std::string_view text;
  size_t least;  // characters after the prefix
  Body body;
};

constexpr Prefix kPrefixes[] = {
    {"ghp_", 20, Body::kAlnum},
    {"gho_", 20, Body::kAlnum},
    {"ghu_", 20, Body::kAlnum},
    {"ghs_", 20, Body::kAlnum},
    {"ghr_", 20, Body::kAlnum},
    {"github_pat_", 20, Body::kWord},
    {"glpat-", 16, Body::kDotted},
    {"gldt-", 16, Body::kDotted},
    {"glrt-", 16, Body::kDotted},
    {"glptt-", 16, Body::kDotted},
    {"glcbt-", 16, Body::kDotted},
    {"glsoat-", 16, Body::kDotted},
    {"hf_", 16, Body::kAlnum},
    {"api_org_", 16, Body::kAlnum},
    {"sk-", 16, Body::kWord},
    {"sk_live_", 10, Body::kAlnum},
    {"sk_test_", 10, Body::kAlnum},
    {"rk_live_", 10, Body::kAlnum},
    {"whsec_", 16, Body::kAlnum},
    {"xoxb-", 10, Body::kWord},
    {"xoxp-", 10, Body::kWord},
    {"xoxa-", 10, Body::kWord},
    {"xoxr-", 10, Body::kWord},
    {"xoxs-", 10, Body::kWord},
    {"xoxe-", 10, Body::kWord},
    {"xapp-", 10, Body::kWord},
    {"AKIA", 16, Body::kUpper},
    {"ASIA", 16, Body::kUpper},
    {"AIza", 30, Body::kWord},
    {"ya29.", 16, Body::kDotted},
    {"GOCSPX-", 16, Body::kWord},
    {"npm_", 20, Body::kAlnum},
    {"pypi-", 16, Body::kWord},
    {"dckr_pat_", 16, Body::kWord},
    {"dckr_oat_", 16, Body::kWord},
    {"SG.", 20, Body::kDotted},
    {"nvapi-", 16, Body::kWord},
    {"gsk_", 20, Body::kAlnum},
    {"r8_", 20, Body::kAlnum},
    {"xai-", 20, Body::kAlnum},
    {"pplx-", 20, Body::kAlnum},
    {"tgp_v1_", 16, Body::kWord},
    {"dapi", 32, Body::kAlnum},
    {"hvs.", 16, Body::kWord},
    {"shpat_", 16, Body::kAlnum},
    {"dop_v1_", 20, Body::kAlnum},
    {"lin_api_", 16, Body::kAlnum},
    {"glsa_", 16, Body::kWord},
    {"rpa_", 20, Body::kAlnum},
    {"tskey-", 16, Body::kWord},
    {"ATATT3", 20, Body::kWord},
    {"wandb_v1_", 16, Body::kWord},
    {"AGE-SECRET-KEY-1", 20, Body::kAlnum},
    {"eyJ", 16, Body::kDotted},
};

bool Belongs(Body body, char c) {
  switch (body) {
    case Body::kAlnum:
      return IsAlnum(c);
    case Body::kUpper:
      return IsUpper(c) || IsDigit(c);
    case Body::kWord:
      return IsAlnum(c) || c == '_' || c == '-';
    case Body::kDotted:
      return IsAlnum(c) || c == '_' || c == '-' || c == '.';
  }
  return false;
}

// Which characters begin a prefix.
constexpr std::array<bool, 256> kBegins = [] {
  std::array<bool, 256> table{};
  for (const Prefix& prefix : kPrefixes) {
    table[static_cast<unsigned char>(prefix.text[0])] = true;
  }
  return table;
}();

bool Fits(const Prefix& prefix, std::string_view body) {
  if (body.size() < prefix.least) return false;
  if (prefix.body == Body::kUpper) return body.size() == prefix.least;
  if (prefix.text == "eyJ") {  // a JSON web token has dots, base64 alone not
    const size_t dot = body.find('.');
    return dot != body.npos && dot >= 8 && body.size() - dot > 8;
  }
  return LooksRandom(body);
}

// The beginning of `text` that can belong to a token.
std::string_view Begin(Body body, std::string_view text) {
  const auto end = std::find_if(text.begin(), text.end(),
                                [body](char c) { return !Belongs(body, c); });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

std::string_view BodyAt(std::string_view rest) {
  for (const Prefix& prefix : kPrefixes) {
    if (!rest.starts_with(prefix.text)) continue;
    const std::string_view after = rest.substr(prefix.text.size());
    std::string_view body = Begin(prefix.body, after.substr(0, kDecisive));
    if (body.size() == kDecisive && Fits(prefix, body)) {
      return Begin(prefix.body, after);
    }
    // A cut in the middle of a longer name does not make a token.
    const char next = body.size() < after.size() ? after[body.size()] : '\0';
    if (prefix.body == Body::kAlnum && next == '_') continue;
    if (prefix.body == Body::kUpper && IsLower(next)) continue;
    while (body.ends_with('.') || body.ends_with('-')) body.remove_suffix(1);
    if (Fits(prefix, body)) return body;
  }
  return {};
}

bool IsNumber(std::string_view text) {
  return text.find_first_not_of("0123456789.,+-eE_%xX") == text.npos &&
         std::any_of(text.begin(), text.end(), IsDigit);
}

bool IsShellVariable(std::string_view value) {
  return value.front() == '$' && value.size() > 1 &&
         (value[1] == '{' || value[1] == '(' ||
          std::all_of(value.begin() + 1, value.end(),
                      [](char c) { return IsUpper(c) || c == '_'; }));
}

// None, <your token>, $TOKEN, ${{ secrets.X }}, ***: nothing to hide.
bool IsPlaceholder(std::string_view value) {
  if (value.empty() || value.find_first_not_of("*.-_") == value.npos ||
      (value.size() > 2 && value.find_first_not_of("xX") == value.npos)) {
    return true;
  }
  if (value.starts_with("[masked") || value.front() == '<' ||
      value.front() == '{' || IsShellVariable(value) ||
      (value.front() == '%' && value.back() == '%')) {
    return true;
  }
  for (const std::string_view word :
       {"none", "null", "nil", "true", "false", "undefined", "unset", "yes",
        "no", "redacted", "masked", "hidden", "empty"}) {
    if (EqualsIgnoringCase(value, word)) return true;
  }
  return false;
}

// /run/secrets/x, ~/.netrc, ./key.pem: base64 hardly ever looks so.
bool IsPath(std::string_view value) {
  if (value.starts_with("./") || value.starts_with("../") ||
      value.starts_with("~/")) {
    return true;
  }
  if (!value.starts_with('/')) return false;
  const size_t end = value.find('/', 1);
  if (end == value.npos || end < 3) return false;
  return std::all_of(value.begin() + 1, value.begin() + end, IsLower);
}

}  // namespace

std::string_view TokenIn(std::string_view word) {
  if (word.size() < kShortestToken) return {};
  for (size_t i = 0; i + kShortestToken <= word.size(); ++i) {
    if (!kBegins[static_cast<unsigned char>(word[i])]) continue;
    if (i > 0 && IsAlnum(word[i - 1])) continue;
    const std::string_view body = BodyAt(word.substr(i));
    if (!body.empty()) return body;
  }
  return {};
}

bool LooksRandom(std::string_view text) {
  size_t digits = 0;
  bool letter = false, mixed = false;
  for (size_t i = 0; i < text.size(); ++i) {
    digits += IsDigit(text[i]) ? 1 : 0;
    letter |= IsAlpha(text[i]);
    mixed |= i > 0 && IsUpper(text[i]) && IsLower(text[i - 1]);
  }
  if (mixed) return digits > 0 || text.size() >= 12;
  return letter && digits >= 3;
}

bool IsSecretValue(NameKind kind, std::string_view value) {
  if (kind == NameKind::kNone || IsPlaceholder(value)) return false;
  if (kind == NameKind::kStrong || kind == NameKind::kHeader) return true;
  if (IsPath(value)) return false;
  if (IsNumber(value) && (kind == NameKind::kWeak || value.size() < 6)) {
    return false;
  }
  if (kind == NameKind::kToken) return true;
  return value.size() >= 8 && LooksRandom(value);
}

}  // namespace inquest::secrets
