/* Calls a decoder that is linked in as code: no library of Sluice, no memory from anywhere but this program. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "runs.h"

static int show(const unsigned char* in, size_t in_size) {
  static unsigned char scratch[1 << 16]; /* more than this format needs */
  uint16_t out[64];
  struct sluice_job job = {0};
  unsigned long long error, i;
  if (runs_scratch_bytes > sizeof scratch - 64) return 1;
  job.in = in;
  job.in_size = in_size;
  job.out = out;
  job.out_capacity = 64;
  job.scratch = scratch + (64 - (uintptr_t)scratch % 64) % 64;
  error = runs_decode(&job);
  for (i = 0; i < job.produced; ++i) printf("%u ", (unsigned)out[i]);
  if (error) printf("refused: %s at bit %llu", runs_error_name(error), RUNS_ERROR_BIT(error));
  printf("\n");
  return 0;
}

int main(void) {
  const unsigned char good[] = {3, 7, 2, 0x80, 0x02}, bad[] = {1, 0x80, 0x02, 0, 5};
  return show(good, sizeof good) || show(bad, sizeof bad);
}
