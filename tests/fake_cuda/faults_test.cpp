// The driver fails: every function of it at every call it gets. Each time there has to be a sentence that names it, no
// crash, and nothing left allocated (FakeCuda's end of test checks that).
#include "tests/fake_cuda/device_batch.h"

namespace sluice::test {
namespace {

using FakeFaults = FakeCuda;

// The whole way: compile, load, decode two slices of host memory, compile and run what finds their sizes. Chunks
// are few, so three kernels are compiled. The sentence of what went wrong, if anything.
std::string whole_way(const cuda::Options& how) {
  const auto decoder = cuda::Decoder::from_name("lz4_block", how);
  if (!decoder) return decoder.error().text;
  const auto block = lz4_block("some literals");
  std::vector<std::uint8_t> out(std::size_t{33} << 20);  // more than a slice, so that there are two
  const std::vector<Chunk> chunks{{block, out}, {block, {out.data(), 13}}};
  std::vector<Status> statuses(2);
  std::string failure = decoder->decode_batch(chunks, statuses);
  if (failure.empty() && (statuses[0].error != 0 || statuses[1].produced != 13)) failure = "wrong result";
  if (!failure.empty()) return failure;
  const std::span<const std::uint8_t> input(block);
  failure = decoder->decoded_sizes({&input, 1}, statuses);
  if (failure.empty() && statuses[0].produced != 13) failure = "wrong size";
  return failure;
}

TEST_F(FakeFaults, EachIsReported) {
  ASSERT_EQ(whole_way(options()), "");
  constexpr int kMaxCalls = 80;
  for (const std::string function : {"cuInit",
                                     "cuDeviceGetCount",
                                     "cuDeviceGet",
                                     "cuDeviceGetName",
                                     "cuDeviceGetAttribute",
                                     "cuDeviceTotalMem_v2",
                                     "cuDevicePrimaryCtxRetain",
                                     "cuCtxGetCurrent",
                                     "cuCtxPushCurrent_v2",
                                     "cuModuleLoadDataEx",
                                     "cuModuleGetFunction",
                                     "cuFuncGetAttribute",
                                     "cuFuncLoad",
                                     "cuOccupancyMaxActiveBlocksPerMultiprocessor",
                                     "cuLaunchKernel",
                                     "cuMemAlloc_v2",
                                     "cuMemHostAlloc",
                                     "cuMemcpyHtoDAsync_v2",
                                     "cuMemcpyDtoHAsync_v2",
                                     "cuStreamCreate",
                                     "cuStreamSynchronize",
                                     "cuEventCreate",
                                     "cuEventRecord",
                                     "cuEventSynchronize"}) {
    int failures = 0, quiet = 0;
    // Beyond the last call nothing fails any more; one that only destructors make is quiet, too.
    for (int call = 1; call <= kMaxCalls && quiet < 2; ++call) {
      const std::size_t before = live_pieces();
      const std::string fail = function + ":" + std::to_string(call);
      setenv("SLUICE_FAKE_FAIL", fail.c_str(), 1);
      const std::string sentence = whole_way(options());
      setenv("SLUICE_FAKE_FAIL", "", 1);
      // A destructor's call has nobody to tell: a leak shows there, unless it is the freeing that failed.
      if (function != "cuCtxPushCurrent_v2") {
        EXPECT_EQ(live_pieces(), before) << fail << ": " << sentence;
      }
      if (sentence.empty()) {
        ++quiet;
        continue;
      }
      ++failures;
      EXPECT_NE(sentence.find("CUDA_ERROR_OUT_OF_MEMORY"), std::string::npos) << fail << ": " << sentence;
      const std::string plain = function.substr(0, function.find("_v2"));
      EXPECT_NE(sentence.find(plain), std::string::npos) << fail << ": " << sentence;
    }
    EXPECT_GT(failures, 0) << function << " is never called";
  }
}

TEST_F(FakeFaults, NvrtcFails) {
  for (const char* fail : {"nvrtcCreateProgram:1", "nvrtcCompileProgram:1", "nvrtcCompileProgram:2",
                           "nvrtcCompileProgram:3"}) {
    setenv("SLUICE_FAKE_FAIL", fail, 1);
    const std::string sentence = whole_way(options());
    EXPECT_NE(sentence.find("NVRTC"), std::string::npos) << fail << ": " << sentence;
  }
}

TEST_F(FakeFaults, NoDriverNoNvrtc) {
  setenv("SLUICE_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  auto decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_FALSE(decoder);
  EXPECT_EQ(decoder.error().kind, Error::Kind::Environment);
  EXPECT_NE(decoder.error().text.find("no CUDA driver on this machine: looked for /nowhere/libcuda.so.1"),
            std::string::npos);
  setenv("SLUICE_CUDA_DRIVER", FAKE_CUDA, 1);
  setenv("SLUICE_NVRTC", "none", 1);
  decoder = cuda::Decoder::from_name("lz4_block", options());
  ASSERT_FALSE(decoder);
  EXPECT_NE(decoder.error().text.find("NVRTC (libnvrtc.so.13) was not found in $SLUICE_NVRTC=none"), std::string::npos)
      << decoder.error().text;
}

}  // namespace
}  // namespace sluice::test
