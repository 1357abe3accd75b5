# Kernels for the SIMT layer (tests/simt/kernels.h): one source file for each codec and schedule.
#
#   sluice_simt_sources(SOURCES)   sets SOURCES to the generated files and the registry that defines kernels()
#   sluice_simt_spec_sources(SOURCES SPEC...)   the same for spec files, under the schedules that differ in
#                                             how they keep a chunk's state, and as device functions
include_guard(GLOBAL)
include(${PROJECT_SOURCE_DIR}/tests/support/aot.cmake)

# NAME|DIRECTIVES: the variants of the registry of strategies, and first what the codec gets when nobody asks for
# anything, its .schedule file included.
set(STRATEGIES ${PROJECT_SOURCE_DIR}/compiler/schedule/strategies.def)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${STRATEGIES})
file(STRINGS ${STRATEGIES} LINES REGEX "^VARIANT")
set(SLUICE_SIMT_SCHEDULES "default|")
foreach(LINE IN LISTS LINES)
  if(NOT LINE MATCHES "^VARIANT\\(\"([a-z0-9/]+)\", \"([a-z0-9_, ]+)\"\\)$")
    message(FATAL_ERROR "${STRATEGIES}: not a line with a name and directives: ${LINE}")
  endif()
  list(APPEND SLUICE_SIMT_SCHEDULES "${CMAKE_MATCH_1}|${CMAKE_MATCH_2}")
endforeach()

# Compiling them all takes most of a build. These codecs, which have every kind of loop and stage between them, are built
# under every schedule; the others under what they get by default, under `speculate`, by a warp and by several, and `split`. ON: all under all. What a kernel makes
# of aligned elements, and of records of values, depends on their size: where a codec has parameters, they are tried too.
option(SLUICE_SIMT_ALL "Build every codec's kernels under every schedule for the host" OFF)
set(SLUICE_SIMT_THOROUGH deflate fsst gompresso_byte lz4_block orc_rle_v2 patel)
# And those that sum their output up are built under `block`, too, where other warps have written it.
set(SLUICE_SIMT_SUMS gzip lz4_frame snappy_framed zlib)
# And one whose tokens are chained under `speculate/wide`: steps take another form there than behind guesses.
set(SLUICE_SIMT_CHAINS zstd)

# `./dev test` runs the kernels of two trees, whose sanitizers look for different things: ThreadSanitizer for races, Address- and
# UndefinedBehaviorSanitizer for what lies outside. To compile all for both takes most of its time. `even` and `odd` are halves that
# are each other's rest: of every codec half of the schedules, and of every schedule half of the codecs. What a codec's own schedule
# file says, and `warp/shared`, which all can be decoded with, is in both. The others stand in the registry as built elsewhere, so
# that their refusals and the set of schedules are seen in either. The specs' kernels are about what a chunk finds, which takes no
# sanitizer: `./dev test` builds them in one tree alone (tests/sanitized.cmake).
set(SLUICE_SIMT_SHARE all CACHE STRING "Kernels that are built for the host: all, even, odd")
set_property(CACHE SLUICE_SIMT_SHARE PROPERTY STRINGS all even odd)
if(NOT SLUICE_SIMT_SHARE MATCHES "^(all|even|odd)$")
  message(FATAL_ERROR "SLUICE_SIMT_SHARE is ${SLUICE_SIMT_SHARE}, which is none of all, even and odd")
endif()

# Device functions, each in a kernel that calls it with several sinks: by what a format gets when nobody asks for anything, and
# those that are built under every schedule by each strategy that hands outputs over.
set(SLUICE_SIMT_DEVICE "device|" "device/warp|strategy warp")

