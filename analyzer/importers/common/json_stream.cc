// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/json_stream.h"

#include <fmt/format.h>

#include "analyzer/importers/common/json_parser.h"
#include "analyzer/importers/common/mend_ahead.h"

namespace inquest::importers {

JsonEnd ReadJson(ingest::ByteStream* bytes, JsonHandler* handler) {
  MendAhead mender(bytes);
  JsonParser parser(&mender, handler);
  const JsonParser::End how = parser.Run();
  mender.Stop();
  JsonEnd end;
  end.mended = mender.mended();
  const ingest::ByteStream::Fault& fault = mender.fault();
  if (fault.truncated || fault.incomplete) {
    end.fault = Unreadable("the file ends early: " + fault.note);
  } else if (how == JsonParser::End::kEarly) {
    end.fault = Unreadable(
        fmt::format("the file ends early, after {} bytes", mender.offset()));
  } else if (how == JsonParser::End::kBroken) {
    end.fault =
        Unreadable(fmt::format("not JSON any more near byte {}, at '{}'",
                               mender.offset(), parser.unexpected()));
  }
  return end;
}

}  // namespace inquest::importers
