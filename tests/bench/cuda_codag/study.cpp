#include "tests/bench/cuda_codag/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

#include "compiler/interp/interp.h"
#include "compiler/strategy/strategies.h"
#include "tests/gpu/parallel.h"
#include "tests/support/spec.h"

namespace sluice::bench {
namespace {

using gpu::Address;

std::vector<Setting> settings_of(const std::string& set) {
  const auto at = set.find('=');
  if (at == std::string::npos) return {};
  return {{set.substr(0, at), set.substr(at + 1)}};
}

// The material repeated in device memory until the output is as large as asked for. Inputs lie back to back, or where
// the schedule promises; outputs back to back, chunks of them being large powers of two.
class Tiled {
 public:
  Tiled(const gpu::Device& device, const Material& material, std::uint64_t output_bytes) : device_(device), material_(material) {
    const std::uint64_t once = material.raw_bytes();
    copies_ = (output_bytes + once - 1) / once;
  }

  std::uint64_t chunks() const { return copies_ * material_.raw.size(); }
  std::uint64_t output_bytes() const { return copies_ * material_.raw_bytes(); }
  std::uint64_t input_bytes() const { return copies_ * material_.packed_bytes(); }

  std::string put(unsigned element_bytes, std::uint64_t input_alignment) {
    const auto room = [&](const Bytes& chunk) {
      return (chunk.size() + input_alignment - 1) / input_alignment * input_alignment;
    };
    Bytes once;
    for (const Bytes& chunk : material_.packed) {
      once.insert(once.end(), chunk.begin(), chunk.end());
      once.resize(once.size() - chunk.size() + room(chunk));
    }
    const std::uint64_t packed = once.size(), raw = material_.raw_bytes();
    std::string wrong = in_.reserve(device_, copies_ * packed);
    if (wrong.empty()) wrong = out_.reserve(device_, copies_ * raw);
    if (wrong.empty()) wrong = arrays_.reserve(device_, chunks() * kArrays * 8);
    if (!wrong.empty()) return wrong;
    wrong = device_.upload(in_.at(), once.data(), once.size());
    // Doubling: each copy takes all that is there.
    for (std::uint64_t done = packed; done < copies_ * packed && wrong.empty(); done *= 2)
      wrong = device_.copy(in_.at() + done, in_.at(), std::min(done, copies_ * packed - done));
    std::vector<std::uint64_t> arrays(kArrays * chunks());
    Address in = in_.at(), out = out_.at();
    for (std::uint64_t i = 0; i < chunks(); ++i) {
      const std::size_t which = i % material_.raw.size();
      arrays[kIn * chunks() + i] = in;
      arrays[kInBytes * chunks() + i] = material_.packed[which].size();
      arrays[kOut * chunks() + i] = out;
      arrays[kCapacity * chunks() + i] = material_.raw[which].size() / element_bytes;
      in += room(material_.packed[which]);
      out += material_.raw[which].size();
    }
    if (wrong.empty()) wrong = device_.upload(arrays_.at(), arrays.data(), arrays.size() * 8);
    return wrong.empty() ? device_.wait() : wrong;
  }

  std::string launch(const cuda::Decoder& decoder, gpu::Memory& temp) const {
    const auto array = [&](unsigned which) { return arrays_.at() + which * chunks() * 8; };
    cuda::DeviceBatch batch;
    batch.in = gpu::pointer<const void* const>(array(kIn));
    batch.in_bytes = gpu::pointer<const std::uint64_t>(array(kInBytes));
    batch.out = gpu::pointer<void* const>(array(kOut));
    batch.out_capacity = gpu::pointer<const std::uint64_t>(array(kCapacity));
    batch.produced = gpu::pointer<std::uint64_t>(array(kProduced));
    batch.errors = gpu::pointer<std::uint64_t>(array(kErrors));
    batch.chunks = chunks();
    batch.temp = temp.bytes() == 0 ? nullptr : gpu::pointer<void>(temp.at());
    batch.temp_bytes = temp.bytes();
    return decoder.decode_async(batch, device_.stream());
  }

  std::string spoil() const { return device_.fill(out_.at(), 0xcc, output_bytes()); }

