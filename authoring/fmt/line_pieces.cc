// SPDX-License-Identifier: Apache-2.0
#include "authoring/fmt/line_pieces.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/secrets/secrets.h"
#include "base/text.h"

namespace inquest::authoring {
namespace {

using rules::CaptureType;

// Something that differs from run to run: how to find it, its expression in a
// pattern, and its name if the line suggests none.
struct PieceKind {
  const char* find;
  const char* pattern;
  const char* usual_name;  // empty: not captured
  CaptureType type;
};

// The first match is taken, so the more exact kinds come first.
constexpr PieceKind kKinds[] = {
    {R"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?)", R"([\d:., TZ-]+)",
     "", CaptureType::kString},
    {R"([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})", R"([\w-]+)", "",
     CaptureType::kString},
    {R"([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(?:\.\d)?\b)",
     R"([0-9a-fA-F:.]+)", "pci", CaptureType::kString},
    {R"(\d+\.\d+\.\d+\.\d+(?::\d+)?)", R"([\d.:]+)", "address",
     CaptureType::kString},
    {R"(\d+(?:\.\d+)? ?(?:[KMGTPE]i?B|[Bb]ytes|B)\b)",
     R"([\d.]+ ?(?:[KMGTPE]i?B|[Bb]ytes|B))", "size_bytes",
     CaptureType::kBytes},
    {R"(\d+(?:\.\d+)? ?(?:ms|milliseconds|s|sec|seconds|min|minutes|h|hours)\b)",
     R"([\d.]+ ?[a-z]+)", "duration_ms", CaptureType::kMilliseconds},
    {R"(0x[0-9a-fA-F]+)", R"(0x[0-9a-fA-F]+)", "address", CaptureType::kHex},
    {R"(v?\d+\.\d+\.\d+[\w.+-]*)", R"(v?\d[\w.+-]*)", "version",
     CaptureType::kVersion},
    {R"(/[\w.+@-]+(?:/[\w.+@-]+)+)", R"(/[^\s:,'")]+)", "path",
     CaptureType::kString},
    {R"(-?\d+\.\d+(?:[eE][+-]?\d+)?)", R"(-?[\d.eE+-]+)", "value",
     CaptureType::kReal},
    {R"(-?\d+\b)", R"(-?\d+)", "number", CaptureType::kInteger},
};

const re2::RE2& Finder(size_t kind) {
  static const auto* finders = [] {
    auto* all = new std::vector<std::unique_ptr<re2::RE2>>;
    for (const PieceKind& one : kKinds) {
      all->push_back(std::make_unique<re2::RE2>(one.find));
    }
    return all;
  }();
  return *(*finders)[kind];
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view(R"(\.+*?()|[]{}^$)").find(c) !=
        std::string_view::npos) {
      out += '\\';
    }
    out += c;
  }
  return out;
}

// Words in logs for figures of the taxonomy.
std::string KnownName(const std::string& word) {
  static const std::pair<const char*, const char*> names[] = {
      {"gpu", "device"},          {"card", "device"},
      {"cuda", "device"},         {"device", "device"},
      {"process", "pid"},         {"pid", "pid"},
      {"rank", "rank"},           {"xid", "xid"},
      {"signal", "signal"},       {"exitcode", "exitcode"},
      {"code", "exitcode"},       {"status", "exitcode"},
      {"allocate", "requested"},  {"allocating", "requested"},
      {"requested", "requested"}, {"capacity", "total"}};
  for (const auto& [from, to] : names) {
    if (word == from) return to;
  }
  return word;
}

bool SaysNothing(const std::string& word) {
  static const std::set<std::string> words = {
      "the",  "and",  "for",  "with", "was", "were",  "has",     "had", "after",
      "from", "only", "than", "over", "out", "about", "another", "are", "its"};
  return words.contains(word);
}

// "free" in "3.2 GiB free"; "allocate" in "to allocate 3 GiB".
std::string NameFor(std::string_view before, std::string_view after,
                    const PieceKind& kind) {
  std::string name;
  const size_t near = std::min<size_t>(before.size(), 40);
  const auto words = WordsOf(before.substr(before.size() - near));
  if (!words.empty() && !SaysNothing(words.back())) {
    name = KnownName(words.back());
  }
  const auto next = WordsOf(after.substr(0, 20));
  const bool says_what =
      !next.empty() && (next[0] == "free" || next[0] == "total" ||
                        next[0] == "used" || next[0] == "allocated");
  if (says_what) name = next[0];
  const bool fixed =
      kind.type == CaptureType::kString || kind.type == CaptureType::kVersion;
  if (name.empty() || fixed) return kind.usual_name;
  // "daemon[771]": a number in brackets after a name is its process; at the
  // beginning of the line, that of the daemon that logs it.
  if (kind.type == CaptureType::kInteger && before.ends_with('[')) {
    return after.starts_with("]: ") ? "" : "pid";
  }
  if (kind.type == CaptureType::kBytes) return name + "_bytes";
  if (kind.type == CaptureType::kMilliseconds) return name + "_ms";
  return name;
}

class Cutter {
 public:
  explicit Cutter(std::string_view line) : line_(line) {}

