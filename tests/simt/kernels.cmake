# Kernels for the SIMT layer (tests/simt/kernels.h): one source file for each codec and schedule.
#
#   sluice_simt_sources(SOURCES)   sets SOURCES to the generated files and the registry that defines kernels()
include_guard(GLOBAL)
include(${PROJECT_SOURCE_DIR}/tests/support/aot.cmake)

# NAME|DIRECTIVES. The first one is what the codec gets when nobody asks for anything, its .schedule file included.
set(SLUICE_SIMT_SCHEDULES
  "default|"
  "registers|strategy warp, input registers"
  "leader|strategy leader"
  "block|strategy block, block_threads 64"
  "block_prefetch|strategy block, block_threads 64, prefetch on"
  "split|strategy split"
  "split_registers|strategy split, split_buffer 16"
  "split_sequential|strategy split, resolve sequential"
  "split_rounds|strategy split, resolve rounds"
  "split_independent|strategy split, resolve independent"
  "resolve_sequential|strategy warp, resolve sequential"
  "resolve_rounds|strategy warp, resolve rounds"
  "resolve_independent|strategy warp, resolve independent"
  "aligned|strategy warp, input_alignment 128, output_alignment 16")

# Compiling them all takes most of a build. These codecs, which have every kind of loop and stage between them, are built
# under every schedule; the others under what they get by default and under `split`. ON: all under all. What a kernel makes
# of aligned elements depends on their size: where a codec has parameters, they are tried too.
option(SLUICE_SIMT_ALL "Build every codec's kernels under every schedule for the host" OFF)
set(SLUICE_SIMT_THOROUGH deflate gompresso_byte lz4_block orc_rle_v2 patel)

function(sluice_simt_sources SOURCES)
  set(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/kernels)
  file(MAKE_DIRECTORY ${DIRECTORY})
  sluice_aot_variants(VARIANTS)
  list(JOIN SLUICE_SIMT_SCHEDULES "\n" LINES)
  file(CONFIGURE OUTPUT ${DIRECTORY}/schedules.txt CONTENT "${LINES}\n" @ONLY)
  set(FILES "")
  set(DECLARATIONS "")
  set(ENTRIES "")
  foreach(VARIANT IN LISTS VARIANTS)
    string(REPLACE "|" ";" PARTS "${VARIANT}")
    list(GET PARTS 0 CODEC)
    list(GET PARTS 1 SET)
    foreach(SCHEDULE IN LISTS SLUICE_SIMT_SCHEDULES)
      string(REPLACE "|" ";" PARTS "${SCHEDULE}")
      list(GET PARTS 0 NAME)
      list(GET PARTS 1 DIRECTIVES)
      if(SET AND NOT NAME MATCHES "^(default|aligned)$")
        continue()
      endif()
      if(NOT SLUICE_SIMT_ALL AND NOT NAME MATCHES "^(default|split.*)$" AND NOT CODEC IN_LIST SLUICE_SIMT_THOROUGH)
        continue()
      endif()
      string(MAKE_C_IDENTIFIER "${CODEC}_${SET}_${NAME}" SYMBOL)
      set(FILE ${DIRECTORY}/${SYMBOL}.cpp)
      add_custom_command(
        OUTPUT ${FILE}
        COMMAND sluice_simt_emit ${CODEC} "${SET}" ${NAME} "${DIRECTIVES}" ${SYMBOL} ${FILE}
        DEPENDS sluice_simt_emit
        COMMENT "Emitting ${CODEC} ${SET} for CUDA, ${NAME}"
        VERBATIM)
      string(APPEND DECLARATIONS "extern const sluice::simt::Kernel ${SYMBOL};\n")
      string(APPEND ENTRIES "    &${SYMBOL},\n")
      list(APPEND FILES ${FILE})
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${DIRECTORY}/registry.cpp CONTENT
"#include \"tests/simt/kernels.h\"
${DECLARATIONS}
namespace sluice::simt {
std::span<const Kernel* const> kernels() {
  static const Kernel* const all[] = {
${ENTRIES}  };
  return all;
}
}  // namespace sluice::simt
" @ONLY)
  set(${SOURCES} ${FILES} ${DIRECTORY}/registry.cpp PARENT_SCOPE)
endfunction()
