#include "runtime/jit/elf_loader.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

namespace sluice::runtime {
namespace {

// Relocations are 32-bit distances: everything loaded lies within one mapping well below 2 GiB.
constexpr std::size_t kMaxImage = std::size_t{256} << 20;
constexpr std::size_t kMaxAlign = 4096;  // a mapping is page-aligned, so no larger alignment can be kept
constexpr std::size_t kStubBytes = 16;   // jmp *8(%rip) and the address it jumps to

Error refused(std::string text) { return {Error::Kind::Environment, "object not loaded: " + std::move(text), {}}; }

struct External {
  std::string_view name;
  void* address;
};

// What freestanding code may call: compilers turn struct copies and fills into these.
const std::array<External, 5>& externals() {
  static const std::array<External, 5> list{{
      {"memcpy", std::bit_cast<void*>(static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memcpy))},
      {"memmove", std::bit_cast<void*>(static_cast<void* (*)(void*, const void*, std::size_t)>(&std::memmove))},
      {"memset", std::bit_cast<void*>(static_cast<void* (*)(void*, int, std::size_t)>(&std::memset))},
      {"memcmp", std::bit_cast<void*>(static_cast<int (*)(const void*, const void*, std::size_t)>(&std::memcmp))},
      {"bcmp", std::bit_cast<void*>(static_cast<int (*)(const void*, const void*, std::size_t)>(&std::memcmp))},
  }};
  return list;
}

enum Group { kCode, kConst, kData, kNone };

Group group_of(const Elf64_Shdr& s, std::string_view name) {
  if (!(s.sh_flags & SHF_ALLOC) || s.sh_size == 0) return kNone;
  // Unwind tables and notes: nothing unwinds through generated code.
  if (name.starts_with(".eh_frame") || s.sh_type == SHT_NOTE || s.sh_type == SHT_X86_64_UNWIND) return kNone;
  if (s.sh_flags & SHF_EXECINSTR) return kCode;
  return s.sh_flags & SHF_WRITE ? kData : kConst;
}

constexpr std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

}  // namespace

struct LoadedObject::Builder {
  std::span<const std::uint8_t> image;
  std::vector<Elf64_Shdr> sections;
  std::vector<std::size_t> place;  // offset of each loaded section in the mapping
  std::vector<Group> group;
  std::vector<Elf64_Sym> syms;
  std::uint32_t strings = 0;  // section of the symbols' names
  std::size_t code_end = 0, const_end = 0, data_end = 0, stubs = 0, slots = 0;
  std::string error;

  bool fail(std::string text) {
    if (error.empty()) error = std::move(text);
    return false;
  }
  bool inside(std::uint64_t offset, std::uint64_t size) const {
    return offset <= image.size() && size <= image.size() - offset;
  }
  template <class T>
  T at(std::uint64_t offset) const {  // caller has checked inside()
    T value;
    std::memcpy(&value, image.data() + offset, sizeof value);
    return value;
  }
  // A name in a string table; empty when it is not terminated inside it.
  std::string_view text(std::uint32_t section, std::uint32_t offset) const {
    if (section >= sections.size() || sections[section].sh_type != SHT_STRTAB) return {};
    const Elf64_Shdr& s = sections[section];
    if (offset >= s.sh_size) return {};
    const char* from = reinterpret_cast<const char*>(image.data() + s.sh_offset + offset);
    const void* end = std::memchr(from, 0, s.sh_size - offset);
    return end ? std::string_view(from, static_cast<std::size_t>(static_cast<const char*>(end) - from))
               : std::string_view{};
  }

  bool read_sections();
  bool read_symbols();
  bool lay_out();
  bool copy(std::uint8_t* base) const;
  bool resolve(const Elf64_Sym& sym, std::uint8_t* base, std::size_t number, std::uint64_t& value);
  bool relocate(std::uint8_t* base);
  bool apply(const Elf64_Rela& rela, std::size_t target, std::uint8_t* base);
};

bool LoadedObject::Builder::read_sections() {
  if (image.size() < sizeof(Elf64_Ehdr)) return fail("too short for an ELF header");
  const auto header = at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL || header.e_machine != EM_X86_64)
    return fail("no x86-64 relocatable ELF object");
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
      !inside(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
    return fail("section table outside the file");
  sections.resize(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i] = at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    const Elf64_Shdr& s = sections[i];
    if (s.sh_size > kMaxImage) return fail("section too large");
    if (s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL && !inside(s.sh_offset, s.sh_size))
      return fail("section outside the file");
  }
  for (const Elf64_Shdr& s : sections) group.push_back(group_of(s, text(header.e_shstrndx, s.sh_name)));
  return true;
}

