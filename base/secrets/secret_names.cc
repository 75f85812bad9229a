// SPDX-License-Identifier: Apache-2.0
#include "base/secrets/secret_names.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/text.h"

namespace inquest::secrets {
namespace {

constexpr size_t kMaxParts = 16;
constexpr size_t kMaxName = 128;

// What a name consists of, in lower case: "hf", "token" for hfToken, HF_TOKEN.
class Parts {
 public:
  explicit Parts(std::string_view name) {
    size_t begin = 0;
    for (size_t i = 0; i <= name.size(); ++i) {
      const bool end = i == name.size() || !(IsAlpha(name[i]));
      const bool hump = !end && i > begin && IsUpper(name[i]) &&
                        (IsLower(name[i - 1]) ||
                         (IsUpper(name[i - 1]) && i + 1 < name.size() &&
                          IsLower(name[i + 1])));
      if (!end && !hump) continue;
      Add(name.substr(begin, i - begin));
      begin = end ? i + 1 : i;
    }
  }

  size_t size() const { return size_; }
  std::string_view operator[](size_t i) const {
    return {text_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }
  std::string_view last() const { return (*this)[size_ - 1]; }
  // The word before the last one; empty if there is none.
  std::string_view before() const {
    return size_ > 1 ? (*this)[size_ - 2] : std::string_view();
  }
  bool Has(std::string_view root) const {
    for (size_t i = 0; i < size_; ++i) {
      if ((*this)[i].find(root) != std::string_view::npos) return true;
    }
    return false;
  }

 private:
  void Add(std::string_view part) {
    if (part.empty() || size_ == kMaxParts) return;
    for (const char c : part) text_[used_++] = ToLower(c);
    begin_[++size_] = used_;
  }

  std::array<char, kMaxName> text_;
  std::array<size_t, kMaxParts + 1> begin_{};
  size_t used_ = 0;
  size_t size_ = 0;
};

bool IsOneOf(std::string_view word,
             std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// password_file, token_count, client_secret.json: about a secret, not secret.
bool IsAboutOne(std::string_view last) {
  return IsOneOf(
      last,
      {"file",       "files",    "path",     "paths",    "dir",      "store",
       "length",     "len",      "size",     "count",    "limit",    "name",
       "names",      "field",    "env",      "var",      "variable", "type",
       "types",      "policy",   "min",      "max",      "expiry",   "expires",
       "expiration", "ttl",      "url",      "uri",      "prompt",   "manager",
       "version",    "required", "enabled",  "provider", "helper",   "cmd",
       "command",    "stdin",    "attempts", "json",     "yaml",     "yml",
       "txt",        "py",       "toml",     "cc",       "h",        "cpp",
       "so",         "go",       "rs",       "js",       "sh",       "crt",
       "pem",        "ref",      "arn",      "mount",    "mode",     "index",
       "error",      "errors",   "exception"});
}

// Parts of a model or its data: pad_token, image_token. Credentials are named
// after their issuer or their purpose.
bool IsOfAModel(std::string_view word) {
  return IsOneOf(
      word, {"pad",      "eos",     "bos",    "unk",    "mask",    "cls",
             "sep",      "next",    "start",  "end",    "special", "image",
             "video",    "audio",   "speech", "stop",   "prev",    "previous",
             "first",    "last",    "per",    "each",   "added",   "prompt",
             "decoder",  "prefix",  "suffix", "middle", "system",  "text",
             "sos",      "eot",     "eom",    "vision", "object",  "point",
             "patch",    "num",     "max",    "min",    "avg",     "total",
             "new",      "current", "blank",  "class",  "padding", "target",
             "source",   "draft",   "input",  "output", "token",   "think",
             "thinking", "tool",    "turn",   "role",   "box",     "distill",
             "t",        "n"});
}

// api_key, AWSAccessKeyId, private-key: which keys are secret.
bool IsSecretKey(const Parts& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (IsOneOf(parts[i], {"apikey", "accesskey", "privatekey", "secretkey",
                           "authkey", "accountkey"})) {
      return true;
    }
    if (i == 0 || !IsOneOf(parts[i], {"key", "keys"})) continue;
    if (IsOneOf(parts[i - 1],
                {"api", "access", "private", "secret", "auth", "account",
                 "encryption", "signing", "shared", "master", "ssh", "license",
                 "subscription", "app", "application", "service"})) {
      return true;
    }
  }
  return false;
}

bool IsUpperCase(std::string_view name) {
  return std::none_of(name.begin(), name.end(), IsLower);
}

NameKind KindOfToken(std::string_view name, const Parts& parts) {
  const std::string_view before = parts.before();
  if (before.empty())
    return IsUpperCase(name) ? NameKind::kToken : NameKind::kWeak;
  return IsOfAModel(before) ? NameKind::kNone : NameKind::kToken;
}

NameKind KindOfPass(const Parts& parts) {
  const bool computation =
      IsOneOf(parts.before(),
              {"forward", "backward", "num", "first", "second", "one", "two",
               "single", "multi", "per", "render", "compiler", "fusion"});
  return computation ? NameKind::kNone : NameKind::kWeak;
}

}  // namespace

NameKind KindOfName(std::string_view name) {
  if (name.size() < 3) return NameKind::kNone;
  if (name.size() > kMaxName) name.remove_prefix(name.size() - kMaxName);
  const Parts parts(name);
  if (parts.size() == 0) return NameKind::kNone;
  const std::string_view last = parts.last();
  if (IsAboutOne(last) || last.ends_with("manager")) return NameKind::kNone;
  if (last == "authorization") return NameKind::kHeader;
  for (const std::string_view root :
       {"password", "passwd", "passphrase", "secret"}) {
    if (parts.Has(root)) return NameKind::kStrong;
  }
  // Files have such names, too, so the value decides.
  if (parts.Has("credential") || IsSecretKey(parts)) return NameKind::kToken;
  if (last == "pwd" && parts.size() > 1 && !parts.before().ends_with("old")) {
    return NameKind::kToken;
  }
  if (last == "token" || last == "authtoken" || last == "jwt") {
    return KindOfToken(name, parts);
  }
  if (last == "pass") return KindOfPass(parts);
  if (last == "signature" && parts.before() == "amz") return NameKind::kToken;
  if (IsOneOf(last, {"auth", "cookie", "pat"})) return NameKind::kWeak;
  return NameKind::kNone;
}

}  // namespace inquest::secrets
