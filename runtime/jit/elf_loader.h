#pragma once
// Loads a relocatable x86-64 ELF object (what the Clang engine makes) into memory without LLVM or the system linker.
//
// before: bytes of decoder.o      after: code at an address, sections laid out, relocations applied, code read-only
//
// Only what position-independent freestanding code needs: sections .text*, .rodata*, .data*, .bss; relocations
// against them and against memcpy, memmove, memset, memcmp, bcmp. Everything else is refused with a sentence. The
// bytes may come from a damaged file: each offset is checked before use, nothing outside the image is read or written.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/api/result.hpp"

namespace sluice::runtime {

class LoadedObject {
 public:
  // Copies what it needs; `image` may go afterwards. Errors are Kind::Environment.
  static Result<LoadedObject> load(std::span<const std::uint8_t> image);

  LoadedObject(LoadedObject&& other) noexcept;
  LoadedObject& operator=(LoadedObject&&) = delete;
  ~LoadedObject();  // unmaps: no thread may be running the code

  // Address of a defined global symbol with at least `size` bytes behind it in its section; null when there is none.
  [[nodiscard]] void* symbol(const std::string& name, std::size_t size) const;

 private:
  struct Symbol {
    std::uint8_t* address;
    std::size_t room;  // bytes from address to the end of its section
  };
  struct Builder;
  LoadedObject() = default;

  std::uint8_t* memory_ = nullptr;
  std::size_t size_ = 0;
  std::unordered_map<std::string, Symbol> symbols_;
};

}  // namespace sluice::runtime
