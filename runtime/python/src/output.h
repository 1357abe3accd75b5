#pragma once
// Where decoded elements go: arrays of NumPy that are made here, or the caller's own buffers. NumPy is called as any
// Python module is, so that one build goes with all its versions.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sluice::python {
namespace nb = nanobind;

// What a format's output consists of.
struct Element {
  std::size_t bytes = 1;  // 1, 2, 4 or 8
  bool is_signed = false;
  [[nodiscard]] std::string name() const;  // "uint8", "int64", as NumPy says
};

// Addresses for output. Only pages that are written to take memory, so that more may be asked for than is used. What is in
// them at first is anything: zeros, or what was decoded before.
class Memory {
 public:
  // From so much output on large pages pay: fewer faults while a decoder fills them. Below, they are too much to clear.
  static constexpr std::size_t kLargePages = std::size_t{4} << 20;
  // Null where so much can't be had. Any thread, without the GIL too.
  static std::unique_ptr<Memory> make(std::size_t bytes, bool large_pages);
  Memory(const Memory&) = delete;
  ~Memory();

  [[nodiscard]] std::span<std::uint8_t> bytes() const { return {data_, size_}; }
  // Gives what lies behind the first `bytes` back to the system.
  void shrink(std::size_t bytes);
  // Gives pages inside [from, to) back; they read as zeros then.
  void drop(std::size_t from, std::size_t to);

 private:
  Memory(std::uint8_t* data, std::size_t size) : data_(data), size_(size), mapped_(size) {}
  std::uint8_t* data_;
  std::size_t size_, mapped_;
};

// Looks NumPy up, for all of what follows. Once, when the module is loaded.
void load_numpy();

// A new array of `count` elements, one dimension, not initialised; its bytes. With the GIL.
struct NewArray {
  nb::object array;
  std::span<std::uint8_t> bytes;
};
[[nodiscard]] NewArray new_array(const Element& element, std::size_t count);
// An array of all elements in `memory`, which it owns from now on.
[[nodiscard]] nb::object array_of(std::unique_ptr<Memory> memory, const Element& element);
// array[first : first + count], a view.
[[nodiscard]] nb::object view_of(nb::handle array, std::size_t first, std::size_t count);

// A buffer of the caller's that is written to: writable, contiguous, of the element's type (of bytes: anything that is
// one byte wide and no sign changes it). Throws what Python is to raise: TypeError for other elements or no buffer,
// ValueError for gaps or for a buffer that must not be written. Locked as an Input is; use it with the GIL.
class Output {
 public:
  Output(nb::handle object, const Element& element, const char* what = "out");
  Output(Output&& other) noexcept;
  Output& operator=(Output&&) = delete;
  ~Output();

  [[nodiscard]] std::span<std::uint8_t> bytes() const { return bytes_; }
  // `count` elements from `first` on as an array of NumPy that shares them: the buffer's object, where it is one of them all.
  [[nodiscard]] nb::object view(const Element& element, std::size_t first, std::size_t count) const;

 private:
  Py_buffer view_{};
  nb::object object_;
  std::span<std::uint8_t> bytes_;
};

// Throws ValueError when an output shares bytes with an input or with another output. Empty spans share nothing.
void check_apart(std::span<const std::span<const std::uint8_t>> inputs, std::span<const std::span<std::uint8_t>> outputs);

}  // namespace sluice::python
