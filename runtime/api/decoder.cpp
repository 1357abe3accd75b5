// Running a Decoder.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <utility>

#include "compiler/analysis/explain.h"
#include "compiler/analysis/facts.h"
#include "compiler/interp/interp.h"
#include "compiler/ir/error_text.h"
#include "runtime/api/arguments.h"
#include "runtime/api/decoder_impl.h"
#include "runtime/launch/batch.h"

namespace sluice {

static_assert(kNoRoom == ir::kNoRoom);

namespace {

bool cancelled(const Batch& batch) { return batch.cancel && batch.cancel->load(std::memory_order_relaxed); }

// Runs `task` for every chunk, with so many of them at once, or for those that come before the caller thinks better of it: of how many
// from chunk i on.
using ChunksTask = std::function<void(std::size_t i, std::size_t n, void* scratch)>;
CallError run_chunks(std::size_t count, std::size_t at_once, std::uint64_t scratch_bytes, const Batch& batch, const ChunksTask& task) {
  const bool done = runtime::run_batch((count + at_once - 1) / at_once, batch.threads, scratch_bytes, [&](std::size_t group, void* scratch) {
    if (cancelled(batch)) return;
    const std::size_t i = group * at_once, n = std::min(at_once, count - i);
    task(i, n, scratch);
    if (batch.finished) batch.finished->fetch_add(n, std::memory_order_relaxed);
  });
  if (cancelled(batch)) return CallError::cancelled();
  return done ? CallError{} : CallError::no_memory("no memory for the batch");
}

// What machine code is called with for a chunk, and what it has said of it.
struct Call {
  sluice_job job{};
  std::array<sluice_output, kMaxFurtherOutputs> rooms{};
};
void prepare(Call& call, const Chunk& chunk, std::uint64_t capacity, std::span<const std::uint8_t> dictionary, std::span<const std::uint64_t> args,
             void* scratch) {
  call.job.further = call.rooms.data();
  call.job.in = chunk.in.data();
  call.job.in_size = chunk.in.size();
  call.job.out = chunk.out.data();
  call.job.out_capacity = capacity;
  call.job.dictionary = dictionary.data();
  call.job.dictionary_size = dictionary.size();
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t));
  call.job.args = reinterpret_cast<const unsigned long long*>(args.data());
  call.job.scratch = scratch;
}
Status status_of(const Call& call, std::uint64_t error, std::size_t further) {
  Status status{error, call.job.produced, call.job.consumed};
  for (std::size_t i = 0; i < further; ++i) status.further[i] = call.rooms[i].produced;
  return status;
}

// The interpreter takes long enough to be asked to stop inside a chunk. It looks at a plain bool of this thread, which is
// set from the flag at every step that it tells of.
interp::Result interpret(const ir::Module& module, interp::Job job, const std::atomic<bool>* cancel) {
  if (!cancel) return interp::interpret(module, job);
  bool stop = false;
  job.stop = &stop;
  return interp::interpret(module, job, [&](const interp::TraceEvent&) { stop = cancel->load(std::memory_order_relaxed); });
}

}  // namespace

std::span<const std::uint64_t> Decoder::Impl::arguments_of(const Batch& batch, std::string& wrong) const {
  if (batch.arguments.empty()) return initial;
  if (batch.arguments.size() != initial.size()) {
    wrong = fmt::format("{} takes {} run-time arguments, not {}", name, initial.size(), batch.arguments.size());
    return initial;
  }
  for (std::size_t i = 0; i < initial.size() && wrong.empty(); ++i) wrong = misfit(arguments[i], batch.arguments[i]);
  return batch.arguments;
}

Status Decoder::Impl::run(Mode mode, sluice_decode_fn entry, const Chunk& chunk, const Batch& batch, std::span<const std::uint64_t> args,
                          void* scratch) const {
  const std::uint64_t capacity = mode == Mode::Count ? batch.count_limit : chunk.out.size() / element_bytes;
  const auto dictionary = has_dictionary ? batch.dictionary : std::span<const std::uint8_t>();
  if (interpreted) {
    std::array<interp::Room, kMaxFurtherOutputs> rooms;
    for (std::size_t i = 0; i < chunk.further.size() && i < further.size(); ++i)
      rooms[i] = {chunk.further[i], chunk.further[i].size() / further[i].element_bytes};
    const interp::Result r =
        mode == Mode::Count
            ? interp::count(module(), chunk.in, dictionary, args, capacity)
            : interpret(module(), {chunk.in, chunk.out, capacity, dictionary, args, std::span(rooms).first(further.size())}, batch.cancel);
    return {r.error, r.produced, r.consumed, r.further};
  }
  Call call;
  for (std::size_t i = 0; i < further.size(); ++i) {
    const auto room = mode == Mode::Count ? std::span<std::uint8_t>() : chunk.further[i];
    call.rooms[i] = {room.data(), mode == Mode::Count ? batch.count_limit : room.size() / further[i].element_bytes, 0};
  }
  prepare(call, chunk, capacity, dictionary, args, scratch);
  return status_of(call, entry(&call.job), further.size());
}

