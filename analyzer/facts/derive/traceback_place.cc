// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/traceback_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

#include "analyzer/facts/derive/native_place.h"
#include "analyzer/facts/derive/own_code.h"
#include "analyzer/rules/model/world.h"
#include "base/text.h"

namespace inquest::facts {
namespace {

// Whether one of the path's folders has one of these names.
bool HasFolder(std::string_view file, std::span<const std::string_view> names) {
  for (size_t end = file.find_first_of("/\\"); end != file.npos;) {
    const size_t begin = end + 1;
    end = file.find_first_of("/\\", begin);
    if (end == file.npos) return false;
    const std::string_view folder = file.substr(begin, end - begin);
    if (std::ranges::find(names, folder) != names.end()) return true;
  }
  return false;
}

// Code in which nearly every program's exceptions end, whoever is to blame.
bool IsCore(std::string_view file) {
  constexpr std::string_view kCore[] = {
      "accelerate", "catboost",    "chainer",       "chainermn", "cudf",
      "cuml",       "cupy",        "cupy_backends", "flax",      "jax",
      "jaxlib",     "keras",       "lightgbm",      "mxnet",     "numba",
      "numpy",      "onnxruntime", "paddle",        "pydantic",  "rmm",
      "tensorflow", "tensorrt",    "theano",        "torch",     "triton",
      "uvicorn",    "uvloop",      "xgboost"};
  constexpr std::string_view kPackages[] = {"-packages/", "-packages\\"};
  const bool standard =
      file.find("/lib/python3") != file.npos && !ContainsAny(file, kPackages);
  return file.empty() || file.starts_with('<') || file.ends_with(".pyx") ||
         standard || IsGenerated(file) || HasFolder(file, kCore);
}

// What only starts the program: a command's script, and torchrun's own code.
bool IsLauncher(std::string_view file) {
  constexpr std::string_view kFolders[] = {"/bin/",
                                           "\\Scripts\\",
                                           "torch/distributed/elastic/",
                                           "torch\\distributed\\elastic\\",
                                           "torch/distributed/launch",
                                           "torch\\distributed\\launch",
                                           "torch/distributed/run.py",
                                           "torch\\distributed\\run.py"};
  return ContainsAny(file, kFolders) || file.ends_with("__main__.py");
}

// Whether a function, or a method of any class, has one of these names.
bool IsNamed(std::string_view function,
             std::span<const std::string_view> names) {
  const std::string_view last = function.substr(function.rfind('.') + 1);
  return std::ranges::find(names, last) != names.end();
}

// Functions that only pass a call on.
bool IsWrapper(std::string_view function) {
  constexpr std::string_view kWrappers[] = {"wrapper",
                                            "wrapped",
                                            "inner",
                                            "_fn",
                                            "__call__",
                                            "_call_impl",
                                            "decorate_context",
                                            "<lambda>",
                                            "<listcomp>",
                                            "_wrapped_call_impl",
                                            "__torch_function__",
                                            "inner_wrapper",
                                            "wrapped_fn",
                                            "autograph_handler",
                                            "_method_wrapper",
                                            "_wrapper",
                                            "execute_method",
                                            "run_method",
                                            "reraise_with_filtered_traceback"};
  return IsNamed(function, kWrappers);
}

// Functions that raise here what another process met elsewhere.
bool PassesOn(std::string_view function) {
  constexpr std::string_view kMessengers[] = {
      "get_response",   "get_objects",      "_check_success",
      "__get_result",   "reraise",          "wait_for_engine_startup",
      "_wait_for_exec", "as_instanceof",    "simple_launcher",
      "check_call",     "check_output",     "get_output_async",
      "results_loop",   "raise_for_status", "hf_raise_for_status"};
  return IsNamed(function, kMessengers);
}

// Python runs it between any two steps of the code below.
bool HandlesSignal(std::string_view function) {
  constexpr std::string_view kHandlers[] = {
      "signal_handler", "_signal_handler", "handle_signal",   "_handle_signal",
      "handle_sigterm", "sigterm_handler", "_sigterm_handler"};
  return IsNamed(function, kHandlers);
}

using Frames = std::vector<LogFrame>;

// The innermost frame for which that holds; the end if there is none.
Frames::const_iterator Innermost(const Frames& frames, const auto& holds) {
  const auto found = std::find_if(frames.rbegin(), frames.rend(), holds);
  return found == frames.rend() ? frames.end() : std::prev(found.base());
}

// With its folder, where every package has a file of this name.
std::string ShownFile(std::string_view file) {
  const std::string_view name = LastPart(file, "/\\");
  if (name != "__init__.py" || name.size() + 1 >= file.size()) {
    return std::string(name);
  }
  const auto folder = file.substr(0, file.size() - name.size() - 1);
  return std::string(
      file.substr(folder.size() - LastPart(folder, "/\\").size()));
}

// Libraries print frames of C++ in Python's form (TVM's ffi), with all their
// arguments.
std::string ShownFunction(const std::string& function) {
  return function.find('(') == function.npos ? function
                                             : PlainFunction(function);
}

std::string Told(const LogFrame& frame) {
  const std::string file = ShownFile(frame.file);
  const std::string at =
      frame.file_line ? fmt::format("{}:{}", file, *frame.file_line) : file;
  if (frame.function.starts_with('<')) return at;
  return fmt::format("{} ({})", ShownFunction(frame.function), at);
}

}  // namespace

bool HidesFrames(const LogFrame& frame) {
  return frame.function == "error_handler" &&
         ShownFile(frame.file) == "traceback_utils.py";
}

std::string OnlyCall(std::string_view source) {
  if (std::ranges::count(source, '(') != 1) return {};
  const size_t end = source.find('(');
  size_t begin = end;
  while (begin > 0 && IsWordCharacter(source[begin - 1])) --begin;
  return std::string(source.substr(begin, end - begin));
}

std::optional<std::string> PhaseOf(const Frames& frames) {
  std::vector<std::string> files;
  for (const LogFrame& frame : frames) {
    files.push_back(frame.file);
    std::ranges::replace(files.back(), '\\', '/');
  }
  std::vector<rules::FrameName> names;
  for (size_t i = 0; i < frames.size(); ++i) {
    names.push_back({files[i], frames[i].function});
  }
  const rules::Phase* phase = rules::PhaseOf(names);
  if (phase == nullptr) return {};
  return phase->id;
}

std::optional<std::string> CoreOf(const Frames& frames) {
  const auto at = Innermost(frames, [](const LogFrame& one) {
    return one.file.find("-packages/torch/") != one.file.npos &&
           !IsGenerated(one.file) && !IsLauncher(one.file) &&
           !IsWrapper(one.function);
  });
  if (at == frames.end()) return {};
  return Told(*at);
}

std::optional<std::string> PlaceOf(const Frames& frames) {
  if (!frames.empty() && HandlesSignal(frames.back().function)) {
    return PlaceOf(Frames(frames.begin(), std::prev(frames.end())));
  }
  if (!frames.empty() && PassesOn(frames.back().function)) return {};
  auto at = Innermost(frames, [](const LogFrame& one) {
    return IsOwnCode(one.file) && !IsLauncher(one.file);
  });
  if (at == frames.end()) {
    at = Innermost(frames, [](const LogFrame& one) {
      return !IsCore(one.file) && !IsLauncher(one.file) &&
             !IsWrapper(one.function);
    });
  }
  if (at == frames.end()) return {};
  const auto call = std::find_if(
      std::next(at), frames.end(),
      [](const LogFrame& one) { return !IsWrapper(one.function); });
  std::string text = Told(*at);
  if (call == frames.end() || call->function.starts_with('<') ||
      call->function.ends_with("__")) {
    return text;
  }
  if (call->function != at->function) {
    return text + ", which called " + ShownFunction(call->function);
  }
  // train() calls train(): where that led to says more.
  const LogFrame& last = frames.back();
  return last.function == at->function || IsCore(last.file) ||
                 IsWrapper(last.function)
             ? text
             : text + ", which led to " + Told(last);
}

}  // namespace inquest::facts
