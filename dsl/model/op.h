#pragma once
// Operators of expressions, as the model and the IR both name them.
//
// `ref`, `imm`, `flag` and `kids` are members of either's Expr. What an operator needs of its operands is proven, or
// checked before: the model marks the expression (Expr::checked), the IR has a Check in front of it.
#include <cstdint>

namespace sluice::model {

enum class Op : std::uint8_t {
  Const,      // imm
  Local,      // ref: slot of the running rule
  Global,     // ref
  Arg,        // ref: run-time argument
  Elem,       // ref: array; kids[0]: index, below its count
  TableElem,  // ref: table of constants; kids[0]: index, below its count
  Add,
  Sub,
  Mul,
  Div,
  Rem,  // kids[1] is not 0
  BitAnd,
  BitOr,
  BitXor,
  Shl,
  Shr,  // kids[1] is below 64
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,  // -> u1
  LogAnd,
  LogOr,
  LogNot,  // u1 -> u1
  BitNot,
  Neg,
  Select,  // kids: u1, a, b
  Min,
  Max,
  Cast,        // kids[0] truncated to `type`, then extended to 64 bits
  SignExtend,  // kids[0], kids[1]: width 1..64; bit width - 1 becomes the sign
  ZigZag,      // u64 -> i64: (x >> 1) ^ -(x & 1)
  AddOk,
  SubOk,
  MulOk,           // u1: the exact result of kids[0] op kids[1] fits 64 bits of the kids' signedness; made by lowering
  Fits,            // u1: kids[0], read with its own type, lies in range_of(cast_type); made by lowering
  Remaining,       // whole bytes left in the current region; flag: bits
  AtEnd,           // u1: no bit is left in the current region
  Aligned,         // u1: the position is a multiple of 8 bits; made by lowering
  Produced,        // outputs since the start of the chunk
  Peek,            // the next `imm` (1..8) bytes, zero where the region ends; flag: big-endian; at a byte boundary
  PeekBits,        // the next `imm` (1..64) bits in the stream's order, zero past the region's end; at any position
  ProducedSince,   // ref: mark; outputs since then
  ConsumedSince,   // ref: mark; whole bytes of input since then; flag: bits
  Checksum,        // u32, or u64 as bits_of says: algo, of the bytes of `stream` since mark `ref` up to now; the dictionary whole
  DictionarySize,  // bytes of the caller's preset dictionary
  BufferCount,     // ref: elements in the buffer
  OutputCount,     // ref: elements in the further output so far; not asked while it is filled
  BufferElem,      // ref: buffer; kids[0]: index; 0 when that is not below the buffer's count
};

enum class Algo : std::uint8_t { Adler32, Crc32, Crc32c, Crc32Bzip2, XxHash32, XxHash64 };

constexpr unsigned bits_of(Algo algo) { return algo == Algo::XxHash64 ? 64 : 32; }
enum class Stream : std::uint8_t { Input, Output, Dictionary };

}  // namespace sluice::model
