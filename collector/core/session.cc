// SPDX-License-Identifier: Apache-2.0
#include "collector/core/session.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/scoped_lock.h"
#include "base/text.h"
#include "collector/core/dlopen_hook.h"
#include "collector/core/drain.h"
#include "collector/core/emit.h"
#include "collector/core/event_clock.h"
#include "collector/core/fatal_signals.h"
#include "collector/core/guard.h"
#include "collector/core/lifecycle.h"
#include "collector/core/new_threads.h"
#include "collector/core/source.h"
#include "collector/core/thread_state.h"
#include "collector/stacks/signal_stack.h"
#include "trace/journal/own_file.h"
#include "trace/records/event.h"

namespace inquest::collector {
namespace internal {
std::atomic<Session*> g_session{nullptr};
}  // namespace internal

namespace {

constexpr int kExitTimeoutMs = 5000;
constexpr int64_t kMomentNs = 2'000'000'000;  // a busy machine's, too

pthread_mutex_t g_start = PTHREAD_MUTEX_INITIALIZER;
std::atomic<bool> g_over{false};  // off or ended: no session begins again
std::atomic<uint32_t> g_generation{0};
bool g_held_for_fork = false;
trace::OwnFile g_stderr;

// The name that ps shows, without characters that file names should not have.
std::string ProgramName() {
  std::string name = program_invocation_short_name == nullptr
                         ? ""
                         : program_invocation_short_name;
  for (char& c : name) {
    const bool fine = IsDigit(c) || IsAlpha(c) || c == '.' || c == '_' ||
                      c == '-' || c == '+';
    if (!fine) c = '_';
  }
  return name.empty() ? "process" : name.substr(0, 60);
}

// A link that leads nowhere, too.
bool Exists(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0;
}

// A name in the run directory that no process has used before: process ids
// repeat after exec and after a reboot. The journal is created first and the
// trace by the drain, so that a process killed early leaves no empty trace.
std::string FreeStem(const std::string& directory) {
  const std::string first =
      directory + "/" + ProgramName() + "-" + std::to_string(getpid());
  std::string stem = first;
  for (int i = 2; Exists(stem + std::string(trace::kTraceSuffix)) ||
                  Exists(stem + std::string(trace::kJournalSuffix));
       ++i) {
    stem = first + "-" + std::to_string(i);
  }
  return stem;
}

bool OpenDirectory(const std::string& directory, std::string* why) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    *why = "cannot make '" + directory + "': " + std::strerror(errno);
    return false;
  }
  // "/." so that a file of that name gives ENOTDIR.
  if (access((directory + "/.").c_str(), W_OK | X_OK) != 0) {
    *why = "cannot write into '" + directory + "': " + std::strerror(errno);
    return false;
  }
  return true;
}

bool OpenFiles(Session* session, std::string* why) {
  std::string& directory = session->config.directory;
  if (directory.empty()) {
    directory = "inquest-" + std::to_string(getpid());
  }
  if (!OpenDirectory(directory, why)) return false;
  const std::string stem = FreeStem(directory);
  session->trace_path = stem + std::string(trace::kTraceSuffix);
  auto journal = trace::Journal::Create(
      stem + std::string(trace::kJournalSuffix), session->config.journal_bytes,
      session->config.journal_share());
  if (!journal.ok()) {
    *why = journal.status().message();
    return false;
  }
  session->journal = journal.Take();
  session->journal->set_wake(WakeDrainForRoom);
  return true;
}

void EmitJournalCoverage(const trace::Journal& journal) {
  if (journal.persistent()) {
    return EmitCoverage("journal", "on",
                        std::to_string(journal.size()) + " bytes");
  }
  EmitCoverage("journal", "failed",
               journal.why_in_memory() + ": kept in memory, a kill loses it");
}

void EmitBeginning(const Session& session) {
  Emit(trace::ClockAnchorRecord{MonotonicNs(), trace::RealtimeNs()});
  Emit(trace::MetaRecord{"collector_version", INQUEST_VERSION});
  EmitJournalCoverage(*session.journal);
  for (const Source* source : Sources()) {
    if (source->start != nullptr) source->start(session.config);
  }
}

