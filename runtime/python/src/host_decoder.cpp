// One chunk at a time, and what batches share with it.
#include "runtime/python/src/host_decoder.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <utility>

#include "runtime/cli/room.h"
#include "runtime/python/src/call.h"

namespace sluice::python {
namespace {

// Inputs of so many bytes are decoded at once into a buffer that is there, and what they make is copied out of it: to ask
// the system for memory takes longer than that.
constexpr std::size_t kSmallInput = 4 << 10, kSmallOutput = 64 << 10;
// What one chunk is given at first. Addresses cost nothing, pages only when they are written to.
constexpr std::uint64_t kFirstRoom = std::uint64_t{64} << 20;
// Outputs below are copied into an array of NumPy's own; above they stay where they were made.
constexpr std::size_t kCopiedOutput = 128 << 10;
constexpr std::uint64_t kFirstRatio = 8, kMostRatio = 1 << 12;
// Of chunks that can't be counted: how fast their room grows.
constexpr std::uint64_t kGrowth = 8;
// Work that is worth another thread.
constexpr std::uint64_t kThreadBytes = 512 << 10;

// A thread's buffer for small outputs. It is taken while it is in use: what a signal's handler decodes meanwhile gets another one.
class SmallBuffer {
 public:
  SmallBuffer() : data_(std::move(kept())) {
    if (!data_) data_.reset(new std::uint8_t[kSmallOutput]);
  }
  SmallBuffer(const SmallBuffer&) = delete;
  ~SmallBuffer() { kept() = std::move(data_); }
  [[nodiscard]] std::uint8_t* data() const { return data_.get(); }

 private:
  static std::unique_ptr<std::uint8_t[]>& kept() {
    static thread_local std::unique_ptr<std::uint8_t[]> buffer;
    return buffer;
  }
  std::unique_ptr<std::uint8_t[]> data_;
};

// Nothing runs when these are looked at.
bool holds_plain_numbers(nb::handle dict) {
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &name, &value) != 0;)
    if (!PyLong_CheckExact(value)) return false;
  return true;
}

NamedValue named_value(PyObject* name, PyObject* value) {
  if (!PyUnicode_Check(name)) throw nb::type_error("arguments: a name is a str");
  const nb::object number = PyLong_CheckExact(value) ? nb::borrow(value) : nb::steal(PyNumber_Index(value));
  if (!number.is_valid()) throw nb::python_error();
  int beyond = 0;
  const long long word = PyLong_AsLongLongAndOverflow(number.ptr(), &beyond);
  const std::uint64_t wide = beyond > 0 ? PyLong_AsUnsignedLongLong(number.ptr())
                             : beyond < 0 ? static_cast<std::uint64_t>(PyLong_AsLongLong(number.ptr()))  // which says that it is too small
                                          : static_cast<std::uint64_t>(word);
  if ((beyond != 0 || word == -1) && PyErr_Occurred()) throw nb::python_error();
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(name, &size);
  if (text == nullptr) throw nb::python_error();
  return {std::string(text, static_cast<std::size_t>(size)), wide, beyond == 0 && word < 0 ? Sign::Negative : Sign::Positive};
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return a > ~std::uint64_t{0} / b ? ~std::uint64_t{0} : a * b; }

}  // namespace

const std::vector<std::uint64_t>* LastArguments::find(nb::handle dict) const {
  if (given_.empty() || PyDict_Size(dict.ptr()) != static_cast<Py_ssize_t>(given_.size())) return nullptr;
  PyObject *name = nullptr, *value = nullptr;
  auto given = given_.begin();
  for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &name, &value) != 0; ++given) {
    int beyond = 0;
    if (name != given->name.ptr() || !PyLong_CheckExact(value) || PyLong_AsLongLongAndOverflow(value, &beyond) != given->value || beyond != 0)
      return nullptr;
  }
  return &bound_;
}

// What is no str itself is not kept: it may run Python's code when it goes.
void LastArguments::keep(nb::handle dict, const std::vector<std::uint64_t>& bound) {
  given_.clear();
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &name, &value) != 0;) {
    int beyond = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &beyond);
    if (beyond != 0 || !PyUnicode_CheckExact(name)) return given_.clear();
    given_.push_back({nb::borrow(name), number});
  }
  bound_ = bound;
}

