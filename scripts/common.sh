#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts, from the folder of the project.

say() { printf '%s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Where scripts/install-deps puts NVIDIA's headers when no toolkit is installed.
readonly fetched_cuda=$PWD/build/cuda

# Whether the folder has all that the collector, the samples and the simulated
# GPU are compiled against.
is_toolkit() {
  local root=$1 file
  for file in cuda_runtime.h cudaProfiler.h nvtx3/nvToolsExt.h; do
    [ -e "$root/include/$file" ] || return 1
  done
  [ -e "$root/include/cupti.h" ] ||
    [ -e "$root/extras/CUPTI/include/cupti.h" ] || return 1
  [ -e "$root/include/cudnn.h" ] || [ -e /usr/include/cudnn.h ] ||
    [ -e "/usr/include/$(uname -m)-linux-gnu/cudnn.h" ]
}

# Prints the folder of the CUDA toolkit to build with; fails if there is none.
# The user's choice (CUDAToolkit_ROOT), then an installed one, then the fetched.
# INQUEST_FETCH_CUDA=1 ignores an installed one.
find_toolkit() {
  local root nvcc
  if [ -n "${CUDAToolkit_ROOT:-}" ]; then
    say "$CUDAToolkit_ROOT"
    return
  fi
  if [ "${INQUEST_FETCH_CUDA:-}" != 1 ]; then
    nvcc=$(command -v nvcc || true)
    for root in "${CUDA_PATH:-}" "${nvcc:+${nvcc%/bin/nvcc}}" \
                /usr/local/cuda /usr/local/cuda-*; do
      if [ -n "$root" ] && is_toolkit "$root"; then
        say "$root"
        return
      fi
    done
  fi
  is_toolkit "$fetched_cuda" && say "$fetched_cuda"
}

# configure PRESET [-D...]
configure() {
  local preset=$1 toolkit
  shift
  local arguments=(--preset "$preset")
  if command -v ccache >/dev/null; then
    arguments+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache
                -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  if toolkit=$(find_toolkit); then
    # Paths cached by an earlier run would override the new one.
    arguments+=(-U 'CUDAToolkit_*' -U 'CUDA_*' -U 'CUDNN_*' -U 'CUPTI_*'
                -U 'SAMPLES_*' "-DCUDAToolkit_ROOT=$toolkit")
  fi
  local log=build/$preset/configure.log
  mkdir -p "build/$preset"
  cmake "${arguments[@]}" "$@" >"$log" 2>&1 || {
    cat "$log"
    die "cmake could not configure build/$preset"
  }
  # Print what is left out and why; it takes several lines.
  sed -n -e '/^-- Collector/,$p' "$log" | sed -e '1s/^-- //;t' -e '/^--/,$d'
}

# Reads what ninja prints and shows how far it is: on a terminal in a line that
# changes, elsewhere in a new line every half minute.
show_progress() {
  local line step="" shown=$SECONDS
  while true; do
    if IFS= read -r -t 30 line; then
      [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
      step="step ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
    else
      [ $? -gt 128 ] || break  # not the end, but half a minute without a line
    fi
    if [ -t 1 ]; then
      printf '\r\033[K  %s' "$step"
    elif [ $((SECONDS - shown)) -ge 30 ]; then
      say "  $step"
      shown=$SECONDS
    fi
  done
  [ ! -t 1 ] || printf '\r\033[K'
}

# build PRESET [TARGET...]: shows progress, and says at the end how long it took.
build() {
  local preset=$1 started=$SECONDS log
  shift
  log=build/$preset/build.log
  cmake --build "build/$preset" -j"$(nproc)" ${1:+--target "$@"} 2>&1 |
    tee "$log" | show_progress || {
    grep -E -A 30 'FAILED|error:' "$log" || tail -n 50 "$log"
    die "the build failed; all of it is in $log"
  }
  say "built build/$preset in $((SECONDS - started)) s"
}
