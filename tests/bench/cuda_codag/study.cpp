#include "tests/bench/cuda_codag/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "compiler/interp/interp.h"
#include "compiler/strategy/strategies.h"
#include "tests/bench/cuda_codag/tiled.h"
#include "tests/gpu/parallel.h"
#include "tests/support/spec.h"

namespace sluice::bench {
namespace {

std::vector<Setting> settings_of(const std::string& set) {
  const auto at = set.find('=');
  if (at == std::string::npos) return {};
  return {{set.substr(0, at), set.substr(at + 1)}};
}

// One decoder of a case, or one that counts: measured in turn with the others.
struct Contestant {
  Score* score = nullptr;
  Told told;
  bool counts = false;
  std::function<std::string()> launch;
  double seconds = 0;  // of all rounds
  std::vector<double> rates{};
};

// Milliseconds of one launch, by the device's clock.
std::string timed(const gpu::Device& device, const std::function<std::string()>& launch, float& milliseconds) {
  const auto from = runtime::make_event(device.shared(), runtime::Timing::Yes);
  const auto to = runtime::make_event(device.shared(), runtime::Timing::Yes);
  if (!from) return from.error().text;
  if (!to) return to.error().text;
  const runtime::CudaDriver& driver = *device.properties().driver;
  auto* const stream = static_cast<runtime::cu::Stream>(device.stream());
  const runtime::Current current(device.properties());
  std::string wrong = driver.failure("cuEventRecord", driver.event_record(from->get(), stream));
  if (wrong.empty()) wrong = launch();
  if (wrong.empty()) wrong = driver.failure("cuEventRecord", driver.event_record(to->get(), stream));
  if (wrong.empty()) wrong = device.wait();
  if (wrong.empty())
    wrong = driver.failure("cuEventElapsedTime", driver.event_elapsed(&milliseconds, from->get(), to->get()));
  return wrong;
}

// One launch whose results are all compared. Empty problems and no fatal error: it may be timed.
void prove(const gpu::Device& device, Tiled& tiled, const Contestant& one, unsigned threads, std::string& fatal) {
  fatal = tiled.spoil();
  if (fatal.empty()) one.score->problem = one.launch();
  if (fatal.empty()) fatal = device.wait();
  if (!fatal.empty() || !one.score->problem.empty()) return;
  one.score->problem = tiled.check_told(one.told, fatal);
  if (fatal.empty() && one.score->problem.empty() && !one.counts)
    one.score->problem = tiled.check_bytes(threads, fatal);
}

// Round by round, each contestant once a round: what slows the device down for a while slows all of them.
void race(const gpu::Device& device, const Tiled& tiled, std::vector<Contestant>& all, const StudyOptions& options,
          std::string& fatal) {
  constexpr unsigned kLeastRounds = 3;
  const auto wants_more = [&](const Contestant& one) { return one.seconds < options.most_seconds; };
  for (unsigned round = 0; round < options.rounds && (round < kLeastRounds || std::ranges::any_of(all, wants_more));
       ++round)
    for (Contestant& one : all) {
      if (round >= kLeastRounds && !wants_more(one)) continue;
      float milliseconds = 0;
      fatal = timed(device, one.launch, milliseconds);
      if (!fatal.empty()) return;
      one.seconds += milliseconds / 1e3;
      one.rates.push_back(static_cast<double>(tiled.output_bytes()) / 1e6 / milliseconds);
    }
  for (Contestant& one : all) {
    std::ranges::sort(one.rates);
    one.score->least = one.rates.front();
    one.score->most = one.rates.back();
    one.score->gigabytes_per_second = one.rates[one.rates.size() / 2];
  }
}

std::string sizes_name(const std::string& of) { return of + " sizes"; }

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
      const auto there = std::ranges::find_if(entries_, same);
      if (there != entries_.end())
        there->sizes = there->sizes || one.sizes;
      else
        entries_.push_back({one.codec, one.set, schedule, "", one.sizes, {}});
    }
  gpu::parallel_for(entries_.size(), threads, [&](std::size_t i) {
    Entry& entry = entries_[i];
    cuda::Options how;
    how.device = 0;
    how.sizes = entry.sizes;
    how.quick_start = false;
    how.set = settings_of(entry.set);
    if (is_directives(entry.schedule)) how.schedule = entry.schedule;
    for (const strategy::Variant& schedule : strategy::variants())
      if (schedule.name == entry.schedule) how.schedule = schedule.directives;
    auto made = cuda::Decoder::from_name(entry.codec, how);
    if (!made) {
      entry.problem = made.error().text;
      return;
    }
    entry.decoder = std::move(*made);
    if (entry.sizes) entry.problem = entry.decoder->decoded_sizes_async({}, nullptr);  // compiles their kernel
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

CaseResult measure(const gpu::Device& device, const Kernels& kernels, const Peers& peers, const Case& one,
                   const Material& material, const StudyOptions& options, std::string& fatal) {
  CaseResult result;
  result.group = one.group;
  result.name = one.name;
  result.codec = one.codec;
  result.data = one.data;
  result.wanted = one.wanted;
  result.goal = one.goal;
  result.problem = material.problem;
  if (!result.problem.empty()) return result;
  Tiled tiled(device, material, options.output_bytes, one.launch);
  result.ratio = static_cast<double>(material.raw_bytes()) / static_cast<double>(material.packed_bytes());
  result.chunks = tiled.chunks();
  result.chunk_bytes = one.chunk;
  result.distinct = material.raw.size();
  result.output_bytes = tiled.output_bytes();
  result.input_bytes = tiled.input_bytes();

  const std::vector<const PeerDecoder*> others = peers.of(one.codec);
  std::uint64_t rooms = 1;
  for (const PeerDecoder* peer : others) rooms = std::max(rooms, peer->output_alignment);
  unsigned element_bytes = 1;
  for (const std::string& schedule : one.schedules) {
    std::string ignored;
    const cuda::Decoder* decoder = kernels.find(one, schedule, ignored);
    if (decoder == nullptr) continue;
    element_bytes = static_cast<unsigned>(decoder->output_element_bytes());
    rooms = std::max<std::uint64_t>(rooms, decoder->output_alignment());
  }
  fatal = tiled.put_outputs(element_bytes, rooms);
  if (!fatal.empty()) result.problem = fatal;

  std::vector<Contestant> ready;
  result.scores.reserve(2 * (one.schedules.size() + others.size()));  // contestants point into it
  const auto join = [&](Contestant made) {
    prove(device, tiled, made, options.threads, fatal);
    if (!fatal.empty()) made.score->problem = fatal;
    if (made.score->problem.empty()) ready.push_back(std::move(made));
  };
  gpu::Memory temp;  // what one launch needs is free for the next
  for (const std::string& schedule : one.schedules) {
    if (!fatal.empty()) break;
    Score& score = result.scores.emplace_back();
    score.schedule = schedule;
    const cuda::Decoder* decoder = kernels.find(one, schedule, score.problem);
    if (decoder == nullptr) continue;
    score.jit_ms = decoder->timings().jit;
    score.scratch_bytes = decoder->temp_bytes(tiled.chunks());
    fatal = tiled.put_inputs(decoder->input_alignment());
    if (fatal.empty()) fatal = temp.reserve(device, score.scratch_bytes);
    const auto batch = [&tiled, &temp, decoder] { return tiled.batch(decoder->input_alignment(), temp); };
    if (fatal.empty()) score.in_force = decoder->schedule(batch());
    if (fatal.empty())
      join({.score = &score, .told = {.ours = decoder}, .launch = [batch, decoder, &device]() -> std::string {
              return decoder->decode_async(batch(), device.stream());
            }});
    else
      score.problem = fatal;
    if (fatal.empty()) score.kernel = decoder->kernel(batch());  // after a launch: that of few chunks is compiled at the first
    if (!one.sizes || !fatal.empty()) continue;
    Score& counted = result.scores.emplace_back();
    counted.schedule = sizes_name(schedule);
    join({.score = &counted,
          .told = {.ours = decoder},
          .counts = true,
          .launch = [batch, decoder, &device]() -> std::string {
            return decoder->decoded_sizes_async(batch(), device.stream());
          }});
  }
  std::vector<PeerSession> sessions(others.size());
  for (std::size_t i = 0; i < others.size() && fatal.empty(); ++i) {
    const PeerDecoder& peer = *others[i];
    Score& score = result.scores.emplace_back();
    score.schedule = peer.peer;
    score.peer = true;
    if (material.longest_raw() > peer.most_bytes) {
      score.problem = fmt::format("chunks of at most {} KiB", peer.most_bytes >> 10);
      continue;
    }
    fatal = tiled.put_inputs(peer.input_alignment);
    if (fatal.empty()) score.problem = peer.begin(tiled.peer_batch(peer.input_alignment), sessions[i]);
    if (!fatal.empty() || !score.problem.empty()) continue;
    score.scratch_bytes = sessions[i].scratch_bytes;
    score.in_force = sessions[i].how;
    join({.score = &score, .told = {.produced = sessions[i].tells_produced}, .launch = sessions[i].decode});
    if (!one.sizes || !sessions[i].count || !fatal.empty()) continue;
    Score& counted = result.scores.emplace_back();
    counted.schedule = sizes_name(peer.peer);
    counted.peer = true;
    join({.score = &counted, .told = {.errors = false}, .counts = true, .launch = sessions[i].count});
  }
  if (fatal.empty()) race(device, tiled, ready, options, fatal);
  return result;
}

}  // namespace sluice::bench