Session* StartSession() {
  auto* session = new (std::nothrow) Session;
  if (session == nullptr) return nullptr;
  session->config = LoadConfig();
  session->generation = ++g_generation;
  session->config.journal_bytes =
      std::min(session->config.journal_bytes, session->config.journal_share());
  std::string why;
  if (!OpenFiles(session, &why)) {
    SwitchOff(why.c_str());
    return nullptr;
  }
  internal::g_session.store(session, std::memory_order_release);
  EmitBeginning(*session);
  if (!StartDrain(session)) {
    SwitchOff("cannot start a thread");
    return nullptr;
  }
  InstallSignalHandlers();
  RegisterExitHandlers();
  return Current();
}

// Threads that made calls a moment ago, or have just begun, may make more.
bool AreOthersAtWork(const Session* session) {
  const auto self = static_cast<uint32_t>(syscall(SYS_gettid));
  return session->callers.IsAnotherAtWork(self, MonotonicNs() - kMomentNs) ||
         IsAThreadNew(session->begin_ns);
}

// The trace is complete, so the journal is deleted, unless it has records
// again or may get more: threads that still run write to it until the process
// has ended, and the next command that opens the run moves these records into
// the trace.
void CloseJournal(const Session* session) {
  if (session->journal->backlog() > 0 || AreOthersAtWork(session)) return;
  internal::g_session.store(nullptr, std::memory_order_release);
  // Another thread may have taken the session just before.
  if (session->journal->backlog() > 0) return;
  session->journal->Remove();
}

}  // namespace

Session* EnsureSession() {
  Session* session = Current();
  if (session != nullptr || g_over.load()) return session;
  if (OnSmallSignalStack()) return nullptr;  // a later call begins it
  InsideScope inside;
  const ScopedLock lock(&g_start);
  session = Current();
  if (session == nullptr && !g_over.load()) {
    WithoutThrowing([&session] { session = StartSession(); });
  }
  return session;
}

void NoteStderr() {
  g_stderr = trace::OwnFile(STDERR_FILENO);
}

void Complain(const char* what) {
  if (!g_stderr.IsIntact()) return;
  char line[700];
  const int size = std::snprintf(line, sizeof line, "inquest: %.650s\n", what);
  if (size > 0 && write(STDERR_FILENO, line, static_cast<size_t>(size)) < 0) {
    return;  // stderr is closed
  }
}

bool SwitchOff(const char* why) {
  if (g_over.exchange(true)) return false;
  EmitCoverage("collector", "failed", why);
  // The session stays allocated: other threads may be using it.
  internal::g_session.store(nullptr, std::memory_order_release);
  char line[640];
  std::snprintf(line, sizeof line, "recording switched off: %.600s", why);
  Complain(line);
  return true;
}

void EndSession() {
  if (Current() == nullptr || g_over.exchange(true)) return;
  InsideScope inside;
  if (StopDrain(kExitTimeoutMs)) CloseJournal(Current());
}

void SessionBeforeFork() {
  LeaveLoadsToParent();
  pthread_mutex_lock(&g_start);
  g_held_for_fork = HoldDrainForFork();
}

void SessionAfterForkInParent() {
  ReleaseDrainAfterFork();
  pthread_mutex_unlock(&g_start);
}

void SessionAfterForkInChild() {
  Session* parents = internal::g_session.exchange(nullptr);
  if (parents != nullptr) parents->journal->Abandon();
  // SQLite may have been interrupted in the middle: leave it alone then.
  if (!g_held_for_fork) g_over.store(true);
  ForgetDrainInChild();
  UntieClock();
  for (const Source* source : Sources()) {
    if (source->forget_in_child != nullptr) source->forget_in_child();
  }
  pthread_mutex_init(&g_start, nullptr);
}

}  // namespace inquest::collector
