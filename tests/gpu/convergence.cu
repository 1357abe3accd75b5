// What becomes of a function that is not inlined and that its lanes leave one by one: note [convergent return] of
// runtime/prim/cuda/base.h, in as few lines as show it. On a machine with a GPU and its compiler:
//
//   nvcc -arch=native -O3 -o convergence tests/gpu/convergence.cu && ./convergence && timeout 20 ./convergence misuse
//
// Each form runs twice: lanes leave one by one, and together by a vote. Results are compared with the host's. `misuse` is
// what no kernel may do: lanes that stay call a vote that names those that have left. It may give anything, or never end.
//
// What CUDA 13.0 writes for sm_90: BSSY, CALL, BSYNC around each call that lanes may leave one by one, with a barrier that
// the callee and what it calls leave alone, so the lanes meet behind the call; nothing of that where the callee ends by a
// vote. A vote inside the function that names all lanes then waits for those that wait behind the call.
#include <cstdio>
#include <cstring>
#include <vector>

typedef unsigned int u32;
typedef unsigned long long u64;
#define OUTLINED static __device__ __noinline__

enum class Leave { OneByOne, Together, Misuse };

// Each lane goes its own number of steps, `left`, over a permutation. As prim::walk_pieces does, with several walks' worth
// of registers: what is carried along must be there still when the lane is back.
template <Leave L> OUTLINED u32 walk(const u32* links, u32 at, u32 left, u32* trace) {
  u32 a = at, b = at * 3, c = 0, d = left;
#pragma unroll 1
  for (;;) {
    if (left != 0) {
      at = links[at];
      a += at;
      b ^= a * 2654435761u;
      c = c * 31 + b;
      d += c >> 7;
      --left;
      *trace += d;
    }
    if (L == Leave::Together) {
      if (__ballot_sync(~0u, left != 0) == 0) return a ^ b ^ c ^ d;
    } else if (L == Leave::OneByOne) {
      if (left == 0) return a ^ b ^ c ^ d;
    } else {
      const u32 going = __ballot_sync(~0u, left != 0);
      c += going & 1;
      if (left == 0) return a ^ b ^ c ^ d;
    }
  }
}

// A caller that is itself called, with values of its own over the call, equal in all lanes and not.
template <Leave L> OUTLINED u32 twice(const u32* links, u32 at, u32 left, u32* trace, u32 round) {
  const u32 mine = at * 7 + round, all = round * 13 + 5;
  const u32 one = walk<L>(links, at, left, trace);
  const u32 other = __shfl_sync(~0u, one, round & 31);
  const u32 two = walk<L>(links, (at + all) & 1023, left / 2 + 1, trace);
  return one + 3 * other + 5 * two + mine + all;
}

template <Leave L, bool Nested>
__global__ void __launch_bounds__(64) run(const u32* links, const u32* steps, u32 rounds, u32* out) {
  __shared__ u32 seen[64];
  const u32 lane = threadIdx.x & 31, warp = threadIdx.x / 32, id = blockIdx.x * 64 + threadIdx.x;
  u32 trace = 0, sum = 0, same = 1;  // `same` is equal in all lanes
#pragma unroll 1
  for (u32 round = 0; round < rounds; ++round) {
    const u32 left = steps[(id + round * 97) & 1023];
    const u32 got = Nested ? twice<L>(links, (id + same) & 1023, left, &trace, round)
                           : walk<L>(links, (id + same) & 1023, left, &trace);
    seen[threadIdx.x] = got;
    __syncwarp();
    const u32 next = seen[warp * 32 + ((lane + round) & 31)];
    __syncwarp();
    sum = sum * 31 + next + __shfl_sync(~0u, got, round & 31);
    same = same * 5 + __popc(__ballot_sync(~0u, got & 1));
  }
  out[id] = sum ^ trace ^ same;
}

// ---- The same on the host, 32 lanes at a time ---------------------------------------------------------------------------