  // What is wrong with the output, or an empty string. `fatal`: the device failed.
  std::string check(const cuda::Decoder& decoder, unsigned element_bytes, unsigned threads, std::string& fatal) {
    std::vector<std::uint64_t> produced(chunks()), errors(chunks());
    fatal = device_.download(produced.data(), arrays_.at() + kProduced * chunks() * 8, chunks() * 8);
    if (fatal.empty()) fatal = device_.download(errors.data(), arrays_.at() + kErrors * chunks() * 8, chunks() * 8);
    if (fatal.empty()) fatal = device_.wait();
    if (!fatal.empty()) return fatal;
    for (std::uint64_t i = 0; i < chunks(); ++i) {
      if (errors[i] != 0) return decoder.describe(errors[i], i);
      if (produced[i] * element_bytes != material_.raw[i % material_.raw.size()].size())
        return fmt::format("chunk {} made {} elements", i, produced[i]);
    }
    // One repetition at a time, as many as a pinned buffer holds.
    const std::uint64_t once = material_.raw_bytes();
    const std::uint64_t together = std::clamp<std::uint64_t>(kPinned / once, 1, copies_);
    if (pinned_.get() == nullptr) {
      auto pinned = runtime::make_pinned_memory(device_.shared(), together * once);
      if (!pinned) return fatal = pinned.error().text;
      pinned_ = std::move(*pinned);
    }
    const auto* bytes = static_cast<const std::uint8_t*>(pinned_.get());
    std::string wrong;
    std::mutex mutex;
    for (std::uint64_t from = 0; from < copies_ && wrong.empty(); from += together) {
      const std::uint64_t count = std::min(together, copies_ - from);
      fatal = device_.download(pinned_.get(), out_.at() + from * once, count * once);
      if (fatal.empty()) fatal = device_.wait();
      if (!fatal.empty()) return fatal;
      gpu::parallel_for(count * material_.raw.size(), threads, [&](std::size_t i) {
        const Bytes& right = material_.raw[i % material_.raw.size()];
        std::uint64_t at = i / material_.raw.size() * once;
        for (std::size_t k = 0; k < i % material_.raw.size(); ++k) at += material_.raw[k].size();
        if (std::memcmp(bytes + at, right.data(), right.size()) == 0) return;
        const std::lock_guard lock(mutex);
        wrong = fmt::format("chunk {} has other bytes", from * material_.raw.size() + i);
      });
    }
    return wrong;
  }

