#include "compiler/plan/kernel_text.h"

#include <fmt/format.h>

#include "compiler/schedule/directives.h"

namespace sluice::plan {
namespace {

std::string name_of(const ir::Module& m, const Member& member, std::span<const Table> tables) {
  switch (member.kind) {
    case Member::Kind::Array:
      return fmt::format("array `{}`", m.arrays[member.index].name);
    case Member::Kind::Code:
      return fmt::format("code `{}`", m.codes[member.index].name);
    case Member::Kind::Symbols:
      return fmt::format("symbols `{}`", m.symbols[member.index].name);
    case Member::Kind::Lookup:
      return fmt::format("table {} of `{}`", member.index, m.codes[tables[member.index].code].name);
    case Member::Kind::MtfList:
      return "list of inverse_mtf";
    case Member::Kind::Buffer:
      return fmt::format("buffer `{}`", m.buffers[member.index].name);
    case Member::Kind::BwtLinks:
      return "links of inverse_bwt";
    case Member::Kind::BwtText:
      return "text of inverse_bwt";
  }
  return "";
}

}  // namespace

std::string print(const ir::Module& module, const Kernel& kernel, std::span<const Table> tables) {
  const Memory& memory = kernel.memory;
  std::string text = fmt::format("# kernel {}: {}\n", kernel.device.arch, schedule::to_text(kernel.schedule));
  if (kernel.outputs == Outputs::Sink)
    text += "# a warp of the caller's kernel, which hands outputs to a sink of the caller's\n";
  else text += fmt::format(
      "# {} workers a chunk, {} in blocks of {} threads{}{}{}{}{}\n", kernel.workers,
      kernel.launch.chunks_per_block == 1 ? "one chunk" : fmt::format("{} chunks", kernel.launch.chunks_per_block),
      kernel.launch.threads_per_block, kernel.prefetch ? ", a warp of which asks for the input ahead" : "",
      kernel.chunk_warps == 1 ? "" : fmt::format(", {} warps of which find its tokens", kernel.chunk_warps),
      kernel.walker_warps == 0 ? "" : ", a warp of which walks its input ahead",
      kernel.writer_warps == 0 ? "" : ", a warp of which writes its output",
      kernel.min_blocks == 0 ? "" : fmt::format(", {} blocks on a multiprocessor", kernel.min_blocks));
  if (kernel.objects.count > 1)
    text += fmt::format("# can be compiled as {} objects side by side, of {} registers a thread\n", kernel.objects.count, kernel.objects.registers);
  text += fmt::format("# shared {} of {} bytes a chunk, temporary {} bytes\n", memory.shared_bytes, memory.most_shared,
                      memory.temporary_bytes);
  for (const Member& member : memory.members)
    text += fmt::format("#   {}: {} bytes, {}{}\n", name_of(module, member, tables), member.bytes,
                        member.under_stages ? "shared, waits while a stage runs" : member.shared ? "shared" : member.lent ? "shared, lent" : "temporary", member.zeroed ? ", zeroed" : "");
  return text;
}

std::string print(const ir::Module& module, std::span<const Member> members, std::span<const Table> tables) {
  std::uint64_t bytes = 0;
  std::string text;
  for (const Member& member : members) {
    bytes += member.bytes;
    text += fmt::format("#   {}: {} bytes{}\n", name_of(module, member, tables), member.bytes,
                        member.zeroed ? ", zeroed" : "");
  }
  return text.empty() ? "" : fmt::format("# {} bytes a chunk\n", bytes) + text;
}

}  // namespace sluice::plan
