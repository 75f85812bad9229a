# SPDX-License-Identifier: Apache-2.0
# embed_files(TARGET HEADER NAMESPACE FILE...)
# Puts the bytes of each FILE into TARGET and writes HEADER into the build tree:
# an inline function for each, named after the file (`schema_sql` for schema.sql),
# and `Files()`, all of them with their names, in the order given. The assembler
# reads the files (.incbin), so their size costs the compiler nothing.
function(embed_files target header namespace)
  string(MAKE_C_IDENTIFIER "embedded_${namespace}" prefix)
  set(declarations "")
  set(functions "")
  set(rows "")
  set(assembly "")
  set(paths "")
  foreach(file IN LISTS ARGN)
    get_filename_component(path ${file} ABSOLUTE)
    get_filename_component(shown ${path} NAME)
    string(MAKE_C_IDENTIFIER ${shown} name)
    set(symbol ${prefix}_${name})
    list(APPEND paths ${path})
    string(APPEND declarations "extern \"C\" const char ${symbol}[];\n"
                               "extern \"C\" const char ${symbol}_end[];\n")
    string(APPEND functions
           "inline std::string_view ${name}() {\n  return {${symbol}, "
           "static_cast<std::size_t>(${symbol}_end - ${symbol})};\n}\n")
    string(APPEND rows "      EmbeddedFile{\"${shown}\", ${name}()},\n")
    string(APPEND assembly
           "asm(\".section .rodata\\n\"\n    \".global ${symbol}\\n${symbol}:\\n\"\n"
           "    \".incbin \\\"${path}\\\"\\n\"\n    \".global ${symbol}_end\\n\"\n"
           "    \"${symbol}_end:\\n.byte 0\\n.previous\\n\");\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${header} @ONLY CONTENT
"// Made by cmake/EmbedFile.cmake.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

@declarations@
namespace @namespace@ {
@functions@
struct EmbeddedFile {
  std::string_view name;
  std::string_view text;
};
inline auto Files() {
  return std::array{
@rows@  };
}
}  // namespace @namespace@
")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${prefix}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "@assembly@" @ONLY)
  set_source_files_properties(
    ${source} PROPERTIES OBJECT_DEPENDS "${paths}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
  set_property(TARGET ${target} APPEND PROPERTY INQUEST_EMBEDDED ${source})
endfunction()
