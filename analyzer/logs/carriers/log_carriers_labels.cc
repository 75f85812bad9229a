// SPDX-License-Identifier: Apache-2.0
// Ambiguous prefixes, which could also be text. The profile of a log says which
// ones it uses.

#include <algorithm>
#include <string_view>

#include "analyzer/logs/carriers/log_carriers.h"

namespace inquest::ingest {
namespace {

// "EI0002", "E89999": the code of a message (CANN), which no host is called.
bool IsMessageCode(std::string_view word) {
  constexpr size_t kMaxLetters = 2;
  constexpr size_t kMinDigits = 4;
  const size_t letters = word.find_first_of("0123456789");
  return letters != word.npos && letters <= kMaxLetters &&
         word.size() - letters >= kMinDigits &&
         std::all_of(word.begin(), word.begin() + letters,
                     [](char x) { return x >= 'A' && x <= 'Z'; }) &&
         std::all_of(word.begin() + letters, word.end(), IsDigit);
}

}  // namespace

// " 3: text", "P1 12: text" (heterogeneous job): srun --label.
bool TakeSrunLabel(Cursor c, Carrier* out) {
  if (c.Take('P')) {
    if (!c.Number(3) || !c.Take(' ')) return false;
  }
  c.SkipBlanks();
  const auto rank = c.Number(6);
  if (!rank || !c.Take(':')) return false;
  if (!c.Take(' ') && !c.done()) return false;
  out->rank = rank;
  out->length = c.at();
  return true;
}

// "[3] text": mpiexec -prepend-rank.
bool TakeMpichRank(Cursor c, Carrier* out) {
  if (!c.Take('[')) return false;
  const auto rank = c.Number(6);
  if (!rank || !c.Take(']')) return false;
  if (!c.Take(' ') && !c.done()) return false;
  out->rank = rank;
  out->length = c.at();
  return true;
}

// "worker-1: text", "10.0.0.9: text": pdsh, clush.
bool TakePdshHost(Cursor c, Carrier* out) {
  const std::string_view host = c.While(IsNameChar);
  bool digit = false;
  for (const char x : host) digit = digit || IsDigit(x);
  const bool address =
      !host.empty() && IsDigit(host[0]) && host.find('.') != host.npos;
  if (host.size() < 3 || !digit || (!IsAlpha(host[0]) && !address) ||
      IsMessageCode(host) || !c.Take(':')) {
    return false;
  }
  if (!c.Take(' ') && !c.done()) return false;
  out->host = host;
  out->length = c.at();
  return true;
}

// "trainer-1 | text": docker compose. A service is not a host.
bool TakeCompose(Cursor c, Carrier* out) {
  if (c.While(IsNameChar).empty()) return false;
  c.SkipBlanks();
  if (!c.Take('|')) return false;
  c.Take(' ');
  out->length = c.at();
  return true;
}

// "i.pretrain/0 text": TorchX. A replica may have several ranks.
bool TakeReplica(Cursor c, Carrier* out) {
  const std::string_view role = c.While(IsNameChar);
  if (role.empty() || !IsAlpha(role[0]) || !c.Take('/') || !c.Number(6) ||
      !c.Take(' ')) {
    return false;
  }
  out->length = c.at();
  return true;
}

// "> text": quoted in an issue or a letter.
bool TakeQuote(Cursor c, Carrier* out) {
  if (!c.Take('>') || (!c.Take(' ') && !c.done())) return false;
  out->length = c.at();
  return true;
}

// "llama.D0 [stderr] text": milabench. No other text begins so.
bool TakeStreamName(Cursor c, Carrier* out) {
  if (c.While(IsNameChar).empty() ||
      (!c.Take(" [stderr]") && !c.Take(" [stdout]"))) {
    return false;
  }
  if (!c.Take(' ') && !c.done()) return false;
  out->length = c.at();
  return true;
}

// " 2 text": uniq -c, the number in seven columns.
bool TakeUniqCount(Cursor c, Carrier* out) {
  c.While([](char x) { return x == ' '; });
  const size_t blanks = c.at();
  if (!c.Number(9) || c.at() < 7 || (blanks > 0 && c.at() > 7) ||
      !c.Take(' ')) {
    return false;
  }
  out->length = c.at();
  return true;
}

}  // namespace inquest::ingest
