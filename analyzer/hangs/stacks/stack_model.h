// SPDX-License-Identifier: Apache-2.0
// Stacks of processes as py-spy, faulthandler, gdb and Ray dump them: what a
// reader collects and a comparison judges. Frames are numbers of sites, because
// thousands of processes stand in the same few hundred lines of code. Plain
// data, filled by stack_reader.h, read by process_state.h and compare.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace inquest::hangs {

// Where a frame stands, judged by its function and file alone.
enum class Place : uint8_t {
  kNone,        // says nothing: the standard library, wrappers, locks' insides
  kUser,        // other code
  kCollective,  // waits for all ranks of a group
  kPeer,        // waits for one other rank
  kEngine,      // waits for the answer of a worker
  kDevice,      // waits for the GPU
  kLaunch,      // gives the GPU work
  kBackward,    // the main thread while autograd's threads work
  kLoader,      // waits for or reads the next batch
  kStorage,     // reads or writes files or object stores
  kLock,        // waits for a lock: of the driver, of Python, of a file
  kCompile,     // compiles code
  kSetup,       // a communicator or group is being made
  kTeardown,    // a communicator, group or the process is being ended
  kSleep,       // sleeps
  kNetwork,     // NCCL's progress thread moves data
  kBackground,  // NCCL's threads, which wait in every healthy process
  kAbort,       // NCCL's watchdog ends the process
  kDumper,      // the thread that made the dump, watchdogs
  kIdle,        // waits for work
};

struct Site {
  std::string function;
  std::string file;  // or the library
  int64_t line = 0;  // 0: unknown
  Place place = Place::kNone;
};

// A line of a log, whose text is kept in StackDumps::texts.
struct TextAt {
  int64_t line = 0;
  int64_t offset = 0;  // in the log
  uint32_t begin = 0;  // in the texts
  uint32_t bytes = 0;
};

struct StackThread {
  std::string name;
  std::optional<int64_t> id;
  bool current = false;          // faulthandler: it made the dump, or crashed
  bool main = false;             // the dump says so
  std::vector<uint32_t> frames;  // sites, innermost first
  std::vector<TextAt> at;        // the line of each
};

enum class Tool : uint8_t { kUnknown, kPySpy, kFaulthandler, kGdb, kDigest };

struct StackProcess {
  size_t source = 0;
  int64_t line = 0;
  Tool tool = Tool::kUnknown;
  std::string label;  // of a file, node or worker, as the dump names it
  std::string title;  // command line or process title
  std::optional<int64_t> rank, pid;
  int64_t place_in_label = 0;  // from 1: of several processes below one label
  bool timed_out = false;      // dumped because a time limit ran out
  bool went_on = false;        // ordinary output of success follows
  bool failed = false;         // the tool could not read the stacks
  std::string fatal;           // "Aborted", … of faulthandler
  std::vector<StackThread> threads;
};

class Sites {
 public:
  uint32_t Add(const std::string& function, const std::string& file,
               int64_t line);
  const Site& operator[](uint32_t site) const { return sites_[site]; }
  size_t size() const { return sites_.size(); }

 private:
  std::vector<Site> sites_;
  std::map<std::tuple<std::string, std::string, int64_t>, uint32_t> known_;
};

struct StackDumps {
  Sites sites;
  std::string texts;
  std::vector<StackProcess> processes;
  int64_t malformed = 0;  // frames that could not be read
  bool cut = false;       // a limit stopped the reading
};

}  // namespace inquest::hangs
