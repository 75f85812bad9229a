// SPDX-License-Identifier: Apache-2.0
// Prefixes of the kernel, of syslog and the journal, and of containers.

#include <string>

#include "analyzer/logs/carriers/log_carriers.h"

namespace inquest::ingest {
namespace {

bool Done(const Cursor& c, Carrier* out) {
  out->length = c.at();
  return true;
}

// "[  123.456789] " that rsyslog leaves inside the text.
void TakeInnerBoot(Cursor* c, Carrier* out) {
  if (c->peek() != '[') return;
  const auto stamp = ParseStamp(c->rest());
  if (!stamp || stamp->clock != LogStamp::Clock::kBoot) return;
  out->boot_ns = stamp->ns;
  c->set(c->at() + stamp->length);
  c->Take(' ');
}

// "node1 kernel: ", "node1 slurmstepd[1234]: ". Kernel lines lose the tag;
// others keep it because it names the program. After a bare stamp (`sure` is
// false) any two words and a colon would look the same, so a process id is
// required.
bool TakeHostAndTag(Cursor* c, bool sure, Carrier* out) {
  const std::string_view host = c->While(IsNameChar);
  if (host.empty() || !c->Take(' ')) return false;
  const size_t begin = c->at();
  const auto tag_char = [](char x) {
    return IsNameChar(x) || x == '/' || x == '(' || x == ')' || x == '@';
  };
  const std::string_view tag = c->While(tag_char);
  std::optional<int64_t> pid;
  if (c->Take('[')) {
    pid = c->Number(9);
    if (!c->Take(']')) return false;
  }
  if (tag.empty() || !c->Take(':')) return false;
  if (!sure && !pid && tag != "kernel") return false;
  c->Take(' ');
  out->host = host;
  out->kernel = tag == "kernel";
  if (out->kernel) {
    TakeInnerBoot(c, out);
  } else {
    out->pid = pid;
    c->set(begin);
  }
  return true;
}

// "stdout F ", "stderr P ": the container runtime's log files.
bool TakeCri(Cursor* c, Carrier* out) {
  if (!c->Take("stdout ") && !c->Take("stderr ")) return false;
  const char tag = c->peek();
  if (!c->TakeAny("FP")) return false;
  if (c->Take(':')) c->While([](char x) { return x != ' '; });
  if (!c->Take(' ') && !c->done()) return false;
  out->partial = tag == 'P';
  return true;
}

// The content of the kernel's brackets: seconds since boot, perhaps with the
// difference to the previous line (dmesg -d), or a ctime date (dmesg -T).
std::optional<LogStamp> KernelStamp(std::string_view inside) {
  const size_t angle = inside.find(" <");
  if (angle != inside.npos && inside.ends_with('>')) {
    inside = inside.substr(0, angle);
  }
  const auto boot = ParseStamp("[" + std::string(inside) + "]");
  if (boot && boot->clock == LogStamp::Clock::kBoot) return boot;
  const bool ctime = inside.size() == 24 && IsUpper(inside[0]) &&
                     IsLower(inside[1]) && inside[3] == ' ';
  const auto date = ctime ? ParseStamp(inside) : std::nullopt;
  return date && date->year > 0 ? date : std::nullopt;
}

// "  +0.000316": the time since the line before (dmesg -e), which may be lost.
bool IsDifference(std::string_view inside) {
  Cursor c(inside);
  c.SkipBlanks();
  return c.Take('+') && c.Number(9) && c.Take('.') &&
         c.While(IsDigit).size() == 6 && c.done();
}

// "[ T1234]", "[    C3]": CONFIG_PRINTK_CALLER.
void TakeCaller(Cursor* c) {
  const size_t begin = c->at();
  if (!c->Take('[')) return;
  c->SkipBlanks();
  if (!c->TakeAny("TC") || !c->Number(9) || !c->Take(']')) c->set(begin);
}

}  // namespace

// "[  123.456789] ", with "[ T1234] ", "<    0.000012>" or "node1 kernel: "
// behind it; "[Mon Feb  3 04:05:06 2031] ", "[  +0.000316] ".
bool TakeKernelBracket(Cursor c, Carrier* out) {
  const size_t close = c.rest().substr(0, 40).find(']');
  if (close == std::string_view::npos) return false;
  const std::string_view inside = c.rest().substr(1, close - 1);
  out->stamp = KernelStamp(inside);
  if (!out->stamp && !IsDifference(inside)) return false;
  c.set(c.at() + close + 1);
  TakeCaller(&c);
  c.Take(' ');
  out->kernel = true;
  Cursor tagged = c;  // journalctl -o short-monotonic
  Carrier inner;
  if (TakeHostAndTag(&tagged, false, &inner) && inner.kernel) {
    out->host = inner.host;
    c = tagged;
  }
  return Done(c, out);
}

// "<4>[ …" (raw printk), "<4>1 2031-02-03T… node1 kernel - - - " (RFC 5424).
bool TakeAngle(Cursor c, Carrier* out) {
  if (!c.Take('<') || !c.Number(3) || !c.Take('>')) return false;
  if (c.peek() == '[') return Done(c, out);
  if (!c.Take("1 ")) return false;
  const auto stamp = ParseStamp(c.rest());
  if (!stamp) return false;
  c.set(c.at() + stamp->length);
  const auto field = [&]() -> std::string_view {
    if (!c.Take(' ')) return {};
    return c.While([](char x) { return x != ' '; });
  };
  const std::string_view host = field();
  const std::string_view app = field();
  Cursor pid(field());
  if (field().empty() || !c.Take(' ')) return false;
  if (!c.Take('-')) {  // structured data, in brackets
    const size_t end = c.rest().find("] ");
    if (end == std::string_view::npos) return false;
    c.set(c.at() + end + 1);
  }
  c.Take(' ');
  out->stamp = stamp;
  if (host != "-") out->host = host;
  out->pid = pid.Number(9);
  out->kernel = app == "kernel";
  if (out->kernel) TakeInnerBoot(&c, out);
  return Done(c, out);
}

// Lines that begin with a stamp that only log systems write: RFC 3339 with a
// zone, then perhaps a stream (CRI) or a host and a tag (syslog, journal).
bool TakeStamped(Cursor c, Carrier* out) {
  if (c.peek(4) != '-' || c.peek(10) != 'T') return false;
  const auto stamp = ParseStamp(c.rest());
  if (!stamp || stamp->clock != LogStamp::Clock::kUtc) return false;
  const bool dmesg = c.peek(19) == ',';  // dmesg --time-format iso
  c.set(c.at() + stamp->length);
  if (!c.Take(' ') && !c.done()) return false;
  out->stamp = stamp;
  out->kernel = dmesg;
  if (dmesg) return Done(c, out);
  Cursor after = c;
  if (TakeCri(&after, out) || (after = c, TakeHostAndTag(&after, false, out))) {
    return Done(after, out);
  }
  return Done(c, out);
}

// "4,1234,123456789,-;text": /dev/kmsg.
bool TakeKmsg(Cursor c, Carrier* out) {
  if (!c.Number(4) || !c.Take(',') || !c.Number(12) || !c.Take(',')) {
    return false;
  }
  const auto microseconds = c.Number(15);
  if (!microseconds || !c.Take(',') || !c.TakeAny("-c+")) return false;
  c.While([](char x) { return x != ';' && x != ' '; });
  if (!c.Take(';')) return false;
  LogStamp stamp;
  stamp.clock = LogStamp::Clock::kBoot;
  stamp.ns = *microseconds * 1000;
  stamp.resolution_ns = 1000;
  out->stamp = stamp;
  out->kernel = true;
  return Done(c, out);
}

// "Feb  3 04:05:06 node1 kernel: ", "Mon 2031-02-03 04:05:06 UTC node1 x[1]: ",
// "Mon Feb  3 04:05:06 2031[1,3]<stderr>:" (the rest is the next prefix).
bool TakeNamedStamp(Cursor c, Carrier* out) {
  if (!IsLower(c.peek(1)) || c.peek(3) != ' ') return false;
  const auto stamp = ParseStamp(c.rest());
  if (!stamp) return false;
  c.set(c.at() + stamp->length);
  if (c.peek() != '[') {
    if (!c.Take(' ') || !TakeHostAndTag(&c, true, out)) return false;
  }
  out->stamp = stamp;
  return Done(c, out);
}

// "kern  :warn  : ": dmesg -x.
bool TakeFacility(Cursor c, Carrier* out) {
  const std::string_view facility = c.While(IsLower);
  if (facility != "kern" && facility != "user" && facility != "daemon" &&
      facility != "syslog") {
    return false;
  }
  c.SkipBlanks();
  if (!c.Take(':') || c.While(IsLower).empty()) return false;
  c.SkipBlanks();
  if (!c.Take(": ")) return false;
  out->kernel = facility == "kern";
  return Done(c, out);
}

}  // namespace inquest::ingest
