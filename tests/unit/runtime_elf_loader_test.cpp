#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "runtime/jit/elf_loader.h"
#include "tests/unit/runtime_elf_builder.h"

#if defined(__x86_64__)

namespace sluice::runtime {
namespace {

using test::ElfBuilder;

// number(): reads a constant through PC32; copy(): tail-calls memcpy through PLT32; where(): a constant's address by
// way of GOTPCREL; `pointer` in .data holds the constant's address (64).
ElfBuilder sample() {
  ElfBuilder b;
  const auto text = b.add_section(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
                                  {0x8b, 0x05, 0,    0, 0, 0, 0xc3,        // 0: mov eax, [rip + constant]; ret
                                   0xe9, 0,    0,    0, 0,                 // 7: jmp memcpy
                                   0x48, 0x8b, 0x05, 0, 0, 0, 0,    0xc3,  // 12: mov rax, [rip + slot]; ret
                                   0xcc});
  const auto rodata = b.add_section(".rodata", SHT_PROGBITS, SHF_ALLOC, {0x78, 0x56, 0x34, 0x12});
  const auto data = b.add_section(".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, std::vector<std::uint8_t>(8));
  const auto constant = b.add_symbol("constant", rodata, 0);
  b.add_symbol("number", text, 0);
  b.add_symbol("copy", text, 7);
  b.add_symbol("where", text, 12);
  b.add_symbol("pointer", data, 0);
  const auto memcpy_symbol = b.add_symbol("memcpy", SHN_UNDEF, 0);
  b.add_relocation(text, 2, R_X86_64_PC32, constant, -4);
  b.add_relocation(text, 8, R_X86_64_PLT32, memcpy_symbol, -4);
  b.add_relocation(text, 15, R_X86_64_REX_GOTPCRELX, constant, -4);
  b.add_relocation(data, 0, R_X86_64_64, constant, 0);
  return b;
}

TEST(ElfLoader, AppliesEveryKindOfRelocation) {
  auto loaded = LoadedObject::load(sample().build());
  ASSERT_TRUE(loaded) << loaded.error().text;
  auto* number = reinterpret_cast<unsigned (*)()>(loaded->symbol("number", 1));
  auto* copy = reinterpret_cast<void* (*)(void*, const void*, std::size_t)>(loaded->symbol("copy", 1));
  auto* where = reinterpret_cast<void* (*)()>(loaded->symbol("where", 1));
  ASSERT_TRUE(number && copy && where);
  EXPECT_EQ(number(), 0x12345678u);
  char to[6] = {};
  copy(to, "hello", 6);
  EXPECT_STREQ(to, "hello");
  EXPECT_EQ(where(), loaded->symbol("constant", 4));
  void* pointer = nullptr;
  std::memcpy(&pointer, loaded->symbol("pointer", 8), 8);
  EXPECT_EQ(pointer, loaded->symbol("constant", 4));
}

TEST(ElfLoader, SymbolsAreBoundedByTheirSection) {
  auto loaded = LoadedObject::load(sample().build());
  ASSERT_TRUE(loaded);
  EXPECT_NE(loaded->symbol("constant", 4), nullptr);
  EXPECT_EQ(loaded->symbol("constant", 5), nullptr);
  EXPECT_EQ(loaded->symbol("absent", 1), nullptr);
}

std::string refusal(ElfBuilder& b) {
  auto loaded = LoadedObject::load(b.build());
  return loaded ? "loaded" : loaded.error().text;
}

TEST(ElfLoader, RefusesWhatItCannotHonour) {
  ElfBuilder unknown = sample();
  const auto printf_symbol = unknown.add_symbol("printf", SHN_UNDEF, 0);
  unknown.add_relocation(1, 8, R_X86_64_PLT32, printf_symbol, -4);
  EXPECT_NE(refusal(unknown).find("it needs `printf`"), std::string::npos);

  ElfBuilder type = sample();
  type.add_relocation(1, 2, R_X86_64_TPOFF32, 1, 0);
  EXPECT_NE(refusal(type).find("relocation type 23 not supported"), std::string::npos);

  ElfBuilder outside = sample();
  outside.add_relocation(1, 18, R_X86_64_PC32, 1, 0);  // .text has 21 bytes
  EXPECT_NE(refusal(outside).find("relocation outside its section"), std::string::npos);

  ElfBuilder reach = sample();  // an absolute 32-bit address of something mapped anywhere
  reach.add_relocation(1, 2, R_X86_64_32, 1, 0);
  EXPECT_NE(refusal(reach).find("relocation out of reach"), std::string::npos);

  ElfBuilder symbol = sample();
  symbol.add_relocation(1, 2, R_X86_64_PC32, 999, 0);
  EXPECT_NE(refusal(symbol).find("relocation against no symbol"), std::string::npos);

  ElfBuilder align = sample();
  align.add_section(".rodata.wide", SHT_PROGBITS, SHF_ALLOC, {1}, 1 << 20);
  EXPECT_NE(refusal(align).find("section alignment not supported"), std::string::npos);
}

TEST(ElfLoader, ZeroFillsBss) {
  ElfBuilder b = sample();
  const auto bss = b.add_section(".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, std::vector<std::uint8_t>(5000));
  b.add_symbol("zeros", bss, 0);
  auto loaded = LoadedObject::load(b.build());
  ASSERT_TRUE(loaded) << loaded.error().text;
  const auto* zeros = static_cast<const std::uint8_t*>(loaded->symbol("zeros", 5000));
  ASSERT_NE(zeros, nullptr);
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(zeros[i], 0);
}

// Damage must end in a refusal or in an object, never in a fault: run under AddressSanitizer as well.
TEST(ElfLoader, SurvivesDamage) {
  const std::vector<std::uint8_t> good = sample().build();
  std::size_t refused = 0;
  for (std::size_t size = 0; size < good.size(); ++size) {
    const std::vector<std::uint8_t> cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    if (!LoadedObject::load(cut)) ++refused;
  }
  EXPECT_EQ(refused, good.size());  // the section table is last: no proper prefix is whole
  std::mt19937 random(1);
  refused = 0;
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff, static_cast<int>(random() & 0xff)}) {
      std::vector<std::uint8_t> bad = good;
      bad[at] = static_cast<std::uint8_t>(value);
      if (!LoadedObject::load(bad)) ++refused;
    }
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace sluice::runtime

#endif
