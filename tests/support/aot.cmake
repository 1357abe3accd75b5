# Decoders generated at build time from the specs, for programs that link them in (tests/support/aot.h).
#
#   sluice_aot_variants(OUT)                         sets OUT to a list of "codec|set", one for each codec with its
#                                                    default parameters and each distinct .set of its vectors
#   sluice_aot_sources(NAME VARIANTS SOURCES)        sets SOURCES to the generated files of these variants: one .cpp
#                                                    each, and the registry that defines aot_entries()
include_guard(GLOBAL)

function(sluice_aot_variants OUT)
  file(GLOB SPECS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codecs/*/*.sluice)
  file(GLOB SETS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codecs/*/vectors/*.set)
  foreach(SPEC IN LISTS SPECS)
    get_filename_component(CODEC ${SPEC} NAME_WE)
    list(APPEND VARIANTS "${CODEC}|")
  endforeach()
  foreach(FILE IN LISTS SETS)
    file(STRINGS ${FILE} LINE LIMIT_COUNT 1)
    get_filename_component(CODEC ${FILE} DIRECTORY)
    get_filename_component(CODEC ${CODEC} DIRECTORY)
    get_filename_component(CODEC ${CODEC} NAME)
    list(APPEND VARIANTS "${CODEC}|${LINE}")
  endforeach()
  list(REMOVE_DUPLICATES VARIANTS)
  list(SORT VARIANTS)
  set(${OUT} ${VARIANTS} PARENT_SCOPE)
endfunction()

function(sluice_aot_sources NAME VARIANTS SOURCES)
  set(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${NAME})
  file(MAKE_DIRECTORY ${DIRECTORY})
  set(DECLARATIONS "")
  set(ENTRIES "")
  set(FILES "")
  foreach(VARIANT IN LISTS VARIANTS)
    string(REPLACE "|" ";" PARTS "${VARIANT}")
    list(GET PARTS 0 CODEC)
    list(GET PARTS 1 SET)
    string(MAKE_C_IDENTIFIER "${CODEC}_${SET}" SYMBOL)
    string(REGEX REPLACE "_$" "" SYMBOL ${SYMBOL})
    # One prefix a variant, so that several can be linked into one program.
    set(FILE ${DIRECTORY}/${SYMBOL}.cpp)
    add_custom_command(
      OUTPUT ${FILE}
      COMMAND sluice_test_emit ${CODEC} "${SET}" ${SYMBOL} ${FILE}
      DEPENDS sluice_test_emit
      COMMENT "Emitting ${CODEC} ${SET}"
      VERBATIM)
    string(APPEND DECLARATIONS
"extern \"C\" unsigned long long ${SYMBOL}_decode(sluice_job*);
extern \"C\" unsigned long long ${SYMBOL}_count(sluice_job*);
extern \"C\" const unsigned long long ${SYMBOL}_scratch_bytes;
")
    string(APPEND ENTRIES "    {\"${CODEC}\", \"${SET}\", ${SYMBOL}_decode, ${SYMBOL}_count, &${SYMBOL}_scratch_bytes},\n")
    list(APPEND FILES ${FILE})
  endforeach()
  file(CONFIGURE OUTPUT ${DIRECTORY}/registry.cpp CONTENT
"#include \"tests/support/aot.h\"
${DECLARATIONS}
namespace sluice::test {
std::span<const AotEntry> aot_entries() {
  static const AotEntry entries[] = {
${ENTRIES}  };
  return entries;
}
}  // namespace sluice::test
" @ONLY)
  set(${SOURCES} ${FILES} ${DIRECTORY}/registry.cpp PARENT_SCOPE)
endfunction()
