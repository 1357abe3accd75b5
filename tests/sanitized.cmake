# sluice_sanitized: the programs behind the tests with the label `sanitize`, which are all that a tree with sanitizers has to
# build (`./dev test`). A test whose program is missing here is not forgotten: ctest finds nothing to run, and fails. That
# does not hold for the two programs that list their tests themselves when they are built: those stand first.
add_custom_target(sluice_sanitized)
foreach(PROGRAM
    sluice_unit sluice_fake_cuda_tests
    sluice sluice_fake_cuda sluice_golden sluice_orc_encoder_test
    sluice_conform sluice_conform_cuda sluice_fuzz_replay
    sluice_simt_test sluice_simt_bounds sluice_simt_prim
    aot_cmake aot_bare example_c_api example_cpp_api example_fused_filter example_gzip_batch example_jit_string)
  if(TARGET ${PROGRAM})
    add_dependencies(sluice_sanitized ${PROGRAM})
  endif()
endforeach()