static u32 host_walk(const u32* links, u32 at, u32 left, u32* trace) {
  u32 a = at, b = at * 3, c = 0, d = left;
  for (; left != 0; --left) {
    at = links[at];
    a += at;
    b ^= a * 2654435761u;
    c = c * 31 + b;
    d += c >> 7;
    *trace += d;
  }
  return a ^ b ^ c ^ d;
}
static void host_run(const u32* links, const u32* steps, u32 rounds, bool nested, u32 threads, u32* out) {
  for (u32 base = 0; base < threads; base += 32) {
    u32 trace[32] = {}, sum[32] = {}, got[32], one[32], same = 1;
    for (u32 round = 0; round < rounds; ++round) {
      for (u32 l = 0; l < 32; ++l)
        one[l] = host_walk(links, (base + l + same) & 1023, steps[(base + l + round * 97) & 1023], &trace[l]);
      for (u32 l = 0; l < 32; ++l) {
        got[l] = one[l];
        if (!nested) continue;
        const u32 at = (base + l + same) & 1023, left = steps[(base + l + round * 97) & 1023], all = round * 13 + 5;
        const u32 two = host_walk(links, (at + all) & 1023, left / 2 + 1, &trace[l]);
        got[l] = one[l] + 3 * one[round & 31] + 5 * two + at * 7 + round + all;
      }
      u32 odd = 0;
      for (u32 l = 0; l < 32; ++l) {
        sum[l] = sum[l] * 31 + got[(l + round) & 31] + got[round & 31];
        odd += got[l] & 1;
      }
      same = same * 5 + odd;
    }
    for (u32 l = 0; l < 32; ++l) out[base + l] = sum[l] ^ trace[l] ^ same;
  }
}

constexpr u32 kBlocks = 264, kThreads = kBlocks * 64, kRounds = 200;

template <Leave L, bool Nested>
static u32 wrong(const char* name, const u32* links, const u32* steps, u32* out, const std::vector<u32>& expected) {
  std::vector<u32> got(kThreads);
  cudaMemset(out, 0, kThreads * sizeof(u32));
  run<L, Nested><<<kBlocks, 64>>>(links, steps, kRounds, out);
  cudaMemcpy(got.data(), out, kThreads * sizeof(u32), cudaMemcpyDeviceToHost);
  if (const cudaError_t e = cudaGetLastError(); e != cudaSuccess) {
    std::printf("%-34s %s\n", name, cudaGetErrorString(e));
    return kThreads;
  }
  u32 bad = 0;
  for (u32 i = 0; i < kThreads; ++i) bad += got[i] != expected[i];
  std::printf("%-34s %u of %u lanes wrong\n", name, bad, kThreads);
  return bad;
}

int main(int count, char** argv) {
  u32 links[1024], steps[1024], random = 1;
  for (u32 i = 0; i < 1024; ++i) {
    random = random * 1664525 + 1013904223;
    links[i] = (i * 421 + 17) & 1023;  // a permutation: 421 is odd
    steps[i] = random >> 16 & 63;      // 0 too
  }
  u32 *d_links, *d_steps, *d_out;
  if (cudaMalloc(&d_links, sizeof links) != cudaSuccess || cudaMalloc(&d_steps, sizeof steps) != cudaSuccess ||
      cudaMalloc(&d_out, kThreads * sizeof(u32)) != cudaSuccess)
    return std::printf("no GPU\n"), 2;
  cudaMemcpy(d_links, links, sizeof links, cudaMemcpyHostToDevice);
  cudaMemcpy(d_steps, steps, sizeof steps, cudaMemcpyHostToDevice);
  std::vector<u32> flat(kThreads), nested(kThreads);
  host_run(links, steps, kRounds, false, kThreads, flat.data());
  host_run(links, steps, kRounds, true, kThreads, nested.data());
  if (count > 1 && std::strcmp(argv[1], "misuse") == 0)
    return wrong<Leave::Misuse, false>("a vote that names lanes that left", d_links, d_steps, d_out, flat) != 0;

  const u32 together = wrong<Leave::Together, false>("together", d_links, d_steps, d_out, flat) +
                       wrong<Leave::Together, true>("together, nested", d_links, d_steps, d_out, nested);
  const u32 alone = wrong<Leave::OneByOne, false>("one by one", d_links, d_steps, d_out, flat) +
                    wrong<Leave::OneByOne, true>("one by one, nested", d_links, d_steps, d_out, nested);
  std::printf("CUDA %d.%d: ", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  if (together != 0) std::printf("even lanes that leave together come back wrong: this program is\n");
  else if (alone != 0) std::printf("the compiler breaks functions that lanes leave one by one\n");
  else std::printf("lanes may leave a function one by one\n");
  return together + alone != 0;
}
