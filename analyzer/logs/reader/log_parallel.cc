// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_parallel.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include "analyzer/logs/carriers/log_prefix.h"
#include "base/parallel.h"

namespace inquest::ingest {
namespace {

constexpr size_t kMaxThreads = 8;
constexpr size_t kAhead = 4;              // logs begun for each thread
constexpr size_t kMaxBuffered = 8 << 20;  // bytes of one log's events
constexpr size_t kFigureBytes = 400;      // of an event's figures, about

struct HeldLine {
  LogLine line;
  std::string text;

  explicit HeldLine(const LogLine& from) : line(from), text(from.text) {}
  const LogLine& Get() {
    line.text = text;
    return line;
  }
};

struct HeldEvent {
  LogEvent event;
  HeldLine line;
};

struct HeldBlock {
  std::string text;
  LogBlock block;
  PrefixProfile profile;
};

using Held = std::variant<HeldEvent, HeldBlock>;

// The results of one log on their way from its thread to the caller's.
class Buffer : public LogSink {
 public:
  explicit Buffer(const LogSink& target) : target_(target) {}

  void OnEvent(const LogEvent& event) override {
    HeldEvent held{event, HeldLine(event.line)};
    const size_t bytes = sizeof held + held.line.text.size() + kFigureBytes;
    wants_blocks_ = wants_blocks_ || target_.WantsBlocksAfter(event.signature);
    Hold(std::move(held), bytes);
  }
  void OnBlock(size_t, const LogBlock& block,
               const PrefixProfile& profile) override {
    if (!wants_blocks_) return;
    Hold(HeldBlock{std::string(block.text), block, profile}, block.text.size());
  }
  void OnTail(size_t, const std::vector<LogLine>& tail) override {
    for (const LogLine& line : tail) tail_.emplace_back(line);
  }
  void OnSource(size_t, const LogSource& facts) override { facts_ = facts; }

  void Finish(Status status) {
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    done_ = true;
    changed_.notify_all();
  }

  // Passes everything on, waiting for what is still being read.
  Status PassOn(size_t source, const std::string& path, LogSink* sink) {
    sink->OnProgress(path, 0);
    while (PassSome(source, sink)) {
    }
    std::vector<LogLine> tail;
    for (HeldLine& line : tail_) tail.push_back(line.Get());
    sink->OnTail(source, tail);
    sink->OnSource(source, facts_);
    sink->OnProgress(facts_.path, facts_.bytes);
    return status_;
  }

  // The caller gives up: nothing waits any more.
  void Stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  void Hold(Held held, size_t bytes) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return bytes_ < kMaxBuffered || stopped_; });
    bytes_ += bytes;
    held_.push_back(std::move(held));
    if (held_.size() == 1) changed_.notify_all();
  }

  // False at the end.
  bool PassSome(size_t source, LogSink* sink) {
    std::deque<Held> some;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return done_ || !held_.empty(); });
      some.swap(held_);
      bytes_ = 0;
      changed_.notify_all();
    }
    for (Held& held : some) Pass(source, &held, sink);
    return !some.empty();
  }

  static void Pass(size_t source, Held* held, LogSink* sink) {
    if (auto* event = std::get_if<HeldEvent>(held)) {
      event->event.line = event->line.Get();
      event->event.source = source;
      sink->OnEvent(event->event);
    } else {
      auto& block = std::get<HeldBlock>(*held);
      block.block.text = block.text;
      sink->OnBlock(source, block.block, block.profile);
    }
  }

  const LogSink& target_;
  bool wants_blocks_ = false;  // the reading thread's own
  std::mutex mutex_;           // guards what follows until done_
  std::condition_variable changed_;
  std::deque<Held> held_;
  size_t bytes_ = 0;
  bool done_ = false;
  bool stopped_ = false;
  Status status_;
  std::vector<HeldLine> tail_;
  LogSource facts_;
};

