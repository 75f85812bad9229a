# What `cmake --install` puts where; the collector installs itself. The program
# finds it relative to its own place, so the tree can be moved as a whole.
if(TARGET inquest)
  install(TARGETS inquest RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(
  DIRECTORY rules/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/inquest/rules
  FILES_MATCHING
  PATTERN "*.yaml"
  PATTERN "*.test.yaml" EXCLUDE
  PATTERN "*.test" EXCLUDE)
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(
  DIRECTORY docs/
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING
  PATTERN "*.md")
