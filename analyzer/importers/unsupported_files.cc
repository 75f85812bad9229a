// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/unsupported_files.h"

#include <fmt/format.h>

#include <string_view>

#include "analyzer/importers/kinds.h"
#include "base/input_file.h"
#include "base/shell_words.h"

namespace inquest::importers {
namespace {

using std::string_view_literals::operator""sv;

bool HasExtension(const FileStart& start, std::string_view extension) {
  return start.path.ends_with(extension) ||
         start.path.ends_with(std::string(extension) + ".gz") ||
         start.path.ends_with(std::string(extension) + ".zst");
}

bool IsBinary(const FileStart& start) {
  return start.bytes.find('\0') != std::string::npos;
}

bool BeginsWith(const FileStart& start, std::string_view magic) {
  return start.bytes.starts_with(magic);
}

// A field of two bytes of an ELF header, in the file's byte order.
unsigned ElfField(const FileStart& start, size_t at) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(start.bytes[i]));
  };
  const bool big_endian = byte(5) == 2;
  return big_endian ? byte(at) << 8 | byte(at + 1)
                    : byte(at + 1) << 8 | byte(at);
}

std::optional<UnsupportedFile> ElfFile(const FileStart& start) {
  constexpr size_t kHeader = 20;
  constexpr unsigned kCore = 4;
  constexpr unsigned kCuda = 190;
  if (!BeginsWith(start,
                  "\x7f"
                  "ELF") ||
      start.bytes.size() < kHeader) {
    return {};
  }
  const bool core = ElfField(start, 16) == kCore;
  const bool cuda = ElfField(start, 18) == kCuda;
  const std::string path = ShellQuoted(start.path);
  if (core && cuda) {
    return UnsupportedFile{
        "a core dump of a GPU",
        "cuda-gdb shows what its kernels were doing: cuda-gdb -batch "
        "-ex 'target cudacore " +
            start.path +
            "' -ex 'info cuda kernels'; give the log of the run here"};
  }
  if (core) {
    return UnsupportedFile{
        "a core dump",
        "gdb shows where it died: gdb -batch -ex 'thread apply "
        "all bt' PROGRAM " +
            path + "; give the log of the run here, or its output"};
  }
  return UnsupportedFile{"a program or library", "give the log of the run"};
}

// `name`.sqlite, beside the report.
std::string Exported(const std::string& path) {
  return path.substr(0, path.rfind('.')) + ".sqlite";
}

std::optional<UnsupportedFile> NsightReport(const FileStart& start) {
  const std::string path = ShellQuoted(start.path);
  const std::string to = ShellQuoted(Exported(start.path));
  for (const std::string_view extension : {".nsys-rep", ".qdrep"}) {
    if (!start.path.ends_with(extension)) continue;
    return UnsupportedFile{
        "a report of Nsight Systems, which only its own tools can read",
        fmt::format("export it, on any machine with these tools: nsys "
                    "export --type sqlite --output {1} {0}; then "
                    "give {1}",
                    path, to)};
  }
  if (start.path.ends_with(".qdstrm")) {
    return UnsupportedFile{
        "a raw recording of Nsight Systems",
        fmt::format("make a report of it with nsys's importer "
                    "(QdstrmImporter -i {}), and export that: nsys export "
                    "--type sqlite "
                    "REPORT.nsys-rep",
                    path)};
  }
  if (BeginsWith(start, "NVR\0"sv) || start.path.ends_with(".ncu-rep")) {
    return UnsupportedFile{
        "a report of Nsight Compute",
        "it measures single kernels and says nothing about memory or "
        "how a run ended; give the log of the run, or record "
        "it: inquest record -- COMMAND"};
  }
  return {};
}

// The header's length, then the header: JSON keyed by tensor name.
bool IsSafetensors(const FileStart& start) {
  constexpr size_t kLength = 8;
  constexpr uint64_t kMaxHeader = 100'000'000;  // the library's own limit
  if (start.bytes.size() < kLength + 2) return false;
  uint64_t length = 0;
  for (size_t i = kLength; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(start.bytes[i]);
  }
  return length >= 2 && length <= kMaxHeader &&
         start.bytes.compare(kLength, 2, "{\"") == 0;
}

// torch.save writes a zip archive with one of these pickles first; before 1.6 a
// pickle that begins with a magic number.
bool IsTorchArchive(const FileStart& start) {
  constexpr std::string_view kBefore16 =
      "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
  const bool zip = BeginsWith(start, "PK\x03\x04");
  return BeginsWith(start, kBefore16) ||
         (zip && (start.bytes.find("/data.pkl") != std::string::npos ||
                  start.bytes.find("/constants.pkl") != std::string::npos));
}

std::optional<UnsupportedFile> Checkpoint(const FileStart& start) {
  constexpr const char* kHelp =
      "the results of a run do not show why it died; give its log, a trace, "
      "or a memory snapshot (torch.cuda.memory._dump_snapshot)";
  if (IsTorchArchive(start))
    return UnsupportedFile{"a checkpoint of PyTorch", kHelp};
  if (IsSafetensors(start))
    return UnsupportedFile{"a checkpoint (safetensors)", kHelp};
  if (BeginsWith(start, "\x89HDF\r\n\x1a\n")) {
    return UnsupportedFile{"an HDF5 file, such as weights", kHelp};
  }
  if (BeginsWith(start, "GGUF") && IsBinary(start))
    return UnsupportedFile{"a model (GGUF)", kHelp};
  if (BeginsWith(start, "\x93NUMPY"))
    return UnsupportedFile{"an array of NumPy", kHelp};
  for (const std::string_view extension :
       {".pt", ".pth", ".ckpt", ".safetensors"}) {
    if (HasExtension(start, extension) && IsBinary(start)) {
      return UnsupportedFile{"a checkpoint, judging by its name", kHelp};
    }
  }
  return {};
}

// A zip archive cannot be opened as a log, but its first bytes identify it.
FileStart RawStartOf(const std::string& path) {
  return {path, ReadStart(path, kStartBytes)};
}

}  // namespace

std::optional<UnsupportedFile> Recognize(const FileStart& start) {
  for (const auto& look : {NsightReport, ElfFile, Checkpoint}) {
    if (auto found = look(start)) return found;
  }
  return {};
}

Status RejectUnsupported(const std::string& path) {
  FileStart start = StartOf(path);
  if (start.bytes.empty()) start = RawStartOf(path);
  const auto file = Recognize(start);
  if (!file) return Status::Ok();
  return Unreadable(fmt::format("'{}' is {}", path, file->what))
      .WithHint(file->help);
}

}  // namespace inquest::importers
