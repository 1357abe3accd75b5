// Batches of chunks into arrays of NumPy.
//
// Where a chunk's output goes is its place: a piece of a caller's buffer, of one array for all chunks whose sizes are told,
// or of memory with a guessed room for each. Chunks that need more than the guess are counted and decoded again, where
// they can be counted; else their room grows.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "runtime/python/src/call.h"
#include "runtime/python/src/host_decoder.h"

namespace sluice::python {
namespace {

// Guessed rooms begin at multiples of this, so that neighbours share no line of the cache while threads write them.
constexpr std::size_t kRoomAlign = 64;
// Outputs in rooms below are moved together when all are decoded; larger ones stay, what they leave unused are whole pages.
constexpr std::size_t kMovedRoom = std::size_t{1} << 20;
constexpr std::uint64_t kGrowth = 8;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

// Memory for several chunks, and the array over it once it is full.
struct Pool {
  std::unique_ptr<Memory> memory;
  nb::object array;
};

}  // namespace

class BatchRun {
 public:
  BatchRun(const HostDecoder& decoder, const Inputs& inputs, const HostDecoder::BatchCall& call, CallOptions& options)
      : decoder_(decoder), inputs_(inputs.chunks()), input_bytes_(inputs.bytes()), call_(call), options_(options),
        count_(inputs_.size()), statuses_(count_), places_(count_), batch_(options.batch()) {
    batch_.threads = decoder.threads_for(call.threads, 2 * input_bytes_);
  }

  nb::object run() {
    std::vector<std::uint64_t> sizes;
    if (!call_.sizes.is_none()) {
      sizes = unsigned_list(call_.sizes, "sizes", count_);
      if (sizes.size() != count_) throw nb::value_error("sizes: one for every chunk is needed");
    }
    if (!call_.out.is_none())
      place_in_out(sizes, call_.sizes.is_none());
    else if (!call_.sizes.is_none())
      place_in_one(sizes);
    else if (decoder_.traits_.counts_first && decoder_.decoder().countable())
      place_in_one(counted());
    else
      return decode_guessing();
    std::vector<Chunk> chunks(count_);
    for (std::size_t i = 0; i < count_; ++i) chunks[i] = {inputs_[i], places_[i].room};
    decoder_.run_chunks(chunks, statuses_, batch_, call_.progress);
    return results();
  }

 private:
  // Where one chunk's output is: `first` elements into the pool, or into the caller's buffer.
  struct Place {
    std::span<std::uint8_t> room;
    std::size_t pool = 0, output = 0;
    std::uint64_t first = 0;
  };

  std::uint64_t bytes_of(std::uint64_t elements) const {
    const std::uint64_t width = decoder_.element().bytes;
    if (elements > (~std::uint64_t{0} >> 1) / width) throw nb::value_error("sizes: no memory holds so much");
    return elements * width;
  }
  std::span<std::uint8_t> limited(std::span<std::uint8_t> room) const { return room.first(options_.at_most(room.size())); }

