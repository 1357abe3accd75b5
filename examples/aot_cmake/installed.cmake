# cmake -DBUILD=Sluice's build tree -DSOURCE=this project -DWORK=directory -DGENERATOR=name -P installed.cmake
# Installs Sluice into WORK, builds the project against it and runs both programs.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE STATUS OUTPUT_VARIABLE OUTPUT ERROR_VARIABLE OUTPUT)
  if(NOT STATUS EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${STATUS}\n${OUTPUT}")
  endif()
  set(OUTPUT "${OUTPUT}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
# Without a compiler: what the artifact holds has to do.
set(ENV{SLUICE_JIT} none)
run(${WORK}/build/aot_cmake)
message("${OUTPUT}")
run(${WORK}/build/aot_bare)
message("${OUTPUT}")
