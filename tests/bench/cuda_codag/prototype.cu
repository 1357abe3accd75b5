// A hand-written prototype's kernels as a library for the study (prototype.h), so that they run in the same process, on
// the same chunks, between the same events as ours. The kernels are not in this tree: FOLDER has them, as common.cuh,
// emit.cuh, v3.cuh and defl.cuh.
//
//   nvcc -O3 -arch=sm_90 -std=c++17 -shared -Xcompiler -fPIC -I . -I FOLDER -o libprototype.so
//   tests/bench/cuda_codag/prototype.cu
#include <memory>

#include "common.cuh"
#include "defl.cuh"
#include "emit.cuh"
#include "tests/bench/cuda_codag/prototype.h"
#include "v3.cuh"

namespace {

// One way to decode: its kernels, and how much of a multiprocessor's memory is left to the cache.
struct Way {
  std::string name;
  std::function<cudaError_t(const Args&, cudaStream_t)> launch;
};

// Device memory, given back with its owner.
class Room {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { cudaFree(at_); }
  cudaError_t reserve(std::size_t bytes) { return cudaMalloc(&at_, bytes); }
  template <class T>
  cudaError_t fill(const std::vector<T>& from) {
    const cudaError_t code = reserve(from.size() * sizeof(T));
    return code == cudaSuccess ? cudaMemcpy(at_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice) : code;
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(at_);
  }

 private:
  void* at_ = nullptr;
};

constexpr int kSharedKiB = 228;  // of a multiprocessor of sm_90

template <class Format, int Segment, int Groups, int Warps, int Blocks>
void add_tile(std::vector<Way>& ways, const char* name) {
  const auto kernel = v3<Format, Segment, Groups, Warps, Blocks>;
  constexpr int kDynamic =
      Warps * static_cast<int>(sizeof(typename Engine<Groups>::Smem) + sizeof(TileSmem<Format, Segment>));
  for (const int carve : {100, 132, 164, 196})
    ways.push_back({std::string(name) + ", " + std::to_string(carve) + " KiB shared",
                    [kernel, carve](const Args& args, cudaStream_t stream) {
                      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kDynamic);
                      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                           (carve * 100 + kSharedKiB - 1) / kSharedKiB);
                      kernel<<<(args.n + Warps - 1) / Warps, Warps * 32, kDynamic, stream>>>(args);
                      return cudaGetLastError();
                    }});
}

template <class Format>
std::vector<Way> tiles() {
  std::vector<Way> ways;
  add_tile<Format, 64, 4, 4, 8>(ways, "S64 U4");
  add_tile<Format, 32, 4, 4, 12>(ways, "S32 U4");
  add_tile<Format, 32, 8, 4, 8>(ways, "S32 U8");
  add_tile<Format, 64, 8, 4, 8>(ways, "S64 U8");
  return ways;
}

template <int Groups, int Blocks>
void add_deflate(std::vector<Way>& ways, const char* name) {
  constexpr int kWarps = 2, kStepWarps = 4, kDynamic = kWarps * static_cast<int>(sizeof(DSmem));
  ways.push_back({name, [](const Args& args, cudaStream_t stream) {
                    const auto tokens = k1d<kWarps, 11>;
                    cudaFuncSetAttribute(tokens, cudaFuncAttributeMaxDynamicSharedMemorySize, kDynamic);
                    tokens<<<(args.n + kWarps - 1) / kWarps, kWarps * 32, kDynamic, stream>>>(args);
                    k2<Groups, kStepWarps, Blocks>
                        <<<(args.n + kStepWarps - 1) / kStepWarps, kStepWarps * 32, 0, stream>>>(args);
                    return cudaGetLastError();
                  }});
}

}  // namespace

struct SluicePrototypeSession {
  Args args{};
  Room in_bytes, out_bytes, records, record_at, record_count, literals, literal_at;
  Way way;
};

