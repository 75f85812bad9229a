# SPDX-License-Identifier: Apache-2.0
# What every target of the project is compiled with, and how a folder becomes a
# library.
add_library(inquest_flags INTERFACE)
target_include_directories(inquest_flags INTERFACE ${PROJECT_SOURCE_DIR}
                                                   ${PROJECT_BINARY_DIR})
target_compile_options(inquest_flags INTERFACE -Wall -Wextra -Wnon-virtual-dtor)
if(INQUEST_JUMBO)
  # Files that are compiled in one batch see each other's names.
  target_compile_options(inquest_flags INTERFACE -Wno-subobject-linkage)
else()
  target_compile_options(inquest_flags INTERFACE -Wshadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A batch needs about a gigabyte: looking for garbage in it before it has grown
  # to that takes up to a tenth of the time.
  target_compile_options(inquest_flags INTERFACE
                         "SHELL:--param ggc-min-heapsize=1000000")
  # gcc 12 warns of impossible overlaps in std::string (gcc bug 105651).
  target_compile_options(inquest_flags INTERFACE -Wno-restrict)
endif()
# So that --gc-sections can leave out what nothing calls.
target_compile_options(inquest_flags INTERFACE -ffunction-sections
                                               -fdata-sections)
if(INQUEST_WERROR)
  # Which std::optional values gcc 12 takes for uninitialized depends on the
  # optimisation level; the sanitizers find the real ones.
  target_compile_options(inquest_flags INTERFACE -Werror
                                                 -Wno-error=maybe-uninitialized)
endif()
if(INQUEST_SANITIZE)
  add_compile_options(-fsanitize=${INQUEST_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${INQUEST_SANITIZE})
endif()

# For folders without raw memory access: these checks make their code a third
# slower to compile, and the address sanitizer covers the rest.
function(inquest_sanitize_less)
  if(INQUEST_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endfunction()

# The targets' files are compiled in batches of at most 50 and of equal size:
# headers and templates that many files share cost more than the files
# themselves. So names in unnamed namespaces must differ within a target. The
# preset `dev` compiles each file by itself.
function(inquest_jumbo)
  if(INQUEST_JUMBO)
    foreach(target IN LISTS ARGN)
      get_target_property(sources ${target} SOURCES)
      list(LENGTH sources files)
      math(EXPR batches "(${files} + 49) / 50")
      math(EXPR size "(${files} + ${batches} - 1) / ${batches}")
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON
                                                 UNITY_BUILD_BATCH_SIZE ${size})
    endforeach()
  endif()
endfunction()

# For folders in which no time is spent: small code, which also compiles faster
# by a quarter.
function(inquest_small target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-Os>)
endfunction()

# Sets `result` to the .cc files of this folder and those below it, without tests
# (*_test.cc); `EXCEPT` takes regular expressions of more files to leave out.
function(inquest_sources result)
  cmake_parse_arguments(ARG "" "" "EXCEPT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  foreach(pattern _test\\.cc$ ${ARG_EXCEPT})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# inquest_library(NAME [EXCEPT REGEX...] [PUBLIC LIB...] [PRIVATE LIB...])
# The static library of this folder and those below it.
function(inquest_library name)
  cmake_parse_arguments(ARG "" "" "EXCEPT;PUBLIC;PRIVATE" ${ARGN})
  inquest_sources(sources EXCEPT ${ARG_EXCEPT})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC inquest_flags ${ARG_PUBLIC}
                                PRIVATE ${ARG_PRIVATE})
  # Nothing that is linked into a program is called from outside.
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden
                                           VISIBILITY_INLINES_HIDDEN ON)
  inquest_jumbo(${name})
endfunction()
