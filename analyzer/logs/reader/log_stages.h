// SPDX-License-Identifier: Apache-2.0
// The stages that log_input.h chains. Internal to the log reader.
#pragma once

#include "analyzer/logs/reader/log_input.h"

namespace inquest::ingest {

using Stage = std::unique_ptr<ByteStream>;

// Reads a descriptor and closes it. At most `most` bytes; more is a limit hit,
// unless `grew`: then `most` was the file's size when it was opened.
Stage FromDescriptor(int fd, bool close_it, int64_t most, bool grew);
Stage FromMemory(std::string_view text);
// Returns bytes that were read ahead, then the rest.
Stage WithHead(std::string head, Stage rest);
Stage Gunzip(Stage packed, int64_t most);
Stage Unzstd(Stage packed, int64_t most);
Stage FromUtf16(Stage text, bool big_endian);

}  // namespace inquest::ingest
