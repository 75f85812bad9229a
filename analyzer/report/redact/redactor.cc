// SPDX-License-Identifier: Apache-2.0
// The steps of a redaction, and everything but names and paths. The order
// matters: what a later pattern would see as several things goes first.
#include "analyzer/report/redact/redactor.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "analyzer/report/redact/replace.h"
#include "base/secrets/secrets.h"
#include "base/text.h"

namespace inquest::report {
namespace {

using re2::RE2;

// Public documentation that messages point to.
constexpr std::array<std::string_view, 9> kPublic = {
    "docs.nvidia.com",  "developer.nvidia.com", "pytorch.org",
    "docs.pytorch.org", "download.pytorch.org", "www.tensorflow.org",
    "docs.python.org",  "docs.jax.dev",         "docs.vllm.ai"};

bool IsIpv4(const std::string& text) {
  in_addr parsed;
  return inet_pton(AF_INET, text.c_str(), &parsed) == 1;
}

bool IsIpv6(const std::string& text) {
  in6_addr parsed;
  return inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

// Everybody's own.
bool IsOfEveryHost(std::string_view ip) {
  return ip == "127.0.0.1" || ip == "0.0.0.0" || ip == "::1" || ip == "::";
}

// Whether the word before four numbers with dots says that they are a version.
bool FollowsVersionWord(std::string_view left) {
  const size_t end = left.find_last_not_of(" \t:=\"'(v");
  if (end == left.npos) return false;
  const bool pinned = left.ends_with("==");
  const size_t blank = left.find_last_of(" \t,;(", end);
  const std::string word =
      ToLower(left.substr(blank == left.npos ? 0 : blank + 1, end - blank));
  constexpr std::array<std::string_view, 10> kWords = {
      "version", "ersion", "cudnn", "cuda",    "release",
      "driver",  "nccl",   "build", "runtime", "cublas"};
  return pinned || word.find(".so") != word.npos ||
         std::ranges::any_of(
             kWords, [&](std::string_view one) { return word.ends_with(one); });
}

}  // namespace

Redactor::Redactor() = default;
Redactor::~Redactor() = default;

std::string Redactor::TokenFor(Kind kind, std::string_view name) {
  constexpr std::array<const char*, 8> kTokens = {
      "HOST", "USER", "DIR", "IP", "MAC", "UUID", "MAIL", "SERIAL"};
  std::string& token = tokens_[{kind, std::string(name)}];
  if (token.empty()) {
    token = fmt::format("{}-{}", kTokens[static_cast<size_t>(kind)],
                        ++counts_[kind]);
  }
  return token;
}

void Redactor::LearnVersion(std::string_view version) {
  versions_.emplace(version);
}

void Redactor::ReplaceUrls(std::string* text) {
  static const RE2 url(
      R"(\b([A-Za-z][A-Za-z0-9+.-]*)://((?:[^\s/"'<>@]*@)?)([^\s/"'<>:\])},;]+)([^\s"'<>\])}]*))");
  ReplaceAll(
      url,
      [&](const Match& match) -> std::optional<std::string> {
        const std::string host = ToLower(match.groups[2]);
        if (std::ranges::find(kPublic, host) != kPublic.end()) return {};
        if (match.groups[0] == "file") return {};
        const std::string_view rest = match.groups[3];
        const size_t slash = rest.find('/');
        std::string shown(match.groups[0]);
        shown += "://";
        shown += IsIpv4(host) ? TokenFor(Kind::kIp, host)
                 : host.starts_with("host-") || host.starts_with("ip-") ||
                         host == "localhost"
                     ? std::string(match.groups[2])
                     : HostToken(host);
        shown += rest.substr(0, slash);
        return shown + (slash == rest.npos ? "" : "/…");
      },
      text);
}

