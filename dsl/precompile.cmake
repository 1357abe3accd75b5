# Precompiled standard headers: four fifths of what a source file of ours takes to compile is reading those.
#
#   sluice_precompile(NAME)                 NAME takes the headers as sluice_dsl has precompiled them
#   sluice_precompile(NAME HEADER...)       NAME precompiles them and HEADERs for itself
#
# Sources go on including what they use: a tree configured with -DSLUICE_PRECOMPILE=OFF has to build as well.
include_guard(GLOBAL)
option(SLUICE_PRECOMPILE "Precompile the standard headers" ON)

set(SLUICE_PRECOMPILED
  <algorithm> <array> <cstdint> <cstdlib> <cstring> <functional> <map> <memory> <optional> <set>
  <span> <string> <string_view> <utility> <vector> <fmt/format.h>)

function(sluice_precompile NAME)
  if(NOT SLUICE_PRECOMPILE)
    return()
  endif()
  if(NAME STREQUAL "sluice_dsl" OR ARGN)
    target_precompile_headers(${NAME} PRIVATE ${SLUICE_PRECOMPILED} ${ARGN})
  else()
    target_precompile_headers(${NAME} REUSE_FROM sluice_dsl)
  endif()
endfunction()
