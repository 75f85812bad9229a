// SPDX-License-Identifier: Apache-2.0
// Which names say that their value is a secret. Names may be written in any
// way: HF_TOKEN, --api-key, clientSecret, spring.datasource.password.
#pragma once

#include <cstdint>
#include <string_view>

namespace inquest::secrets {

enum class NameKind : uint8_t {
  kNone,
  kWeak,    // token, auth: often something else, the value decides
  kToken,   // HF_TOKEN, access-token: secret unless a number or a file's name
  kStrong,  // password, client_secret
  kHeader,  // Authorization: a word for the scheme comes first
};

NameKind KindOfName(std::string_view name);

}  // namespace inquest::secrets
