#pragma once
// What the text of a token means to a lane that asks what a byte stands for (code_lanes.h); beside thread_tokens.h. The plan
// says that a token makes no more than a string has room for, and that a second byte of it is its output.

namespace prim {

SLUICE_INLINE void put(CodeString& out, u64 text, u64 n) {
  if (out.size < kStringBytes) out.text |= (text & mask(8 * n)) << 8 * out.size;
  out.size += (u32)n;
}
template <u32 Elem> SLUICE_INLINE void store(CodeString& out, u64 value) { put(out, value, Elem); }

}  // namespace prim
