# SPDX-License-Identifier: Apache-2.0
# The unit tests: a program for each part, of all *_test.cc in its folder, and a
# ctest entry for each test case, named "unit_PART: case".
#
#   inquest_unit_tests(PART FOLDER [AS_SHIPPED] [SOURCES FILE...] [LIBS LIB...])
#     AS_SHIPPED: optimised, because the sources are themselves what is tested.
include(Catch)

# Compiled into each program, because ctest's list of discovered tests cannot
# carry variables with several values.
add_library(inquest_sanitizer_options OBJECT sanitizer_options.cc)
target_compile_definitions(
  inquest_sanitizer_options
  PRIVATE INQUEST_TSAN_SUPPRESSIONS="${CMAKE_CURRENT_SOURCE_DIR}/tsan.supp")

# The libraries that are tested stay as fast as they are shipped; what the tests
# add compiles in less than half of the time.
function(inquest_plain target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O0>)
  # An exception in an assertion ends the test case, also in CHECK: no handler
  # around each.
  target_compile_definitions(${target} PRIVATE CATCH_CONFIG_FAST_COMPILE)
endfunction()

function(inquest_unit_tests part folder)
  cmake_parse_arguments(ARG "AS_SHIPPED" "" "SOURCES;LIBS" ${ARGN})
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/${folder}/*_test.cc)
  list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/${folder}/)
  add_executable(unit_${part} ${tests} ${ARG_SOURCES})
  inquest_jumbo(unit_${part})
  if(NOT ARG_AS_SHIPPED)
    inquest_plain(unit_${part})
  endif()
  # The real logs lie beside the checkout, where they are at all.
  target_compile_definitions(
    unit_${part} PRIVATE INQUEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(unit_${part} PRIVATE inquest_catch
                                             inquest_sanitizer_options ${ARG_LIBS})
  catch_discover_tests(unit_${part} TEST_PREFIX "unit_${part}: "
                       PROPERTIES LABELS unit TIMEOUT 300)
endfunction()

inquest_unit_tests(base base LIBS inquest_base)
inquest_unit_tests(trace trace LIBS inquest_trace)
inquest_unit_tests(rules analyzer/rules LIBS inquest_rules PkgConfig::RE2)
inquest_unit_tests(logs analyzer/logs LIBS inquest_logs ZLIB::ZLIB
                   PkgConfig::ZSTD)
inquest_unit_tests(facts analyzer/facts LIBS inquest_facts)
inquest_unit_tests(findings analyzer/findings LIBS inquest_findings)
inquest_unit_tests(fleet analyzer/fleet LIBS inquest_fleet)
inquest_unit_tests(importers analyzer/importers LIBS inquest_importers)
inquest_unit_tests(
  memory analyzer/memory
  SOURCES leaks/families/families.cc leaks/families/held_out_healthy.cc
          leaks/families/held_out_leaks.cc
  LIBS inquest_memory)
inquest_unit_tests(whatif analyzer/whatif LIBS inquest_whatif)
inquest_unit_tests(report analyzer/report LIBS inquest_report)
inquest_unit_tests(comparison analyzer/comparison LIBS inquest_comparison)
inquest_unit_tests(authoring authoring LIBS inquest_authoring)
inquest_unit_tests(record cli/record LIBS inquest_record)
if(INQUEST_HAVE_CUDA_HEADERS)
  inquest_unit_tests(
    collector collector AS_SHIPPED
    SOURCES core/event_clock.cc core/new_threads.cc core/recent_callers.cc
            stacks/cfi_rows.cc stacks/fast_unwind.cc
            stacks/frame_rules.cc
    LIBS inquest_trace Threads::Threads ${CMAKE_DL_LIBS})
  # Some files of the collector, compiled here again, use names of one another.
  set_target_properties(unit_collector PROPERTIES UNITY_BUILD OFF)
  inquest_unit_tests(simgpu tests/simgpu/test LIBS simgpu_core)
endif()
# These go through millions of events and texts.
foreach(part memory authoring simgpu)
  if(TARGET unit_${part})
    target_compile_options(unit_${part} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  endif()
endforeach()
