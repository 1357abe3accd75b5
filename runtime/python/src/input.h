#pragma once
// The bytes of a Python object, readable for as long as this lives: its buffer is locked meanwhile, so a bytearray can't
// be resized nor a memory map closed under a running decode.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <vector>

namespace sluice::python {
namespace nb = nanobind;

class Input {
 public:
  // Anything with the buffer protocol, of any element type, contiguous: its bytes as they lie. `what` names it in
  // messages. Throws what Python is to raise: TypeError for no buffer, ValueError for one with gaps. With the GIL.
  explicit Input(nb::handle object, const char* what = "data");
  Input(Input&& other) noexcept;
  Input& operator=(Input&&) = delete;
  ~Input();  // with the GIL

  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  Py_buffer view_{};    // not taken when obj is null
  nb::object kept_;     // of `bytes`, which never moves: no buffer has to be asked for
  std::span<const std::uint8_t> bytes_;
};

// Inputs of a batch: a sequence of buffers, or one buffer in pieces that begin at `offsets` and have `lengths`. Without
// lengths there is one offset more than pieces, the end of the last. Throws as Input does, IndexError for a piece that
// lies outside.
class Inputs {
 public:
  Inputs(nb::handle chunks, nb::handle offsets, nb::handle lengths);
  [[nodiscard]] const std::vector<std::span<const std::uint8_t>>& chunks() const { return chunks_; }
  [[nodiscard]] std::uint64_t bytes() const { return total_; }

 private:
  std::vector<Input> held_;
  std::vector<std::span<const std::uint8_t>> chunks_;
  std::uint64_t total_ = 0;
};

// Non-negative integers from a sequence or an array of integers; from one integer, `repeated` times.
[[nodiscard]] std::vector<std::uint64_t> unsigned_list(nb::handle values, const char* what, std::size_t repeated = 0);

}  // namespace sluice::python