  // A list of buffers, one a chunk; or one buffer, in which the outputs follow one another.
  void place_in_out(std::vector<std::uint64_t>& sizes, bool to_be_counted) {
    if (PyList_Check(call_.out.ptr()) || PyTuple_Check(call_.out.ptr())) {
      const nb::object list = nb::steal(PySequence_List(call_.out.ptr()));
      if (!list.is_valid()) throw nb::python_error();
      if (static_cast<std::size_t>(PyList_Size(list.ptr())) != count_)
        throw nb::value_error("out: one buffer for every chunk is needed");
      outputs_.reserve(count_);
      for (std::size_t i = 0; i < count_; ++i) {
        outputs_.emplace_back(nb::handle(PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(i))), decoder_.element());
        auto room = outputs_.back().bytes();
        if (!to_be_counted) room = room.first(std::min<std::uint64_t>(room.size(), bytes_of(sizes[i])));
        places_[i] = {limited(room), 0, i, 0};
      }
    } else {
      outputs_.emplace_back(call_.out, decoder_.element());
      if (to_be_counted) sizes = counted();
      const auto all = outputs_.back().bytes();
      std::uint64_t at = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        const std::uint64_t bytes = bytes_of(sizes[i]);
        if (bytes > all.size() - at) throw nb::value_error("out: the chunks' outputs do not fit into it");
        places_[i] = {limited(all.subspan(at, bytes)), 0, 0, at / decoder_.element().bytes};
        at += bytes;
      }
    }
    std::vector<std::span<std::uint8_t>> rooms;
    for (const Place& place : places_) rooms.push_back(place.room);
    check_apart(inputs_, rooms);
  }

  std::vector<std::uint64_t> counted() {
    counts_.resize(count_);
    decoder_.count(inputs_, counts_, batch_, options_);
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i < count_; ++i) {
      sizes.push_back(counts_[i].produced);
    }
    return sizes;
  }

  void place_in_one(const std::vector<std::uint64_t>& sizes) {
    std::uint64_t total = 0;
    for (const std::uint64_t size : sizes) {
      const std::uint64_t bytes = options_.at_most(bytes_of(size));
      if (bytes > (~std::uint64_t{0} >> 1) - total) throw nb::value_error("sizes: no memory holds so much");
      total += bytes / decoder_.element().bytes * decoder_.element().bytes;
    }
    Pool& pool = pools_.emplace_back();
    pool.memory = Memory::make(total, total >= Memory::kLargePages);
    if (!pool.memory) throw std::bad_alloc();
    std::uint64_t at = 0;
    const std::uint64_t width = decoder_.element().bytes;
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t bytes = options_.at_most(bytes_of(sizes[i])) / width * width;
      places_[i] = {pool.memory->bytes().subspan(at, bytes), 0, 0, at / width};
      at += bytes;
    }
  }

  // Rooms for the chunks `which`, small ones first, in memory of their own.
  void place_guessed(const std::vector<std::size_t>& which, const std::vector<std::uint64_t>& rooms) {
    std::uint64_t total = 0;
    for (const std::uint64_t room : rooms) {
      if (room > (~std::uint64_t{0} >> 1) - total - kRoomAlign) throw std::bad_alloc();
      total += round_up(room, kRoomAlign);
    }
    Pool& pool = pools_.emplace_back();
    pool.memory = Memory::make(total, total >= Memory::kLargePages);
    if (!pool.memory) throw std::bad_alloc();
    std::uint64_t at = 0;
    for (const bool small : {true, false})
      for (std::size_t k = 0; k < which.size(); ++k) {
        if ((rooms[k] < kMovedRoom) != small) continue;
        places_[which[k]] = {pool.memory->bytes().subspan(at, rooms[k]), pools_.size() - 1, 0, at / decoder_.element().bytes};
        at += round_up(rooms[k], kRoomAlign);
      }
  }

  nb::object decode_guessing() {
    std::vector<std::size_t> which(count_);
    std::vector<std::uint64_t> rooms(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      which[i] = i;
      rooms[i] = options_.at_most(decoder_.guess(inputs_[i].size()));
    }
    nb::handle progress = call_.progress;
    for (bool exact = false; !which.empty();) {
      place_guessed(which, rooms);
      decode(which, progress);
      move_together(which);
      progress = {};
      if (exact) break;
      exact = more_room(which, rooms);
    }
    return results();
  }

  void decode(const std::vector<std::size_t>& which, nb::handle progress) {
    std::vector<Chunk> chunks(which.size());
    std::vector<Status> statuses(which.size());
    for (std::size_t k = 0; k < which.size(); ++k) chunks[k] = {inputs_[which[k]], places_[which[k]].room};
    decoder_.run_chunks(chunks, statuses, batch_, progress);
    for (std::size_t k = 0; k < which.size(); ++k) statuses_[which[k]] = statuses[k];
  }

  // Leaves in `which` the chunks that may do with more room, and in `rooms` how much. True when that is what they were
  // counted to need.
  bool more_room(std::vector<std::size_t>& which, std::vector<std::uint64_t>& rooms) {
    std::vector<std::size_t> again;
    for (const std::size_t i : which) {
      if (statuses_[i].error == 0) decoder_.learn(inputs_[i].size(), statuses_[i].produced * decoder_.element().bytes);
      if (statuses_[i].error == kNoRoom && places_[i].room.size() < options_.limit().bytes) again.push_back(i);
    }
    which.clear();
    rooms.clear();
    if (again.empty()) return false;
    const bool countable = decoder_.decoder().countable();
    std::vector<Status> counts(again.size());
    counts_.resize(count_);
    if (countable) {
      std::vector<std::span<const std::uint8_t>> inputs;
      for (const std::size_t i : again) inputs.push_back(inputs_[i]);
      decoder_.count(inputs, counts, batch_, options_);
    }
    for (std::size_t k = 0; k < again.size(); ++k) {
      counts_[again[k]] = counts[k];
      if (counts[k].error == kNoRoom) continue;
      which.push_back(again[k]);
      rooms.push_back(countable ? counts[k].produced * decoder_.element().bytes
                                : options_.at_most(places_[again[k]].room.size() * kGrowth));
    }
    return countable;
  }

  // Moves outputs in small rooms to the front of their memory, one behind the other, and gives the pages behind back.
  void move_together(const std::vector<std::size_t>& which) {
    const std::uint64_t width = decoder_.element().bytes;
    Memory& memory = *pools_.back().memory;
    std::uint8_t* const data = memory.bytes().data();
    std::uint64_t at = 0, small_end = 0, end = 0;
    for (const std::size_t i : which) {
      Place& place = places_[i];
      const std::uint64_t begin = place.first * width, bytes = statuses_[i].error == 0 ? statuses_[i].produced * width : 0;
      if (place.room.size() >= kMovedRoom) {
        end = std::max(end, begin + bytes);
        continue;
      }
      small_end = std::max<std::uint64_t>(small_end, begin + place.room.size());
      if (bytes != 0 && at != begin) std::memmove(data + at, data + begin, bytes);
      place.first = at / width;
      at += bytes;
    }
    memory.shrink(std::max(at, end));
    memory.drop(at, std::min<std::uint64_t>(small_end, memory.bytes().size()));
  }

  nb::object array_of_chunk(std::size_t i) {
    const Place& place = places_[i];
    const std::uint64_t count = statuses_[i].produced;
    if (!outputs_.empty()) return outputs_[place.output].view(decoder_.element(), place.first, count);
    Pool& pool = pools_[place.pool];
    if (!pool.array.is_valid()) pool.array = array_of(std::move(pool.memory), decoder_.element());
    return view_of(pool.array, place.first, count);
  }

  Room room_of(std::size_t i) {
    const std::uint64_t bytes = places_[i].room.size();
    if (options_.limited() && bytes >= options_.at_most(~std::uint64_t{0})) return options_.limit();
    if (call_.out.is_none() && call_.sizes.is_none()) return options_.limit();
    return {bytes, Room::Set::Output};
  }

  // A chunk that counting refused has room for what came before. Where decoding it does not end earlier, at a checksum,
  // counting has the format's verdict.
  void take_verdicts_of_counting() {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (statuses_[i].error == kNoRoom && counts_[i].error != 0) statuses_[i] = counts_[i];
  }

  nb::object results() {
    take_verdicts_of_counting();
    nb::list arrays, statuses;
    nb::object status_class;
    if (call_.return_errors) status_class = error_class("ChunkStatus");
    for (std::size_t i = 0; i < count_; ++i) {
      const Status& status = statuses_[i];
      nb::object error = nb::none();
      if (status.error != 0) {
        error = decode_error(decoder_.decoder(), status.error, i, status.produced, room_of(i));
        if (!call_.return_errors) raise_object(error);
      }
      arrays.append(status.error == 0 ? array_of_chunk(i) : nb::none());
      if (call_.return_errors) statuses.append(status_class(status.produced, status.consumed, error));
    }
    if (!call_.return_errors) return arrays;
    return nb::make_tuple(arrays, statuses);
  }

  const HostDecoder& decoder_;
  const std::vector<std::span<const std::uint8_t>>& inputs_;
  const std::uint64_t input_bytes_;
  const HostDecoder::BatchCall& call_;
  CallOptions& options_;
  const std::size_t count_;
  std::vector<Status> statuses_, counts_;  // counts_: empty unless sizes had to be found first
  std::vector<Place> places_;
  std::vector<Pool> pools_;
  std::vector<Output> outputs_;
  Batch batch_;
};

nb::object HostDecoder::decode_batch(const Inputs& inputs, const BatchCall& call, CallOptions& options) const {
  if (several()) return decode_batch_several(inputs, call, options);
  return BatchRun(*this, inputs, call, options).run();
}

}  // namespace sluice::python
