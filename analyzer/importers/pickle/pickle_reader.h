// SPDX-License-Identifier: Apache-2.0
// Reads pickles of plain data: dicts, lists, tuples, texts, bytes, numbers,
// bools and None, of protocols 0 to 5. Anything that would call or construct
// something (GLOBAL, REDUCE, BUILD, persistent ids, …) is refused, by its name
// and offset, so that a malicious pickle can do nothing.
//
// A snapshot of 500 MB consists of millions of similar small dicts. The sink
// sees each dict and each sequence as soon as it is complete and may turn it
// into a record, a number that takes its place from then on, also in the memo;
// so memory is bounded by what the sink keeps, by pages of the memo, and
// PickleLimits. A container is complete after one SETITEMS or APPENDS (unless
// that was a full batch of Python's pickler, which may continue), or when it is
// used as part of another.
//
// One thread. Errors: kUnreadable, with the offset in the decompressed bytes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/importers/pickle/pickle_input.h"
#include "analyzer/importers/pickle/pickle_objects.h"
#include "analyzer/importers/pickle/pickle_value.h"
#include "base/status.h"

namespace inquest::importers {

// An empty optional: the container stays as it is.
class PickleSink {
 public:
  virtual ~PickleSink() = default;
  // Keys and values, alternating.
  virtual std::optional<PickleValue> Dict(
      std::span<const PickleValue> pairs) = 0;
  // Of a list or a tuple.
  virtual std::optional<PickleValue> Sequence(
      std::span<const PickleValue> items) = 0;
};

class PickleReader {
 public:
  explicit PickleReader(ingest::ByteStream* bytes,
                        const PickleLimits& limits = {});

  PickleTexts& texts() { return texts_; }
  PickleContainers& containers() { return containers_; }

  // The whole pickle's value; call once.
  Expected<PickleValue> Read(PickleSink* sink);
  // After a failed Read: the value as if all open containers ended there. None
  // if nothing had begun.
  PickleValue CloseOpenParts();

 private:
  bool Step(uint8_t op);
  bool Mark();
  bool Scalar(uint8_t op);
  bool Text(uint8_t op);
  bool Line(uint8_t op);
  bool Stack(uint8_t op);
  bool Memo(uint8_t op);
  bool Build(uint8_t op);

  bool Push(const PickleValue& value) {
    if (stack_.size() >= limits_.values) return TooMuch(kTooLarge);
    stack_.push_back(value);
    return true;
  }
  bool PushText(uint64_t size);
  bool PushInterned(std::string_view text);
  bool PushInteger(uint64_t size);
  bool PushQuoted(std::string_view line);
  bool PushNew(PickleValue::Kind kind);
  bool TupleOf(size_t count);
  bool FromMark(PickleValue::Kind kind);
  bool Append();
  bool Appends();
  bool SetItem();
  bool SetItems();
  bool PutMemo(uint64_t entry);
  bool GetMemo(uint64_t entry);
  // Pops the innermost mark; returns the index of the first value above it.
  bool TakeMark(size_t* first);
  void Fill(const PickleValue& container, std::span<PickleValue> items);
  void Seal(PickleValue* value);
  void Rename(const PickleValue& container, const PickleValue& record);
  void CloseInto(size_t container);

  bool Ends();                        // the input ends here
  bool Bad(const std::string& what);  // malformed
  bool Refuse(uint8_t op);            // creates anything except plain data
  static constexpr const char* kTooLarge =
      "it exceeds the limits for a snapshot";
  bool TooMuch(const std::string& what);  // a limit is exceeded

  PickleInput input_;
  PickleLimits limits_;
  PickleTexts texts_;
  PickleContainers containers_;
  PickleMemo memo_;
  PickleSink* sink_ = nullptr;
  std::vector<PickleValue> stack_;
  std::vector<size_t> marks_;  // sizes of the stack
  uint64_t op_offset_ = 0;
  std::string scratch_;
  Status fault_;
};

}  // namespace inquest::importers
