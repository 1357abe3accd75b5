# Adds the embedded files (compiler/embed/embed.h) to sluice_compiler. A new codec or primitive is found by the
# glob; an edited one rebuilds one generated file.
file(GLOB SLUICE_EMBEDDED_FILES CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/codecs/*/*.sluice
  ${PROJECT_SOURCE_DIR}/codecs/*/*.schedule
  ${PROJECT_SOURCE_DIR}/runtime/prim/*.h
  ${PROJECT_SOURCE_DIR}/runtime/prim/cuda/*.h
  ${PROJECT_SOURCE_DIR}/runtime/api/*abi.h)
file(GLOB SLUICE_PRIMITIVE_INDEX CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiler/embed/index/*.def)
set(SLUICE_EMBEDDED_CPP ${PROJECT_BINARY_DIR}/generated/compiler/embed/files.cpp)
# The list goes through a file: a command line has no safe spelling for a CMake list.
set(SLUICE_EMBEDDED_LIST ${PROJECT_BINARY_DIR}/generated/compiler/embed/files.txt)
list(JOIN SLUICE_EMBEDDED_FILES "\n" SLUICE_EMBEDDED_LINES)
file(CONFIGURE OUTPUT ${SLUICE_EMBEDDED_LIST} CONTENT "${SLUICE_EMBEDDED_LINES}\n" @ONLY)
add_custom_command(
  OUTPUT ${SLUICE_EMBEDDED_CPP}
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DLIST=${SLUICE_EMBEDDED_LIST} -DOUT=${SLUICE_EMBEDDED_CPP}
          -P ${PROJECT_SOURCE_DIR}/compiler/embed/embed_files.cmake
  DEPENDS ${SLUICE_EMBEDDED_FILES} ${SLUICE_PRIMITIVE_INDEX} ${SLUICE_EMBEDDED_LIST} ${PROJECT_SOURCE_DIR}/compiler/embed/embed_files.cmake
  COMMENT "Embedding specs and primitives"
  VERBATIM)
target_sources(sluice_compiler PRIVATE ${SLUICE_EMBEDDED_CPP})
