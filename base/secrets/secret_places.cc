// SPDX-License-Identifier: Apache-2.0
// Variables, arguments and lines: what is known about a secret from its place.
#include <algorithm>
#include <string>

#include "base/secrets/secret_names.h"
#include "base/secrets/secret_values.h"
#include "base/secrets/secrets.h"
#include "base/text.h"

namespace inquest {
namespace {

using secrets::NameKind;

constexpr int kMaxKeyLines = 200;  // of a private key

bool IsNameCharacter(char c) {
  return IsAlpha(c) || IsDigit(c) || c == '_' || c == '-' || c == '.';
}

// "--api-key" of "--api-key X"; empty for another word.
std::string_view OptionName(std::string_view word) {
  if (word.size() < 3 || word[0] != '-' ||
      !std::all_of(word.begin(), word.end(), IsNameCharacter)) {
    return {};
  }
  return word;
}

std::string MaskArgument(std::string_view word) {
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  // A shell script has words after the value.
  const bool script = !word.starts_with('-') && word.find(' ') != word.npos;
  if (equals != word.npos && !script &&
      std::all_of(name.begin(), name.end(), IsNameCharacter)) {
    const std::string_view value = word.substr(equals + 1);
    return std::string(name) + "=" + MaskVariable(name, value);
  }
  return MaskSecrets(word);
}

bool IsCurl(std::string_view word) {
  return word == "curl" || word == "wget" || word.ends_with("/curl") ||
         word.ends_with("/wget");
}

}  // namespace

std::string MaskVariable(std::string_view name, std::string_view value) {
  const NameKind kind = secrets::KindOfName(name);
  if (kind != NameKind::kHeader && secrets::IsSecretValue(kind, value)) {
    return std::string(kMaskedSecret);
  }
  return MaskSecrets(value);
}

std::vector<std::string> MaskCommand(const std::vector<std::string>& words) {
  std::vector<std::string> masked;
  NameKind wanted = NameKind::kNone;
  bool user = false;  // the next word is user:password
  bool curl = false;
  for (const std::string& word : words) {
    const size_t colon = word.find(':');
    if (wanted != NameKind::kNone && !word.starts_with('-') &&
        secrets::IsSecretValue(wanted, word)) {
      masked.emplace_back(kMaskedSecret);
    } else if (user && colon != word.npos) {
      masked.push_back(word.substr(0, colon + 1).append(kMaskedSecret));
    } else {
      masked.push_back(MaskArgument(word));
    }
    wanted = secrets::KindOfName(OptionName(word));
    if (wanted == NameKind::kWeak) wanted = NameKind::kToken;
    curl |= IsCurl(word);
    user = curl && (word == "-u" || word == "--user" || word == "-U" ||
                    word == "--proxy-user");
  }
  return masked;
}

std::optional<std::string> SecretLines::Masked(std::string_view line) {
  if (key_lines_ > 0) {
    --key_lines_;
    if (line.find("-----END") == line.npos) {
      return std::string(kMaskedSecret);
    }
    key_lines_ = 0;
  }
  const size_t begin = line.find("-----BEGIN");
  if (begin != line.npos) {
    const size_t title = line.find("PRIVATE KEY-----", begin);
    if (title != line.npos && line.find("-----END", title) == line.npos) {
      key_lines_ = kMaxKeyLines;
    }
  }
  return FindAndMaskSecrets(line);
}

}  // namespace inquest