 private:
  enum Array : unsigned { kIn, kInBytes, kOut, kCapacity, kProduced, kErrors, kArrays };
  static constexpr std::uint64_t kPinned = std::uint64_t{128} << 20;
  const gpu::Device& device_;
  const Material& material_;
  std::uint64_t copies_ = 1;
  gpu::Memory in_, out_, arrays_;
  runtime::PinnedMemory pinned_;
};

// Milliseconds of one launch, by the device's clock.
std::string timed(const gpu::Device& device, const Tiled& tiled, const cuda::Decoder& decoder, gpu::Memory& temp,
                  float& milliseconds) {
  const auto from = runtime::make_event(device.shared(), runtime::Timing::Yes);
  const auto to = runtime::make_event(device.shared(), runtime::Timing::Yes);
  if (!from) return from.error().text;
  if (!to) return to.error().text;
  const runtime::CudaDriver& driver = *device.properties().driver;
  auto* const stream = static_cast<runtime::cu::Stream>(device.stream());
  const runtime::Current current(device.properties());
  std::string wrong = driver.failure("cuEventRecord", driver.event_record(from->get(), stream));
  if (wrong.empty()) wrong = tiled.launch(decoder, temp);
  if (wrong.empty()) wrong = driver.failure("cuEventRecord", driver.event_record(to->get(), stream));
  if (wrong.empty()) wrong = device.wait();
  if (wrong.empty()) wrong = driver.failure("cuEventElapsedTime", driver.event_elapsed(&milliseconds, from->get(), to->get()));
  return wrong;
}

void score(const gpu::Device& device, Tiled& tiled, const cuda::Decoder& decoder, const StudyOptions& options,
           Score& result, std::string& fatal) {
  gpu::Memory temp;
  fatal = temp.reserve(device, decoder.temp_bytes(tiled.chunks()));
  if (fatal.empty()) fatal = tiled.spoil();
  if (fatal.empty()) fatal = tiled.launch(decoder, temp);
  if (fatal.empty()) fatal = device.wait();
  if (!fatal.empty()) return;
  const auto element_bytes = static_cast<unsigned>(decoder.output_element_bytes());
  result.problem = tiled.check(decoder, element_bytes, options.threads, fatal);
  if (!fatal.empty() || !result.problem.empty()) return;
  std::vector<double> rates;
  double total = 0;
  while (rates.size() < 3 || (rates.size() < options.rounds && total < options.most_seconds)) {
    float milliseconds = 0;
    fatal = timed(device, tiled, decoder, temp, milliseconds);
    if (!fatal.empty()) return;
    total += milliseconds / 1e3;
    rates.push_back(static_cast<double>(tiled.output_bytes()) / 1e6 / milliseconds);
  }
  std::ranges::sort(rates);
  result.least = rates.front();
  result.most = rates.back();
  result.gigabytes_per_second = rates[rates.size() / 2];
}

}  // namespace

std::string check_material(const Case& one, const Material& material, unsigned threads) {
  std::string problem;
  const auto module = test::compile_codec(one.codec, one.set, false, problem);
  if (!module) return problem;
  std::mutex mutex;
  std::string wrong;
  gpu::parallel_for(material.raw.size(), threads, [&](std::size_t i) {
    const Bytes& raw = material.raw[i];
    Bytes out(raw.size());
    const interp::Result result =
        interp::interpret(*module, {material.packed[i], out, raw.size() / (module->output.bits / 8), {}, {}});
    if (result.error == 0 && out == raw) return;
    const std::lock_guard lock(mutex);
    wrong = fmt::format("the interpreter {} chunk {}", result.error == 0 ? "makes other bytes of" : "refuses", i);
  });
  return wrong;
}

Kernels::Kernels(const std::vector<Case>& cases, unsigned threads) {
  for (const Case& one : cases)
    for (const std::string& schedule : one.schedules) {
      const auto same = [&](const Entry& entry) {
        return entry.codec == one.codec && entry.set == one.set && entry.schedule == schedule;
      };
      if (std::ranges::none_of(entries_, same)) entries_.push_back({one.codec, one.set, schedule, "", {}});
    }
  gpu::parallel_for(entries_.size(), threads, [&](std::size_t i) {
    Entry& entry = entries_[i];
    cuda::Options how;
    how.device = 0;
    how.sizes = false;
    how.set = settings_of(entry.set);
    for (const strategy::Variant& schedule : strategy::variants())
      if (schedule.name == entry.schedule) how.schedule = schedule.directives;
    auto made = cuda::Decoder::from_name(entry.codec, how);
    if (made)
      entry.decoder = std::move(*made);
    else
      entry.problem = made.error().text;
  });
}

const cuda::Decoder* Kernels::find(const Case& one, const std::string& schedule, std::string& why) const {
  for (const Entry& entry : entries_) {
    if (entry.codec != one.codec || entry.set != one.set || entry.schedule != schedule) continue;
    why = entry.problem;
    return entry.decoder ? &*entry.decoder : nullptr;
  }
  why = "not compiled";
  return nullptr;
}

CaseResult measure(const gpu::Device& device, const Kernels& kernels, const Case& one, const Material& material,
                   const StudyOptions& options, std::string& fatal) {
  CaseResult result;
  result.group = one.group;
  result.name = one.name;
  result.codec = one.codec;
  result.data = one.data;
  result.wanted = one.wanted;
  result.problem = material.problem;
  if (!result.problem.empty()) return result;
  Tiled tiled(device, material, options.output_bytes);
  result.ratio = static_cast<double>(material.raw_bytes()) / static_cast<double>(material.packed_bytes());
  result.chunks = tiled.chunks();
  result.chunk_bytes = one.chunk;
  result.distinct = material.raw.size();
  result.output_bytes = tiled.output_bytes();
  result.input_bytes = tiled.input_bytes();
  std::uint64_t put = 0;  // the alignment of the inputs that are there
  for (const std::string& schedule : one.schedules) {
    Score& made = result.scores.emplace_back();
    made.schedule = schedule;
    const cuda::Decoder* decoder = kernels.find(one, schedule, made.problem);
    if (decoder == nullptr) continue;
    made.jit_ms = decoder->timings().jit;
    made.kernel = decoder->kernel();
    if (put != decoder->input_alignment())
      fatal = tiled.put(static_cast<unsigned>(decoder->output_element_bytes()), decoder->input_alignment());
    put = decoder->input_alignment();
    if (fatal.empty()) score(device, tiled, *decoder, options, made, fatal);
    if (fatal.empty()) continue;
    made.problem = fatal;
    break;
  }
  return result;
}

}  // namespace sluice::bench