void Redactor::ReplaceIdentifiers(std::string* text) {
  static const RE2 mail(R"([A-Za-z0-9][\w.+-]*@[\w-]+(?:\.[\w-]+)+)");
  static const RE2 at(R"(\b([A-Za-z_][\w.-]*)@([A-Za-z][\w-]*\w))");
  static const RE2 uuid(
      R"([0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12})");
  static const RE2 mac(R"((?:[0-9A-Fa-f]{2}[:]){5}[0-9A-Fa-f]{2})");
  static const RE2 serial(
      R"((?i)\b(serial(?: ?(?:number|no\.?))?["']?\s*[=:]\s*["']?)([A-Z0-9]{6,}))");
  ReplaceAll(
      mail,
      [&](const Match& m) -> std::optional<std::string> {
        const bool symbol = m.whole.find("GLIBC") != m.whole.npos ||
                            m.whole.find("CXXABI") != m.whole.npos;
        if (symbol) return {};
        return TokenFor(Kind::kMail, ToLower(m.whole));
      },
      text);
  ReplaceAll(
      at,
      [&](const Match& m) -> std::optional<std::string> {
        if (!names_.contains(ToLower(m.groups[1]))) return {};
        const std::string user = ToLower(m.groups[0]);
        return TokenFor(Kind::kUser, user) + "@" + HostToken(m.groups[1]);
      },
      text);
  ReplaceAll(
      uuid,
      [&](const Match& m) -> std::optional<std::string> {
        if (IsWordPart(m.before) || IsWordPart(m.after)) return {};
        return TokenFor(Kind::kUuid, ToLower(m.whole));
      },
      text);
  ReplaceAll(
      mac,
      [&](const Match& m) -> std::optional<std::string> {
        if (IsWordPart(m.before) || IsWordPart(m.after) || m.after == ':') {
          return {};
        }
        return TokenFor(Kind::kMac, ToLower(m.whole));
      },
      text);
  ReplaceAll(
      serial,
      [&](const Match& m) -> std::optional<std::string> {
        if (m.groups[1] == "SERIAL") return {};  // a token
        return std::string(m.groups[0]) + TokenFor(Kind::kSerial, m.groups[1]);
      },
      text);
}

void Redactor::ReplaceAddresses(std::string* text, bool versions) {
  static const RE2 v6(
      R"([0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}(?:\.\d{1,3}){0,3})");
  static const RE2 v4(R"(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})");
  ReplaceAll(
      v6,
      [&](const Match& m) -> std::optional<std::string> {
        const std::string ip(m.whole);
        const bool inside = IsWordPart(m.before) || IsWordPart(m.after);
        if (inside || ip.size() < 4 || IsOfEveryHost(ip) || !IsIpv6(ip)) {
          return {};
        }
        return TokenFor(Kind::kIp, ToLower(ip));
      },
      text);
  if (versions) return;
  ReplaceAll(
      v4,
      [&](const Match& m) -> std::optional<std::string> {
        const std::string ip(m.whole);
        const bool version =
            m.before == '.' || IsWordPart(m.before) || IsWordPart(m.after) ||
            FollowsVersionWord(m.left) || versions_.contains(ip);
        if (version || IsOfEveryHost(ip) || !IsIpv4(ip)) return {};
        return TokenFor(Kind::kIp, ip);
      },
      text);
}

// Names with a domain that sites use; a dot alone is in names of modules, too.
void Redactor::ReplaceDomains(std::string* text) {
  static const RE2 domain(
      R"((?i)[a-z0-9][a-z0-9-]*(?:\.[a-z0-9][a-z0-9-]*)*\.(?:com|org|net|edu|gov|mil|internal|intra|corp|lan|local|cluster|svc|hpc|cloud|ac\.[a-z]{2}|co\.[a-z]{2}|de|fr|uk|ch|jp|cn|eu|ca))");
  ReplaceAll(
      domain,
      [&](const Match& m) -> std::optional<std::string> {
        const bool inside = IsWordPart(m.before) || IsWordPart(m.after) ||
                            m.before == '.' || m.before == '_' ||
                            m.after == '_' || m.after == '(' || m.after == '=';
        const std::string name = ToLower(m.whole);
        const bool known = std::ranges::find(kPublic, name) != kPublic.end();
        const bool code = name.find("threading.local") != name.npos ||
                          name.starts_with("host-") || name == "self.local";
        // "step.de" of a sentence has no digit and one dot.
        const bool host = std::ranges::count(name, '.') > 1 ||
                          name.ends_with(".com") || name.ends_with(".org") ||
                          name.ends_with(".edu") || name.ends_with(".gov") ||
                          name.ends_with(".internal") ||
                          name.ends_with(".corp") || name.ends_with(".lan");
        if (inside || known || code || !host) return {};
        return HostToken(name);
      },
      text);
}

std::string Redactor::RedactedText(std::string_view text, bool versions) {
  std::string redacted = MaskSecrets(WithoutColours(text));
  ReplaceUrls(&redacted);
  ReplaceIdentifiers(&redacted);
  ReplaceAddresses(&redacted, versions);
  ReplacePaths(&redacted);
  ReplaceDomains(&redacted);
  ReplaceNames(&redacted);
  return redacted;
}

std::string Redactor::Redacted(std::string_view text) {
  return RedactedText(text, false);
}

std::string Redactor::RedactedVersion(std::string_view text) {
  return RedactedText(text, true);
}

}  // namespace inquest::report
