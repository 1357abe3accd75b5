# The public form of the interface's headers, as programs include them: <sluice/sluice.h>, <sluice/sluice.hpp>,
# <sluice/cuda.h>, <sluice/cuda.hpp>, and beside these what they include.
#
# In the source tree the headers lie in runtime/api, and everything in it includes them from there. Their public form
# differs from that in the names of files alone, guards included, so a program that meets both takes each once. It is made
# when CMake runs, which a change of one of them brings about, and one form serves the build tree and the installation:
# what the examples are compiled with is what is installed (tests/abi/headers.sh).
include_guard(GLOBAL)

set(SLUICE_PUBLIC_INCLUDE ${PROJECT_BINARY_DIR}/generated)  # on every target's path, as ${SLUICE_PUBLIC_INCLUDE}/sluice/...
# SOURCE:PUBLIC, by names in runtime/api and in sluice/.
set(SLUICE_PUBLIC_HEADERS
  abi.h:abi.h cuda_abi.h:cuda_abi.h result.hpp:result.hpp
  sluice.h:sluice.h sluice.hpp:sluice.hpp sluice_cuda.h:cuda.h sluice_cuda.hpp:cuda.hpp)

# sluice_make_public_headers(FILES): makes them, and sets FILES to their paths.
function(sluice_make_public_headers FILES)
  set(MADE "")
  foreach(HEADER IN LISTS SLUICE_PUBLIC_HEADERS)
    string(REPLACE ":" ";" HEADER ${HEADER})
    list(GET HEADER 0 SOURCE)
    list(GET HEADER 1 PUBLIC)
    set(SOURCE ${PROJECT_SOURCE_DIR}/runtime/api/${SOURCE})
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SOURCE})
    file(READ ${SOURCE} TEXT)
    foreach(OTHER IN LISTS SLUICE_PUBLIC_HEADERS)
      string(REPLACE ":" ";" OTHER ${OTHER})
      list(GET OTHER 0 FROM)
      list(GET OTHER 1 TO)
      string(REPLACE "\"runtime/api/${FROM}\"" "<sluice/${TO}>" TEXT "${TEXT}")
    endforeach()
    # What is left names a file that an installation does not have.
    if(TEXT MATCHES "(runtime|compiler|dsl)/[a-z_/]*\\.(h|hpp)")
      message(FATAL_ERROR "${SOURCE} is public and speaks of ${CMAKE_MATCH_0}, which is not")
    endif()
    # Written only when it says something new: what includes it is compiled again then, and else not.
    file(CONFIGURE OUTPUT ${SLUICE_PUBLIC_INCLUDE}/sluice/${PUBLIC} CONTENT "${TEXT}" @ONLY NEWLINE_STYLE UNIX)
    list(APPEND MADE ${SLUICE_PUBLIC_INCLUDE}/sluice/${PUBLIC})
  endforeach()
  set(${FILES} ${MADE} PARENT_SCOPE)
endfunction()
