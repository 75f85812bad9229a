// SPDX-License-Identifier: Apache-2.0
#include "cli/record/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <termios.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

namespace inquest::record {
namespace {

constexpr int kKcmpFile = 0;  // KCMP_FILE of linux/kcmp.h

// Whether bytes written to one or the other arrive in one sequence.
bool SameDestination(int a, int b) {
  struct stat first, second;
  if (fstat(a, &first) != 0 || fstat(b, &second) != 0) return false;
  if (first.st_dev != second.st_dev || first.st_ino != second.st_ino) {
    return false;
  }
  if (!S_ISREG(first.st_mode)) return true;
  // A file that was opened twice has two positions. If the kernel does not say,
  // 2>&1 is the likelier reason.
  const pid_t self = getpid();
  const long order = syscall(SYS_kcmp, self, self, kKcmpFile, a, b);
  return order <= 0;
}

UniqueFd OpenPeer(int master) {
  const int flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
#ifdef TIOCGPTPEER
  const int peer = ioctl(master, TIOCGPTPEER, flags);
  if (peer >= 0) return UniqueFd(peer);
#endif
  char name[128];
  if (ptsname_r(master, name, sizeof name) != 0) return UniqueFd();
  return UniqueFd(open(name, flags));
}

// Copies the settings of the real terminal, without output processing: the real
// terminal does that once, to the output that we pass on.
void CopySettings(int from, int to) {
  struct termios settings;
  if (tcgetattr(from, &settings) != 0 && tcgetattr(to, &settings) != 0) return;
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  tcsetattr(to, TCSANOW, &settings);
}

bool OpenTerminal(Channel* channel) {
  UniqueFd master(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!master.ok() || grantpt(master.get()) != 0 ||
      unlockpt(master.get()) != 0) {
    return false;
  }
  UniqueFd peer = OpenPeer(master.get());
  if (!peer.ok()) return false;
  CopySettings(channel->sink, peer.get());
  channel->source = std::move(master);
  channel->child_end = std::move(peer);
  channel->terminal = true;
  CopyWindowSize(*channel);
  return true;
}

bool OpenPipe(Channel* channel) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  channel->source = UniqueFd(ends[0]);
  channel->child_end = UniqueFd(ends[1]);
  return true;
}

Expected<Channel> OpenChannel(int sink) {
  Channel channel;
  channel.sink = sink;
  // Without /dev/pts the command still runs, but does not see a terminal.
  if (isatty(sink) != 0 && OpenTerminal(&channel)) return channel;
  if (OpenPipe(&channel)) return channel;
  return Internal(std::string("cannot make a pipe: ") + strerror(errno));
}

// A device that is neither a terminal nor /dev/null, such as /dev/full: only if
// the command writes to it itself does it meet the device's own errors.
bool IsOtherDevice(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISCHR(info.st_mode) && isatty(fd) == 0 &&
         info.st_rdev != makedev(1, 3);
}

}  // namespace

void ReserveStandardStreams(bool was_open[3]) {
  for (int fd = 0; fd < 3; ++fd) {
    was_open[fd] = fcntl(fd, F_GETFD) >= 0;
    if (was_open[fd]) continue;
    // open() returns the lowest free number, which is this one.
    if (open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd) return;
  }
}

Expected<Channels> OpenChannels(const bool was_open[3]) {
  Channels channels;
  const bool has_out = was_open[1] && !IsOtherDevice(1);
  const bool has_err = was_open[2] && !IsOtherDevice(2);
  channels.devices = has_out != was_open[1] || has_err != was_open[2];
  if (has_out) {
    ASSIGN_OR_RETURN(Channel out, OpenChannel(1));
    channels.list.push_back(std::move(out));
    channels.out = 0;
  }
  if (!has_err) return channels;
  if (has_out && SameDestination(1, 2)) {
    channels.err = 0;
    return channels;
  }
  ASSIGN_OR_RETURN(Channel err, OpenChannel(2));
  channels.err = static_cast<int>(channels.list.size());
  channels.list.push_back(std::move(err));
  return channels;
}

size_t RoomIn(int sink) {
  struct stat info {};
  if (fstat(sink, &info) == 0 && S_ISREG(info.st_mode)) return SIZE_MAX;
  int waiting = 0;
  if (S_ISFIFO(info.st_mode) && ioctl(sink, FIONREAD, &waiting) == 0 &&
      waiting == 0) {
    const int size = fcntl(sink, F_GETPIPE_SZ);
    if (size > 0) return static_cast<size_t>(size);
  }
  // What has room has it for so much.
  struct pollfd wait = {sink, POLLOUT, 0};
  return poll(&wait, 1, 0) > 0 ? PIPE_BUF : 0;
}

void CopyWindowSize(const Channel& channel) {
  struct winsize size;
  if (channel.terminal && ioctl(channel.sink, TIOCGWINSZ, &size) == 0) {
    ioctl(channel.child_end.get(), TIOCSWINSZ, &size);
  }
}

}  // namespace inquest::record
