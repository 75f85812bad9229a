// SPDX-License-Identifier: Apache-2.0
#include "base/secrets/secrets.h"

#include <algorithm>
#include <array>

#include "base/secrets/secret_names.h"
#include "base/secrets/secret_values.h"
#include "base/text.h"

namespace inquest {
namespace {

using secrets::NameKind;

constexpr size_t kMaxAuthority = 256;  // of a URL
constexpr size_t kDecisive = 1024;     // so much of a value tells what it is
constexpr size_t kMaxTitle = 60;       // of a private key
constexpr std::string_view kKeyEnd = "PRIVATE KEY-----";

// What words consist of: names and tokens.
constexpr std::array<bool, 256> kWordCharacters = [] {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; ++c) {
    const char character = static_cast<char>(c);
    table[c] = IsAlpha(character) || IsDigit(character) || character == '_' ||
               character == '-' || character == '.';
  }
  return table;
}();

bool IsWord(char c) {
  return kWordCharacters[static_cast<unsigned char>(c)];
}
bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool IsQuote(char c) {
  return c == '"' || c == '\'' || c == '`';
}

// Goes once through a text from left to right. `masked_` is empty until the
// first secret.
class Masker {
 public:
  explicit Masker(std::string_view text) : text_(text) {}

  std::optional<std::string> Run() {
    while (at_ < text_.size()) {
      if (IsWord(text_[at_])) {
        ReadWord();
      } else if (text_[at_] == ':') {
        ReadUrl();
      } else {
        ++at_;
      }
    }
    if (!masked_) return {};
    masked_->append(text_.substr(kept_));
    return std::move(masked_);
  }

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  // Continues behind the masked part.
  void Mask(size_t begin, size_t end) {
    if (!masked_) masked_.emplace();
    masked_->append(text_.substr(kept_, begin - kept_)).append(kMaskedSecret);
    kept_ = at_ = end;
  }

  void ReadWord() {
    const size_t begin = at_;
    size_t end = begin;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    const std::string_view word = text_.substr(begin, end - begin);
    at_ = end;
    if (word.starts_with("-----BEGIN")) return ReadKey(end);
    const std::string_view token = secrets::TokenIn(word);
    if (!token.empty()) {
      const size_t from = static_cast<size_t>(token.data() - text_.data());
      Mask(from, from + token.size());
      at_ = std::max(at_, end);
      return;
    }
    ReadNamed(word, begin);
  }

  void ReadKey(size_t end) {
    const size_t title = text_.substr(end, kMaxTitle).find(kKeyEnd);
    if (title == text_.npos) return;
    const size_t begin = end + title + kKeyEnd.size();
    if (begin == text_.size()) return;
    Mask(begin, std::min(text_.find("-----END", begin), text_.size()));
  }

  // What follows `word` if it names a value.
  void ReadNamed(std::string_view word, size_t begin) {
    size_t i = at_;
    while (At(i) == '\\') ++i;
    const bool quoted = IsQuote(At(i));
    if (quoted) ++i;
    const size_t name_end = i;
    while (At(i) == ' ' && i - name_end < 8) ++i;
    const bool option = word.size() > 2 && word.front() == '-';
    const char c = At(i);
    const bool assigned = c == '=' || (c == ':' && At(i + 1) != '/');
    if (!assigned && (!option || i == name_end)) return ReadScheme(word, i);
    const NameKind kind = secrets::KindOfName(word);
    if (kind == NameKind::kNone) return ReadParameter(word, begin, i);
    if (!assigned) return ReadOption(kind, i);
    ++i;
    if (At(i) == '=') return;  // a comparison
    if (At(i) == '>') ++i;
    const size_t separator = i;
    while (At(i) == ' ' || At(i) == '\t') ++i;
    ReadValue(kind, i, c == ':' && i > separator && !quoted);
  }

  // Of a URL: ?sig=…
  void ReadParameter(std::string_view word, size_t begin, size_t equals) {
    const char before = begin > 0 ? text_[begin - 1] : '\0';
    if (At(equals) != '=' || (before != '?' && before != '&')) return;
    for (const std::string_view name : {"key", "code", "sig", "signature"}) {
      if (EqualsIgnoringCase(word, name)) {
        return ReadValue(NameKind::kWeak, equals + 1, false);
      }
    }
  }

  // "Bearer X", "wandb login X".
  void ReadScheme(std::string_view word, size_t i) {
    if (i == at_ || i >= text_.size()) return;
    const bool bearer = EqualsIgnoringCase(word, "bearer");
    if (!bearer && !EqualsIgnoringCase(word, "login")) return;
    const std::string_view value = text_.substr(i, Bare(i, kDecisive) - i);
    const bool random = secrets::IsSecretValue(NameKind::kWeak, value);
    if (random && (bearer || value.size() >= 40)) Mask(i, i + value.size());
  }

  // --password X: unless it is the word of a sentence or another option.
  void ReadOption(NameKind kind, size_t i) {
    if (At(i) == '-' || At(i) == '\0') return;
    const std::string_view word = text_.substr(i, Bare(i, kDecisive) - i);
    for (const std::string_view other :
         {"is",     "to",       "option", "or",    "and",       "for",
          "flag",   "argument", "must",   "was",   "has",       "if",
          "in",     "with",     "from",   "not",   "parameter", "instead",
          "the",    "a",        "as",     "on",    "when",      "via",
          "can",    "should",   "will",   "may",   "value",     "are",
          "cannot", "requires", "by",     "needs", "options",   "given"}) {
      if (word == other) return;
    }
    if (kind == NameKind::kWeak) kind = NameKind::kToken;
    ReadValue(kind, i, false);
  }

