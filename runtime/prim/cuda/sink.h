#pragma once
// Where output goes that is handed to the caller's code instead of memory (a device function, compiler/emit/device_function.h).
// A place in it is used as an address is: what loops and the checked path do to addresses they do to these.
//
//   store_lane<8>(out, v)   ->   sink.put(index, v)           by the lane that calls
//   fill<8>(out, v, 1, n)   ->   sink.run(index, n, v, 1)     by one lane, where the sink takes runs; else a put() a lane
//
//   note [once]: every output is handed over once. A token that is left is done again, from its start, by the checked path
// (note [fast-loop margin]), and makes the same outputs as before, and more. So a place knows up to where outputs have been
// handed over, and hands over none of those. A loop that is left says so behind it (handed()); whatever lies before the
// place then has been: loops whose lanes could leave before others have stored are not made (plan/sink.h).

namespace prim {

// Has a sink a member run(index, count, value, step)?
template <typename Sink, typename Value> struct TakesRuns {
  struct Yes { u8 a; };
  struct No { u8 a[2]; };
  // The first is the better match, where it can be formed. Clang takes no ellipsis on a GPU.
  template <typename S> static __device__ Yes of(decltype(((S*)nullptr)->run((u64)0, (u64)0, Value(), Value()))*, int);
  template <typename S> static __device__ No of(void*, long);
  static constexpr bool kYes = sizeof(of<Sink>(nullptr, 0)) == sizeof(Yes);
};

template <typename Sink, typename Value> struct SinkSteps;
template <typename Sink, typename Value> struct SinkPlace {
  typedef SinkSteps<Sink, Value> Steps;
  static constexpr bool kRuns = TakesRuns<Sink, Value>::kYes;
  Sink* sink;
  u64 at;    // in bytes, as those of memory are
  u64 from;  // outputs before here have been handed over

  SLUICE_METHOD SinkPlace& operator+=(u64 n) { at += n; return *this; }
  SLUICE_METHOD SinkPlace operator+(u64 n) const { const SinkPlace p = {sink, at + n, from}; return p; }
  SLUICE_METHOD SinkPlace operator-(u64 n) const { const SinkPlace p = {sink, at - n, from}; return p; }
  SLUICE_METHOD u64 operator-(const SinkPlace& other) const { return at - other.at; }
  SLUICE_METHOD bool operator==(const SinkPlace& other) const { return at == other.at; }
  SLUICE_METHOD bool operator<=(const SinkPlace& other) const { return at <= other.at; }
  SLUICE_METHOD bool operator>(const SinkPlace& other) const { return at > other.at; }
  SLUICE_METHOD bool operator<(const SinkPlace& other) const { return at < other.at; }

  // Bytes before it, of a stream's output or behind another place.
  SLUICE_METHOD u64 since(const SinkPlace& first) const { return at - first.at; }
  template <typename S> SLUICE_METHOD u64 since(const S& s) const { return at - s.out.at; }
};

// As a place of steps of values (value_steps.h): while one is handed over the sink is a local, which registers can hold.
template <typename Sink, typename Value> struct SinkSteps {
  typedef SinkPlace<Sink, Value> Place;
  static constexpr bool kRuns = Place::kRuns, kSink = true;
  static SLUICE_METHOD bool skewed(const Place&) { return false; }
  static SLUICE_METHOD u32 open(Place& out, const Place& at) {
    out = at;
    return 0;
  }
  Sink own;
  Place out;
  SLUICE_METHOD SinkSteps(const Place& first) : own(*first.sink), out{&own, first.at, first.from} {}
  SLUICE_METHOD void done(const Place& to) { *to.sink = own; }
};

// A stream whose output goes there.
template <Input K, Buffer B, typename Sink, typename Value> struct SinkStream : Stream<K, B> {
  SinkPlace<Sink, Value> out;
};

template <typename Sink, typename Value> SLUICE_INLINE SinkPlace<Sink, Value> global(SinkPlace<Sink, Value> p) { return p; }

// All outputs before the place have been handed over.
template <typename S, typename Sink, typename Value> SLUICE_INLINE void handed(S& s, const SinkPlace<Sink, Value>& p) {
  if (p.at > s.out.from) s.out.from = p.at;
}

template <u32 Elem, typename Sink, typename Value> SLUICE_INLINE void store_lane(SinkPlace<Sink, Value> p, u64 v) {
  if (p.at >= p.from) p.sink->put(p.at / Elem, (Value)v);
}
template <u32 Elem, typename Sink, typename Value> SLUICE_INLINE void store(SinkPlace<Sink, Value> p, u64 v) {
  if (worker() == 0) store_lane<Elem>(p, v);
}
template <typename Sink, typename Value> SLUICE_INLINE void put(SinkPlace<Sink, Value> p, u64 v, u64 n) {
  if (worker() < n) store_lane<1>(p + worker(), (u8)(v >> (8 * worker())));
}
template <typename Sink, typename Value> SLUICE_INLINE void copy_bytes(SinkPlace<Sink, Value> p, const u8* s, u64 n) {
  SLUICE_ROLLED
  for (u64 i = worker(); i < n; i += kWorkers) store_lane<1>(p + i, s[i]);
}

// n elements by the lane that calls: first, first + by, ...
template <u32 Elem, typename Sink, typename Value>
SLUICE_INLINE void run_lane(const SinkPlace<Sink, Value>& p, u64 first, u64 by, u64 n) {
  const u64 skip = p.from > p.at ? (p.from - p.at) / Elem : 0;
  if (skip < n) p.sink->run(p.at / Elem + skip, n - skip, (Value)(first + skip * by), (Value)by);
}
template <u32 Elem, typename Sink, typename Value> SLUICE_INLINE void fill(SinkPlace<Sink, Value> p, u64 first, u64 by, u64 n) {
  if constexpr (SinkPlace<Sink, Value>::kRuns) {
    if (worker() == 0) run_lane<Elem>(p, first, by, n);
  } else {
    SLUICE_ROLLED
    for (u64 i = worker(); i < n; i += kWorkers) store_lane<Elem>(p + Elem * i, first + i * by);
  }
}
template <typename Sink, typename Value> SLUICE_INLINE void fill_wide(SinkPlace<Sink, Value> p, u64 v, u64 n) { fill<1>(p, v, 0, n); }

// Of the input.
template <typename Sink, typename Value, typename S, Buffer B>
SLUICE_INLINE void move_short(SinkPlace<Sink, Value> p, Source<S, B>& src, Cursor c, u64 n) {
  put(p, load_le64(src, c), n);
}
template <typename Sink, typename Value, typename S, Buffer B>
SLUICE_INLINE void literals_short(SinkPlace<Sink, Value> p, Source<S, B>& src, Cursor c, u64 n) {
  if (worker() < n) store_lane<1>(p + worker(), src.memory[c + worker()]);
}
template <typename Sink, typename Value, typename S, Buffer B>
SLUICE_INLINE void literals(SinkPlace<Sink, Value> p, Source<S, B>& src, Cursor c, u64 n) {
  copy_bytes(p, src.memory + c, n);
}

}  // namespace prim