namespace {

// Scratch for Deflate: records of 8 bytes for the shortest copies, and every byte as a literal.
cudaError_t deflate_scratch(SluicePrototypeSession& session, const SluicePrototypeBatch& batch, std::size_t& bytes) {
  std::vector<std::uint64_t> record_at{0}, literal_at{0};
  for (unsigned i = 0; i < batch.chunks; ++i) {
    record_at.push_back(record_at.back() + batch.out_bytes[i] / 3 + batch.out_bytes[i] / 16 + 256);
    literal_at.push_back(literal_at.back() + batch.out_bytes[i] + 64);
  }
  bytes = record_at.back() * sizeof(uint2) + literal_at.back() + 64;
  cudaError_t code = session.records.reserve(record_at.back() * sizeof(uint2));
  if (code == cudaSuccess) code = session.literals.reserve(literal_at.back() + 64);
  if (code == cudaSuccess) code = session.record_at.fill(record_at);
  if (code == cudaSuccess) code = session.literal_at.fill(literal_at);
  if (code == cudaSuccess) code = session.record_count.reserve(batch.chunks * sizeof(std::uint32_t));
  session.args.recs = session.records.as<uint2>();
  session.args.recoff = session.record_at.as<std::uint64_t>();
  session.args.nrec = session.record_count.as<std::uint32_t>();
  session.args.lits = session.literals.as<std::uint8_t>();
  session.args.litoff = session.literal_at.as<std::uint64_t>();
  return code;
}

// The fastest of the ways on this batch, each timed once after one launch.
cudaError_t choose(SluicePrototypeSession& session, const std::vector<Way>& ways, cudaStream_t stream) {
  cudaEvent_t from{}, to{};
  cudaError_t code = cudaEventCreate(&from);
  if (code == cudaSuccess) code = cudaEventCreate(&to);
  float best = 0;
  for (const Way& way : ways) {
    float milliseconds = 0;
    if (code == cudaSuccess) code = way.launch(session.args, stream);
    if (code == cudaSuccess) code = cudaEventRecord(from, stream);
    if (code == cudaSuccess) code = way.launch(session.args, stream);
    if (code == cudaSuccess) code = cudaEventRecord(to, stream);
    if (code == cudaSuccess) code = cudaEventSynchronize(to);
    if (code == cudaSuccess) code = cudaEventElapsedTime(&milliseconds, from, to);
    if (code != cudaSuccess) break;
    if (best != 0 && milliseconds >= best) continue;
    best = milliseconds;
    session.way = way;
  }
  cudaEventDestroy(from);
  cudaEventDestroy(to);
  return code;
}

}  // namespace

extern "C" const char* sluice_prototype_begin(const SluicePrototypeBatch* batch, void* stream,
                                              SluicePrototypeSession** made, std::size_t* scratch, const char** how) {
  const std::string codec = batch->codec;
  std::vector<Way> ways;
  if (codec == "lz4_block") ways = tiles<FmtLZ4>();
  if (codec == "snappy_raw") ways = tiles<FmtSnappy>();
  if (codec == "deflate") {
    add_deflate<8, 8>(ways, "U8");
    add_deflate<4, 12>(ways, "U4");
  }
  if (ways.empty()) return "no such codec";
  auto session = std::make_unique<SluicePrototypeSession>();
  cudaError_t code =
      session->in_bytes.fill(std::vector<std::uint32_t>(batch->in_bytes, batch->in_bytes + batch->chunks));
  if (code == cudaSuccess)
    code = session->out_bytes.fill(std::vector<std::uint32_t>(batch->out_bytes, batch->out_bytes + batch->chunks));
  Args& args = session->args;
  args.in = reinterpret_cast<const std::uint8_t* const*>(batch->in);
  args.out = reinterpret_cast<std::uint8_t* const*>(batch->out);
  args.isz = session->in_bytes.as<std::uint32_t>();
  args.osz = session->out_bytes.as<std::uint32_t>();
  args.n = static_cast<int>(batch->chunks);
  args.err = batch->errors;
  *scratch = 0;
  if (code == cudaSuccess && codec == "deflate") code = deflate_scratch(*session, *batch, *scratch);
  if (code == cudaSuccess) code = choose(*session, ways, static_cast<cudaStream_t>(stream));
  if (code != cudaSuccess) return cudaGetErrorString(code);
  *how = session->way.name.c_str();
  *made = session.release();
  return nullptr;
}

extern "C" const char* sluice_prototype_launch(SluicePrototypeSession* session, void* stream) {
  const cudaError_t code = session->way.launch(session->args, static_cast<cudaStream_t>(stream));
  return code == cudaSuccess ? nullptr : cudaGetErrorString(code);
}

extern "C" void sluice_prototype_end(SluicePrototypeSession* session) { delete session; }
