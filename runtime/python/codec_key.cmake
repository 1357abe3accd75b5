# cmake -DPROGRAM=sluice -DSPEC=NAME -DSET=... -DKEY=FILE -P codec_key.cmake: what an artifact of the codec is made of, in a
# file that is left alone when it says that already.
set(TEXT "")
foreach(WORDS "emit;${SPEC};--target;cpu" "explain;${SPEC};--json")
  execute_process(COMMAND ${PROGRAM} ${WORDS} ${SET} OUTPUT_VARIABLE OUTPUT COMMAND_ERROR_IS_FATAL ANY)
  string(APPEND TEXT "${OUTPUT}")
endforeach()
if(EXISTS ${KEY})
  file(READ ${KEY} BEFORE)
endif()
if(NOT "${TEXT}" STREQUAL "${BEFORE}")
  file(WRITE ${KEY} "${TEXT}")
endif()
