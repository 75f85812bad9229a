# SPDX-License-Identifier: Apache-2.0
# cmake -DPAGE=… -DSCRIPTS=… -DSTYLES=… -DOUT=… -P join.cmake
# Puts the scripts and the styles into the page, each as one element, and their
# hashes into its policy: a browser then runs these and nothing else. The data
# of a run replaces @DATA@ later.

# join(RESULT FILE...): the contents one after the other.
function(join result)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ "${file}" text)
    string(APPEND all "${text}")
  endforeach()
  if(all MATCHES "</(script|style)|<!--")
    message(FATAL_ERROR "a script or style would end its own element")
  endif()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# base64_of_hash(RESULT TEXT): of its SHA-256, as a policy names it.
function(base64_of_hash result text)
  string(SHA256 hex "${text}")
  set(letters ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  set(base64 "")
  # Three digits of the hash are two letters; the 64th is one, filled up.
  foreach(at RANGE 0 60 3)
    string(SUBSTRING ${hex} ${at} 3 digits)
    math(EXPR first "0x${digits} >> 6")
    math(EXPR second "0x${digits} & 63")
    foreach(number ${first} ${second})
      string(SUBSTRING ${letters} ${number} 1 letter)
      string(APPEND base64 ${letter})
    endforeach()
  endforeach()
  string(SUBSTRING ${hex} 63 1 digit)
  math(EXPR last "0x${digit} << 2")
  string(SUBSTRING ${letters} ${last} 1 letter)
  set(${result} "${base64}${letter}=" PARENT_SCOPE)
endfunction()

# Comments, indentation and most ends of lines are for readers of web/, not for
# each ticket. No script has "/*" in a string or a pattern, no text of several
# lines, and no statement without its semicolon.
function(without_comments result text)
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REGEX REPLACE "\n *//[^\n]*" "" text "\n${text}")
  string(REGEX REPLACE "\n[ \n]+" "\n" text "${text}")
  string(REGEX REPLACE "([[({,;}])\n" "\\1" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

# Nor are spaces around what no text of a script has in it.
function(without_spaces result text)
  string(REGEX REPLACE " (=|=>|===|!==|&&|[|][|]|[?]|[?][?]|[+]=|[<>]=) ?\n?"
                       "\\1" text "${text}")
  string(REGEX REPLACE "\n([?:+|&.])" "\\1" text "${text}")
  string(REGEX REPLACE "(if|for|while) [(]" "\\1(" text "${text}")
  string(REGEX REPLACE "[)] {" "){" text "${text}")
  string(REGEX REPLACE "} else {" "}else{" text "${text}")
  string(REGEX REPLACE "[(] +" "(" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

join(script ${SCRIPTS})
join(style ${STYLES})
without_comments(script "${script}")
without_spaces(script "${script}")
without_comments(style "${style}")
set(script "(() => {\n'use strict';\n${script}})();\n")
base64_of_hash(script_hash "${script}")
base64_of_hash(style_hash "${style}")
file(READ "${PAGE}" page)
string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
file(WRITE "${OUT}" "${page}")
