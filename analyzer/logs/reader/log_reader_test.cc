// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "analyzer/logs/reader/log_parallel.h"
#include "base/units.h"
#include "tests/catch_compat.h"

using namespace inquest;
using namespace inquest::ingest;

namespace {

namespace fs = std::filesystem;

struct Seen {
  LogEvent event;
  std::string text;
};

struct Sink : LogSink {
  std::vector<Seen> events;
  std::vector<std::string> tail;
  std::vector<LogSource> sources;

  void OnEvent(const LogEvent& event) override {
    events.push_back({event, std::string(event.line.text)});
  }
  void OnTail(size_t, const std::vector<LogLine>& lines) override {
    tail.clear();
    for (const auto& line : lines) tail.emplace_back(line.text);
  }
  void OnSource(size_t, const LogSource& source) override {
    sources.push_back(source);
  }
};

rules::Signature Of(const std::string& id, const std::string& pattern,
                    rules::Role role = rules::Role::kCause) {
  rules::Signature signature;
  signature.id = id;
  signature.patterns.resize(1);
  signature.patterns[0].text = pattern;
  signature.patterns[0].re2 = pattern;
  signature.role = role;
  return signature;
}

const rules::SignatureSet& Signatures() {
  static const auto set = rules::SignatureSet::Compile(
      {Of("cuda", "^CUDA error: (?P<what>\\w+)"),
       Of("xid", "NVRM: Xid .*: (?P<xid>\\d+)"),
       Of("step", "^step (?P<n>\\d+) done", rules::Role::kProgress)});
  return *set;
}

Sink Read(std::string_view text, const LogLimits& limits = {},
          int64_t mtime = 0) {
  Sink sink;
  CHECK(ReadLogText("log", text, Signatures(), limits, &sink, 0, mtime).ok());
  REQUIRE(sink.sources.size() == 1);
  return sink;
}

std::string Gzip(std::string_view text) {
  z_stream z = {};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string Zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(
      ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string Utf16(std::u16string_view text, bool big) {
  std::string out = big ? "\xFE\xFF" : "\xFF\xFE";
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    out += big ? high : low;
    out += big ? low : high;
  }
  return out;
}

class TempDir {
 public:
  TempDir()
      : path_(fs::temp_directory_path() /
              ("inquest-logs-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~TempDir() { fs::remove_all(path_); }
  std::string File(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return (path_ / name).string();
  }
  fs::path path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("a line, its place, its figures") {
  const Sink sink = Read("one\n\n[rank3]: CUDA error: bad\nlast");
  REQUIRE(sink.events.size() == 1);
  const auto& seen = sink.events[0];
  CHECK(seen.text == "CUDA error: bad");
  CHECK(seen.event.signature == 0);
  CHECK(seen.event.figures["what"] == "bad");
  CHECK(seen.event.line.number == 3);
  CHECK(seen.event.line.offset == 5);
  CHECK(seen.event.line.rank == 3);
  CHECK(sink.tail ==
        std::vector<std::string>{"one", "CUDA error: bad", "last"});
  const auto& source = sink.sources[0];
  CHECK(source.lines == 4);
  CHECK(source.bytes == 34);
  CHECK(source.events == 1);
  CHECK(source.truncated);
  CHECK(source.kind == "app");
  CHECK(source.packing == "none");
}

TEST_CASE("empty logs") {
  CHECK(Read("").sources[0].lines == 0);
  CHECK_FALSE(Read("").sources[0].truncated);
  CHECK(Read("\n").sources[0].lines == 1);
  CHECK(Read("\n\n\n").tail.empty());
}

TEST_CASE("line ends and colours") {
  Sink sink = Read("x\r\nCUDA error: crlf\r\n");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].text == "CUDA error: crlf");
  CHECK(sink.events[0].event.line.number == 2);
  sink = Read("\x1b[31mCUDA\x1b[0m err\x1b[1mor: red\x1b]0;title\x07\n");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].text == "CUDA error: red");
  sink = Read("\x1b[36m(pid=12)\x1b[0m CUDA error: ray\n");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].event.line.pid == 12);
  sink = Read(std::string("CU\0DA error: nul\n", 17));
  CHECK(sink.events.size() == 1);
  // A title that is never closed does not swallow the text.
  CHECK(Read("\x1b]0;x\nCUDA error: y\n").events.size() == 1);
}

