# What the SIMT layer's programs are built with beside the build's own sanitizers.
#
#   SLUICE_SIMT_RUN             command in front of programs with ThreadSanitizer or AddressSanitizer in them
#   SLUICE_SIMT_THREAD          ON: programs with ThreadSanitizer can be built and run here
#   SLUICE_SIMT_ASAN_SECTIONS   options by which AddressSanitizer guards __shared__ variables too
include_guard(GLOBAL)

# The sanitizers' memory maps know no more than 28 random bits of address: setarch -R, where the machine allows it.
find_program(SETARCH_PROGRAM setarch)
set(SLUICE_SIMT_RUN "" CACHE INTERNAL "")
if(SETARCH_PROGRAM)
  execute_process(COMMAND ${SETARCH_PROGRAM} -R true RESULT_VARIABLE FAILED OUTPUT_QUIET ERROR_QUIET)
  if(FAILED EQUAL 0)
    set(SLUICE_SIMT_RUN ${SETARCH_PROGRAM} -R CACHE INTERNAL "")
  endif()
endif()

if(NOT DEFINED SLUICE_SIMT_THREAD)
  set(USABLE OFF)
  if(NOT SLUICE_SANITIZE)
    set(PROGRAM ${CMAKE_CURRENT_BINARY_DIR}/thread_sanitizer_probe)
    file(WRITE ${PROGRAM}.cpp "int main() { return 0; }\n")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -fsanitize=thread ${PROGRAM}.cpp -o ${PROGRAM}
      RESULT_VARIABLE FAILED OUTPUT_QUIET ERROR_QUIET)
    if(FAILED EQUAL 0)
      execute_process(COMMAND ${SLUICE_SIMT_RUN} ${PROGRAM} RESULT_VARIABLE FAILED OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(FAILED EQUAL 0)
      set(USABLE ON)
    else()
      message(STATUS "No ThreadSanitizer here: races between the lanes of kernels are not looked for")
    endif()
  endif()
  set(SLUICE_SIMT_THREAD ${USABLE} CACHE INTERNAL "")
endif()

# AddressSanitizer leaves variables in sections of their own alone, unless told otherwise; Clang has no such option.
set(SLUICE_SIMT_ASAN_SECTIONS "" CACHE INTERNAL "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(SLUICE_SIMT_ASAN_SECTIONS -fsanitize-sections=simt_shared* CACHE INTERNAL "")
endif()
