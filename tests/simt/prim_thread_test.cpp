// Primitives at thread scope: lanes that copy regions of their own, in tokens of all sizes, through what strategy split
// stages input and output in. Regions touch each other on both sides, at every alignment.
#if !defined(SLUICE_SPLIT_BUFFER)
#define SLUICE_SPLIT_BUFFER 64
#define PRIM_THREAD_SUITE PrimThread
#endif
#define SLUICE_WARPS 2

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

#include "tests/simt/kernel_fixture.h"

#pragma GCC diagnostic push
#include "tests/simt/prim_quiet.h"

namespace sluice::simt::test {
namespace {

#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
namespace warp_prim = prim;
namespace thread {
#include "runtime/prim/cuda/thread_stream.h"
#include "runtime/prim/cuda/thread_source.h"
#include "runtime/prim/cuda/thread_output.h"
}  // namespace thread

constexpr unsigned kThreads = 64;
typedef thread::prim::Stream<prim::Input::Bytes> Stream;

// 64 regions of random sizes, one behind the other, that begin `skew` bytes into their buffers.
struct Regions {
  std::vector<u8> in, out;
  std::vector<u64> starts;
  u64 in_skew, out_skew;

  Regions(unsigned seed, u64 first, u64 second) : in_skew(first), out_skew(second) {
    std::mt19937 random(seed);
    starts.push_back(0);
    for (unsigned i = 0; i < kThreads; ++i) starts.push_back(starts.back() + random() % (seed % 2 ? 400 : 40));
    in.resize(in_skew + starts.back());
    for (u8& byte : in) byte = static_cast<u8>(random());
    out.assign(out_skew + starts.back(), 0);
  }
  Stream stream(unsigned lane) {
    Stream s = Stream();
    s.in = in.data() + in_skew;
    s.size = starts.back();
    s.out = out.data() + out_skew;
    s.pos = s.made = starts[lane];
    s.end = s.limit = starts[lane + 1];
    return s;
  }
  template <class Copy>
  void run(std::uint64_t seed, Copy copy) {
    const Report report = launch(grid(kThreads, seed), [&] {
      const Stream s = stream(threadIdx.x);
      copy(s, threadIdx.x);
    });
    EXPECT_EQ(report.fault, Fault::None) << report.text;
    EXPECT_TRUE(std::equal(in.begin() + static_cast<long>(in_skew), in.end(), out.begin() + static_cast<long>(out_skew)))
        << in_skew << " " << out_skew;
  }
};

template <class Body>
void each_way(Body body) {
  for (unsigned way = 0; way < 32; ++way) {
    Regions regions(way, way * 7 % 16, way * 5 % 16);
    body(regions, way % 4);
  }
}

TEST(PRIM_THREAD_SUITE, ByteByByte) {
  each_way([](Regions& regions, std::uint64_t seed) {
    regions.run(seed, [](const Stream& s, unsigned) {
      auto src = thread::prim::source(s);
      auto out = thread::prim::output(s.out + s.made);
      const prim::Cursor end = thread::prim::cursor(src, s.end);
      for (prim::Cursor c = thread::prim::cursor(src, s.pos); c < end; ++c) {
        thread::prim::store<1>(out, thread::prim::load_byte(src, c));
        out += 1;
      }
      thread::prim::flush(out);
    });
  });
}

TEST(PRIM_THREAD_SUITE, PiecesOfAllSizes) {
  each_way([](Regions& regions, std::uint64_t seed) {
    regions.run(seed, [](const Stream& s, unsigned lane) {
      auto src = thread::prim::source(s);
      auto out = thread::prim::output(s.out + s.made);
      const prim::Cursor end = thread::prim::cursor(src, s.end);
      unsigned step = lane;
      for (prim::Cursor c = thread::prim::cursor(src, s.pos); c < end; ++step) {
        u64 n = step % 3 == 0 ? step * 5 % 90 : step * 3 % 9;
        if (n > end - c) n = end - c;
        if (n > 8) thread::prim::literals(out, src, c, n);
        else thread::prim::move_short(out, src, c, n);
        out += n;
        c += static_cast<u32>(n);
      }
      thread::prim::flush(out);
    });
  });
}

TEST(PRIM_THREAD_SUITE, Bursts) {
  each_way([](Regions& regions, std::uint64_t seed) {
    regions.run(seed, [](const Stream& s, unsigned lane) {
      auto src = thread::prim::burst_source(s);
      auto out = thread::prim::burst_output(s.out + s.made);
      const prim::Cursor end = thread::prim::cursor(src, s.end);
      prim::Cursor c = thread::prim::cursor(src, s.pos);
      for (unsigned most = 1 + lane % 8; c < end;) {
        u32 tokens = thread::prim::burst_tokens(most, most);
        thread::prim::ready(src, c);
        for (; tokens > 0 && c < end; --tokens) {
          const u32 n = most < end - c ? most : end - c;
          const u64 v = n == 1 ? thread::prim::load_byte(src, c) : thread::prim::load_le64(src, c) & prim::mask(8 * n);
          thread::prim::put(out, v, n);
          out += n;
          c += n;
        }
        thread::prim::settle(out);
      }
      thread::prim::flush(out);
    });
  });
}

TEST(PRIM_THREAD_SUITE, RunsOfOneByteAndOfSteps) {
  each_way([](Regions& regions, std::uint64_t seed) {
    std::fill(regions.in.begin(), regions.in.end(), u8{0});
    u8* const expected = regions.in.data() + regions.in_skew;
    for (unsigned lane = 0; lane < kThreads; ++lane) {
      const u64 from = regions.starts[lane], half = (regions.starts[lane + 1] - from) / 2;
      for (u64 i = from; i < regions.starts[lane + 1]; ++i)
        expected[i] = static_cast<u8>(i < from + half ? lane : 3 + 5 * (i - from - half));
    }
    regions.run(seed, [](const Stream& s, unsigned lane) {
      auto out = thread::prim::output(s.out + s.made);
      const u64 half = (s.limit - s.made) / 2, rest = s.limit - s.made - half;
      thread::prim::fill_wide(out, lane, half);
      out += half;
      thread::prim::fill<1>(out, 3, 5, rest);
      out += rest;
      thread::prim::flush(out);
    });
  });
}

}  // namespace
}  // namespace sluice::simt::test

#pragma GCC diagnostic pop
