# embed_files(TARGET HEADER NAMESPACE FILE...)
# Writes HEADER into the build tree with one `inline constexpr char NAME[]` per
# FILE (NAME is the file's name with non-word characters as '_') and a table
# `kFiles` of {name, text, size}. Text arrives in pieces because compilers
# limit the length of one literal.
function(embed_files target header namespace)
  set(out ${PROJECT_BINARY_DIR}/${header})
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAMESPACE=${namespace}
            "-DFILES=${ARGN}" -DROOT=${CMAKE_CURRENT_SOURCE_DIR} -P
            ${PROJECT_SOURCE_DIR}/cmake/EmbedFileScript.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/EmbedFileScript.cmake
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
