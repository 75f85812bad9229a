// SPDX-License-Identifier: Apache-2.0
// What the sanitizers do in unit tests and fuzzers: leaks count, and every
// finding ends the program, that of the undefined-behaviour sanitizer by a
// signal that the fuzzers' driver sees. Each runtime asks for its own function,
// where it is linked in at all.
extern "C" {

const char* __asan_default_options() {
  return "detect_leaks=1:detect_stack_use_after_return=1";
}

const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1:halt_on_error=1";
}

const char* __tsan_default_options() {
  return "suppressions=" INQUEST_TSAN_SUPPRESSIONS
         ":halt_on_error=1:second_deadlock_stack=1";
}
}
