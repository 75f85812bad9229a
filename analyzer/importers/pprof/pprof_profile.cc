// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/pprof/pprof_profile.h"

#include <fmt/format.h>

namespace inquest::importers {
namespace {

using Reader = protozero::pbf_reader;
using Wire = ProtoStream::Wire;

// Profile's fields.
enum : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kString = 6,
  kTime = 9,
  kComment = 13,
  kPeriodType = 11,
  kLastField = 15,
};

class PprofBuilder {
 public:
  PprofBuilder(const PprofLimits& limits, PprofProfile* profile)
      : limits_(limits), profile_(profile) {}

  // False if a limit is exceeded.
  bool Take(const ProtoStream& stream) {
    const std::string_view data = stream.data();
    switch (stream.field()) {
      case kSampleType:
        return Type(data);
      case kSample:
        return Sample(data);
      case kLocation:
        return Location(data);
      case kFunction:
        return Function(data);
      case kString:
        text_bytes_ += data.size();
        profile_->texts.emplace_back(data);
        return Count();
      case kTime:
        profile_->time_ns = static_cast<int64_t>(stream.number());
        return true;
      case kPeriodType:
        profile_->has_period = true;
        return true;
      default:
        return true;
    }
  }

 private:
  bool Count() {
    return ++records_ <= limits_.records && text_bytes_ <= limits_.text_bytes;
  }
  bool Whole(bool whole) {
    if (!whole) ++profile_->damaged;
    return whole;
  }

  bool Type(std::string_view data) {
    PprofValueType type;
    Whole(EachField(data, [&](Reader& field) {
      const uint32_t tag = field.tag();
      const uint64_t number = VarintOf(field);
      if (tag == 1) type.type = number;
      if (tag == 2) type.unit = number;
    }));
    profile_->types.push_back(type);
    return Count();
  }

  bool Sample(std::string_view data) {
    PprofSample sample;
    locations_.clear();
    values_.clear();
    size_t labels = 0;
    const bool whole = EachField(data, [&](Reader& field) {
      if (field.tag() == 1) return AppendVarints(field, &locations_);
      if (field.tag() == 2) return AppendVarints(field, &values_);
      if (field.tag() != 3) return field.skip();
      const auto label = Label(BytesOf(field));
      if (labels < sample.labels.size()) sample.labels[labels++] = label;
    });
    if (!Whole(whole)) return true;
    for (size_t i = 0; i < values_.size() && i < sample.values.size(); ++i) {
      sample.values[i] = static_cast<int64_t>(values_[i]);
    }
    sample.stack = Stack();
    profile_->samples.push_back(sample);
    return profile_->samples.size() < limits_.samples &&
           places_ <= limits_.places;
  }

  std::pair<uint64_t, uint64_t> Label(std::string_view data) {
    std::pair<uint64_t, uint64_t> label;
    Whole(EachField(data, [&](Reader& field) {
      const uint32_t tag = field.tag();
      const uint64_t number = VarintOf(field);
      if (tag == 1) label.first = number;
      if (tag == 2) label.second = number;
    }));
    return label;
  }

  uint32_t Stack() {
    if (locations_.empty()) return 0;
    std::string key(reinterpret_cast<const char*>(locations_.data()),
                    locations_.size() * sizeof(uint64_t));
    const auto index = static_cast<uint32_t>(profile_->stacks.size());
    const auto [found, is_new] = stack_index_.try_emplace(key, index);
    if (is_new) {
      places_ += locations_.size();
      profile_->stacks.push_back(locations_);
    }
    return found->second;
  }

  bool Location(std::string_view data) {
    uint64_t id = 0;
    std::vector<PprofLine> lines;
    const bool whole = EachField(data, [&](Reader& field) {
      if (field.tag() == 1) {
        id = VarintOf(field);
      } else if (field.tag() == 4) {
        lines.push_back(Line(BytesOf(field)));
      } else {
        field.skip();
      }
    });
    if (!Whole(whole)) return true;
    records_ += lines.size();
    profile_->locations[id] = std::move(lines);
    return Count();
  }

  PprofLine Line(std::string_view data) {
    PprofLine line;
    Whole(EachField(data, [&](Reader& field) {
      const uint32_t tag = field.tag();
      const uint64_t number = VarintOf(field);
      if (tag == 1) line.function = number;
      if (tag == 2) line.line = static_cast<int64_t>(number);
    }));
    return line;
  }

  bool Function(std::string_view data) {
    uint64_t id = 0;
    PprofFunction function;
    const bool whole = EachField(data, [&](Reader& field) {
      const uint32_t tag = field.tag();
      const uint64_t number = VarintOf(field);
      if (tag == 1) id = number;
      if (tag == 2) function.name = number;
      if (tag == 4) function.file = number;
    });
    if (Whole(whole)) profile_->functions[id] = function;
    return Count();
  }

  const PprofLimits& limits_;
  PprofProfile* profile_;
  std::unordered_map<std::string, uint32_t> stack_index_;
  std::vector<uint64_t> locations_;
  std::vector<uint64_t> values_;
  size_t places_ = 0;
  size_t records_ = 0;
  size_t text_bytes_ = 0;
};

}  // namespace

const std::string& PprofProfile::Text(uint64_t number) const {
  static const std::string kNone;
  return number < texts.size() ? texts[number] : kNone;
}

Status ReadPprof(ProtoStream* stream, const PprofLimits& limits,
                 PprofProfile* profile) {
  PprofBuilder builder(limits, profile);
  while (stream->Next()) {
    if (!IsPprofField(stream->field(), stream->wire())) {
      return Unreadable(
          fmt::format("field {} before byte {} does not belong to pprof",
                      stream->field(), stream->offset()));
    }
    if (builder.Take(*stream)) continue;
    return {StatusCode::kIncomplete,
            fmt::format("reading stopped at byte {}: it exceeds the "
                        "limits for a memory profile",
                        stream->offset())};
  }
  return stream->fault();
}

bool IsPprofField(uint32_t field, Wire wire) {
  const bool message =
      (field >= kSampleType && field <= kString) || field == kPeriodType;
  if (message) return wire == Wire::length_delimited;
  if (field == kComment) return true;  // packed or not
  return field > kLastField || wire == Wire::varint;
}

bool IsPprofValueType(std::string_view message) {
  bool known = true;
  const bool whole = EachField(message, [&](Reader& field) {
    known = known && field.tag() <= 2 && field.wire_type() == Wire::varint;
    field.skip();
  });
  return whole && known;
}

}  // namespace inquest::importers
