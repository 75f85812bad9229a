// SPDX-License-Identifier: Apache-2.0
#include "cli/verdict_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/diagnosis_session.h"
#include "cli/record/fd.h"

namespace inquest::cli {
namespace {

using Clock = std::chrono::steady_clock;
using record::UniqueFd;

constexpr size_t kMaxLineBytes = 4000;  // of the line: one write to a pipe
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // its shadow exceeds every limit
#else
constexpr bool kSanitized = false;
#endif

struct Work {
  const std::string* directory;
  int to;
};

void* Diagnose(void* argument) {
  const auto* work = static_cast<const Work*>(argument);
  SessionOptions options;
  options.paths = {*work->directory};
  auto session = Session::Open(options);
  if (!session.ok() || !session->Diagnose().ok()) return nullptr;
  std::string line = report::OneLine(session->diagnosis());
  line.resize(std::min(line.size(), kMaxLineBytes));
  [[maybe_unused]] const ssize_t n = write(work->to, line.data(), line.size());
  return nullptr;
}

void Limit(int what, size_t bytes) {
  const struct rlimit limit = {bytes, bytes};
  setrlimit(what, &limit);
}

// If memory is short, the kernel should end this process first.
void VolunteerForOom() {
  const UniqueFd file(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (!file.ok()) return;
  [[maybe_unused]] const ssize_t n = write(file.get(), "1000", 4);
}

// The user's limit on stacks counts for the first thread only, and was small
// already when this program began.
[[noreturn]] void BeDiagnosis(const std::string& directory, int to,
                              const VerdictLimits& limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int fd = 0; null.ok() && fd < 3; ++fd) dup2(null.get(), fd);
  Limit(RLIMIT_CORE, 0);
  if (!kSanitized) Limit(RLIMIT_DATA, limits.memory);
  VolunteerForOom();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, limits.stack);
  pthread_setattr_default_np(&attributes);
  Work work = {&directory, to};
  pthread_t thread;
  if (pthread_create(&thread, &attributes, Diagnose, &work) == 0) {
    pthread_join(thread, nullptr);
  }
  _exit(0);
}

// What `from` sends until it is closed; nothing after the deadline, or once
// `stop` is readable.
bool ReadUntil(int from, int stop, Clock::time_point deadline,
               std::string* line) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    struct pollfd polls[] = {{from, POLLIN, 0}, {stop, POLLIN, 0}};
    const int ready = poll(polls, 2, static_cast<int>(left.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0 || polls[1].revents != 0) return false;
    char bytes[kMaxLineBytes];
    const ssize_t n = read(from, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return true;
    line->append(bytes, static_cast<size_t>(n));
  }
}

std::string InSeconds(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

}  // namespace

VerdictLine FindVerdictLine(const std::string& directory,
                            const VerdictLimits& limits) {
  int ends[2];
  if (limits.deadline.count() <= 0 || pipe2(ends, O_CLOEXEC) != 0) return {};
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  // They stay held: the recorder ends as the command did, whatever comes now.
  sigset_t held;
  sigemptyset(&held);
  for (const int s : kSignals) sigaddset(&held, s);
  sigprocmask(SIG_BLOCK, &held, nullptr);
  const UniqueFd stop(signalfd(-1, &held, SFD_CLOEXEC));
  const Clock::time_point deadline = Clock::now() + limits.deadline;
  const pid_t child = fork();
  if (child == 0) BeDiagnosis(directory, to.get(), limits);
  to.Reset();
  VerdictLine line;
  if (child > 0) {
    const bool ended = ReadUntil(from.get(), stop.get(), deadline, &line.text);
    if (!ended) {
      kill(child, SIGKILL);
      line.why_not = Clock::now() < deadline
                         ? "the diagnosis was interrupted"
                         : fmt::format("the diagnosis takes longer than {}",
                                       InSeconds(limits.deadline));
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (ended && WIFSIGNALED(status)) {
      line.why_not = fmt::format("the diagnosis failed ({}): report it, please",
                                 strsignal(WTERMSIG(status)));
    }
  }
  return line;
}

}  // namespace inquest::cli
