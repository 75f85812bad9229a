# SPDX-License-Identifier: Apache-2.0
# Libraries come from the distribution; scripts/install-deps names the packages.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
# Headers only: protocol buffers of other tools.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp)
if(NOT PROTOZERO_INCLUDE_DIR)
  message(FATAL_ERROR "protozero is missing: libprotozero-dev")
endif()
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(LIBELF REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
# Without it `inquest fleet` keeps its results in SQLite only.
pkg_check_modules(LIBPQ IMPORTED_TARGET libpq)
if(LIBPQ_FOUND)
  message(STATUS "Fleet: results in SQLite or PostgreSQL (libpq "
                 "${LIBPQ_VERSION})")
else()
  message(STATUS "Fleet: results in SQLite only; PostgreSQL is left out for "
                 "want of libpq (libpq-dev)")
endif()

# The collector needs headers only (CUDA, CUPTI, cuDNN, NVTX) and the static
# SQLite, so that its copy cannot conflict with the one that Python loads.
# CMake 3.25.1 (Debian 12) fails if a toolkit has no libnvToolsExt (CUDA
# 12.9 and later): its module sets a property of a target that it did not make.
if(CMAKE_VERSION VERSION_LESS 3.25.2 AND NOT TARGET CUDA::nvToolsExt)
  add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
endif()
find_package(CUDAToolkit QUIET)
set(INQUEST_HAVE_CUDA_HEADERS OFF)
set(missing "")
if(NOT CUDAToolkit_FOUND)
  list(APPEND missing "the CUDA Toolkit")
else()
  find_path(CUPTI_INCLUDE_DIR cupti.h
            HINTS ${CUDAToolkit_INCLUDE_DIRS}
                  ${CUDAToolkit_TARGET_DIR}/extras/CUPTI/include
                  ${CUDAToolkit_LIBRARY_ROOT}/extras/CUPTI/include)
  find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(NOT CUPTI_INCLUDE_DIR)
    list(APPEND missing "the headers of CUPTI (cupti.h)")
  endif()
  if(NOT CUDNN_INCLUDE_DIR)
    list(APPEND missing "the headers of cuDNN (cudnn.h)")
  endif()
endif()
find_library(SQLITE3_STATIC_LIBRARY libsqlite3.a)
if(NOT SQLITE3_STATIC_LIBRARY)
  list(APPEND missing "the static library of SQLite (libsqlite3.a)")
endif()

if(NOT INQUEST_COLLECTOR)
  message(STATUS "Collector: left out, INQUEST_COLLECTOR is OFF")
elseif(missing)
  list(JOIN missing ", " missing)
  message(STATUS "Collector: LEFT OUT, with the samples, the simulated GPU and "
                 "their tests, for want of ${missing}. The analyzer builds all "
                 "the same. To have it: run scripts/install-deps --cuda, which "
                 "installs the CUDA headers, or give -DCUDAToolkit_ROOT=DIR.")
else()
  set(INQUEST_HAVE_CUDA_HEADERS ON)
  message(STATUS "Collector: built against CUDA ${CUDAToolkit_VERSION}")
endif()