CallOptions::CallOptions(const HostDecoder& of, nb::handle max_output, nb::handle dictionary, nb::handle arguments) {
  const AnyDecoder& decoder = of.decoder();
  if (!max_output.is_none()) limit_ = Room{unsigned_list(max_output, "max_output", 1).at(0), Room::Set::MaxOutput};
  if (!dictionary.is_none()) {
    if (!decoder.takes_dictionary()) throw nb::value_error((decoder.name() + " takes no dictionary").c_str());
    dictionary_.emplace(dictionary, "dictionary");
  }
  if (arguments.is_none()) return;
  if (!PyDict_Check(arguments.ptr())) throw nb::type_error("arguments: a dict of names and integers is needed");
  if (const auto* last = of.last_arguments_.find(arguments)) {
    arguments_ = *last;
    return;
  }
  std::vector<NamedValue> values;
  values.reserve(static_cast<std::size_t>(PyDict_Size(arguments.ptr())));
  // Of a copy, where a value that is asked for its number may change the caller's.
  const bool plain = holds_plain_numbers(arguments);
  const nb::object all = plain ? nb::borrow(arguments) : nb::steal(PyDict_Copy(arguments.ptr()));
  if (!all.is_valid()) throw nb::python_error();
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(all.ptr(), &at, &name, &value) != 0;) values.push_back(named_value(name, value));
  auto bound = decoder.bind(values);
  if (!bound) raise_error(bound.error());
  arguments_ = std::move(*bound);
  if (plain) of.last_arguments_.keep(arguments, arguments_);
}

Batch CallOptions::batch() const {
  Batch batch;
  if (dictionary_) batch.dictionary = dictionary_->bytes();
  batch.arguments = arguments_;
  return batch;
}

const Room& CallOptions::limit() {
  if (!limit_) limit_ = Room{cli::available_memory(), Room::Set::Memory};
  return *limit_;
}

std::uint64_t CallOptions::at_most(std::uint64_t bytes) const { return limit_ ? std::min(bytes, limit_->bytes) : bytes; }

HostDecoder::HostDecoder(std::shared_ptr<const AnyDecoder> decoder, Traits traits)
    : decoder_(std::move(decoder)),
      element_{decoder_->output_element_bytes(), decoder_->output_is_signed()},
      traits_(traits),
      ratio_(kFirstRatio) {}

std::uint64_t HostDecoder::guess(std::uint64_t input_bytes) const {
  constexpr std::uint64_t kLeast = 64;
  return times(std::max(input_bytes, kLeast), ratio_.load(std::memory_order_relaxed));
}

void HostDecoder::learn(std::uint64_t input_bytes, std::uint64_t output_bytes) const {
  const std::uint64_t seen = std::min(output_bytes / std::max<std::uint64_t>(input_bytes, 1) + 2, kMostRatio);
  if (seen > ratio_.load(std::memory_order_relaxed)) ratio_.store(seen, std::memory_order_relaxed);
}

unsigned HostDecoder::threads_for(unsigned asked, std::uint64_t bytes) const {
  if (asked != 0 || traits_.slow) return asked;
  return static_cast<unsigned>(std::min<std::uint64_t>(1 + bytes / kThreadBytes, std::max(1u, std::thread::hardware_concurrency())));
}

void HostDecoder::run_chunks(std::span<const Chunk> chunks, std::span<Status> statuses, Batch batch, nb::handle progress) const {
  Work work{0, chunks.size(), traits_.slow, progress};
  for (const Chunk& chunk : chunks) work.bytes += chunk.in.size() + std::min<std::uint64_t>(chunk.out.size(), times(chunk.in.size(), kFirstRatio));
  const CallError error = run(work, [&](const std::atomic<bool>* cancel, std::atomic<std::uint64_t>* finished) {
    batch.cancel = cancel;
    batch.finished = finished;
    return decoder_->decode_batch(chunks, statuses, batch);
  });
  if (!error.empty()) raise_call_error(error);
}

void HostDecoder::count(std::span<const std::span<const std::uint8_t>> inputs, std::span<Status> statuses, Batch batch,
                       CallOptions& options) const {
  const bool may_compile = !counted_.exchange(true, std::memory_order_relaxed);  // which takes long, however little there is to count
  Work work{0, inputs.size(), traits_.slow || may_compile, {}};
  std::uint64_t bytes = 0;
  for (const auto input : inputs) bytes += input.size();
  work.bytes = times(bytes, kFirstRatio);
  const auto count_up_to = [&](std::uint64_t limit) {
    batch.count_limit = limit / element_.bytes;
    const CallError error = run(work, [&](const std::atomic<bool>* cancel, std::atomic<std::uint64_t>* finished) {
      batch.cancel = cancel;
      batch.finished = finished;
      return decoder_->decoded_sizes(inputs, statuses, batch);
    });
    if (!error.empty()) raise_call_error(error);
  };
  // To ask the system what memory is free takes longer than to count little input, which seldom makes so much that it matters.
  if (bytes <= kSmallInput && !options.has_limit()) {
    count_up_to(kFirstRoom);
    if (std::ranges::none_of(statuses, [](const Status& status) { return status.error == kNoRoom; })) return;
  }
  count_up_to(options.limit().bytes);
}

nb::object HostDecoder::decode(nb::handle data, nb::handle out, CallOptions& options) const {
  if (several()) return decode_several(data, out, options);
  if (!out.is_none()) return decode_into(data, out, options);
  return decode_new(Input(data), options);
}