class Readers {
 public:
  Readers(const std::vector<LogFile>& files,
          const rules::SignatureSet& signatures, const LogLimits& limits,
          LogSink* sink)
      : files_(files), signatures_(signatures), limits_(limits), sink_(sink) {
    buffers_.resize(files.size());
    for (auto& buffer : buffers_) buffer = std::make_unique<Buffer>(*sink);
  }
  ~Readers() {
    {
      const std::lock_guard lock(mutex_);
      next_ = files_.size();
      changed_.notify_all();
    }
    for (auto& buffer : buffers_) {
      if (buffer != nullptr) buffer->Stop();
    }
    for (std::thread& thread : threads_) thread.join();
  }

  // Empty if no thread could be started.
  std::optional<Status> Run() {
    const size_t wanted = std::min(Threads(kMaxThreads), files_.size());
    try {
      for (size_t i = 0; i < wanted; ++i) {
        threads_.emplace_back([this] { ReadSome(); });
      }
    } catch (const std::system_error&) {
      // A limit on threads: go on with those there are.
    }
    if (threads_.empty()) return std::nullopt;
    Status first;
    for (size_t i = 0; i < files_.size(); ++i) {
      Status status = buffers_[i]->PassOn(i, files_[i].path, sink_);
      if (first.ok()) first = std::move(status);
      buffers_[i].reset();
      const std::lock_guard lock(mutex_);
      passed_ = i + 1;
      changed_.notify_all();
    }
    return first;
  }

  const std::vector<size_t>& switched_off() const { return switched_off_; }
  void Join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  // The next log, unless the readers are far enough ahead already.
  size_t Take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return next_ >= files_.size() || next_ < passed_ + kAhead * kMaxThreads;
    });
    return next_ < files_.size() ? next_++ : files_.size();
  }

  void ReadSome() {
    rules::MatchBudget budget(signatures_.size());
    for (size_t i = Take(); i < files_.size(); i = Take()) Read(i, &budget);
    const std::vector<size_t> off = budget.SwitchedOff();
    const std::lock_guard lock(mutex_);
    switched_off_.insert(switched_off_.end(), off.begin(), off.end());
  }

  void Read(size_t i, rules::MatchBudget* budget) {
    Buffer* buffer = buffers_[i].get();
    Status status;
    try {
      status = ReadLogFile(files_[i], signatures_, limits_, buffer, i, budget);
    } catch (const std::exception& error) {
      status = Internal(files_[i].path + ": " + error.what());
    }
    buffer->Finish(std::move(status));
  }

  const std::vector<LogFile>& files_;
  const rules::SignatureSet& signatures_;
  const LogLimits& limits_;
  LogSink* sink_;
  std::vector<std::unique_ptr<Buffer>> buffers_;  // null once passed on
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  size_t next_ = 0;
  size_t passed_ = 0;
  std::vector<size_t> switched_off_;
};

Status ReadOneByOne(const std::vector<LogFile>& files,
                    const rules::SignatureSet& signatures,
                    const LogLimits& limits, LogSink* sink,
                    std::vector<size_t>* switched_off) {
  rules::MatchBudget budget(signatures.size());
  Status first;
  for (size_t i = 0; i < files.size(); ++i) {
    Status status = ReadLogFile(files[i], signatures, limits, sink, i, &budget);
    if (first.ok()) first = std::move(status);
  }
  if (switched_off != nullptr) *switched_off = budget.SwitchedOff();
  return first;
}

}  // namespace

Status ReadLogs(const std::vector<LogFile>& files,
                const rules::SignatureSet& signatures, const LogLimits& limits,
                LogSink* sink, std::vector<size_t>* switched_off) {
  if (files.size() > 1 && Threads(kMaxThreads) > 1) {
    Readers readers(files, signatures, limits, sink);
    if (std::optional<Status> read = readers.Run()) {
      readers.Join();
      if (switched_off != nullptr) *switched_off = readers.switched_off();
      return *std::move(read);
    }
  }
  return ReadOneByOne(files, signatures, limits, sink, switched_off);
}

}  // namespace inquest::ingest
