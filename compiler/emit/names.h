#pragma once
// Every name that the emitters write, and why no two of them can meet, whatever the names in a spec are.
//
//   what it is                  how it is built                     example
//   a thing of the spec         role, its number, "_", its name     v2_count  array0_lengths  kSite5_bad_length
//   what belongs to such        word, "_", the thing's name         token_v2_count  c3_v2_count  fast_rule1_body_0
//   a temporary                 stem, "_", a running number         at_4  width_7
//   everything else             written in an emitter or primitive  u64  in_limit  prim::load_le64  step_ref
//
// The first digit tells them apart: before it stands a role alone; a word, an underscore and a role (or the word `c`, of a
// call that is written out in its caller); or a stem of letters and the underscore itself. No name of the last kind looks like one of these (a test reads all primitives for that). A
// role and its number are unique in a module, so two things of one spec don't meet either. And since every number comes
// from the module's shape, renaming something in a spec changes nothing but that name.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::emit {

// What a name of a spec may stand for.
enum class Role : std::uint8_t { Local, Rule, Global, Array, Table, Ranges, Code, Buffer, Symbols, Site, Lookup, Extras };
inline constexpr std::array<std::string_view, 12> kRoles{"v",    "rule",   "global",  "array", "kTable", "kRanges",
                                                         "code", "buffer", "symbols", "kSite", "lookup", "kExtras"};

// (Local, 2, "max-size") -> v2_max_size. Names in a spec may be words of C++ and hold dots.
std::string spec_name(Role role, std::uint32_t number, std::string_view name);

// ("token", "v2_count") -> token_v2_count
std::string belonging(std::string_view word, std::string_view name);

// ("at", 4) -> at_4
std::string temporary_name(std::string_view stem, unsigned number);

}  // namespace sluice::emit
