# sluice_add_decoder(TARGET SPEC spec TARGETS target... [NAME name] [SET parameter=value...] [SCHEDULE directives]
#                    [LINKABLE])
#
# Compiles a format when the project is built, and makes a static library TARGET of the result:
#   TARGET.h           sizes, arguments and error codes of the format, and the declaration of what follows
#   NAME_artifact      the artifact's bytes, NAME_artifact_size of them: for sluice::Decoder::from_artifact, or
#                      sluice_decoder_create_from_artifact in C. No file is needed when the program runs, nor a compiler.
#   NAME_decode(), NAME_count()
#                      with LINKABLE: the decoder itself, called as <sluice/abi.h> says. Such a program needs nothing of
#                      Sluice at all.
#
#   SPEC      a .sluice file, relative to the current source directory, or the name of a codec that comes with Sluice
#   TARGETS   cpu, cpu:x86-64-v3, cuda:sm_90, ptx, ...: see `sluice build --help`. CUDA needs NVRTC here, but no GPU
#   NAME      prefix of what is declared in C; default: TARGET
#   SET       compile-time parameters of the format
#   SCHEDULE  directives for CUDA, in the place of the format's own
# The artifact is also a file: the target's property SLUICE_ARTIFACT has its path.
function(sluice_add_decoder TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 DECODER "LINKABLE" "SPEC;NAME;SCHEDULE" "TARGETS;SET")
  if(DECODER_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sluice_add_decoder(${TARGET}): unknown arguments: ${DECODER_UNPARSED_ARGUMENTS}")
  endif()
  foreach(NEEDED SPEC TARGETS)
    if(NOT DECODER_${NEEDED})
      message(FATAL_ERROR "sluice_add_decoder(${TARGET}): ${NEEDED} is missing")
    endif()
  endforeach()
  if(NOT DECODER_NAME)
    string(MAKE_C_IDENTIFIER ${TARGET} DECODER_NAME)
  endif()

  # A path when it looks like one, as on the command line.
  set(SPEC ${DECODER_SPEC})
  set(DEPENDENCIES "")
  if(SPEC MATCHES "/|\\.sluice$")
    get_filename_component(SPEC ${SPEC} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND DEPENDENCIES ${SPEC})
  endif()
  set(PROGRAM sluice)  # in Sluice's own tree
  if(TARGET sluice::program)
    set(PROGRAM sluice::program)
  endif()
  list(JOIN DECODER_TARGETS "," TARGETS)
  set(OUT ${CMAKE_CURRENT_BINARY_DIR}/${TARGET}.sluice)
  file(MAKE_DIRECTORY ${OUT})
  set(ARTIFACT ${OUT}/${TARGET}.sluicea)
  set(OUTPUTS ${ARTIFACT} ${OUT}/${TARGET}.h)
  set(COMMAND ${PROGRAM} build ${SPEC} --target ${TARGETS} --name ${DECODER_NAME} -o ${ARTIFACT}
      --header ${OUT}/${TARGET}.h --depfile ${OUT}/${TARGET}.d)
  foreach(SETTING IN LISTS DECODER_SET)
    list(APPEND COMMAND --set ${SETTING})
  endforeach()
  if(DECODER_SCHEDULE)
    list(APPEND COMMAND --schedule ${DECODER_SCHEDULE})
  endif()
  if(DECODER_LINKABLE)
    list(APPEND COMMAND --object ${OUT}/${TARGET}.o)
    list(APPEND OUTPUTS ${OUT}/${TARGET}.o)
  endif()
  add_custom_command(OUTPUT ${OUTPUTS} COMMAND ${COMMAND} DEPENDS ${DEPENDENCIES} ${PROGRAM}
    DEPFILE ${OUT}/${TARGET}.d COMMENT "Compiling the format ${DECODER_SPEC}" VERBATIM)

  # The assembler reads the artifact, so no compiler has to parse it.
  get_property(LANGUAGES GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(EXTENSION cpp)
  if(C IN_LIST LANGUAGES)
    set(EXTENSION c)
  endif()
  set(EMBED ${OUT}/${TARGET}_artifact.${EXTENSION})
  set(SYMBOL ${DECODER_NAME}_artifact)
  file(CONFIGURE OUTPUT ${EMBED} @ONLY CONTENT
"/* Made by sluice_add_decoder(). */
__asm__(\".section .rodata\\n\"
        \".balign 16\\n\"
        \".global @SYMBOL@, @SYMBOL@_size\\n\"
        \".type @SYMBOL@, %object\\n\"
        \".type @SYMBOL@_size, %object\\n\"
        \"@SYMBOL@:\\n.incbin \\\"@ARTIFACT@\\\"\\n\"
        \".size @SYMBOL@, . - @SYMBOL@\\n\"
        \".set .Lend, .\\n\"
        \".balign 8\\n\"
        \"@SYMBOL@_size:\\n.quad .Lend - @SYMBOL@\\n\"
        \".size @SYMBOL@_size, 8\\n\"
        \".text\\n\");
")
  set_property(SOURCE ${EMBED} APPEND PROPERTY OBJECT_DEPENDS ${ARTIFACT})
  add_library(${TARGET} STATIC ${EMBED} ${OUT}/${TARGET}.h)
  if(DECODER_LINKABLE)
    target_sources(${TARGET} PRIVATE ${OUT}/${TARGET}.o)
    set_source_files_properties(${OUT}/${TARGET}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  endif()
  target_include_directories(${TARGET} PUBLIC ${OUT})
  set_target_properties(${TARGET} PROPERTIES LINKER_LANGUAGE CXX SLUICE_ARTIFACT ${ARTIFACT})
endfunction()
