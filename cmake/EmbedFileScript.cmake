# Runs at build time, see EmbedFile.cmake.
set(body "")
set(table "")
foreach(file IN LISTS FILES)
  get_filename_component(path ${file} ABSOLUTE BASE_DIR ${ROOT})
  file(RELATIVE_PATH shown ${ROOT} ${path})
  string(REGEX REPLACE "[^A-Za-z0-9]" "_" name ${shown})
  file(READ ${path} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND body
         "inline constexpr unsigned char ${name}_bytes[] = {${bytes}0};\n"
         "inline const std::string_view ${name}{"
         "reinterpret_cast<const char*>(${name}_bytes), ${size}};\n")
  string(APPEND table "    {\"${shown}\", ${name}},\n")
endforeach()
file(WRITE ${OUT}
     "// Made by cmake/EmbedFileScript.cmake.\n#pragma once\n"
     "#include <string_view>\n\nnamespace ${NAMESPACE} {\n${body}\n"
     "struct EmbeddedFile {\n  std::string_view name;\n"
     "  std::string_view text;\n};\n"
     "inline const EmbeddedFile kFiles[] = {\n${table}};\n"
     "}  // namespace ${NAMESPACE}\n")