  // The value at `i`. `prose`: "token: expired" is possible.
  void ReadValue(NameKind kind, size_t i, bool prose) {
    if (kind == NameKind::kHeader) return ReadHeader(i);
    size_t begin = i;
    while (At(begin) == '\\') ++begin;
    if (IsQuote(At(begin))) {
      const size_t end = QuoteEnd(begin);
      ++begin;
      if (secrets::IsSecretValue(kind, text_.substr(begin, end - begin))) {
        Mask(begin, end);
      }
      return;
    }
    const auto end_of =
        kind == NameKind::kStrong ? &Masker::Unquoted : &Masker::Bare;
    size_t end = (this->*end_of)(i, kDecisive);
    const bool longer = end == i + kDecisive;
    while (end > i && std::string_view(",;)}]").find(text_[end - 1]) !=
                          std::string_view::npos) {
      --end;
    }
    const std::string_view value = text_.substr(i, end - i);
    const std::string_view rest = text_.substr(end);
    if (!secrets::IsSecretValue(kind, value) || secrets::IsCode(value, rest) ||
        (prose && secrets::IsProse(value, rest)) ||
        (prose && kind == NameKind::kWeak && secrets::IsIdentifier(value))) {
      return;
    }
    Mask(i, longer ? (this->*end_of)(i, text_.size()) : end);
  }

  // Authorization: SCHEME CREDENTIALS
  void ReadHeader(size_t i) {
    while (At(i) == '\\') ++i;
    if (IsQuote(At(i))) ++i;
    size_t end = Unquoted(i, text_.size());
    for (const std::string_view scheme :
         {"bearer", "basic", "token", "digest", "negotiate", "apikey", "ntlm",
          "key", "hawk", "oauth", "aws4-hmac-sha256"}) {
      if (At(end) != ' ' ||
          !EqualsIgnoringCase(text_.substr(i, end - i), scheme)) {
        continue;
      }
      i = end + 1;
      end = Unquoted(i, text_.size());
      break;
    }
    if (secrets::IsSecretValue(NameKind::kHeader, text_.substr(i, end - i))) {
      Mask(i, end);
    }
  }

  // ://user:password@host
  void ReadUrl() {
    ++at_;
    if (At(at_) != '/' || At(at_ + 1) != '/') return;
    const size_t begin = at_ + 2;
    const std::string_view rest = text_.substr(begin, kMaxAuthority);
    const size_t space = rest.find_first_of(" \t\n\r\"'`<>\\");
    const std::string_view whole = rest.substr(0, space);
    const std::string_view host = whole.substr(0, whole.find_first_of("/?#"));
    const size_t colon = host.find(':');
    size_t at = host.rfind('@');
    // A password with a slash in it; otherwise a port follows the colon.
    if (at == host.npos && colon != host.npos && !host.starts_with('[') &&
        !IsDigit(At(begin + colon + 1))) {
      at = whole.rfind('@');
    }
    at_ = begin;
    if (at == host.npos || at > whole.size()) return;
    const bool password = colon != host.npos && colon + 1 < at;
    const std::string_view user = whole.substr(0, std::min(colon, at));
    // https://TOKEN@host
    const bool random = user.size() >= 16 && secrets::LooksRandom(user);
    const size_t from = random ? begin : begin + colon + 1;
    if (!random && !password) return;
    if (text_.substr(from, begin + at - from) == kMaskedSecret) return;
    Mask(from, begin + at);
  }

  size_t QuoteEnd(size_t quote) const {
    const char wanted = text_[quote];
    size_t i = quote + 1;
    while (i < text_.size() && text_[i] != wanted && text_[i] != '\n') {
      i += text_[i] == '\\' && At(i + 1) != wanted ? 2 : 1;
    }
    i = std::min(i, text_.size());
    return i > quote + 1 && text_[i - 1] == '\\' ? i - 1 : i;
  }

  // The end of a value without quotes, after `most` characters at the latest.
  // Passwords contain nearly everything.
  size_t Unquoted(size_t i, size_t most) const {
    const size_t stop = most < text_.size() - i ? i + most : text_.size();
    while (i < stop && !IsSpace(text_[i]) && !IsQuote(text_[i]) &&
           text_[i] != '&') {
      ++i;
    }
    return i;
  }

  size_t Bare(size_t i, size_t most) const {
    const size_t stop = most < text_.size() - i ? i + most : text_.size();
    while (i < stop && (IsWord(text_[i]) ||
                        std::string_view("~+/=:%@!$*#^[{<").find(text_[i]) !=
                            std::string_view::npos)) {
      ++i;
    }
    return i;
  }

  std::string_view text_;
  size_t at_ = 0;    // read so far
  size_t kept_ = 0;  // text_ up to here is in masked_
  std::optional<std::string> masked_;
};

}  // namespace

std::optional<std::string> FindAndMaskSecrets(std::string_view text) {
  return Masker(text).Run();
}

}  // namespace inquest
