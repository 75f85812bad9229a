// SPDX-License-Identifier: Apache-2.0
// Replaces what tells who ran something, where and on what, so that a report
// can be passed on: hosts, users, folders, network and mail addresses, UUIDs,
// serial numbers; credentials are masked (base/secrets). The same name gets the
// same token everywhere: "node7" is HOST-1 in each line, "/home/ann/x/train.py"
// is DIR-1/train.py. Tokens are numbered in the order in which names come.
// docs/redaction.md says what is replaced and what is not.
//
// Names are learned where their surroundings tell what they are ("hostname:
// node7", "/home/ann") and then replaced wherever they stand as words. So
// everything is shown to Learn before the first Redacted. A redacted text stays
// as it is when redacted again. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace inquest::report {

class Redactor {
 public:
  Redactor();
  ~Redactor();
  Redactor(const Redactor&) = delete;
  Redactor& operator=(const Redactor&) = delete;

  // Finds the names in a text, by their surroundings.
  void Learn(std::string_view coloured);
  // A name that a fact states.
  void LearnHost(std::string_view name);
  void LearnUser(std::string_view name);
  // Four numbers with dots that are a version, not an address.
  void LearnVersion(std::string_view version);

  std::string Redacted(std::string_view text);
  // A path and nothing else, also a relative one.
  std::string RedactedPath(std::string_view path);
  // The same of what is known to name a version.
  std::string RedactedVersion(std::string_view text);

 private:
  enum class Kind : uint8_t {
    kHost,
    kUser,
    kDir,
    kIp,
    kMac,
    kUuid,
    kMail,
    kSerial
  };

  std::string TokenFor(Kind kind, std::string_view name);
  std::string RedactedText(std::string_view text, bool versions);
  // The steps, in this order.
  void ReplaceUrls(std::string* text);
  void ReplaceIdentifiers(std::string* text);
  void ReplaceAddresses(std::string* text, bool versions);
  void ReplacePaths(std::string* text);
  void ReplaceDomains(std::string* text);
  void ReplaceNames(std::string* text);
  std::string HostToken(std::string_view host);
  std::string PathToken(std::string_view path);

  std::map<std::pair<Kind, std::string>, std::string> tokens_;
  std::map<Kind, int> counts_;
  std::map<std::string, Kind> names_;  // learned, in lower case
  std::set<std::string, std::less<>> versions_;
  std::unique_ptr<re2::RE2> any_name_;  // null: to be made
};

}  // namespace inquest::report
