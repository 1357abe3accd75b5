/* Describes a format of its own in a string, compiles it and decodes with it, in C. */
#include <stdio.h>
#include <string.h>

#include <sluice/sluice.h>

static const char kSpec[] =
    "format pairs                  # pairs of a count and a byte\n"
    "  input bytes\n"
    "  output bytes\n"
    "\n"
    "  repeat until end of input\n"
    "    count: u8\n"
    "    require count != 0 else reject empty_run\n"
    "    value: u8\n"
    "    run value, count count\n";

int main(void) {
  sluice_decoder* decoder = NULL;
  sluice_error* error = NULL;
  sluice_status status =
      sluice_decoder_create_from_text(kSpec, sizeof kSpec - 1, "pairs.sluice", NULL, &decoder, &error);
  if (status != SLUICE_OK) {
    fputs(error ? sluice_error_text(error) : "out of memory", stderr);
    sluice_error_destroy(error);
    return status;
  }

  const unsigned char good[] = {5, 'a', 4, 'b'}, bad[] = {0, 'a'};
  const void* in = good;
  size_t in_size = sizeof good, produced = 0;
  uint64_t word = 0;
  char room[64], text[200];
  void* out = room;
  size_t capacity = sizeof room - 1;

  status = sluice_decoded_sizes(decoder, &in, &in_size, &produced, &word, 1, NULL, &error);
  if (status == SLUICE_OK) printf("size %zu\n", produced);
  if (error) fprintf(stderr, "%s\n", sluice_error_text(error)); /* of the call, not of the data: a wrong argument, say */
  sluice_error_destroy(error);
  status = sluice_decode_batch(decoder, &in, &in_size, &out, &capacity, &produced, &word, 1, NULL, &error);
  if (status == SLUICE_OK) {
    room[produced] = 0;
    printf("decoded: %s\n", room);
  }

  in = bad;
  in_size = sizeof bad;
  status = sluice_decode_batch(decoder, &in, &in_size, &out, &capacity, &produced, &word, 1, NULL, &error);
  if (status == SLUICE_DATA_REJECTED) {
    sluice_describe(decoder, word, 0, text, sizeof text);
    printf("refused: %s\n", text);
  }
  sluice_decoder_destroy(decoder);
  return 0;
}
