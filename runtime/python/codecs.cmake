# The codecs compiled ahead of time, an artifact for each and for each element type: code for x86-64-v4 with VBMI, -v3 and
# every x86-64, of which the running machine takes the first that it has the instructions for.
#
# That takes minutes. So what an artifact is made of is first written to a file (the generated code and the page about the
# format), which only changes when it has something else to say; the artifact depends on that and not on the program.
include_guard(GLOBAL)

set(INTEGERS i8 u8 i16 u16 i32 u32 i64 u64)
# Parameters with other values than one: NAME_PARAMETER, with the default first.
set(VALUES_bzip2_ignore_garbage true false)
set(VALUES_gzip_ignore_garbage true false)
set(VALUES_lz4_frame_ignore_garbage true false)
set(VALUES_snappy_framed_ignore_garbage false true)
set(VALUES_gompresso_bit_max_bits 10)
set(VALUES_parquet_rle_T u32 u8 u16)
foreach(NAME orc_rle_v1 orc_rle_v2 parquet_delta)
  set(VALUES_${NAME}_T i64 ${INTEGERS})
  list(REMOVE_DUPLICATES VALUES_${NAME}_T)
endforeach()
set(VALUES_blosc_largest_block 4194304)
set(VALUES_parquet_byte_stream_split_largest_page 2097152)
set(VALUES_parquet_delta_strings_most_strings 65536)
set(VALUES_zstd_window_limit 134217729)
set(VALUES_fse_most_symbols 256)
set(VALUES_huff0_most_symbols 12)
set(CODECS_OUT ${CMAKE_CURRENT_BINARY_DIR}/sluice_codecs/codecs)
file(MAKE_DIRECTORY ${CODECS_OUT} ${CMAKE_CURRENT_BINARY_DIR}/keys)
file(GLOB SPECS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/codecs/*/*.sluice)
file(GLOB CONTAINER CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/compiler/artifact/*.h ${PROJECT_SOURCE_DIR}/compiler/artifact/*.cpp)
set(ARTIFACTS "")
set(ENTRIES "")

# sluice_codec(NAME IS-DEFAULT [PARAMETER VALUE])
function(sluice_codec NAME IS_DEFAULT)
  set(FILE ${NAME})
  set(SET "")
  set(SET_JSON "")
  if(ARGN)
    list(GET ARGN 0 PARAMETER)
    list(GET ARGN 1 VALUE)
    set(FILE ${NAME}-${PARAMETER}-${VALUE})
    set(SET --set ${PARAMETER}=${VALUE})
    set(SET_JSON "\"${PARAMETER}\": \"${VALUE}\"")
  endif()
  set(KEY ${CMAKE_CURRENT_BINARY_DIR}/keys/${FILE}.txt)
  set(ARTIFACT ${CODECS_OUT}/${FILE}.sluicea)
  add_custom_command(OUTPUT ${KEY}
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:sluice> -DSPEC=${NAME} "-DSET=${SET}" -DKEY=${KEY}
      -P ${CMAKE_CURRENT_SOURCE_DIR}/codec_key.cmake
    DEPENDS sluice ${CMAKE_CURRENT_SOURCE_DIR}/codec_key.cmake VERBATIM)
  add_custom_command(OUTPUT ${ARTIFACT}
    COMMAND ${CMAKE_COMMAND} -E env SLUICE_JIT=cxx SLUICE_CXX=${CMAKE_CXX_COMPILER} $<TARGET_FILE:sluice> build ${NAME}
      --target cpu:x86-64-v4-vbmi,cpu:x86-64-v3,cpu:x86-64 ${SET} -o ${ARTIFACT}
    DEPENDS ${KEY} ${CONTAINER} COMMENT "Compiling the codec ${FILE}" VERBATIM)
  set(ARTIFACTS ${ARTIFACTS} ${ARTIFACT} PARENT_SCOPE)
  list(APPEND ENTRIES "    {\"codec\": \"${NAME}\", \"set\": {${SET_JSON}}, \"default\": ${IS_DEFAULT}, \"file\": \"${FILE}.sluicea\"}")
  set(ENTRIES "${ENTRIES}" PARENT_SCOPE)
endfunction()

foreach(SPEC IN LISTS SPECS)
  get_filename_component(NAME ${SPEC} NAME_WE)
  file(STRINGS ${SPEC} HEAD REGEX "^format ${NAME}" LIMIT_COUNT 1)
  set(PARAMETERS "")
  string(REGEX MATCHALL "[A-Za-z_]+:" PARAMETERS "${HEAD}")
  list(LENGTH PARAMETERS COUNT)
  if(COUNT EQUAL 0)
    sluice_codec(${NAME} true)
    continue()
  endif()
  string(REPLACE ":" "" PARAMETER "${PARAMETERS}")
  if(NOT COUNT EQUAL 1 OR NOT VALUES_${NAME}_${PARAMETER})
    message(FATAL_ERROR "The codec ${NAME} has parameters (${PARAMETERS}) whose values the Python package does not know: "
      "say in runtime/python/codecs.cmake which are to be compiled")
  endif()
  set(IS_DEFAULT true)
  foreach(VALUE IN LISTS VALUES_${NAME}_${PARAMETER})
    sluice_codec(${NAME} ${IS_DEFAULT} ${PARAMETER} ${VALUE})
    set(IS_DEFAULT false)
  endforeach()
endforeach()

list(JOIN ENTRIES ",\n" ENTRIES)
file(CONFIGURE OUTPUT ${CODECS_OUT}/index.json CONTENT "{\n  \"artifacts\": [\n@ENTRIES@\n  ]\n}\n" @ONLY)
add_custom_target(sluice_python_codecs DEPENDS ${ARTIFACTS})
add_dependencies(sluice_python sluice_python_codecs)
install(FILES ${ARTIFACTS} ${CODECS_OUT}/index.json DESTINATION sluice_codecs/codecs COMPONENT python)
