#include "analyzer/importers/common/stack_table.h"

#include <cstring>

namespace inquest::importers {

uint32_t StackTable::Frame(std::string_view file, int64_t line,
                           std::string_view function) {
  std::string key(file);
  key.append(1, '\0').append(std::to_string(line)).append(1, '\0');
  key.append(function);
  const auto found = frames_.find(key);
  if (found != frames_.end()) return found->second;
  if (frames_.size() >= most_frames_) {
    ++lost_;
    return 0;
  }
  const auto id = static_cast<uint32_t>(frames_.size() + 1);
  frames_.emplace(std::move(key), id);
  frame_places_.push_back({std::string(file), line, std::string(function)});
  return id;
}

uint32_t StackTable::Stack(std::span<const uint32_t> frames) {
  if (frames.empty()) return 0;
  std::string key(frames.size_bytes(), '\0');
  std::memcpy(key.data(), frames.data(), frames.size_bytes());
  const auto found = stacks_.find(key);
  if (found != stacks_.end()) return found->second;
  if (places_ + frames.size() > most_places_) {
    ++lost_;
    return 0;
  }
  places_ += frames.size();
  const auto id = static_cast<uint32_t>(stacks_.size() + 1);
  stack_keys_.push_back(&stacks_.emplace(std::move(key), id).first->first);
  return id;
}

void StackTable::Write(TraceFile* file) const {
  Statement* frame = file->Insert("INSERT INTO python_frame VALUES(?,?,?,?)");
  int64_t frame_id = 0;
  for (const Place& place : frame_places_) {
    frame->Bind(0, ++frame_id).Bind(1, place.file).Bind(2, place.line);
    file->Run(&frame->Bind(3, place.function));
  }
  Statement* stack = file->Insert("INSERT INTO stack VALUES(?,zeroblob(0))");
  Statement* at = file->Insert("INSERT INTO python_stack VALUES(?,?,?)");
  for (size_t i = 0; i < stack_keys_.size(); ++i) {
    const auto id = static_cast<int64_t>(i) + 1;
    file->Run(&stack->Bind(0, id));
    const std::string& key = *stack_keys_[i];
    for (size_t depth = 0; depth * sizeof(uint32_t) < key.size(); ++depth) {
      uint32_t number = 0;
      std::memcpy(&number, key.data() + depth * sizeof(number), sizeof(number));
      at->Bind(0, id).Bind(1, static_cast<int64_t>(depth));
      file->Run(&at->Bind(2, int64_t{number}));
    }
  }
  file->Loss("stacks", static_cast<int64_t>(lost_),
             "more of them than such a file holds");
}

}  // namespace inquest::importers