bool LoadedObject::Builder::read_symbols() {
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type != SHT_SYMTAB) continue;
    if (s.sh_entsize != sizeof(Elf64_Sym) || s.sh_size % sizeof(Elf64_Sym) != 0 || !syms.empty())
      return fail("malformed symbol table");
    strings = s.sh_link;
    for (std::uint64_t at_byte = 0; at_byte < s.sh_size; at_byte += sizeof(Elf64_Sym))
      syms.push_back(at<Elf64_Sym>(s.sh_offset + at_byte));
  }
  return !syms.empty() || fail("no symbol table");
}

// code and stubs | page | constants and address slots | page | data
bool LoadedObject::Builder::lay_out() {
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  place.assign(sections.size(), 0);
  std::size_t end = 0;
  const auto add = [&](Group wanted) {
    for (std::size_t i = 0; i < sections.size(); ++i) {
      if (group[i] != wanted) continue;
      const std::size_t align = sections[i].sh_addralign ? sections[i].sh_addralign : 1;
      if (!std::has_single_bit(align) || align > kMaxAlign) return fail("section alignment not supported");
      end = round_up(end, align);
      place[i] = end;
      end += sections[i].sh_size;
      if (end > kMaxImage) return fail("object too large");
    }
    return true;
  };
  if (!add(kCode)) return false;
  stubs = round_up(end, kStubBytes);
  end = stubs + externals().size() * kStubBytes;
  end = code_end = round_up(end, page);
  if (!add(kConst)) return false;
  slots = round_up(end, 8);
  end = slots + syms.size() * 8;  // one address slot a symbol: at most what GOT references can ask for
  end = const_end = round_up(end, page);
  if (!add(kData)) return false;
  data_end = round_up(end, page);
  return data_end <= kMaxImage || fail("object too large");
}

bool LoadedObject::Builder::copy(std::uint8_t* base) const {
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (group[i] != kNone && sections[i].sh_type != SHT_NOBITS)
      std::memcpy(base + place[i], image.data() + sections[i].sh_offset, sections[i].sh_size);
  for (std::size_t i = 0; i < externals().size(); ++i) {
    std::uint8_t* stub = base + stubs + i * kStubBytes;
    constexpr std::uint8_t kJump[8] = {0xff, 0x25, 2, 0, 0, 0, 0x0f, 0x0b};  // jmp *2(%rip); ud2
    std::memcpy(stub, kJump, sizeof kJump);
    std::memcpy(stub + 8, &externals()[i].address, 8);
  }
  return true;
}

// Address a relocation against `sym` means; for a function outside the object, that of its stub.
bool LoadedObject::Builder::resolve(const Elf64_Sym& sym, std::uint8_t* base, std::size_t number,
                                    std::uint64_t& value) {
  if (sym.st_shndx == SHN_UNDEF) {
    const std::string_view name = text(strings, sym.st_name);
    for (std::size_t i = 0; i < externals().size(); ++i) {
      if (externals()[i].name != name) continue;
      value = reinterpret_cast<std::uint64_t>(base + stubs + i * kStubBytes);
      return true;
    }
    return fail(fmt::format("it needs `{}`, which generated code can't have (symbol {})", name, number));
  }
  if (sym.st_shndx >= sections.size() || group[sym.st_shndx] == kNone) return fail("symbol in no loaded section");
  if (sym.st_value > sections[sym.st_shndx].sh_size) return fail("symbol outside its section");
  value = reinterpret_cast<std::uint64_t>(base + place[sym.st_shndx]) + sym.st_value;
  return true;
}

