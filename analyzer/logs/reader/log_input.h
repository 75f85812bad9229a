// SPDX-License-Identifier: Apache-2.0
// The bytes of a log, decompressed: from files, standard input or memory; gzip
// and zstd are recognized by their first bytes; UTF-16 with a byte order mark
// becomes UTF-8. Uses read(), so a file may grow or shrink meanwhile. Used by
// the log reader and the importers; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace inquest::ingest {

// A stage: bytes in, bytes out. Faulty data is not an error of the program: it
// ends the stream and is described by `fault`.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Fills `buffer` with up to `size` > 0 bytes; 0: the end.
  virtual size_t Read(char* buffer, size_t size) = 0;

  struct Fault {
    bool truncated = false;   // ended in the middle of compressed data
    bool incomplete = false;  // a limit or an error stopped the reading
    std::string note;
  };
  const Fault& fault() const { return fault_; }

 protected:
  Fault fault_;
};

struct LogInput {
  std::unique_ptr<ByteStream> bytes;  // decompressed; UTF-8 if valid
  std::string packing = "none";
  int64_t mtime_ns = 0;  // 0: unknown
};

struct InputLimits {
  int64_t max_bytes = 0;
  int64_t max_unpacked_bytes = 0;
};

// "-" is standard input. If the path is not a readable file, the error says
// what it is.
Expected<LogInput> OpenLog(const std::string& path, const InputLimits& limits);
// `text` must outlive the result.
Expected<LogInput> OpenText(const std::string& name, std::string_view text,
                            const InputLimits& limits);

}  // namespace inquest::ingest
