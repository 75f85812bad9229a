// What the program is at, on a terminal's last line while it takes long. Writes
// nothing where standard error is no terminal, nor in the first second. Made by
// Session for a stretch of work; its own thread writes, so what is done need
// not come by often.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

#include "analyzer/logs/reader/log_event.h"

namespace inquest::cli {

class Progress {
 public:
  Progress();
  ~Progress();  // takes the line away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // "reading train.log"; `of` bytes in all, 0 for unknown.
  void Begin(std::string what, int64_t of = 0);
  void Reached(int64_t bytes);

 private:
  void Show();
  std::string Line() const;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::string what_;
  int64_t bytes_ = 0;
  int64_t of_ = 0;
  bool ended_ = false;
  std::thread shower_;  // not running where nothing is shown
};

// Tells of the bytes that pass and hands everything on.
class ProgressSink : public ingest::LogSink {
 public:
  // Both must outlive it.
  ProgressSink(ingest::LogSink* next, Progress* progress)
      : next_(next), progress_(progress) {}

  void OnEvent(const ingest::LogEvent& event) override;
  void OnTail(size_t source, const std::vector<ingest::LogLine>& tail) override;
  void OnSource(size_t source, const ingest::LogSource& facts) override;
  void OnProgress(const std::string& path, int64_t bytes) override;

 private:
  ingest::LogSink* next_;
  Progress* progress_;
  std::string path_;  // that is being read
};

}  // namespace inquest::cli