  std::vector<LinePiece> Cut() {
    while (at_ < line_.size()) {
      if (TakeMasked() || TakeQuoted() || TakeDigitsOfWord() || TakeKind()) {
        continue;
      }
      AddText(line_.substr(at_, 1));
      ++at_;
    }
    return std::move(pieces_);
  }

 private:
  std::string_view Rest() const { return line_.substr(at_); }
  bool InWord() const { return at_ > 0 && IsWordCharacter(line_[at_ - 1]); }

  void AddText(std::string_view text) {
    if (pieces_.empty() || !pieces_.back().name.empty() || fresh_) {
      pieces_.emplace_back();
    }
    fresh_ = false;
    pieces_.back().text += text;
    pieces_.back().pattern += Escaped(text);
  }

  void Add(std::string_view text, const PieceKind& kind) {
    LinePiece piece;
    piece.text = text;
    piece.pattern = kind.pattern;
    piece.type = kind.type;
    if (kind.usual_name[0] != '\0') {
      piece.name = Unique(
          NameFor(line_.substr(0, at_), line_.substr(at_ + text.size()), kind));
    }
    fresh_ = true;
    pieces_.push_back(std::move(piece));
    at_ += text.size();
  }

  std::string Unique(std::string name) {
    std::string unique = name;
    for (int i = 2; !names_.insert(unique).second; ++i) {
      unique = name + std::to_string(i);
    }
    return unique;
  }

  // A credential, whatever it is in other logs; never a figure.
  bool TakeMasked() {
    if (!Rest().starts_with(kMaskedSecret)) return false;
    Add(kMaskedSecret, {"", ".+?", "", CaptureType::kString});
    return true;
  }

  // The text between quotes, which stay.
  bool TakeQuoted() {
    const char quote = line_[at_];
    if ((quote != '\'' && quote != '"') || InWord()) return false;
    const size_t end = line_.find(quote, at_ + 1);
    if (end == line_.npos || end == at_ + 1 || end - at_ > 200) return false;
    if (line_.substr(at_, end - at_).find(kMaskedSecret) != line_.npos) {
      return false;
    }
    AddText(line_.substr(at_, 1));
    ++at_;
    const PieceKind kind = {"", quote == '\'' ? "[^']+" : "[^\"]+", "text",
                            CaptureType::kString};
    Add(line_.substr(at_, end - at_), kind);
    AddText(line_.substr(at_, 1));
    ++at_;
    return true;
  }

  // node17: the number differs, the name does not.
  bool TakeDigitsOfWord() {
    if (!InWord() || !IsDigit(line_[at_])) return false;
    const PieceKind kind = {"", R"(\d+)", "", CaptureType::kString};
    size_t end = at_;
    while (end < line_.size() && IsDigit(line_[end])) ++end;
    Add(line_.substr(at_, end - at_), kind);
    return true;
  }

  bool TakeKind() {
    if (InWord()) return false;
    for (size_t i = 0; i < std::size(kKinds); ++i) {
      re2::StringPiece rest(Rest().data(), Rest().size());
      const size_t size = rest.size();
      if (!re2::RE2::Consume(&rest, Finder(i))) continue;
      Add(Rest().substr(0, size - rest.size()), kKinds[i]);
      return true;
    }
    return false;
  }

  std::string_view line_;
  size_t at_ = 0;
  bool fresh_ = false;  // the last piece is not text that can continue
  std::set<std::string> names_;
  std::vector<LinePiece> pieces_;
};

}  // namespace

std::vector<LinePiece> CutLine(std::string_view line) {
  return Cutter(line).Cut();
}

size_t LoggerHeader(std::string_view line) {
  // In order: a bracket with a time or glog's header; a time; a level; a source
  // file. Each may be missing.
  static const re2::RE2 header(
      R"((?:\[[^\]]{0,20}\d\d:\d\d[^\]]{0,80}\]\s*|)"
      R"([IWEF]\d{4} [^\]]{1,80}\]\s*)?)"
      R"((?:\d{4}-\d\d-\d\d[ T][\d:.,]+Z?[\s|:-]*)?)"
      R"((?:\[?(?:DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)\b\]?[\s|:-]+)?)"
      R"((?:[\w./-]+\.\w+:\d+\]?:?[\s|-]+)?)");
  // "node17 fabricd[812]: …": syslog's host, which differs from line to line.
  static const re2::RE2 host(R"(([\w.-]+ )[\w./-]+\[\d+\]: )");
  re2::StringPiece rest(line.data(), line.size());
  if (!re2::RE2::Consume(&rest, header) || rest.empty()) return 0;
  re2::StringPiece tagged = rest;
  re2::StringPiece name;
  if (re2::RE2::Consume(&tagged, host, &name)) rest.remove_prefix(name.size());
  return line.size() - rest.size();
}

std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (word.size() >= 3) words.push_back(word);
    word.clear();
  };
  for (const char c : text) {
    if (IsAlpha(c)) {
      word += ToLower(c);
    } else {
      end();
    }
  }
  end();
  return words;
}

}  // namespace inquest::authoring
