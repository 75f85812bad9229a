# SPDX-License-Identifier: Apache-2.0
# make_database(VARIABLE NAME PAGE_SIZE FILE.sql...)
# Sets VARIABLE to a file NAME of the build tree that holds the database which
# the SQL makes (make_database.py), to be embedded.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(make_database_script ${CMAKE_CURRENT_LIST_DIR}/make_database.py)
function(make_database variable name page_size)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name})
  add_custom_command(
    OUTPUT ${file}
    COMMAND Python3::Interpreter ${make_database_script} ${page_size} ${file} ${ARGN}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS ${make_database_script} ${ARGN}
    VERBATIM)
  set(${variable} ${file} PARENT_SCOPE)
endfunction()
