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
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/units.h"
namespace warp_prim = prim;

// One wait of each lane for copies that are on their ways can be left out: the one of this number.
constexpr unsigned kThreads = 64, kNone = ~0u;
[[maybe_unused]] unsigned left_out = kNone;
unsigned waits[kThreads];
[[maybe_unused]] void wait_or_not() {
  AsyncCopy copy;
  if (!take_copy(copy)) return;
  if (waits[threadIdx.x]++ == left_out) return begin_copy(copy, 0);
  std::memcpy(copy.to, copy.from, copy.bytes);
  simt_wait_for_copies();
}
#undef SLUICE_WAIT_FOR_COPIES
#define SLUICE_WAIT_FOR_COPIES() wait_or_not()

namespace thread {
#include "runtime/prim/cuda/thread_stream.h"
#include "runtime/prim/cuda/thread_source.h"
#include "runtime/prim/cuda/thread_output.h"
}  // namespace thread

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
    s.pos = s.produced = starts[lane];
    s.end = s.out_end = starts[lane + 1];
    return s;
  }
  template <class Copy>
  Report launch_all(std::uint64_t seed, Copy copy) {
    std::fill(std::begin(waits), std::end(waits), 0u);
    return launch(grid(kThreads, seed), [&] {
      const Stream s = stream(threadIdx.x);
      copy(s, threadIdx.x);
    });
  }
  bool copied() const {
    return std::equal(in.begin() + static_cast<long>(in_skew), in.end(), out.begin() + static_cast<long>(out_skew));
  }
  template <class Copy>
  void run(std::uint64_t seed, Copy copy) {
    const Report report = launch_all(seed, copy);
    EXPECT_EQ(report.fault, Fault::None) << report.text;
    EXPECT_TRUE(copied()) << in_skew << " " << out_skew;
  }
};

template <class Body>
void each_way(Body body) {
  for (unsigned way = 0; way < 32; ++way) {
    Regions regions(way, way * 7 % 16, way * 5 % 16);
    body(regions, way % 4);
  }
}

const auto byte_by_byte = [](const Stream& s, unsigned) {
  auto src = thread::prim::source(s);
  auto out = thread::prim::output(s.out + s.produced);
  const prim::Cursor end = thread::prim::cursor(src, s.end);
  for (prim::Cursor c = thread::prim::cursor(src, s.pos); c < end; ++c) {
    thread::prim::store<1>(out, thread::prim::load_byte(src, c));
    out += 1;
  }
  thread::prim::flush(out);
};

TEST(PRIM_THREAD_SUITE, ByteByByte) {
  each_way([](Regions& regions, std::uint64_t seed) { regions.run(seed, byte_by_byte); });
}

#if SLUICE_SPLIT_BUFFER != 16
// What comes by an asynchronous copy and is not waited for is not there.
TEST(PRIM_THREAD_SUITE, AWaitLeftOutIsSeen) {
  each_way([](Regions& regions, std::uint64_t seed) {
    for (left_out = 0; left_out < 2; ++left_out) {  // at the start, and where the next half is looked at
      std::fill(regions.out.begin(), regions.out.end(), u8{0});
      const Report report = regions.launch_all(seed, byte_by_byte);
      EXPECT_FALSE(report.ok() && regions.copied()) << "wait " << left_out << " of each lane";
    }
    left_out = kNone;
  });
}
#endif

// A lane's second source has the slice of its first one, for which copies may still be on their ways.
TEST(PRIM_THREAD_SUITE, OneSourceBehindAnother) {
  each_way([](Regions& regions, std::uint64_t seed) {
    regions.run(seed, [](const Stream& s, unsigned lane) {
      Stream first = s, second = s;
      first.end = second.pos = second.produced = s.pos + (s.end - s.pos) * (lane % 4) / 4;
      byte_by_byte(first, lane);
      byte_by_byte(second, lane);
    });
  });
}

// The last third of each region first, and so on: what is looked at lies not in the half behind the one at hand.
TEST(PRIM_THREAD_SUITE, JumpsBack) {
  each_way([](Regions& regions, std::uint64_t seed) {
    regions.run(seed, [](const Stream& s, unsigned) {
      auto src = thread::prim::source(s);
      const prim::Cursor from = thread::prim::cursor(src, s.pos), end = thread::prim::cursor(src, s.end);
      for (unsigned third = 3; third-- > 0;) {
        const prim::Cursor stop = from + (end - from) * (third + 1) / 3;
        for (prim::Cursor c = from + (end - from) * third / 3; c < stop; ++c)
          s.out[s.produced + (c - from)] = static_cast<u8>(thread::prim::load_byte(src, c));
      }
    });
  });
}

TEST(PRIM_THREAD_SUITE, PiecesOfAllSizes) {
  each_way([](Regions& regions, std::uint64_t seed) {
    regions.run(seed, [](const Stream& s, unsigned lane) {
      auto src = thread::prim::source(s);
      auto out = thread::prim::output(s.out + s.produced);
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
      auto out = thread::prim::burst_output(s.out + s.produced);
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
      auto out = thread::prim::output(s.out + s.produced);
      const u64 half = (s.out_end - s.produced) / 2, rest = s.out_end - s.produced - half;
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
