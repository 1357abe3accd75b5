# The program alone has some 10 MB, its debug information more than ten times as much.
#
#   sluice_split_debug(NAME)    NAME's debug information goes to NAME.debug beside it, where gdb and perf look for it
include_guard(GLOBAL)

function(sluice_split_debug NAME)
  # A sanitizer's reports want line numbers without looking for another file.
  if(NOT CMAKE_OBJCOPY OR SLUICE_SANITIZE)
    return()
  endif()
  set(FILE $<TARGET_FILE:${NAME}>)
  add_custom_command(TARGET ${NAME} POST_BUILD
    COMMAND ${CMAKE_OBJCOPY} --only-keep-debug ${FILE} ${FILE}.debug
    COMMAND ${CMAKE_OBJCOPY} --strip-debug --add-gnu-debuglink=${FILE}.debug ${FILE}
    VERBATIM)
  set_property(TARGET ${NAME} APPEND PROPERTY ADDITIONAL_CLEAN_FILES ${PROJECT_BINARY_DIR}/${NAME}.debug)
endfunction()
