// Kernels of the example: text for NVRTC, behind the header of the device function that
//
//   sluice emit orc_rle_v2 --target cuda --device-function
//
// prints. `fused_*` decode a chunk a warp and never store a value; `plain_*` do the same with values in memory. The sums are
// modulo 2^64; a threshold's are of the values above it.
typedef unsigned long long Word;
typedef long long Value;
constexpr unsigned kWarps = 4;  // of a block
constexpr unsigned kBlocks = 6;  // on a multiprocessor: as many as have room for their Storage, with 80 registers a thread

// A lane's share. What to do with a run is up to a sink: this one has a formula for it.
struct Sum {
  Word sum;
  __device__ void put(Word, Value v) { sum += (Word)v; }
  __device__ void run(Word, Word n, Value v, Value step) { sum += n * (Word)v + (n * (n - 1) / 2) * (Word)step; }
};

struct SumAbove {
  Word sum;
  Value threshold;
  __device__ void put(Word, Value v) {
    if (v > threshold) sum += (Word)v;
  }
  // Of a run that surely stays within 64 bits those above the threshold stand together: from the first one on, or up to the last.
  __device__ void run(Word, Word n, Value v, Value step) {
    constexpr Value kLarge = (Value)1 << 61;
    const bool tame = n <= 1 << 20 && step < 1 << 30 && step > -(1 << 30) && v < kLarge && v > -kLarge && threshold < kLarge && threshold > -kLarge;
    if (!tame) {
      for (Word i = 0; i < n; ++i) put(0, (Value)((Word)v + i * (Word)step));
      return;
    }
    Value from = 0, to = (Value)n;  // [from, to) of it are
    if (step == 0) to = v > threshold ? to : 0;
    else if (step > 0) from = v > threshold ? 0 : (threshold - v) / step + 1;
    else to = v > threshold ? (v - threshold - 1) / -step + 1 : 0;
    if (from > (Value)n) from = (Value)n;
    if (to > (Value)n) to = (Value)n;
    const Word count = (Word)(to - from), first = (Word)v + (Word)from * (Word)step;
    if (to > from) sum += count * first + (count * (count - 1) / 2) * (Word)step;
  }
};

__device__ void add_warp(Word mine, Word* all) {
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(all, mine);
}

// Chunk c is sizes[c] bytes at in + offsets[c] and has at most `most` values. Its error word is 0 where it is sound; the sum is
// of use only if all are.
template <typename Sink>
__device__ void fused(Sink sink, const unsigned char* in, const Word* offsets, const Word* sizes, Word chunks, Word most, Word* sum,
                      Word* errors) {
  __shared__ sluice_orc_rle_v2::Storage storage[kWarps];
  const unsigned warp = threadIdx.x / 32;
  const Word chunk = (Word)blockIdx.x * kWarps + warp;
  if (chunk >= chunks) return;
  const sluice_orc_rle_v2::Result r = sluice_orc_rle_v2::decode(storage[warp], in + offsets[chunk], sizes[chunk], most, sink);
  if (threadIdx.x % 32 == 0) errors[chunk] = r.error;
  add_warp(sink.sum, sum);
}
extern "C" __global__ void __launch_bounds__(32 * kWarps, kBlocks)
fused_sum(const unsigned char* in, const Word* offsets, const Word* sizes, Word chunks, Word most, Value, Word* sum, Word* errors) {
  fused(Sum{0}, in, offsets, sizes, chunks, most, sum, errors);
}
extern "C" __global__ void __launch_bounds__(32 * kWarps, kBlocks)
fused_sum_above(const unsigned char* in, const Word* offsets, const Word* sizes, Word chunks, Word most, Value threshold, Word* sum,
                Word* errors) {
  fused(SumAbove{0, threshold}, in, offsets, sizes, chunks, most, sum, errors);
}

// n values at an address that is a multiple of 16 bytes, two at once.
template <typename Sink>
__device__ void plain(Sink sink, const Value* values, Word n, Word* sum) {
  const Word thread = (Word)blockIdx.x * blockDim.x + threadIdx.x, threads = (Word)gridDim.x * blockDim.x;
  const longlong2* const pairs = (const longlong2*)values;
#pragma unroll 4
  for (Word i = thread; i < n / 2; i += threads) {
    const longlong2 pair = pairs[i];
    sink.put(2 * i, pair.x);
    sink.put(2 * i + 1, pair.y);
  }
  if (thread == 0 && n % 2 != 0) sink.put(n - 1, values[n - 1]);
  add_warp(sink.sum, sum);
}
extern "C" __global__ void plain_sum(const Value* values, Word n, Value, Word* sum) { plain(Sum{0}, values, n, sum); }
extern "C" __global__ void plain_sum_above(const Value* values, Word n, Value threshold, Word* sum) {
  plain(SumAbove{0, threshold}, values, n, sum);
}
