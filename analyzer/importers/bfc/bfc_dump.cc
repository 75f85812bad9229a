// SPDX-License-Identifier: Apache-2.0
// Recognizes and reads memory dumps of TensorFlow's BFC allocator.
#include "analyzer/importers/bfc/bfc_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <unordered_map>

#include "analyzer/importers/kinds.h"
#include "analyzer/importers/torch_snapshot/torch_snapshot.h"
#include "base/text.h"

namespace inquest::importers {
namespace {

using Reader = protozero::pbf_reader;
using Wire = ProtoStream::Wire;

constexpr size_t kMaxRecords = 8u << 20;
constexpr size_t kMaxAllocatorName = 256;

enum : uint32_t {
  kName = 1,
  kBin = 2,
  kChunk = 3,
  kSnapShot = 4,
  kStatistics = 5,
};

int64_t SignedOf(Reader& field) {
  return static_cast<int64_t>(VarintOf(field));
}

class BfcBuilder {
 public:
  explicit BfcBuilder(BfcDump* dump) : dump_(dump) {}

  void Take(const ProtoStream& stream) {
    const std::string_view data = stream.data();
    switch (stream.field()) {
      case kName:
        dump_->allocator = data.substr(0, kMaxAllocatorName);
        break;
      case kBin:
        Whole(EachField(data, [&](Reader& field) { BinField(field); }));
        dump_->bins.push_back(std::exchange(bin_, {}));
        break;
      case kChunk:
        chunk_ = {};
        if (Whole(EachField(data, [&](Reader& field) { ChunkField(field); }))) {
          Keep();
        }
        break;
      case kSnapShot:
        point_ = {};
        Whole(EachField(data, [&](Reader& field) {
          const uint32_t tag = field.tag();
          const uint64_t value = VarintOf(field);
          if (tag == 1) point_.first = value;
          if (tag == 2) point_.second = static_cast<int64_t>(value);
        }));
        dump_->history.push_back(point_);
        break;
      case kStatistics:
        dump_->statistics.known = true;
        Whole(EachField(data, [&](Reader& field) { StatisticsField(field); }));
        break;
      default:
        break;  // from a later TensorFlow
    }
  }

 private:
  bool Whole(bool whole) {
    if (!whole) ++dump_->damaged;
    return whole;
  }

  void BinField(Reader& field) {
    int64_t* const fields[] = {&bin_.bin, &bin_.bytes_in_use, &bin_.bytes,
                               &bin_.chunks_in_use, &bin_.chunks};
    const uint32_t tag = field.tag();
    const int64_t value = SignedOf(field);
    if (tag >= 1 && tag <= 5) *fields[tag - 1] = value;
  }

  void ChunkField(Reader& field) {
    switch (field.tag()) {
      case 1:
        chunk_.address = VarintOf(field);
        break;
      case 2:
        chunk_.bytes = SignedOf(field);
        break;
      case 3:
        chunk_.requested = SignedOf(field);
        break;
      case 4:
        chunk_.bin = SignedOf(field);
        break;
      case 5:
        chunk_.op = Op(BytesOf(field));
        break;
      case 6:
        chunk_.freed_at = VarintOf(field);
        break;
      case 7:
        chunk_.action = VarintOf(field);
        break;
      case 8:
        chunk_.in_use = VarintOf(field) != 0;
        break;
      case 9:
        chunk_.step = VarintOf(field);
        break;
      default:
        field.skip();
    }
  }

  void StatisticsField(Reader& field) {
    BfcStatistics& all = dump_->statistics;
    int64_t* const fields[] = {&all.num_allocs, &all.bytes_in_use,
                               &all.peak_bytes_in_use,
                               &all.largest_alloc_bytes};
    const uint32_t tag = field.tag();
    if (tag == 5 && field.wire_type() == Wire::fixed32) {
      all.fragmentation = static_cast<double>(field.get_float());
      if (!(all.fragmentation >= 0 && all.fragmentation <= 1)) {
        all.fragmentation = 0;
      }
      return;
    }
    const int64_t value = SignedOf(field);
    if (tag >= 1 && tag <= 4) *fields[tag - 1] = value;
  }