TEST_CASE("what stands after a carriage return is a line of its own") {
  const std::string text =
      " 10%|#  | 1/10\r 20%|## | 2/10\rCUDA error: mid\rmore\nnext\n";
  const Sink sink = Read(text);
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].text == "CUDA error: mid");
  CHECK(sink.events[0].event.line.number == 1);
  CHECK(static_cast<size_t>(sink.events[0].event.line.offset) ==
        text.find("CUDA"));
  CHECK(sink.sources[0].lines == 2);
  CHECK(sink.tail.size() == 5);
}

TEST_CASE("two million backspaces, and an error behind them") {
  std::string text;
  for (int i = 0; i < 40000; ++i) {
    text += std::to_string(i) + "/40000 [====>.....]" + std::string(50, '\b');
  }
  text += "CUDA error: keras";
  const Sink sink = Read(text);
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].text == "CUDA error: keras");
  CHECK(Read("CUUDA\b\b\b\bUDA error: typed\n").events.size() == 1);
  CHECK(Read("\b\b\b\n\b").sources[0].lines == 2);
}

TEST_CASE("endless lines are cut, the rest is skipped and counted") {
  LogLimits limits;
  limits.max_line_bytes = 1000;
  for (const size_t length : {999u, 1000u, 1001u, 70000u, 3000000u}) {
    CAPTURE(length);
    const std::string text = std::string(length, 'x') + "\nCUDA error: after\n";
    const Sink sink = Read(text, limits);
    REQUIRE(sink.events.size() == 1);
    CHECK(sink.events[0].event.line.number == 2);
    CHECK(static_cast<size_t>(sink.events[0].event.line.offset) == length + 1);
    CHECK(sink.sources[0].cut_lines == (length > 1000 ? 1 : 0));
    CHECK(sink.sources[0].lines == 2);
  }
  const Sink cut =
      Read("CUDA error: x" + std::string(5000, ' ') + "\n", limits);
  REQUIRE(cut.events.size() == 1);
  CHECK(cut.events[0].event.line.cut);
  CHECK(cut.events[0].text.size() == 1000);
  // A long run of NULs, as a node leaves them when it loses power.
  const Sink nul = Read(std::string(3000000, '\0') + "CUDA error: y\n", limits);
  CHECK(nul.events.size() == 1);
}

TEST_CASE("a progress bar of megabytes without a line feed") {
  std::string text;
  while (text.size() < 3000000) text += "\r 10%|#    | 1/10 [00:01<00:09]";
  text += "\rCUDA error: late\n";
  const Sink sink = Read(text);
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].event.line.number == 1);
  CHECK(sink.sources[0].cut_lines == 0);
}

TEST_CASE("gzip and zstd, in several pieces") {
  const std::string a = "one\nCUDA error: a\n";
  const std::string b = "CUDA error: b\n";
  Sink sink = Read(Gzip(a) + Gzip(b));
  CHECK(sink.events.size() == 2);
  CHECK(sink.sources[0].packing == "gzip");
  CHECK(sink.sources[0].bytes == std::ssize(a + b));
  CHECK(sink.events[1].event.line.number == 3);
  CHECK_FALSE(sink.sources[0].truncated);
  sink = Read(Zstd(a) + Zstd(b));
  CHECK(sink.events.size() == 2);
  CHECK(sink.sources[0].packing == "zstd");
  sink = Read(Gzip(a) + std::string(512, '\0'));
  CHECK(sink.events.size() == 1);
  CHECK(sink.sources[0].note.empty());
  CHECK_FALSE(Read(Gzip(a) + "junk").sources[0].note.empty());
}

