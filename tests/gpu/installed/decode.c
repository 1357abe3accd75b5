/* decode CODEC DIRECTORY FILE...: decodes the files on the GPU as one batch, by the C interface of an installed Sluice, and
 * writes what came out to DIRECTORY under their names. A line for each: "NAME: N bytes", or "NAME: refused: REASON ...". */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sluice/cuda.h>

enum { kMostFiles = 512, kTextSize = 400, kPathSize = 4096 };

static int fail(const char* what, sluice_error* error) {
  fprintf(stderr, "%s: %s\n", what, error != NULL ? sluice_error_text(error) : "failed");
  sluice_error_destroy(error);
  return 1;
}

static void* read_file(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  void* data = malloc(*size + 1);
  if (data != NULL && fread(data, 1, *size, file) != *size) *size = 0;
  fclose(file);
  return data;
}

int main(int argc, char** argv) {
  if (argc < 4 || argc - 3 > kMostFiles) return 2;
  const size_t count = (size_t)argc - 3;
  static void* in[kMostFiles];
  static void* out[kMostFiles];
  static size_t sizes[kMostFiles], rooms[kMostFiles], produced[kMostFiles];
  static uint64_t errors[kMostFiles];

  sluice_cuda_decoder* decoder = NULL;
  sluice_error* error = NULL;
  if (sluice_cuda_decoder_create(argv[1], NULL, &decoder, &error) != SLUICE_OK) return fail(argv[1], error);
  printf("%s on %s, by %s\n", sluice_cuda_decoder_name(decoder), sluice_cuda_decoder_device(decoder), sluice_version_string());

  for (size_t i = 0; i < count; ++i)
    if ((in[i] = read_file(argv[i + 3], &sizes[i])) == NULL) return fail(argv[i + 3], NULL);
  sluice_status status =
      sluice_cuda_decoded_sizes_host(decoder, (const void* const*)in, sizes, rooms, errors, count, NULL, &error);
  if (status != SLUICE_OK && status != SLUICE_DATA_REJECTED) return fail("decoded sizes", error);
  for (size_t i = 0; i < count; ++i)
    if ((out[i] = malloc(rooms[i] * sluice_cuda_output_element_bytes(decoder) + 1)) == NULL) return fail("no memory", NULL);
  status = sluice_cuda_decode_host(decoder, (const void* const*)in, sizes, out, rooms, produced, errors, count, NULL, &error);
  if (status != SLUICE_OK && status != SLUICE_DATA_REJECTED) return fail("decode", error);

  for (size_t i = 0; i < count; ++i) {
    const char* const slash = strrchr(argv[i + 3], '/');
    const char* const name = slash != NULL ? slash + 1 : argv[i + 3];
    char text[kTextSize], path[kPathSize];
    if (errors[i] != 0) {
      sluice_cuda_describe(decoder, errors[i], i, text, sizeof text);
      printf("%s: refused: %s\n", name, text);
    } else {
      const size_t bytes = produced[i] * sluice_cuda_output_element_bytes(decoder);
      snprintf(path, sizeof path, "%s/%s", argv[2], name);
      FILE* const file = fopen(path, "wb");
      if (file == NULL || fwrite(out[i], 1, bytes, file) != bytes || fclose(file) != 0) return fail(path, NULL);
      printf("%s: %zu bytes\n", name, bytes);
    }
    free(in[i]);
    free(out[i]);
  }
  sluice_cuda_decoder_destroy(decoder);
  return 0;
}