# Writes the file that defines kernels() as those SYMBOLs.
function(sluice_simt_registry FILE)
  set(DECLARATIONS "")
  set(ENTRIES "")
  foreach(SYMBOL IN LISTS ARGN)
    string(APPEND DECLARATIONS "extern const sluice::simt::Kernel ${SYMBOL};\n")
    string(APPEND ENTRIES "    &${SYMBOL},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${FILE} CONTENT
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
endfunction()

# Sets WHERE to `here` or `elsewhere`, by the numbers of the codec and of the schedule.
function(sluice_simt_place WHERE NAME CODEC_NUMBER SCHEDULE_NUMBER)
  math(EXPR ODD "(${CODEC_NUMBER} + ${SCHEDULE_NUMBER}) % 2")
  set(${WHERE} here PARENT_SCOPE)
  if(NAME MATCHES "^(default|warp/shared)$" OR SLUICE_SIMT_SHARE STREQUAL "all")
    return()
  endif()
  if((ODD AND SLUICE_SIMT_SHARE STREQUAL "even") OR (NOT ODD AND SLUICE_SIMT_SHARE STREQUAL "odd"))
    set(${WHERE} elsewhere PARENT_SCOPE)
  endif()
endfunction()

function(sluice_simt_spec_sources SOURCES)
  set(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/spec_kernels)
  file(MAKE_DIRECTORY ${DIRECTORY})
  set(FILES "")
  set(SYMBOLS "")
  foreach(SPEC IN LISTS ARGN)
    get_filename_component(STEM ${SPEC} NAME_WE)
    foreach(SCHEDULE IN LISTS SLUICE_SIMT_SCHEDULES SLUICE_SIMT_DEVICE)
      string(REPLACE "|" ";" PARTS "${SCHEDULE}")
      list(GET PARTS 0 NAME)
      list(GET PARTS 1 DIRECTIVES)
      # These are about copies, steps, alignment and what is read ahead; codecs are decoded under them.
      if(NAME MATCHES "^(warp/shared|split/registers|speculate/(registers|tables|wide)|.*/(sequential|rounds|independent|aligned|prefetch))$")
        continue()
      endif()
      string(MAKE_C_IDENTIFIER "${STEM}_${NAME}" SYMBOL)
      add_custom_command(
        OUTPUT ${DIRECTORY}/${SYMBOL}.cpp
        COMMAND sluice_simt_emit ${SPEC} "" ${NAME} "${DIRECTIVES}" here ${SYMBOL} ${DIRECTORY}/${SYMBOL}.cpp
        DEPENDS sluice_simt_emit ${SPEC}
        COMMENT "Emitting ${STEM} for CUDA, ${NAME}"
        VERBATIM)
      list(APPEND SYMBOLS ${SYMBOL})
      list(APPEND FILES ${DIRECTORY}/${SYMBOL}.cpp)
    endforeach()
  endforeach()
  sluice_simt_registry(${DIRECTORY}/registry.cpp ${SYMBOLS})
  set(${SOURCES} ${FILES} ${DIRECTORY}/registry.cpp PARENT_SCOPE)
endfunction()

function(sluice_simt_sources SOURCES)
  set(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/kernels)
  file(MAKE_DIRECTORY ${DIRECTORY})
  sluice_aot_variants(VARIANTS)
  list(JOIN SLUICE_SIMT_SCHEDULES "\n" LINES)
  file(CONFIGURE OUTPUT ${DIRECTORY}/schedules.txt CONTENT "${LINES}\n" @ONLY)
  set(FILES "")
  set(SYMBOLS "")
  set(CODEC_NUMBER 0)
  foreach(VARIANT IN LISTS VARIANTS)
    string(REPLACE "|" ";" PARTS "${VARIANT}")
    list(GET PARTS 0 CODEC)
    list(GET PARTS 1 SET)
    math(EXPR CODEC_NUMBER "${CODEC_NUMBER} + 1")
    set(SCHEDULE_NUMBER 0)
    foreach(SCHEDULE IN LISTS SLUICE_SIMT_SCHEDULES SLUICE_SIMT_DEVICE)
      math(EXPR SCHEDULE_NUMBER "${SCHEDULE_NUMBER} + 1")
      string(REPLACE "|" ";" PARTS "${SCHEDULE}")
      list(GET PARTS 0 NAME)
      list(GET PARTS 1 DIRECTIVES)
      # Without a schedule of its own a codec gets warp/shared or speculate by default.
      set(USUAL "^(default|warp/shared|speculate|speculate/team|lanes/team|split.*|.*/large|device)$")
      if(NAME STREQUAL "default" AND NOT EXISTS ${PROJECT_SOURCE_DIR}/codecs/${CODEC}/${CODEC}.schedule)
        continue()
      endif()
      if(SET AND NOT NAME MATCHES "^(default|warp/(shared|aligned)|speculate|device)$")
        continue()
      endif()
      if(NOT SLUICE_SIMT_ALL AND NOT NAME MATCHES "${USUAL}" AND NOT CODEC IN_LIST SLUICE_SIMT_THOROUGH AND
         NOT (NAME STREQUAL "block" AND CODEC IN_LIST SLUICE_SIMT_SUMS) AND
         NOT (NAME STREQUAL "speculate/wide" AND CODEC IN_LIST SLUICE_SIMT_CHAINS))
        continue()
      endif()
      sluice_simt_place(WHERE ${NAME} ${CODEC_NUMBER} ${SCHEDULE_NUMBER})
      string(MAKE_C_IDENTIFIER "${CODEC}_${SET}_${NAME}" SYMBOL)
      set(FILE ${DIRECTORY}/${SYMBOL}.cpp)
      add_custom_command(
        OUTPUT ${FILE}
        COMMAND sluice_simt_emit ${CODEC} "${SET}" ${NAME} "${DIRECTIVES}" ${WHERE} ${SYMBOL} ${FILE}
        DEPENDS sluice_simt_emit
        COMMENT "Emitting ${CODEC} ${SET} for CUDA, ${NAME}"
        VERBATIM)
      list(APPEND SYMBOLS ${SYMBOL})
      list(APPEND FILES ${FILE})
    endforeach()
  endforeach()
  sluice_simt_registry(${DIRECTORY}/registry.cpp ${SYMBOLS})
  set(${SOURCES} ${FILES} ${DIRECTORY}/registry.cpp PARENT_SCOPE)
endfunction()
