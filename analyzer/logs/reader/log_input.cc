// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_input.h"

#include <unistd.h>

#include "analyzer/logs/reader/log_stages.h"
#include "base/input_file.h"

namespace inquest::ingest {
namespace {

constexpr size_t kHead =
    8;  // enough bytes to recognize compression and encoding

std::string ReadHead(ByteStream* bytes) {
  std::string head(kHead, '\0');
  size_t have = 0;
  while (have < kHead) {
    const size_t got = bytes->Read(head.data() + have, kHead - have);
    if (got == 0) break;
    have += got;
  }
  head.resize(have);
  return head;
}

// Compressions that are recognized but not read.
const char* ForeignPacking(std::string_view head) {
  if (head.starts_with(std::string_view("\xFD"
                                        "7zXZ\0",
                                        6)))
    return "xz";
  if (head.starts_with("BZh")) return "bzip2";
  if (head.starts_with("PK\x03\x04")) return "zip";
  if (head.starts_with("7z\xBC\xAF\x27\x1C")) return "7z";
  return nullptr;
}

Stage WithoutMarks(Stage bytes) {
  std::string head = ReadHead(bytes.get());
  if (head.starts_with("\xEF\xBB\xBF")) {
    head.erase(0, 3);
  } else if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) {
    const bool big = head[0] == '\xFE';
    head.erase(0, 2);
    return FromUtf16(WithHead(std::move(head), std::move(bytes)), big);
  }
  return WithHead(std::move(head), std::move(bytes));
}

Expected<LogInput> Unpacked(const std::string& name, Stage raw,
                            const InputLimits& limits) {
  LogInput input;
  std::string head = ReadHead(raw.get());
  const std::string magic = head;
  Stage bytes = WithHead(std::move(head), std::move(raw));
  if (magic.starts_with("\x1F\x8B")) {
    input.packing = "gzip";
    bytes = Gunzip(std::move(bytes), limits.max_unpacked_bytes);
  } else if (magic.starts_with("\x28\xB5\x2F\xFD")) {
    input.packing = "zstd";
    bytes = Unzstd(std::move(bytes), limits.max_unpacked_bytes);
  } else if (const char* foreign = ForeignPacking(magic)) {
    return Unreadable(name + " is packed with " + foreign +
                      ", which inquest cannot read")
        .WithHint("unpack it first; gzip and zstd can be read directly");
  }
  input.bytes = WithoutMarks(std::move(bytes));
  return input;
}

}  // namespace

Expected<LogInput> OpenLog(const std::string& path, const InputLimits& limits) {
  if (path == "-") {
    return Unpacked(
        "standard input",
        FromDescriptor(STDIN_FILENO, false, limits.max_bytes, false), limits);
  }
  ASSIGN_OR_RETURN(InputFile opened,
                   InputFile::Open("the log", path, Links::kFollow));
  const struct stat info = opened.facts();
  const bool file = opened.is_regular();
  // Files of /proc report size 0 and are not empty.
  const bool sized =
      file && info.st_size > 0 && info.st_size <= limits.max_bytes;
  auto input =
      Unpacked(path,
               FromDescriptor(opened.Release(), true,
                              sized ? info.st_size : limits.max_bytes, sized),
               limits);
  if (input.ok() && file) {
    input->mtime_ns =
        info.st_mtim.tv_sec * int64_t{1'000'000'000} + info.st_mtim.tv_nsec;
  }
  return input;
}

Expected<LogInput> OpenText(const std::string& name, std::string_view text,
                            const InputLimits& limits) {
  return Unpacked(name, FromMemory(text), limits);
}

}  // namespace inquest::ingest
