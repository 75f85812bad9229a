# What every target of the project is compiled with.
add_library(inquest_flags INTERFACE)
target_include_directories(inquest_flags INTERFACE ${PROJECT_SOURCE_DIR}
                                                   ${PROJECT_BINARY_DIR})
target_compile_options(inquest_flags INTERFACE -Wall -Wextra -Wnon-virtual-dtor)
if(INQUEST_JUMBO)
  # Files that are compiled as one see each other's names.
  target_compile_options(inquest_flags INTERFACE -Wno-subobject-linkage)
else()
  target_compile_options(inquest_flags INTERFACE -Wshadow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc 12 sees overlaps in std::string that cannot be (its bug 105651).
  target_compile_options(inquest_flags INTERFACE -Wno-restrict)
endif()
if(INQUEST_WERROR)
  target_compile_options(inquest_flags INTERFACE -Werror)
endif()
if(INQUEST_SANITIZE)
  add_compile_options(-fsanitize=${INQUEST_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${INQUEST_SANITIZE})
endif()

# For folders that read no memory by hand: these checks of each access make
# their code a third slower to compile, and the address sanitizer has the rest.
function(inquest_sanitize_less)
  if(INQUEST_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endfunction()

# Several files of one folder are compiled as one, which spares reading the
# same headers again for each: worth it where all is built once, as in CI. So
# names in unnamed namespaces are told apart within these folders.
function(inquest_jumbo)
  if(INQUEST_JUMBO)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON
                                             UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()
