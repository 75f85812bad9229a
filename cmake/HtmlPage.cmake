# SPDX-License-Identifier: Apache-2.0
# embed_page(TARGET HEADER NAMESPACE SCRIPT...)
# Joins a page from what all pages share (analyzer/page/web) and its own
# scripts, in the order of use, and embeds it in TARGET as page_html().
function(embed_page target header namespace)
  set(shared ${PROJECT_SOURCE_DIR}/analyzer/page)
  set(common base.js tables.js pictures.js scale.js frame.js)
  list(TRANSFORM common PREPEND ${shared}/web/)
  set(own ${ARGN})
  list(TRANSFORM own PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(scripts ${common} ${own})
  set(styles ${shared}/web/page.css ${shared}/web/pictures.css
             ${shared}/web/print.css)
  set(page ${CMAKE_CURRENT_BINARY_DIR}/page.html)
  add_custom_command(
    OUTPUT ${page}
    COMMAND
      ${CMAKE_COMMAND} "-DPAGE=${shared}/web/page.html" "-DSCRIPTS=${scripts}"
      "-DSTYLES=${styles}" "-DOUT=${page}" -P ${shared}/join.cmake
    DEPENDS ${shared}/join.cmake ${shared}/web/page.html ${scripts} ${styles}
    VERBATIM)
  embed_files(${target} ${header} ${namespace} ${page})
endfunction()