bool LoadedObject::Builder::apply(const Elf64_Rela& rela, std::size_t target, std::uint8_t* base) {
  const std::size_t number = ELF64_R_SYM(rela.r_info);
  const std::uint32_t type = ELF64_R_TYPE(rela.r_info);
  if (type == R_X86_64_NONE) return true;
  const bool wide = type == R_X86_64_64 || type == R_X86_64_PC64;
  const std::size_t width = wide ? 8 : 4;
  if (number >= syms.size()) return fail("relocation against no symbol");
  const std::uint64_t room = sections[target].sh_size;
  if (sections[target].sh_type == SHT_NOBITS || rela.r_offset > room || width > room - rela.r_offset)
    return fail("relocation outside its section");
  std::uint64_t symbol = 0;
  if (!resolve(syms[number], base, number, symbol)) return false;
  std::uint8_t* where = base + place[target] + rela.r_offset;
  const std::uint64_t pc = reinterpret_cast<std::uint64_t>(where);
  if (type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX) {
    std::uint8_t* slot = base + slots + number * 8;
    std::memcpy(slot, &symbol, 8);
    symbol = reinterpret_cast<std::uint64_t>(slot);
  }
  const std::uint64_t absolute = symbol + static_cast<std::uint64_t>(rela.r_addend);
  const std::uint64_t relative = absolute - pc;
  const auto fits = [](std::uint64_t v) {
    const auto s = static_cast<std::int64_t>(v);
    return s >= std::numeric_limits<std::int32_t>::min() && s <= std::numeric_limits<std::int32_t>::max();
  };
  switch (type) {
    case R_X86_64_64:
      std::memcpy(where, &absolute, 8);
      return true;
    case R_X86_64_PC64:
      std::memcpy(where, &relative, 8);
      return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      if (!fits(relative)) return fail("relocation out of reach");
      std::memcpy(where, &relative, 4);
      return true;
    case R_X86_64_32:
      if (absolute >> 32) return fail("relocation out of reach");
      std::memcpy(where, &absolute, 4);
      return true;
    case R_X86_64_32S:
      if (!fits(absolute)) return fail("relocation out of reach");
      std::memcpy(where, &absolute, 4);
      return true;
    default:
      return fail(fmt::format("relocation type {} not supported", type));
  }
}

bool LoadedObject::Builder::relocate(std::uint8_t* base) {
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type == SHT_REL) return fail("relocations without addend not supported");
    if (s.sh_type != SHT_RELA) continue;
    if (s.sh_info >= sections.size()) return fail("relocations for no section");
    if (group[s.sh_info] == kNone) continue;
    if (s.sh_entsize != sizeof(Elf64_Rela) || s.sh_size % sizeof(Elf64_Rela) != 0) return fail("malformed relocations");
    for (std::uint64_t i = 0; i < s.sh_size; i += sizeof(Elf64_Rela))
      if (!apply(at<Elf64_Rela>(s.sh_offset + i), s.sh_info, base)) return false;
  }
  return true;
}

Result<LoadedObject> LoadedObject::load(std::span<const std::uint8_t> image) {
#if !defined(__x86_64__)
  (void)image;
  return refused("this loader is for x86-64");
#else
  Builder b;
  b.image = image;
  if (!b.read_sections() || !b.read_symbols() || !b.lay_out()) return refused(b.error);

  void* memory = mmap(nullptr, b.data_end, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return refused(std::strerror(errno));
  LoadedObject object;
  object.memory_ = static_cast<std::uint8_t*>(memory);
  object.size_ = b.data_end;
  if (!b.copy(object.memory_) || !b.relocate(object.memory_)) return refused(b.error);
  // Written first, executable after, never both.
  if (mprotect(memory, b.code_end, PROT_READ | PROT_EXEC) != 0 ||
      (b.const_end > b.code_end && mprotect(object.memory_ + b.code_end, b.const_end - b.code_end, PROT_READ) != 0))
    return refused(std::strerror(errno));

  for (const Elf64_Sym& sym : b.syms) {
    if (ELF64_ST_BIND(sym.st_info) != STB_GLOBAL || sym.st_shndx == SHN_UNDEF || sym.st_shndx >= b.sections.size() ||
        b.group[sym.st_shndx] == kNone || sym.st_value > b.sections[sym.st_shndx].sh_size)
      continue;
    object.symbols_.insert_or_assign(
        std::string(b.text(b.strings, sym.st_name)),
        Symbol{object.memory_ + b.place[sym.st_shndx] + sym.st_value, b.sections[sym.st_shndx].sh_size - sym.st_value});
  }
  return object;
#endif
}

LoadedObject::LoadedObject(LoadedObject&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      symbols_(std::move(other.symbols_)) {}

LoadedObject::~LoadedObject() {
  if (memory_) munmap(memory_, size_);
}

void* LoadedObject::symbol(const std::string& name, std::size_t size) const {
  const auto it = symbols_.find(name);
  return it != symbols_.end() && it->second.room >= size ? it->second.address : nullptr;
}

}  // namespace sluice::runtime
