// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/native_place.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>

#include "base/text.h"

namespace inquest::facts {
namespace {

constexpr size_t kLongestFunction = 160;  // bytes shown of a function

std::string Demangled(std::string_view symbol) {
  const std::string text(symbol);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? std::string(plain.get()) : text;
}

std::string_view FileName(std::string_view path) {
  return LastPart(path, "/\\");
}

// As debuggers write its sources: "../sysdeps/unix/syscall-template.S".
bool IsOfLibc(std::string_view file) {
  constexpr std::string_view kFolders[] = {"sysdeps/", "nptl/", "csu/libc-"};
  return ContainsAny(file, kFolders);
}

// Every program has one; with its file it says whose.
bool IsNamelessMain(const NativeFrame& frame, std::string_view function) {
  constexpr std::string_view kPython[] = {"python", "Modules/main.c"};
  return function == "main" &&
         (frame.file.empty() || ContainsAny(frame.file, kPython));
}

// Raising, catching and reporting errors; threads, signals and the C library;
// Python's interpreter and its bindings.
bool IsMachinery(const NativeFrame& frame, std::string_view function) {
  constexpr std::string_view kFunctions[] = {
      "c10::",
      "std::",
      "__",
      "_Py",
      "Py",
      "_start",
      "abort",
      "raise",
      "gsignal",
      "killpg",  // the frame that a signal makes
      "clone",
      "start_thread",
      "terminate",
      "pthread_",
      "wait",
      "google::",
      "absl::",
      "boost::",
      "pybind11::",
      "THP",
      "torch::autograd::",
      "torch::jit::",
      "torch::handle_",
      "at::_ops::",
      "c10d::ProcessGroup",
      "c10d::NCCL",
      "c10d::Watchdog",
      "ggml_abort",
      "ggml_print_backtrace",
      "ggml_cuda_error",
      "ggml_uncaught_exception",
      "dmlc::LogMessage",
      "tensorflow::internal::LogMessage",
      "tsl::internal::LogMessage",
      "xla::status_macros",
      "execute_native_thread_routine",
      "cfunction_",
      "method_vectorcall",
      "builtin_",
      "type_call",
      "slot_tp_",
      "object_",
      "gpr_",
      "ucs_",
      "operator",
      "syscall",
      "poll",
      "epoll",
      "read",
      "futex",
      "(anonymous",
      "tensorrt_llm::common::throwRuntimeError",
      "tensorrt_llm::common::TllmException",
      "nvinfer1::Lobber",
      "paddle::framework::details::",
      "paddle::platform::EnforceNotMet",
      "phi::enforce::"};
  constexpr std::string_view kLibraries[] = {
      "libc.",     "libc-",   "libstdc++",       "libpthread", "ld-linux",
      "libpython", "python",  "libgcc",          "libc10",     "libcuda.",
      "libffi",    "libasan", "libtorch_python", "libuv",      "libgomp"};
  return function.size() < 3 || StartsWithAny(function, kFunctions) ||
         StartsWithAny(FileName(frame.library), kLibraries) ||
         IsOfLibc(frame.file) || IsNamelessMain(frame, function) ||
         frame.function.starts_with('<') || frame.function.starts_with('?') ||
         function.find("LogMessage") != function.npos;
}

// A framework's: it says what was done, and its caller who did it.
bool IsFrameworks(const NativeFrame& frame, std::string_view function) {
  constexpr std::string_view kFunctions[] = {
      "at::",   "torch::",      "cudnn", "cublas",   "cuda",
      "nccl",   "tensorflow::", "xla::", "caffe2::", "c10d::",
      "sycl::", "cl::sycl::",   "L0::"};
  constexpr std::string_view kLibraries[] = {"libtorch",
                                             "libcu",
                                             "libnccl",
                                             "libtensorflow",
                                             "_pywrap_tensorflow",
                                             "libnvidia",
                                             "libnvrtc",
                                             "xla_extension",
                                             "libze_",
                                             "libpi_",
                                             "libsycl",
                                             "libur_",
                                             "libamdhip",
                                             "libhsa-runtime",
                                             "librccl"};
  return StartsWithAny(function, kFunctions) ||
         StartsWithAny(FileName(frame.library), kLibraries);
}

struct Named {
  const NativeFrame* frame;
  std::string function;
};

std::string Told(const Named& one) {
  const std::string_view file = FileName(one.frame->file);
  const std::string_view at =
      file.empty() ? FileName(one.frame->library) : file;
  const std::string function = one.function.substr(0, kLongestFunction);
  if (at.empty()) return function;
  if (one.frame->file_line && !file.empty()) {
    return fmt::format("{} ({}:{})", function, at, *one.frame->file_line);
  }
  return fmt::format("{} ({})", function, at);
}

}  // namespace

std::string PlainFunction(std::string_view symbol) {
  const std::string full = Demangled(Trim(symbol));
  std::string text;
  int depth = 0;
  for (size_t i = 0; i < full.size(); ++i) {
    constexpr std::string_view kNameless = "(anonymous namespace)::";
    if (full.compare(i, kNameless.size(), kNameless) == 0) {
      i += kNameless.size() - 1;
      continue;
    }
    const char c = full[i];
    if (c == '<' && (i > 0 || full.starts_with("<lambda"))) ++depth;
    if (depth == 0 && (c == '(' || c == '{' || c == '[' || c == '@')) break;
    if (depth == 0) text += c;
    if (c == '>' && depth > 0) --depth;
  }
  while (text.ends_with(':') || text.ends_with(' ')) text.pop_back();
  // What a template returns is part of its name.
  return text.substr(text.rfind(' ') + 1);
}

std::optional<std::string> PlaceOfNative(
    const std::vector<NativeFrame>& stack) {
  std::vector<Named> telling;
  for (const NativeFrame& frame : stack) {
    Named one{&frame, PlainFunction(frame.function)};
    if (!IsMachinery(frame, one.function)) telling.push_back(std::move(one));
  }
  if (telling.empty()) return {};
  const auto own = std::ranges::find_if(telling, [](const Named& one) {
    return !IsFrameworks(*one.frame, one.function);
  });
  if (own == telling.end()) return Told(telling.front());
  if (own == telling.begin()) return Told(*own);
  return fmt::format("{}, which called {}", Told(*own),
                     std::prev(own)->function.substr(0, kLongestFunction));
}

}  // namespace inquest::facts