void Decoder::Impl::run_two(const Chunk* chunks, Status* statuses, const Batch& batch, std::span<const std::uint64_t> args, void* scratch) const {
  std::array<Call, 2> calls;
  const auto dictionary = has_dictionary ? batch.dictionary : std::span<const std::uint8_t>();
  for (std::size_t k = 0; k < calls.size(); ++k) {
    for (std::size_t i = 0; i < further.size(); ++i)
      calls[k].rooms[i] = {chunks[k].further[i].data(), chunks[k].further[i].size() / further[i].element_bytes, 0};
    prepare(calls[k], chunks[k], chunks[k].out.size() / element_bytes, dictionary, args, static_cast<std::uint8_t*>(scratch) + k * scratch_stride());
  }
  sluice_two two{&calls[0].job, &calls[1].job, 0, 0};
  program.decode_two(&two);
  statuses[0] = status_of(calls[0], two.first_error, further.size());
  statuses[1] = status_of(calls[1], two.second_error, further.size());
}

CallError Decoder::decode_batch(std::span<const Chunk> chunks, std::span<Status> statuses, const Batch& batch) const {
  if (statuses.size() < chunks.size()) return CallError::bad_argument("fewer statuses than chunks");
  std::string wrong;
  const auto args = impl_->arguments_of(batch, wrong);
  if (!wrong.empty()) return CallError::bad_argument(std::move(wrong));
  const Impl& impl = *impl_;
  if (CallError none = impl.rooms(chunks); !none.empty()) return none;
  // A thread that has several to do anyway does two at once, where that takes less time.
  if (!impl.interpreted && impl.program.decode_two != nullptr && chunks.size() >= 2 * runtime::threads_of(batch.threads)) {
    return run_chunks(chunks.size(), 2, 2 * impl.scratch_stride(), batch, [&](std::size_t i, std::size_t n, void* scratch) {
      if (n == 2) impl.run_two(&chunks[i], &statuses[i], batch, args, scratch);
      else statuses[i] = impl.run(Impl::Mode::Decode, impl.program.decode, chunks[i], batch, args, scratch);
    });
  }
  return run_chunks(chunks.size(), 1, impl.program.scratch_bytes, batch, [&](std::size_t i, std::size_t, void* scratch) {
    statuses[i] = impl.run(Impl::Mode::Decode, impl.program.decode, chunks[i], batch, args, scratch);
  });
}

Status Decoder::decode(const Chunk& chunk, const Batch& batch) const {
  Status status;
  return decode_batch({&chunk, 1}, {&status, 1}, batch).empty() ? status : Status{kNotRun, 0, 0};
}

CallError Decoder::decoded_sizes(std::span<const std::span<const std::uint8_t>> inputs, std::span<Status> statuses,
                                 const Batch& batch) const {
  if (statuses.size() < inputs.size()) return CallError::bad_argument("fewer statuses than inputs");
  std::string wrong;
  const auto args = impl_->arguments_of(batch, wrong);
  if (!wrong.empty()) return CallError::bad_argument(std::move(wrong));
  if (!impl_->countable)
    return CallError::not_countable(
        fmt::format("{}'s size depends on its output's values: it can only be found by decoding", name()));
  const Impl& impl = *impl_;
  if (cancelled(batch)) return CallError::cancelled();  // before it begins to compile
  const runtime::Program none;
  const runtime::Program* program = &none;
  if (!impl.interpreted)
    if (CallError error = impl.sizes.get(program); !error.empty()) return error;
  return run_chunks(inputs.size(), 1, program->scratch_bytes, batch, [&](std::size_t i, std::size_t, void* scratch) {
    statuses[i] = impl.run(Impl::Mode::Count, program->count, {inputs[i], {}}, batch, args, scratch);
  });
}

Status Decoder::decoded_size(std::span<const std::uint8_t> input, const Batch& batch) const {
  Status status;
  return decoded_sizes({&input, 1}, {&status, 1}, batch).empty() ? status : Status{kNotRun, 0, 0};
}

Result<std::vector<std::uint64_t>> Decoder::bind(std::span<const NamedValue> values) const {
  return bind_arguments(name(), impl_->arguments, values);
}

std::string Decoder::describe(std::uint64_t error, std::uint64_t chunk) const {
  if (error == 0) return "";
  if (error == kNotRun) return fmt::format("chunk {} was not run: wrong arguments, no memory, or no code that finds sizes", chunk);
  if (impl_->built) return artifact::describe(*impl_->built, error, chunk);
  return ir::describe(impl_->module(), impl_->compiled->sources, error, chunk);
}

ErrorPlace Decoder::place(std::uint64_t error) const { return impl_->place(error); }

std::string Decoder::facts() const {
  if (impl_->built) return impl_->built->facts;
  return analysis::explain_json(impl_->module(), analysis::analyse(impl_->module()), impl_->compiled->sources);
}

const std::string& Decoder::name() const noexcept { return impl_->name; }
Target Decoder::target() const noexcept { return impl_->interpreted ? Target::Interp : Target::Cpu; }
const std::string& Decoder::engine() const noexcept { return impl_->engine; }
const std::string& Decoder::why() const noexcept { return impl_->why; }
const std::string& Decoder::warnings() const noexcept { return impl_->warnings; }
const Timings& Decoder::timings() const noexcept { return impl_->timings; }
std::size_t Decoder::output_element_bytes() const noexcept { return impl_->element_bytes; }
bool Decoder::output_is_signed() const noexcept { return impl_->element_signed; }
const std::vector<FurtherOutput>& Decoder::further_outputs() const noexcept { return impl_->further; }
std::uint64_t Decoder::scratch_bytes() const noexcept { return impl_->program.scratch_bytes; }
bool Decoder::countable() const noexcept { return impl_->countable; }
bool Decoder::takes_dictionary() const noexcept { return impl_->has_dictionary; }
const std::vector<Argument>& Decoder::arguments() const noexcept { return impl_->arguments; }

}  // namespace sluice
