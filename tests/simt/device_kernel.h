// A device function (compiler/emit/device_function.h) as a kernel of the tests: included behind its text by what
// sluice_simt_emit writes, once a file, with its namespace in DEVICE, its last arguments in DEVICE_ARGS, and the names of a
// simt::Kernel in DEVICE_KERNEL and DEVICE_NAMES.
//
// The decoding kernel calls it twice: for a sink that stores, and for one that takes runs and adds up. What the two have been
// handed must be the same, and each output once: so many as were produced, whose sums are those of the stored ones. Where that
// is not so the chunk has the error kHandedWrong, which no decoder gives. The counting kernel is the second alone.
#pragma once

namespace {

typedef DEVICE::Value DeviceValue;
constexpr unsigned kDeviceWarps = 2;
constexpr unsigned long long kHandedWrong = ~0ull;
__shared__ DEVICE::Storage device_storage[kDeviceWarps];

// To any address.
struct StoringSink {
  unsigned char* out;
  unsigned long long count;
  void put(unsigned long long index, DeviceValue value) {
    __builtin_memcpy(out + index * sizeof value, &value, sizeof value);
    ++count;
  }
};

// A sum that knows where each value was.
struct AddingSink {
  unsigned long long sum, count;
  static unsigned long long term(unsigned long long index, DeviceValue value) {
    return (index + 1) * 0x9e3779b97f4a7c15ull * ((unsigned long long)value + 0x1234567);
  }
  void put(unsigned long long index, DeviceValue value) {
    sum += term(index, value);
    ++count;
  }
  void run(unsigned long long index, unsigned long long n, DeviceValue value, DeviceValue step) {
    if (n == 0) sum += kHandedWrong;
    for (unsigned long long i = 0; i < n; ++i) put(index + i, (DeviceValue)((unsigned long long)value + i * (unsigned long long)step));
  }
};

unsigned long long of_all_lanes(unsigned long long v) {
  for (int d = 1; d < 32; d *= 2) v += __shfl_xor_sync(~0u, v, d);
  return v;
}

template <bool Write>
void device_kernel(const sluice_cuda_batch& b) {
  const unsigned warp = threadIdx.x / 32;
  const unsigned long long chunk = (unsigned long long)blockIdx.x * kDeviceWarps + warp;
  if (chunk >= b.chunks) return;
  const unsigned long long most = b.out_capacity ? b.out_capacity[chunk] : ~0ull;
  // As kernels read a batch (runtime/api/cuda_abi.h).
  const auto at = [&](unsigned long long i) { return (const unsigned char*)((unsigned long long)b.in[i] + b.in_base); };
  const unsigned char* const in = at(chunk);
  const unsigned long long in_size = b.in_size ? b.in_size[chunk] : at(chunk + 1) - in;
  unsigned char* const out = b.out ? (unsigned char*)((unsigned long long)b.out[chunk] + b.out_base) : nullptr;
  AddingSink added = {0, 0};
  const DEVICE::Result r = DEVICE::decode(device_storage[warp], in, in_size, most, added DEVICE_ARGS);
  unsigned long long error = r.error;
  if (of_all_lanes(added.count) != r.produced) error = kHandedWrong;
  if constexpr (Write) {
    StoringSink stored = {out, 0};
    const DEVICE::Result again = DEVICE::decode(device_storage[warp], in, in_size, most, stored DEVICE_ARGS);
    if (again.error != r.error || again.produced != r.produced || again.consumed != r.consumed) error = kHandedWrong;
    if (of_all_lanes(stored.count) != r.produced) error = kHandedWrong;
    unsigned long long sum = 0;
    for (unsigned long long i = threadIdx.x % 32; i < r.produced; i += 32) {
      DeviceValue value;
      __builtin_memcpy(&value, out + i * sizeof value, sizeof value);
      sum += AddingSink::term(i, value);
    }
    if (of_all_lanes(sum) != of_all_lanes(added.sum)) error = kHandedWrong;
  }
  if (threadIdx.x % 32 != 0) return;
  b.produced[chunk] = r.produced;
  if (b.consumed) b.consumed[chunk] = r.consumed;
  b.error[chunk] = error;
}

}  // namespace

extern const sluice::simt::Kernel DEVICE_KERNEL;
const sluice::simt::Kernel DEVICE_KERNEL = {DEVICE_NAMES,
                                            nullptr,
                                            false,
                                            32 * kDeviceWarps,
                                            kDeviceWarps,
                                            0,
                                            1,
                                            1,
                                            [](void* batch) { device_kernel<true>(*static_cast<const sluice_cuda_batch*>(batch)); },
                                            [](void* batch) { device_kernel<false>(*static_cast<const sluice_cuda_batch*>(batch)); },
                                            simt_shared_region};
