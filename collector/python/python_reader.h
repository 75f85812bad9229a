// SPDX-License-Identifier: Apache-2.0
// Reads CPython's objects by their layout: frames, code objects and strings.
// PythonReader<PlainMemory> reads memory directly; PythonReader<GuardedMemory>
// reads through the kernel, which reports invalid addresses, so it can be given
// any address. The functions of PythonReader return false if an object is not
// as expected. python_in_place.h says when this may be used.
#pragma once

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "collector/python/python_in_place.h"
#include "collector/python/python_layout.h"

namespace inquest::collector {

struct PlainMemory {
  static bool Read(uintptr_t at, void* to, size_t bytes) {
    std::memcpy(to, reinterpret_cast<const void*>(at), bytes);
    return true;
  }
};
struct GuardedMemory {
  static bool Read(uintptr_t at, void* to, size_t bytes) {
    const iovec local{to, bytes};
    const iovec remote{reinterpret_cast<void*>(at), bytes};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
           static_cast<ssize_t>(bytes);
  }
};

// Appends a character as UTF-8. Half of a surrogate pair, which represents a
// byte that is not text, becomes \udcff.
void AppendUtf8(uint32_t c, std::string* out);

inline constexpr uint64_t kMaxPythonText = 4096;  // characters of a name

// The characters of a str.
struct PythonText {
  uintptr_t data = 0;
  uint64_t length = 0;
  uint32_t width = 0;  // bytes of a character: 1, 2 or 4

  uint64_t bytes() const { return length * width; }
};

struct PythonCode {
  int32_t first_line = 0;
  uintptr_t file = 0;
  uintptr_t name = 0;
  uintptr_t lines = 0;
};

struct PythonFrame {
  uintptr_t back = 0;
  bool foreign = false;  // of the interpreter itself, without code
  uintptr_t code = 0;
  int instruction = 0;
};

template <typename Memory>
class PythonReader {
 public:
  explicit PythonReader(const PythonApi& api)
      : api_(api), layout_(*api.layout) {}

  bool Innermost(uintptr_t thread, uintptr_t* frame) const {
    if (!Get(thread + layout_.thread_frame, frame)) return false;
    if (layout_.through < 0 || *frame == 0) return true;
    return Get(*frame + static_cast<uintptr_t>(layout_.through), frame);
  }

  bool GetFrame(uintptr_t at, PythonFrame* frame) const {
    uint8_t owner = 0;
    if (!Get(at + layout_.frame_back, &frame->back) ||
        (layout_.frame_owner >= 0 &&
         !Get(at + static_cast<uintptr_t>(layout_.frame_owner), &owner))) {
      return false;
    }
    frame->foreign = owner >= kPyFirstForeignOwner;
    if (frame->foreign) return true;
    if (!Get(at + layout_.frame_code, &frame->code)) return false;
    frame->code &= ~uintptr_t{7};  // 3.14 has marks in the lowest bits
    return IsA(frame->code, api_.code_type) &&
           GetInstruction(at, frame->code, &frame->instruction);
  }

  bool GetCode(uintptr_t at, PythonCode* code) const {
    return Get(at + layout_.code_first_line, &code->first_line) &&
           Get(at + layout_.code_file, &code->file) &&
           Get(at + layout_.code_name, &code->name) &&
           Get(at + layout_.code_lines, &code->lines);
  }

  bool GetText(uintptr_t at, PythonText* text) const {
    uint32_t state = 0;
    if (!Get(at + kPySize, &text->length) || !Get(at + kPyTextState, &state)) {
      return false;
    }
    text->width = state >> 2 & 7;
    const bool compact = (state >> 5 & 1) != 0;
    const bool ascii = (state >> 6 & 1) != 0;
    text->data = at + (ascii ? layout_.text_ascii : layout_.text_other);
    return compact &&
           (text->width == 1 || text->width == 2 || text->width == 4);
  }

  // Hashes what a code object's address does not identify: enough of its names
  // and of its line table.
  bool Identify(const PythonFrame& frame, PythonPlace* place) const {
    PythonCode code;
    PythonText file;
    uint64_t lines = 0;
    if (!GetCode(frame.code, &code) || !GetText(code.file, &file) ||
        !Get(code.lines + kPySize, &lines)) {
      return false;
    }
    uint64_t end[2] = {};
    uint64_t begin[1] = {};
    const uint64_t end_bytes = std::min<uint64_t>(file.bytes(), sizeof end);
    if (!Memory::Read(file.data + file.bytes() - end_bytes, end, end_bytes) ||
        !Memory::Read(code.lines + kPyBytesData, begin,
                      std::min<uint64_t>(lines, sizeof begin))) {
      return false;
    }
    // Independent multiplications, which the processor can do in parallel.
    const uint64_t hash =
        frame.code * 0xff51afd7ed558ccdu ^ code.name * 0xc4ceb9fe1a85ec53u ^
        end[0] * 0x9e3779b97f4a7c15u ^ end[1] * 0xd6e8feb86659fd93u ^
        begin[0] * 0xa0761d6478bd642fu ^
        (file.length << 32 ^ lines) * 0xe7037ed1a0b428dbu ^
        (static_cast<uint64_t>(code.first_line) << 32 ^
         static_cast<uint32_t>(frame.instruction)) *
            0x8ebc6af09c88c6e3u;
    const uint64_t mixed = (hash ^ hash >> 32) * 0x9fb21c651e98df25u;
    place->code = frame.code;
    place->instruction = frame.instruction;
    place->identity = std::max<uint64_t>(mixed ^ mixed >> 32, 1);
    return true;
  }

  bool Decode(uintptr_t at, std::string* out) const {
    PythonText text;
    if (!IsA(at, api_.text_type) || !GetText(at, &text)) return false;
    const uint64_t length = std::min(text.length, kMaxPythonText);
    for (uint64_t i = 0; i < length; ++i) {
      uint32_t c = 0;  // little-endian, as all supported processors are
      if (!Memory::Read(text.data + i * text.width, &c, text.width)) {
        return false;
      }
      AppendUtf8(c, out);
    }
    uint32_t terminator = 0;
    return Memory::Read(text.data + text.bytes(), &terminator, text.width) &&
           terminator == 0;
  }

  bool IsA(uintptr_t object, const void* type) const {
    uintptr_t found = 0;
    return object != 0 && Get(object + kPyObjectType, &found) &&
           found == reinterpret_cast<uintptr_t>(type);
  }

 private:
  template <typename Word>
  static bool Get(uintptr_t at, Word* word) {
    return Memory::Read(at, word, sizeof *word);
  }

  bool GetInstruction(uintptr_t frame, uintptr_t code, int* place) const {
    const uintptr_t at = frame + layout_.frame_instruction;
    if (layout_.instruction == PythonLayout::Instruction::kPointer) {
      uintptr_t pointer = 0;
      if (!Get(at, &pointer)) return false;
      *place = static_cast<int>(pointer - (code + layout_.code_bytes));
      return true;
    }
    int32_t index = 0;
    if (!Get(at, &index)) return false;
    *place = layout_.instruction == PythonLayout::Instruction::kUnits
                 ? 2 * index
                 : index;
    return true;
  }

  const PythonApi& api_;
  const PythonLayout& layout_;
};

}  // namespace inquest::collector
