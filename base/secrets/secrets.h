// SPDX-License-Identifier: Apache-2.0
// Masks what looks like a credential in text that is to be stored or shown:
// environment variables, command lines, console output, lines of logs. Used by
// the collector inside other programs, by `inquest record` and by whatever
// keeps a log's lines. SECURITY.md says what is masked and what is not.
//
// What is masked: values of keys that name a secret (PASSWORD=, --api-key X,
// "client_secret": "…", Authorization: Bearer …), tokens with a known prefix
// (ghp_, hf_, AKIA, JSON web tokens …), passwords in URLs, blocks of private
// keys. It errs towards masking, but leaves what a diagnosis needs: max_tokens,
// tokenizer paths, hashes, addresses.
//
// Linear in the text, without locks or state, except SecretLines; allocates
// only if something is masked. A masked text stays as it is when masked again.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inquest {

inline constexpr std::string_view kMaskedSecret = "[masked]";

// One or several lines; nothing if there is nothing to mask.
std::optional<std::string> FindAndMaskSecrets(std::string_view text);

inline std::string MaskSecrets(std::string_view text) {
  auto masked = FindAndMaskSecrets(text);
  return masked ? *std::move(masked) : std::string(text);
}

// The value of an environment variable.
std::string MaskVariable(std::string_view name, std::string_view value);

// A program's arguments: the value may be a word of its own.
std::vector<std::string> MaskCommand(const std::vector<std::string>& words);

// Lines that come one by one: a private key has several.
class SecretLines {
 public:
  // `line` without its end.
  std::optional<std::string> Masked(std::string_view line);
  bool in_key() const { return key_lines_ > 0; }

 private:
  int key_lines_ = 0;  // until the key must have ended; 0: not in one
};

}  // namespace inquest
