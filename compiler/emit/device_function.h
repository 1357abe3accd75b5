#pragma once
// A module as a header with a `__device__` function for a warp of somebody else's kernel. What it decodes is not stored but
// handed to the caller's sink. The text is that of a kernel by the same strategy, of which three things differ, and the plan
// says so (plan::Outputs::Sink): places in the output are a sink's (runtime/prim/cuda/sink.h), functions are templates of
// the chunk's state, which holds it, and a chunk's shared memory is the caller's.
//
//   orc_byte_rle  ->  #ifndef sluice_orc_byte_rle_DEVICE  how to call it; primitives; constants; struct Storage; token loops
//                     namespace sluice_orc_byte_rle {     and checked path; struct Result; decode<Sink>() }
//                     #undef of the primitives' macros    several such headers are included side by side
//
// Which formats have one: strategy/device_function.h.
#include <set>
#include <span>
#include <string>

#include "compiler/emit/context.h"
#include "compiler/emit/writer.h"
#include "compiler/plan/kernel.h"

namespace sluice::emit {

// "sluice_orc_rle_v2", and with parameters set "sluice_orc_rle_v2_T_i32". `set`: as on the command line, "T=i32".
[[nodiscard]] std::string device_namespace(const ir::Module& module, std::span<const std::string> set);

// What a chunk keeps in shared memory: struct Storage, behind struct Scratch.
void write_storage(Writer&, const Context&, const plan::Kernel&);
// struct Result and decode().
void write_decode(Writer&, const Context&, const plan::Plan&, const plan::Kernel&);
// The header around all that stands in its namespace. `macros`: that this defines.
[[nodiscard]] std::string device_header(const Context&, const plan::Kernel&, const std::string& name, std::string_view text,
                                        const std::set<std::string_view>& macros);

}  // namespace sluice::emit