TEST_CASE("truncated and damaged packings give what they hold") {
  std::mt19937 random(2);
  std::string text = "CUDA error: first\n";
  for (int i = 0; i < 200000; ++i) text += std::to_string(random()) + "\n";
  for (const std::string& packed : {Gzip(text), Zstd(text)}) {
    const Sink half = Read(packed.substr(0, packed.size() / 2));
    CHECK(half.events.size() == 1);
    CHECK(half.sources[0].truncated);
    CHECK_THAT(half.sources[0].note, HasText("ends in the middle"));
    std::string damaged = packed;
    damaged[packed.size() / 2] ^= 0x55;
    damaged[packed.size() / 2 + 1] ^= 0x55;
    const Sink bad = Read(damaged);
    CHECK_THAT(bad.sources[0].note, HasText("damaged"));
    CHECK(bad.sources[0].incomplete);
    for (size_t size = 2; size < 40; ++size) Read(packed.substr(0, size));
  }
}

TEST_CASE("a bomb ends at its budget") {
  LogLimits limits;
  limits.max_unpacked_bytes = 1 << 20;
  const std::string zeros(64 << 20, 'x');
  for (const std::string& packed : {Gzip(zeros), Zstd(zeros)}) {
    const Sink sink = Read(packed, limits);
    CHECK(sink.sources[0].bytes == 1 << 20);
    CHECK(sink.sources[0].incomplete);
    CHECK_THAT(sink.sources[0].note, HasText("1.00 MiB"));
  }
}

TEST_CASE("other packings are named") {
  Sink sink;
  const Status status = ReadLogText("l",
                                    std::string("\xFD"
                                                "7zXZ\0\0\0",
                                                8),
                                    Signatures(), {}, &sink);
  CHECK(status.code() == StatusCode::kUnreadable);
  CHECK_THAT(status.message(), HasText("packed with xz"));
  REQUIRE(sink.sources.size() == 1);
  CHECK(sink.sources[0].incomplete);
}

TEST_CASE("UTF-16 and byte order marks") {
  for (const bool big : {false, true}) {
    const Sink sink = Read(Utf16(u"é😀\nCUDA error: wide\n", big));
    REQUIRE(sink.events.size() == 1);
    CHECK(sink.tail[0] == "é😀");
  }
  CHECK(Read("\xEF\xBB\xBF"
             "CUDA error: bom\n")
            .events.size() == 1);
  CHECK(Read("\xFF\xFE").sources[0].bytes == 0);
  CHECK(Read(Utf16(u"CUDA error: odd\n", false) + "x").events.size() == 1);
}

TEST_CASE("container logs: partial lines, JSON lines") {
  Sink sink = Read(
      "2031-02-03T04:05:06.07Z stdout F a\n"
      "2031-02-03T04:05:06.08Z stderr P CUDA er\n"
      "2031-02-03T04:05:06.09Z stderr F ror: joined\n"
      "2031-02-03T04:05:06.10Z stdout F b\n");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].text == "CUDA error: joined");
  CHECK(sink.events[0].event.line.number == 2);
  CHECK(FormatTime(*sink.events[0].event.line.time_ns) ==
        "2031-02-03 04:05:06.080");
  CHECK_FALSE(sink.sources[0].zone_unknown);
  sink = Read(
      "{\"log\":\"CUDA \\u001b[1merror: js\\n\",\"stream\":\"stderr\",\"time\":"
      "\"2031-02-03T04:05:06Z\"}\n"
      "{\"log\":\"CUDA error: unended\",\"stream\":\"stderr\",\"time\":"
      "\"2031-02-03T04:05:07Z\"}\n");
  REQUIRE(sink.events.size() == 2);
  CHECK(sink.events[0].text == "CUDA error: js");
  CHECK(sink.events[1].text == "CUDA error: unended");
}