nb::object HostDecoder::decode_into(nb::handle data, nb::handle out, CallOptions& options) const {
  const Input input(data);
  const Output output(out, element_);
  const std::span<const std::uint8_t> in = input.bytes();
  const std::span<std::uint8_t> bytes = output.bytes();
  check_apart({&in, 1}, {&bytes, 1});
  const std::uint64_t room = options.at_most(bytes.size());
  const Chunk chunk{in, bytes.first(room)};
  Status status;
  run_chunks({&chunk, 1}, {&status, 1}, options.batch());
  if (status.error != 0) {
    const bool capped = room < bytes.size();
    raise_object(decode_error(*decoder_, status.error, 0, status.produced,
                              {room, capped ? Room::Set::MaxOutput : Room::Set::Output}));
  }
  return output.view(element_, 0, status.produced);
}

nb::object HostDecoder::decode_new(const Input& input, CallOptions& options) const {
  const std::span<const std::uint8_t> in = input.bytes();
  // Of a slow decoder what has no room in the buffer would be decoded twice, so it must have seen nothing that expands like that.
  const bool may_fit = !traits_.counts_first && (!traits_.slow || times(2, guess(in.size())) <= kSmallOutput);
  if (in.size() <= kSmallInput && may_fit) {
    const SmallBuffer buffer;
    const Chunk chunk{in, {buffer.data(), options.at_most(kSmallOutput)}};
    Status status;
    if (traits_.slow) {
      run_chunks({&chunk, 1}, {&status, 1}, options.batch());
    } else {
      const CallError wrong = decoder_->decode_batch({&chunk, 1}, {&status, 1}, options.batch());
      if (!wrong.empty()) raise_call_error(wrong);
    }
    if (status.error == 0) {
      const NewArray made = new_array(element_, status.produced);
      if (!made.bytes.empty()) std::memcpy(made.bytes.data(), buffer.data(), made.bytes.size());
      return made.array;
    }
    if (status.error != kNoRoom || (options.limited() && chunk.out.size() < kSmallOutput))
      raise_object(decode_error(*decoder_, status.error, 0, status.produced, {chunk.out.size(), Room::Set::MaxOutput}));
  }
  std::unique_ptr<Memory> memory;
  const Status status = decode_growing(in, options, memory);
  const std::size_t bytes = status.produced * element_.bytes;
  memory->shrink(bytes);
  if (bytes > kCopiedOutput) {
    return array_of(std::move(memory), element_);
  }
  const NewArray made = new_array(element_, status.produced);
  if (bytes != 0) std::memcpy(made.bytes.data(), memory->bytes().data(), bytes);
  return made.array;
}

Status HostDecoder::decode_growing(std::span<const std::uint8_t> input, CallOptions& options,
                                  std::unique_ptr<Memory>& memory) const {
  const auto refuse = [&](const Status& status) {
    raise_object(decode_error(*decoder_, status.error, 0, status.produced, options.limit()));
  };
  std::uint64_t room = options.at_most(std::max(kFirstRoom, 2 * guess(input.size())));
  bool exact = false;
  Status counted;
  const auto count_room = [&] {
    count({&input, 1}, {&counted, 1}, options.batch(), options);
    if (counted.error == kNoRoom) refuse(counted);
    room = counted.produced * element_.bytes;
    exact = true;
  };
  const bool large = 2 * guess(input.size()) >= Memory::kLargePages;
  if (traits_.counts_first && decoder_->countable()) count_room();
  for (;;) {
    memory = Memory::make(room, large);
    if (!memory) throw std::bad_alloc();
    const Chunk chunk{input, memory->bytes()};
    Status status;
    run_chunks({&chunk, 1}, {&status, 1}, options.batch());
    if (status.error == 0) {
      learn(input.size(), status.produced * element_.bytes);
      return status;
    }
    // Counting does not look at checksums, so what it refuses may have been refused before. Where it was not, the room was
    // what came before the place, and counting has the verdict.
    if (status.error == kNoRoom && exact) refuse(counted.error != 0 ? counted : status);
    if (status.error != kNoRoom || room >= options.limit().bytes) refuse(status);
    memory.reset();
    if (decoder_->countable()) {
      count_room();
    } else {
      room = options.at_most(times(room, kGrowth));
    }
  }
}

nb::object HostDecoder::decoded_sizes(const Inputs& inputs, unsigned threads, CallOptions& options) const {
  std::vector<Status> statuses(inputs.chunks().size());
  Batch batch = options.batch();
  batch.threads = threads_for(threads, times(inputs.bytes(), kFirstRatio));
  count(inputs.chunks(), statuses, batch, options);
  for (std::size_t i = 0; i < statuses.size(); ++i)
    if (statuses[i].error != 0)
      raise_object(decode_error(*decoder_, statuses[i].error, i, statuses[i].produced, options.limit()));
  if (several()) return sizes_of_several(statuses);
  const NewArray sizes = new_array({8, false}, statuses.size());
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    std::memcpy(sizes.bytes.data() + 8 * i, &statuses[i].produced, 8);
  }
  return sizes.array;
}

}  // namespace sluice::python
