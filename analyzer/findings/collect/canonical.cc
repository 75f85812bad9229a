// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/canonical.h"

#include <algorithm>
#include <optional>
#include <string>

#include "analyzer/rules/model/shipped_codes.h"
#include "base/text.h"

namespace inquest::findings {
namespace {

using rules::ShippedCode;

// Smaller numbers of the runtime changed their meaning.
constexpr int64_t kFirstSureNumber = 100;

void AddOnce(const Figure& one, Figure::List* list) {
  const auto known = std::find(list->begin(), list->end(), one);
  if (known == list->end()) list->push_back(one);
}

bool IsNameOrText(std::string_view words, const ShippedCode& code) {
  return !words.empty() &&
         (words == code.name || words == code.other || words == code.text);
}

std::optional<int64_t> NumberIn(const Figure& figure) {
  if (figure.IsInteger()) return figure.Integer();
  const std::string& text = figure.Text();
  if (text.empty() || text.size() > 6) return {};
  int64_t number = 0;
  for (const char c : text) {
    if (!IsDigit(c)) return {};
    number = number * 10 + (c - '0');
  }
  return number;
}

void AddCudaError(const Figure& figure, bool is_hip, Figure::List* list) {
  const auto number = NumberIn(figure);
  const std::string& text = figure.Text();
  for (const ShippedCode& one :
       is_hip ? rules::HipCodes() : rules::CudaCodes()) {
    const bool same = number ? *number == one.number &&
                                   (*number >= kFirstSureNumber || *number == 2)
                             : IsNameOrText(text, one);
    if (!same) continue;
    AddOnce(one.name.empty() || text == one.other ? one.other : one.name, list);
    AddOnce(one.number, list);
    return;
  }
}

// The number that cuDNN 7 and 8 had for it.
std::optional<int64_t> OldNumber(const ShippedCode& status) {
  for (const ShippedCode& old : rules::OldCudnnCodes()) {
    if (old.name == status.name || old.name == status.other) return old.number;
  }
  return {};
}

void AddCudnnStatus(const Figure& figure, Figure::List* list) {
  const auto number = NumberIn(figure);
  for (const ShippedCode& one : rules::CudnnCodes()) {
    const auto old = OldNumber(one);
    if (number && (*number == one.number || number == old)) {
      return AddOnce(one.name, list);
    }
    if (number || !IsNameOrText(figure.Text(), one)) continue;
    if (old) AddOnce(*old, list);
    AddOnce(one.number, list);
    return;
  }
}

void AddSignal(const Figure& figure, Figure::List* list) {
  const auto number = NumberIn(figure);
  const std::string text = ToLower(figure.Text());
  for (const ShippedCode& one : rules::SignalCodes()) {
    const bool same =
        number ? *number == one.number
               : text == ToLower(one.name) || text == ToLower(one.text);
    if (!same) continue;
    AddOnce(one.name, list);
    AddOnce(one.number, list);
    return;
  }
}

// By default; exit code 145 is not a death by SIGCHLD (17).
bool EndsProcess(int64_t signal) {
  constexpr int64_t kChild = 17, kUrgent = 23, kWindow = 28;
  return (signal < kChild || signal > kUrgent) && signal != kWindow;
}

// An exit code below 0 or above 128 is a signal, which shells and launchers
// print in either way.
void AddSignalOfExitCode(Figures* figures) {
  constexpr int64_t kShellsFirst = 128;
  if (figures->Contains("signal") || !figures->Contains("exitcode")) return;
  Figure::List list;
  for (const Figure& one : (*figures)["exitcode"].AsList()) {
    if (!one.IsInteger()) continue;
    const int64_t code = one.Integer();
    if (code >= 0 && code <= kShellsFirst) continue;
    const int64_t signal = code < 0 ? -code : code - kShellsFirst;
    if (EndsProcess(signal)) AddSignal(signal, &list);
  }
  if (!list.empty()) (*figures)["signal"] = list;
}

std::string Dotted(int64_t major, int64_t minor, int64_t patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

// "8204" and "90100" of cuDNN, "21903" of NCCL.
std::string LibraryVersion(int64_t number) {
  const int64_t unit = number >= 10000 ? 10000 : 1000;
  return Dotted(number / unit, number % unit / 100, number % 100);
}

// "11060" of CUDA.
std::string CudaVersion(int64_t number) {
  return std::to_string(number / 1000) + "." +
         std::to_string(number % 1000 / 10);
}

// "(8, 2, 4)" and "8.2.4." are 8.2.4.
std::string WithoutPunctuation(std::string_view text) {
  std::string version;
  for (const char c : text) {
    if (c == ',') version += '.';
    if (c != ',' && c != ' ' && c != '(' && c != ')') version += c;
  }
  while (version.ends_with('.')) version.pop_back();
  return version;
}

bool IsCudaVersion(std::string_view name) {
  return name == "cuda" || name == "cuda_runtime" || name == "cuda_driver" ||
         name.starts_with("driver_cuda");
}

bool IsLibraryVersion(std::string_view name) {
  return name == "cudnn" || name == "cudnn_runtime" ||
         name == "cudnn_compiled" || name == "nccl_version";
}

bool IsVersion(std::string_view name) {
  return IsCudaVersion(name) || IsLibraryVersion(name) || name == "driver" ||
         name == "driver_kernel";
}

Figure CanonicalVersion(std::string_view name, const Figure& figure) {
  const auto number = NumberIn(figure);
  if (number && *number >= 1000) {
    if (IsLibraryVersion(name))
      return Figure::List{LibraryVersion(*number), figure};
    if (IsCudaVersion(name)) return Figure::List{CudaVersion(*number), figure};
  }
  if (!figure.IsText()) return figure;
  const std::string version = WithoutPunctuation(figure.Text());
  return version.find('.') == version.npos ? figure : Figure(version);
}

void AddVersions(std::string_view name, Figure* figure) {
  Figure::List list;
  for (const Figure& one : figure->AsList()) {
    for (const Figure& form : CanonicalVersion(name, one).AsList()) {
      AddOnce(form, &list);
    }
  }
  *figure = list.size() == 1 ? list.front() : Figure(list);
}

}  // namespace

Figures WithDottedVersions(Figures figures) {
  const Figures before = figures;
  for (const auto& [name, value] : before) {
    if (!IsVersion(name) || value.IsList()) continue;
    figures[name] = CanonicalVersion(name, value).AsList().front();
  }
  return figures;
}

void AddCanonicalForms(Figures* figures, bool is_hip) {
  // What a line says of two ranks, or of two builds.
  for (const char* name : {"rank", "optype", "cuda"}) {
    const Figure* other = figures->Find(std::string("other_") + name);
    if (other == nullptr || !figures->Contains(name)) continue;
    Figure::List both = (*figures)[name].AsList();
    for (const Figure& one : other->AsList()) AddOnce(one, &both);
    (*figures)[name] = both;
  }
  AddSignalOfExitCode(figures);
  const Figures before = *figures;
  for (const auto& [name, value] : before) {
    Figure::List list = value.AsList();
    for (const Figure& one : value.AsList()) {
      if (name == "cuda_error") AddCudaError(one, is_hip, &list);
      if (name == "cudnn_status") AddCudnnStatus(one, &list);
      if (name == "signal") AddSignal(one, &list);
    }
    Figure& figure = (*figures)[name];
    if (list.size() > 1) figure = list;
    if (IsVersion(name)) AddVersions(name, &figure);
  }
}

}  // namespace inquest::findings
