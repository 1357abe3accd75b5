#pragma once
// What a decoder keeps of each chunk, as text: the members that the plan lists (plan/memory.h), on a CPU in one structure,
// in a kernel in two.
//
//   array lengths: 320 bytes, zeroed       ->   u8 a0_lengths[320];
//   table 0 of `litlen`: 4096 bytes             u32 lookup0_litlen[1][1024];      in shared memory; else a pointer to it
#include <span>

#include "compiler/emit/context.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/kernel.h"
#include "compiler/plan/plan.h"

namespace sluice::emit {

// `struct Scratch`, of a CPU's decoder.
void write_scratch(Writer&, const Context&, const plan::Plan&, std::span<const plan::Member>);
// `struct Scratch` and `struct Temp`, of a kernel, and how a chunk gets at its own.
void write_scratch(Writer&, const Context&, const plan::Plan&, const plan::Kernel&);
// Scratch's pointers into Temp, of the chunk whose `temp` it is, and zeros there.
void write_lent(Writer&, const Context&, const plan::Plan&, const plan::Memory&);
void write_temporary(Writer&, const Context&, const plan::Plan&, const plan::Memory&);
// Of tables that start empty, every entry leaves for the checked path, which finds no code there.
void write_empty_tables(Writer&, const Context&, const plan::Plan&);

}  // namespace sluice::emit
