# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where; the collector installs itself. The program
# finds it relative to its own path, so the tree can be moved as a whole.
if(TARGET inquest)
  install(TARGETS inquest RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The installed program itself generates the reference of the rules, the man
  # pages and the completions.
  install(
    CODE "
    set(docs \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
    file(MAKE_DIRECTORY \"\${docs}\")
    execute_process(
      COMMAND \"$<TARGET_FILE:inquest>\" rules docs -o \"\${docs}/rules\"
      OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
    execute_process(
      COMMAND \"$<TARGET_FILE:inquest>\" rules schema
      OUTPUT_FILE \"\${docs}/rules.schema.json\" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(
      COMMAND \"$<TARGET_FILE:inquest>\" manual -o
        \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\"
      COMMAND_ERROR_IS_FATAL ANY)")
endif()
# Files for schedulers and dashboards, to be copied where these want them.
install(
  DIRECTORY integrations/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/inquest/integrations
  USE_SOURCE_PERMISSIONS)
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(
  DIRECTORY docs/
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING
  PATTERN "*.md"
  PATTERN benchmarks.md EXCLUDE)
