// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analyzer/importers/flight_recorder/flight_forms.h"
#include "analyzer/importers/pickle/pickle_reader.h"

namespace inquest::importers {
namespace {

using nlohmann::json;
using Kind = PickleValue::Kind;

constexpr int kMaxDepth = 6;
constexpr size_t kMaxValues = 1 << 20;  // of one dict, including nested ones

class FlightShapes : public PickleSink {
 public:
  FlightShapes(PickleReader* reader, FlightRecords* records)
      : reader_(reader), records_(records) {
    for (const char* word :
         {"profiling_name", "filename", "line", "name", "frames", "state"}) {
      reader_->texts().Intern(word);
    }
  }

  std::optional<PickleValue> Dict(std::span<const PickleValue> pairs) override {
    const PickleValue* found[kKeys] = {};
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const PickleValue& key = pairs[i];
      if (key.is(Kind::kText) && key.index < kKeys) {
        found[key.index] = &pairs[i + 1];
      }
    }
    if (found[kFilename] != nullptr && found[kLine] != nullptr) {
      return Frame(found);
    }
    if (found[kProfilingName] != nullptr && found[kState] != nullptr) {
      const bool stack =
          found[kFrames] != nullptr && found[kFrames]->is_record(kStack);
      records_->Entry(DictOf(pairs), stack ? found[kFrames]->index : 0);
      return PickleValue::Record(kEntry, entries_++);
    }
    return {};
  }

  std::optional<PickleValue> Sequence(
      std::span<const PickleValue> items) override {
    if (items.empty() || !items.front().is_record(kFrame)) return {};
    frames_.clear();
    for (const PickleValue& item : items) {
      if (!item.is_record(kFrame)) return {};
      for (int64_t i = 0; i < item.number; ++i) {
        frames_.push_back(item.index + static_cast<uint32_t>(i));
      }
    }
    return PickleValue::Record(kStack, records_->stacks().Stack(frames_));
  }

  uint32_t entries() const { return entries_; }

  // The root dictionary without its entries.
  json RootOf(const PickleValue& root) {
    if (!root.is(Kind::kDict)) return json::object();
    return DictOf(reader_->containers().Items(root));
  }

 private:
  enum Key : uint32_t {
    kProfilingName,
    kFilename,
    kLine,
    kName,
    kFrames,
    kState,
    kKeys
  };
  enum Type : uint8_t { kFrame, kStack, kEntry };

  PickleValue Frame(const PickleValue* const* found) {
    const PickleValue& line = *found[kLine];
    const std::string_view name =
        found[kName] == nullptr ? "" : reader_->texts().Of(*found[kName]);
    return PickleValue::Record(
        kFrame,
        records_->stacks().Frame(reader_->texts().Of(*found[kFilename]),
                                 line.is(Kind::kInt) ? line.number : 0, name));
  }

  json DictOf(std::span<const PickleValue> pairs) {
    left_ = kMaxValues;
    return Dictionary(pairs, 0);
  }

  json Dictionary(std::span<const PickleValue> pairs, int depth) {
    json dict = json::object();
    for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
      const json key = JsonOf(pairs[i], kMaxDepth);
      if (pairs[i + 1].is(Kind::kRecord) || key.is_null()) continue;
      dict[key.is_string() ? key.get<std::string>() : key.dump()] =
          JsonOf(pairs[i + 1], depth + 1);
    }
    return dict;
  }

  json JsonOf(const PickleValue& value, int depth) {
    if (left_ == 0) return {};
    --left_;
    switch (value.kind) {
      case Kind::kBool:
        return value.number != 0;
      case Kind::kInt:
        return value.number;
      case Kind::kFloat:
        return value.real;
      case Kind::kText:
        return std::string(reader_->texts().Of(value));
      case Kind::kTuple:
      case Kind::kList:
      case Kind::kDict:
        break;
      default:
        return {};
    }
    // A pickle may contain itself.
    if (depth >= kMaxDepth || !reader_->containers().Has(value)) return {};
    const auto items = reader_->containers().Items(value);
    if (value.is(Kind::kDict)) return Dictionary(items, depth);
    json list = json::array();
    for (const PickleValue& item : items) {
      list.push_back(JsonOf(item, depth + 1));
    }
    return list;
  }

  PickleReader* reader_;
  FlightRecords* records_;
  std::vector<uint32_t> frames_;
  uint32_t entries_ = 0;
  size_t left_ = 0;
};

}  // namespace

Status ReadFlightPickle(ingest::ByteStream* bytes, FlightRecords* records,
                        json* root) {
  PickleReader reader(bytes);
  FlightShapes shapes(&reader, records);
  const Expected<PickleValue> whole = reader.Read(&shapes);
  *root = shapes.RootOf(whole.ok() ? *whole : reader.CloseOpenParts());
  const bool known = shapes.entries() > 0 || root->contains("entries") ||
                     root->contains("pg_config") ||
                     root->contains("pg_status") ||
                     root->contains("nccl_comm_state");
  if (!known) {
    return Usage(whole.ok()
                     ? "it is a pickle, but not a dump of a "
                       "flight recorder: it has neither entries nor groups"
                     : whole.status().message())
        .WithHint(whole.status().hint());
  }
  return whole.status();
}

}  // namespace inquest::importers