  uint32_t Op(std::string_view name) {
    if (name.empty()) return 0;
    const auto index = static_cast<uint32_t>(dump_->ops.size());
    const auto [found, is_new] = ops_.try_emplace(std::string(name), index);
    if (is_new) dump_->ops.emplace_back(name);
    return found->second;
  }

  // Sums of sizes must not overflow.
  void Keep() {
    const bool sense = chunk_.bytes > 0 && chunk_.bytes <= kMaxBlockBytes &&
                       chunk_.requested >= 0 &&
                       chunk_.requested <= kMaxBlockBytes &&
                       chunk_.address <= kMaxAddress;
    if (sense) {
      dump_->chunks.push_back(chunk_);
    } else {
      ++dump_->impossible;
    }
  }

  BfcDump* dump_;
  BfcBin bin_;
  BfcChunk chunk_;
  std::pair<uint64_t, int64_t> point_;
  std::unordered_map<std::string, uint32_t> ops_;
};

bool IsField(uint32_t field, Wire wire) {
  return field > kStatistics || wire == Wire::length_delimited;
}

// TensorFlow's allocator names: letters, digits and a few signs.
bool IsAllocatorName(std::string_view name) {
  const auto fits = [](char c) {
    return isalnum(static_cast<unsigned char>(c)) != 0 ||
           strchr("_:./-", c) != nullptr;
  };
  return !name.empty() && name.size() <= kMaxAllocatorName &&
         std::ranges::all_of(name, fits);
}

// The writer appends the microseconds since 1970 after the last dot.
int64_t TimeInName(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  constexpr size_t kDigits = 16;  // from 2001 to 2286
  const bool digits = end.size() == kDigits + 1 &&
                      std::all_of(end.begin() + 1, end.end(), IsDigit);
  return digits ? std::stoll(end.substr(1)) * 1000 : 0;
}

}  // namespace

Status ReadBfcDump(ProtoStream* stream, size_t most, BfcDump* dump) {
  BfcBuilder builder(dump);
  size_t records = 0;
  while (stream->Next()) {
    if (!IsField(stream->field(), stream->wire())) {
      return Unreadable(fmt::format(
          "field {} before byte {} does not belong to a memory dump",
          stream->field(), stream->offset()));
    }
    builder.Take(*stream);
    if (++records < most) continue;
    return {StatusCode::kIncomplete,
            fmt::format("reading stopped at byte {}: it exceeds the "
                        "limits for a memory dump",
                        stream->offset())};
  }
  return stream->fault();
}

int64_t DeviceOfBfc(const std::string& allocator) {
  const std::string name = ToLower(allocator);
  if (name.find("host") != name.npos || name.find("cpu") != name.npos) {
    return -1;
  }
  const size_t at = name.find_first_of("0123456789");
  if (at == name.npos) return 0;
  size_t end = at;
  while (end < name.size() && end < at + 4 && IsDigit(name[end])) {
    ++end;
  }
  return std::min(std::stoll(name.substr(at, end - at)), 1023LL);
}

bool KnowsBfcDump(const FileStart& start) {
  BytesAt bytes(start.bytes);
  ProtoStream stream(&bytes);
  size_t fields = 0;
  for (; stream.Next(); ++fields) {
    if (!IsField(stream.field(), stream.wire())) return false;
    const bool named = stream.field() == kName;
    // The name comes first, and only once.
    if ((fields == 0) != named) return false;
    if (named && !IsAllocatorName(stream.data())) return false;
  }
  // A single text field would not be enough evidence.
  return fields > 1;
}

Status ImportBfcDump(const std::string& path, const std::string& trace_path) {
  ASSIGN_OR_RETURN(ingest::LogInput input, OpenForeign(path));
  ProtoStream stream(input.bytes.get());
  BfcDump dump;
  const Status read = ReadBfcDump(&stream, kMaxRecords, &dump);
  if (dump.chunks.empty() && !dump.statistics.known) {
    return Unreadable(fmt::format(
        "the memory dump '{}': {}", path,
        read.ok() ? "it has neither chunks nor statistics" : read.message()));
  }
  int64_t time = TimeInName(path);
  if (time == 0) time = std::max<int64_t>(0, input.mtime_ns);
  RETURN_IF_ERROR(WriteBfcTrace(dump, time, read.message(), trace_path));
  return read.ok() ? read : Incomplete(path, read);
}

}  // namespace inquest::importers
