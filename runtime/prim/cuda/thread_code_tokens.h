#pragma once
// What the text of a token means to a lane that asks what a byte stands for (code_lanes.h); beside thread_tokens.h. The plan
// says that a token makes no more than a string has room for, and that a second byte of it is its output.

namespace prim {

SLUICE_INLINE void put(CodeString& out, u64 text, u64 n) {
  if (out.size < kStringBytes) out.text |= (text & mask(8 * n)) << 8 * out.size;
  out.size += (u32)n;
}
// Of a token of one size: a string each. What stands in it lies in registers.
template <u32 Strings> SLUICE_INLINE void put(TokenStrings<Strings>& out, u64 text, u64 n) {
  out.text[out.count] = text;
  out.size[out.count++] = (u32)n;
}
template <u32 Elem, u32 Strings> SLUICE_INLINE void store(TokenStrings<Strings>& out, u64 value) { put(out, value & mask(8 * Elem), Elem); }
template <u32 Words> SLUICE_INLINE u32 load_le32(const TokenWords<Words>& t, Cursor c) { return __funnelshift_r(t.word[c / 4], t.word[c / 4 + 1], 8 * c); }
template <u32 Words> SLUICE_INLINE u32 load_le16(const TokenWords<Words>& t, Cursor c) { return load_le32(t, c) & 0xffff; }

template <u32 Elem> SLUICE_INLINE void store(CodeString& out, u64 value) { put(out, value, Elem); }

}  // namespace prim