TEST_CASE("lines that a terminal folded are whole again") {
  const std::string words(51, 'x');
  // 71 columns; the second event's word is cut, the third's number too.
  const Sink folded =
      Read("short\nINFO " + words +
           " before it: CUD\nA error: illegal\nCUDA error: " + words +
           "yyyyyyyy\nzz\nmore\nERROR " + words + " NVRM: Xid : 1\n3, x\n");
  REQUIRE(folded.events.size() == 2);
  CHECK(folded.events[0].event.figures["what"] == words + "yyyyyyyyzz");
  CHECK(folded.events[0].event.line.number == 4);
  CHECK(folded.events[1].event.figures["xid"] == "13");
  // Lines of one form end at one column and are no fold.
  const std::string form = "loss 0.125 " + words;
  const Sink table =
      Read(form + "\n" + form + "\n" + form + "\nCUDA error: x\n");
  CHECK(table.events.size() == 1);
  // The longest line may only happen to end in a word.
  const Sink one = Read("INFO " + words + " NVRM: Xid : 1\nstep 7 done\n");
  REQUIRE(one.events.size() == 2);
  CHECK(one.events[0].event.figures["xid"] == "1");
}

TEST_CASE("kernel logs") {
  const Sink sink = Read(
      "[    1.000000] usb\n"
      "[  123.456789] NVRM: Xid (PCI:0000:52:00): 79, pid=1, x\n");
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].event.figures["xid"] == "79");
  CHECK(sink.sources[0].kind == "kernel");
  CHECK_FALSE(sink.events[0].event.line.time_ns.has_value());
}

TEST_CASE("times of lines and of the log") {
  const Sink sink = Read(
      "2031-02-03 04:05:06,070 - a - INFO - start\n"
      "nothing\n"
      "CUDA error: untimed\n"
      "2031-02-03 04:06:06,070 - a - INFO - end\n");
  REQUIRE(sink.events.size() == 1);
  CHECK_FALSE(sink.events[0].event.line.time_ns.has_value());
  REQUIRE(sink.sources[0].first_time_ns.has_value());
  CHECK(FormatTime(*sink.sources[0].first_time_ns) ==
        "2031-02-03 04:05:06.070");
  CHECK(FormatTime(*sink.sources[0].last_time_ns) == "2031-02-03 04:06:06.070");
  CHECK(sink.sources[0].zone_unknown);
}

TEST_CASE("a flood of one error is sampled, its end is read") {
  std::string text;
  for (int i = 0; i < 20000; ++i) {
    text += "CUDA error: " + std::to_string(i % 7) + " in step " +
            std::to_string(i) + "\n";
  }
  const Sink sink = Read(text);
  const ingest::LogSource& log = sink.sources[0];
  CHECK(log.lines == 20000);
  CHECK(log.repeats > 15000);
  CHECK(log.repeats < 20000 - 4096);
}

TEST_CASE("progress is thinned, trouble is not") {
  std::string text;
  const int steps = 200000;
  for (int i = 1; i <= steps; ++i) {
    text += "step " + std::to_string(i) + " done\n";
    if (i == 50500) text += "CUDA error: survived\n";
    if (i % 1000 == 0) text += "[rank1]: CUDA error: again\n";
  }
  LogLimits limits;
  limits.most_repeats = 100;
  const Sink sink = Read(text, limits);
  std::vector<int> seen;
  size_t errors = 0;
  int after_error = 0;
  bool survived = false;
  for (const auto& one : sink.events) {
    if (one.event.signature == 0) {
      ++errors;
      survived = one.text == "CUDA error: survived";
    } else {
      seen.push_back(std::stoi(one.event.figures["n"].Text()));
      if (survived) after_error = seen.back();
      survived = false;
    }
  }
  CHECK(errors == 201);
  CHECK(sink.sources[0].thinned);
  CHECK(seen.size() < 5000);
  REQUIRE(seen.size() > 100);
  CHECK(seen.front() == 1);
  CHECK(seen[99] == 100);
  CHECK(after_error == 50501);
  CHECK(seen.back() == steps);
  CHECK_FALSE(Read("step 1 done\n").sources[0].thinned);
}

