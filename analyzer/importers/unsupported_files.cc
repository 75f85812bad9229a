#include "analyzer/importers/unsupported_files.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "analyzer/importers/kinds.h"

namespace inquest::importers {
namespace {

using std::string_view_literals::operator""sv;

std::string Quoted(std::string_view path) {
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

bool IsCalled(const FileStart& start, std::string_view ending) {
  return start.path.ends_with(ending) ||
         start.path.ends_with(std::string(ending) + ".gz") ||
         start.path.ends_with(std::string(ending) + ".zst");
}

bool IsBinary(const FileStart& start) {
  return start.bytes.find('\0') != std::string::npos;
}

bool BeginsWith(const FileStart& start, std::string_view mark) {
  return start.bytes.starts_with(mark);
}

// Two bytes of an ELF header, in the file's own order.
unsigned ElfField(const FileStart& start, size_t at) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(start.bytes[i]));
  };
  const bool big_endian = byte(5) == 2;
  return big_endian ? byte(at) << 8 | byte(at + 1)
                    : byte(at + 1) << 8 | byte(at);
}

std::optional<Stranger> ElfFile(const FileStart& start) {
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
  const std::string path = Quoted(start.path);
  if (core && cuda) {
    return Stranger{
        "a core dump of a GPU",
        "cuda-gdb shows where its kernels stood: cuda-gdb -batch "
        "-ex 'target cudacore " +
            start.path +
            "' -ex 'info cuda kernels'; give the log of the run here"};
  }
  if (core) {
    return Stranger{"a core dump",
                    "gdb shows where it died: gdb -batch -ex 'thread apply "
                    "all bt' PROGRAM " +
                        path + "; give the log of the run here, or its output"};
  }
  return Stranger{"a program or library", "give the log of the run"};
}

// `name`.sqlite, beside the report.
std::string Exported(const std::string& path) {
  return path.substr(0, path.rfind('.')) + ".sqlite";
}

std::optional<Stranger> NsightReport(const FileStart& start) {
  const std::string path = Quoted(start.path);
  const std::string to = Quoted(Exported(start.path));
  for (const std::string_view ending : {".nsys-rep", ".qdrep"}) {
    if (!start.path.ends_with(ending)) continue;
    return Stranger{"a report of Nsight Systems, which only its own tools read",
                    fmt::format("export it, on any machine that has them: nsys "
                                "export --type sqlite --output {1} {0}; then "
                                "give {1}",
                                path, to)};
  }
  if (start.path.ends_with(".qdstrm")) {
    return Stranger{"a raw recording of Nsight Systems",
                    fmt::format("make a report of it, with the QdstrmImporter "
                                "that nsys comes with (QdstrmImporter -i {}), "
                                "and export that: nsys export --type sqlite "
                                "REPORT.nsys-rep",
                                path)};
  }
  if (BeginsWith(start, "NVR\0"sv) || start.path.ends_with(".ncu-rep")) {
    return Stranger{"a report of Nsight Compute",
                    "it measures single kernels and tells nothing of memory or "
                    "of how a run ended; give the log of the run, or record "
                    "it: inquest record -- COMMAND"};
  }
  return {};
}

// A length, then JSON whose keys are tensors' names.
bool IsSafetensors(const FileStart& start) {
  constexpr size_t kLength = 8;
  constexpr uint64_t kMost = 100'000'000;  // as the library has it
  if (start.bytes.size() < kLength + 2) return false;
  uint64_t length = 0;
  for (size_t i = kLength; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(start.bytes[i]);
  }
  return length >= 2 && length <= kMost &&
         start.bytes.compare(kLength, 2, "{\"") == 0;
}

// torch.save: a zip archive with a pickle of this name in front, before 1.6 a
// pickle that begins with a number of its own.
bool IsTorchArchive(const FileStart& start) {
  constexpr std::string_view kLegacy =
      "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
  const bool zip = BeginsWith(start, "PK\x03\x04");
  return BeginsWith(start, kLegacy) ||
         (zip && (start.bytes.find("/data.pkl") != std::string::npos ||
                  start.bytes.find("/constants.pkl") != std::string::npos));
}

std::optional<Stranger> Checkpoint(const FileStart& start) {
  constexpr const char* kHelp =
      "what a run computed does not tell why it died; give its log, a trace, "
      "or a memory snapshot (torch.cuda.memory._dump_snapshot)";
  if (IsTorchArchive(start)) return Stranger{"a checkpoint of PyTorch", kHelp};
  if (IsSafetensors(start))
    return Stranger{"a checkpoint (safetensors)", kHelp};
  if (BeginsWith(start, "\x89HDF\r\n\x1a\n")) {
    return Stranger{"an HDF5 file, as of weights", kHelp};
  }
  if (BeginsWith(start, "GGUF") && IsBinary(start))
    return Stranger{"a model (GGUF)", kHelp};
  if (BeginsWith(start, "\x93NUMPY"))
    return Stranger{"an array of NumPy", kHelp};
  for (const std::string_view ending :
       {".pt", ".pth", ".ckpt", ".safetensors"}) {
    if (IsCalled(start, ending) && IsBinary(start)) {
      return Stranger{"a checkpoint, by its name", kHelp};
    }
  }
  return {};
}

// A zip archive cannot be opened as a log; what it begins with tells all the
// same.
FileStart RawStartOf(const std::string& path) {
  FileStart start{path, std::string(kStartBytes, '\0')};
  std::ifstream file(path, std::ios::binary);
  file.read(start.bytes.data(), static_cast<std::streamsize>(kStartBytes));
  start.bytes.resize(static_cast<size_t>(file.gcount()));
  return start;
}

}  // namespace

std::optional<Stranger> StrangerOf(const FileStart& start) {
  for (const auto& look : {NsightReport, ElfFile, Checkpoint}) {
    if (auto found = look(start)) return found;
  }
  return {};
}

Status RefuseStranger(const std::string& path) {
  FileStart start = StartOf(path);
  if (start.bytes.empty()) start = RawStartOf(path);
  const auto stranger = StrangerOf(start);
  if (!stranger) return Status::Ok();
  return Unreadable(fmt::format("'{}' is {}", path, stranger->what))
      .WithHint(stranger->help);
}

}  // namespace inquest::importers
