#pragma once
// Builds small x86-64 relocatable objects for tests of the loader.
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sluice::test {

class ElfBuilder {
 public:
  using Bytes = std::vector<std::uint8_t>;
  ElfBuilder() {
    add_section("", SHT_NULL, 0, {});
    syms_.push_back({});
    strtab_.push_back(0);
  }

  std::uint16_t add_section(const std::string& name, std::uint32_t type, std::uint64_t flags, Bytes bytes,
                            std::uint64_t align = 16) {
    Elf64_Shdr s{};
    s.sh_type = type;
    s.sh_flags = flags;
    s.sh_addralign = align;
    s.sh_size = bytes.size();
    s.sh_entsize = type == SHT_RELA ? sizeof(Elf64_Rela) : type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0;
    sections_.push_back({name, s, std::move(bytes)});
    return static_cast<std::uint16_t>(sections_.size() - 1);
  }
  // Section SHN_UNDEF: a function outside the object.
  std::uint32_t add_symbol(const std::string& name, std::uint16_t section, std::uint64_t value) {
    Elf64_Sym s{};
    s.st_name = static_cast<std::uint32_t>(strtab_.size());
    strtab_.insert(strtab_.end(), name.begin(), name.end());
    strtab_.push_back(0);
    s.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    s.st_shndx = section;
    s.st_value = value;
    syms_.push_back(s);
    return static_cast<std::uint32_t>(syms_.size() - 1);
  }
  void add_relocation(std::uint16_t section, std::uint64_t offset, std::uint32_t type, std::uint32_t symbol,
                      std::int64_t addend) {
    relocations_.push_back({section, {offset, ELF64_R_INFO(std::uint64_t{symbol}, type), addend}});
  }

  Bytes build() {
    std::vector<Section> all = sections_;
    const auto strings = static_cast<std::uint32_t>(all.size() + 1);
    all.push_back(make(".symtab", SHT_SYMTAB, strings, 0, syms_));
    all.push_back(make(".strtab", SHT_STRTAB, 0, 0, strtab_));
    for (std::uint16_t target = 0; target < sections_.size(); ++target) {
      std::vector<Elf64_Rela> list;
      for (const auto& [section, rela] : relocations_)
        if (section == target) list.push_back(rela);
      if (!list.empty()) all.push_back(make(".rela" + all[target].name, SHT_RELA, strings - 1, target, list));
    }
    Bytes names{0};
    const auto names_index = static_cast<std::uint16_t>(all.size());
    all.push_back({".shstrtab", {}, {}});
    all.back().header.sh_type = SHT_STRTAB;
    for (Section& s : all) {
      s.header.sh_name = static_cast<std::uint32_t>(names.size());
      names.insert(names.end(), s.name.begin(), s.name.end());
      names.push_back(0);
    }
    all.back().bytes = names;
    all.back().header.sh_size = names.size();

    Bytes out(sizeof(Elf64_Ehdr));
    for (Section& s : all) {
      if (s.header.sh_type == SHT_NULL) continue;
      out.resize((out.size() + 15) / 16 * 16);
      s.header.sh_offset = out.size();
      if (s.header.sh_type != SHT_NOBITS) out.insert(out.end(), s.bytes.begin(), s.bytes.end());
    }
    out.resize((out.size() + 15) / 16 * 16);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_shoff = out.size();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<std::uint16_t>(all.size());
    header.e_shstrndx = names_index;
    std::memcpy(out.data(), &header, sizeof header);
    for (const Section& s : all) append(out, &s.header, sizeof s.header);
    return out;
  }

 private:
  struct Section {
    std::string name;
    Elf64_Shdr header;
    Bytes bytes;
  };
  struct Relocation {
    std::uint16_t section;
    Elf64_Rela rela;
  };

  static void append(Bytes& out, const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    out.insert(out.end(), bytes, bytes + size);
  }
  template <class T>
  static Section make(const std::string& name, std::uint32_t type, std::uint32_t link, std::uint32_t info,
                      const std::vector<T>& items) {
    Section s{name, {}, {}};
    s.header.sh_type = type;
    s.header.sh_link = link;
    s.header.sh_info = info;
    s.header.sh_entsize = sizeof(T);
    s.header.sh_addralign = 8;
    append(s.bytes, items.data(), items.size() * sizeof(T));
    s.header.sh_size = s.bytes.size();
    return s;
  }

  std::vector<Section> sections_;
  std::vector<Elf64_Sym> syms_;
  Bytes strtab_;
  std::vector<Relocation> relocations_;
};

}  // namespace sluice::test