TEST_CASE("blocks do not show: offsets and numbers at every boundary") {
  std::mt19937 random(4);
  std::string text;
  std::vector<size_t> expected;
  size_t lines = 0;
  while (text.size() < 2500000) {
    ++lines;
    if (random() % 500 == 0) {
      expected.push_back(text.size());
      text += "CUDA error: x" + std::to_string(lines) + "\n";
    } else {
      text += std::string(random() % 200, 'a' + static_cast<char>(lines % 26));
      text += random() % 10 == 0 ? "\r\n" : "\n";
    }
  }
  const Sink sink = Read(text);
  REQUIRE(sink.events.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto& event = sink.events[i].event;
    REQUIRE(static_cast<size_t>(event.line.offset) == expected[i]);
    REQUIRE(event.figures["what"] == "x" + std::to_string(event.line.number));
  }
  CHECK(static_cast<size_t>(sink.sources[0].lines) == lines);
}

TEST_CASE("files, and what is no file") {
  const TempDir dir;
  const std::string good = dir.File("good.log", "CUDA error: file\n");
  const std::string empty = dir.File("empty.log", "");
  const std::string fifo = (dir.path() / "fifo").string();
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  Sink sink;
  const Status status = ReadLogs({{dir.path().string(), {}},
                                  {good, {}},
                                  {fifo, {}},
                                  {"/dev/zero", {}},
                                  {(dir.path() / "none").string(), {}},
                                  {empty, {}}},
                                 Signatures(), {}, &sink);
  CHECK(status.code() == StatusCode::kUnreadable);
  CHECK_THAT(status.message(), HasText("is a folder"));
  REQUIRE(sink.sources.size() == 6);
  CHECK(sink.sources[1].events == 1);
  CHECK_THAT(sink.sources[2].note, HasText("named pipe"));
  CHECK_THAT(sink.sources[3].note, HasText("device"));
  CHECK_THAT(sink.sources[4].note, HasText("No such file"));
  CHECK(sink.sources[5].lines == 0);
  REQUIRE(sink.events.size() == 1);
  CHECK(sink.events[0].event.source == 1);
}

TEST_CASE("a file that grows or shrinks while it is read") {
  const TempDir dir;
  const std::string path = dir.File("log", "CUDA error: before\n");
  // The sink is called in the middle of the reading.
  struct Growing : Sink {
    std::string path;
    bool shrink = false;
    void OnEvent(const LogEvent& event) override {
      Sink::OnEvent(event);
      if (shrink) {
        CHECK(truncate(path.c_str(), 0) == 0);
      } else {
        std::ofstream(path, std::ios::app) << "CUDA error: added\n";
      }
    }
  };
  for (const bool shrink : {false, true}) {
    Growing sink;
    sink.path = path;
    sink.shrink = shrink;
    CHECK(ReadLogFile({path, {}}, Signatures(), {}, &sink).ok());
    CHECK(sink.events.size() >= 1);
    CHECK_FALSE(sink.sources[0].incomplete);
  }
}

TEST_CASE("standard input") {
  const TempDir dir;
  const std::string path = dir.File("in", "CUDA error: piped\n");
  const int saved = dup(STDIN_FILENO);
  const int file = open(path.c_str(), O_RDONLY);
  dup2(file, STDIN_FILENO);
  Sink sink;
  CHECK(ReadLogFile({"-", {}}, Signatures(), {}, &sink).ok());
  dup2(saved, STDIN_FILENO);
  close(file);
  close(saved);
  CHECK(sink.events.size() == 1);
  CHECK(sink.sources[0].path == "-");
}

TEST_CASE("random bytes never crash and are all accounted for") {
  std::mt19937 random(6);
  using std::string_literals::operator""s;  // keeps the zero in the middle
  const std::string alphabet =
      "\r\n\b\0\x1b[]{}\"PF:; 0123CUDA error: x\xff\xc3"s;
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (size_t i = random() % 20000; i > 0; --i) {
      text += round % 2 == 0 ? static_cast<char>(random())
                             : alphabet[random() % alphabet.size()];
    }
    LogLimits limits;
    limits.max_line_bytes = 1 + random() % 3000;
    const Sink sink = Read("\n" + text, limits);
    CHECK(sink.sources[0].bytes == std::ssize(text) + 1);
  }
}
