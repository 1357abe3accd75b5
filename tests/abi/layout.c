/* Sizes, offsets and numbers of the C interface, on machines with 64-bit pointers. */
#include <stddef.h>
#include <stdio.h>

#include <sluice/sluice.h>
#include <sluice/cuda.h>

#define HOLDS(condition) _Static_assert(condition, #condition)
#define LIES(type, field, offset) HOLDS(offsetof(type, field) == (offset))

HOLDS(SLUICE_OK == 0);
HOLDS(SLUICE_DATA_REJECTED == 1);
HOLDS(SLUICE_BAD_SPEC == 2);
HOLDS(SLUICE_ENVIRONMENT == 3);
HOLDS(SLUICE_BAD_ARGUMENT == 4);
HOLDS(SLUICE_NO_MEMORY == 5);
HOLDS(SLUICE_NOT_COUNTABLE == 6);
HOLDS(SLUICE_CANCELLED == 7);
HOLDS(SLUICE_TARGET_AUTO == 0);
HOLDS(SLUICE_TARGET_CPU == 1);
HOLDS(SLUICE_TARGET_INTERP == 2);
HOLDS(SLUICE_VERSION_NUMBER == 200);

HOLDS(sizeof(void*) == 8);
HOLDS(sizeof(sluice_setting) == 16);
HOLDS(sizeof(sluice_options) == 48);
LIES(sluice_options, target, 0);
LIES(sluice_options, settings, 8);
LIES(sluice_options, setting_count, 16);
LIES(sluice_options, search, 24);
LIES(sluice_options, search_count, 32);
LIES(sluice_options, no_cache, 40);
HOLDS(sizeof(sluice_batch) == 56);
LIES(sluice_batch, dictionary, 0);
LIES(sluice_batch, dictionary_size, 8);
LIES(sluice_batch, arguments, 16);
LIES(sluice_batch, argument_count, 24);
LIES(sluice_batch, threads, 32);
LIES(sluice_batch, count_limit, 40);
LIES(sluice_batch, cancel, 48);
HOLDS(sizeof(sluice_further_output) == 24);
LIES(sluice_further_output, out, 0);
LIES(sluice_further_output, capacities, 8);
LIES(sluice_further_output, produced, 16);
HOLDS(sizeof(sluice_cuda_further_output) == 24);
LIES(sluice_cuda_further_output, out, 0);
LIES(sluice_cuda_further_output, capacities, 8);
LIES(sluice_cuda_further_output, produced, 16);
HOLDS(SLUICE_NO_ROOM == 0xffc0030000000000ull);
HOLDS(sizeof(sluice_cuda_options) == 72);
LIES(sluice_cuda_options, device, 0);
LIES(sluice_cuda_options, arch, 8);
LIES(sluice_cuda_options, schedule, 16);
LIES(sluice_cuda_options, no_sizes, 24);
LIES(sluice_cuda_options, settings, 32);
LIES(sluice_cuda_options, setting_count, 40);
LIES(sluice_cuda_options, search, 48);
LIES(sluice_cuda_options, search_count, 56);
LIES(sluice_cuda_options, no_cache, 64);
LIES(sluice_cuda_options, no_quick_start, 68);
HOLDS(sizeof(sluice_cuda_shared) == 32);
LIES(sluice_cuda_shared, dictionary, 0);
LIES(sluice_cuda_shared, dictionary_size, 8);
LIES(sluice_cuda_shared, arguments, 16);
LIES(sluice_cuda_shared, argument_count, 24);
HOLDS(sizeof(sluice_cuda_known) == 32);
LIES(sluice_cuda_known, struct_size, 0);
LIES(sluice_cuda_known, largest_output, 8);
LIES(sluice_cuda_known, total_output, 16);
LIES(sluice_cuda_known, total_input, 24);

int main(void) {
  if (sluice_version_number() == SLUICE_VERSION_NUMBER) return 0;
  fprintf(stderr, "the library is %s, the header %d\n", sluice_version_string(), SLUICE_VERSION_NUMBER);
  return 1;
}
