#pragma once
// A field of packed numbers, read bit by bit: what forms by vectors are compared with.

template <bool Msb>
unsigned long long field_at(const unsigned char* bytes, unsigned long long bit, unsigned long long width) {
  unsigned long long field = 0;
  for (unsigned long long k = 0; k < width; ++k) {
    const unsigned long long at = bit + k, one = bytes[at / 8] >> (Msb ? 7 - at % 8 : at % 8) & 1;
    field = Msb ? field << 1 | one : field | one << k;
  }
  return field;
}
