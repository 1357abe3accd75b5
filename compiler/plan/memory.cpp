#include "compiler/plan/memory.h"

#include <algorithm>

#include "compiler/analysis/input_views.h"
#include "compiler/analysis/uses.h"
#include "compiler/schedule/device.h"
#include "compiler/schedule/schedule.h"

namespace sluice::plan {
namespace {

using Kind = Member::Kind;

static_assert(kTempAlign % schedule::kMaxOutputAlignment == 0);

// Formats with temporary memory keep longer arrays there: with less shared memory a chunk, more of them are decoded at once.
constexpr std::uint64_t kLongArray = 4 << 10;
// At most a member's padding, and of one that lies elsewhere the pointer to it.
constexpr std::uint64_t kPadding = 8;
// Of prim::Code's words, and an entry's: ir::kTableEntryBytes.
constexpr std::uint64_t kWord = 4;
static_assert(kWord == ir::kTableEntryBytes);

// What may stand in front of a member so that it is aligned.
std::uint64_t padding(const Member& x) {
  if (x.kind == Kind::Array) return x.count == 0 ? 0 : x.bytes / x.count - 1;
  return x.kind == Kind::Code || x.kind == Kind::Lookup ? kWord - 1 : kPadding;
}
// What the stages that permute keep in shared memory beside it: prim::kStageRoomBytes.
constexpr std::uint64_t kStageRoom = 8 << 10;
// Lending is for what is worth a chunk more, and for buffers beside which the room is short.
constexpr std::uint64_t kLeastLent = 2 << 10, kLongBuffer = 16 * kStageRoom;

std::uint64_t bytes_of(ir::Type t) { return t.bits <= 8 ? 1 : t.bits <= 16 ? 2 : t.bits <= 32 ? 4 : 8; }

// Of prim::Code: on a CPU a word a length and a flag; in a kernel two words a length and one for the flag.
std::uint64_t bytes_of(const ir::Code& k, Target target) {
  const std::uint64_t lengths = k.max_bits + 1u, symbols = 2 * std::uint64_t{k.symbols};
  return on_gpu(target) ? 8 * lengths + symbols + 8 : (4 * lengths + symbols + 4) / 4 * 4;
}

// What is small, and what every token looks at.
std::vector<Member> small_members(const ir::Module& m, std::span<const Table> tables, Target target, unsigned asked_table_bits) {
  std::vector<Member> all;
  for (std::uint32_t i = 0; i < m.arrays.size(); ++i)
    all.push_back({Kind::Array, i, m.arrays[i].count, m.arrays[i].count * bytes_of(m.arrays[i].elem), true});
  for (std::uint32_t i = 0; i < m.codes.size(); ++i) {
    const ir::Code& k = m.codes[i];
    all.push_back({Kind::Code, i, k.copies, bytes_of(k, target) * k.copies, true, true});
  }
  for (std::uint32_t i = 0; i < m.symbols.size(); ++i)
    all.push_back({Kind::Symbols, i, m.symbols[i].count, std::uint64_t{m.symbols[i].count} * 9 + 8, true, true});
  for (std::uint32_t i = 0; i < tables.size(); ++i) {
    const ir::Code& k = m.codes[tables[i].code];
    const std::uint64_t entries =
        on_gpu(target) ? std::uint64_t{1} << table_bits(target, k, asked_table_bits) : ir::table_entries(k, ir::table_most(k));
    all.push_back({Kind::Lookup, i, entries, entry_bytes(tables[i].entry) * entries * k.copies, false, true});
  }
  return all;
}

void add_list(const analysis::Uses& uses, std::vector<Member>& all) {
  if (uses.mtf) all.push_back({Kind::MtfList, 0, 256, 256, false});
}

void add_buffers(const ir::Module& m, const std::vector<bool>& views, std::vector<Member>& all) {
  for (std::uint32_t i = 0; i < m.buffers.size(); ++i) {
    if (views[i]) continue;
    const std::uint64_t bytes = std::uint64_t{m.buffers[i].limit} * (m.output.bits / 8u);
    all.push_back({Kind::Buffer, i, bytes, bytes, false});
  }
}

// prim::bwt_spare_bytes of runtime/prim/cuda/permute.h, where the text of its pieces lies until they have places.
std::uint64_t bwt_spare_bytes(std::uint64_t n) {
  constexpr std::uint64_t kPieces = 2045, kNodesPerPiece = 64, kBlock = 128;
  const std::uint64_t pieces = std::min(n / kNodesPerPiece, kPieces) + 1;
  return 3 * kWord * pieces + (kWord + kBlock) * (n / kBlock + pieces);
}

// Elements of the longest buffer.
std::uint64_t longest_buffer(const ir::Module& m, const std::vector<bool>& views) {
  std::uint64_t longest = 0;
  for (std::uint32_t i = 0; i < m.buffers.size(); ++i)
    if (!views[i]) longest = std::max<std::uint64_t>(longest, m.buffers[i].limit);
  return longest;
}

// What inverse_bwt needs for the longest buffer.
void add_links(const ir::Module& m, const std::vector<bool>& views, const analysis::Uses& uses, Target target,
               std::vector<Member>& all) {
  if (!uses.bwt) return;
  const std::uint64_t longest = longest_buffer(m, views), spare = on_gpu(target) ? bwt_spare_bytes(longest) : longest;
  all.push_back({Kind::BwtLinks, 0, longest, 4 * longest, false});
  all.push_back({Kind::BwtText, 0, spare, spare, false});
}

// note [lent room]
void lend_room(Memory& memory) {
  const auto waits = [](const Member& x) { return x.shared && (x.kind == Kind::Code || x.kind == Kind::Lookup); };
  for (const Member& x : memory.members)
    if (waits(x)) memory.under_stages += x.bytes + padding(x);
  if (memory.under_stages < kLeastLent) {
    memory.under_stages = 0;
    return;
  }
  for (Member& x : memory.members) x.under_stages = waits(x);
  memory.stages_bytes = 0;
}

}  // namespace

std::vector<Member> members_of(const ir::Module& m, std::span<const Table> tables) {
  const analysis::Uses uses = analysis::uses_of(m);
  const std::vector<bool> views = analysis::input_views(m);
  std::vector<Member> all = small_members(m, tables, Target::Cpu, 0);
  add_buffers(m, views, all);
  add_list(uses, all);
  add_links(m, views, uses, Target::Cpu, all);
  return all;
}

Memory memory_of(const ir::Module& m, std::span<const Table> tables, std::uint64_t most_shared,
                 LongArrays long_arrays, std::uint64_t staging_bytes, unsigned asked_table_bits,
                 const std::set<std::uint32_t>& lent_arrays) {
  const analysis::Uses uses = analysis::uses_of(m);
  const std::vector<bool> views = analysis::input_views(m);
  const bool buffers = std::ranges::find(views, false) != views.end();
  const bool any_length = !buffers || long_arrays == LongArrays::Shared;
  Memory memory;
  memory.most_shared = most_shared;
  memory.staging_bytes = staging_bytes;
  memory.stages_bytes = uses.mtf || uses.bwt ? kStageRoom : 0;
  memory.members = small_members(m, tables, Target::Warp, asked_table_bits);
  add_list(uses, memory.members);
  for (Member& x : memory.members) x.lent = x.kind == Kind::Array && lent_arrays.contains(x.index);

  // What every token looks at comes first, then what is small: a long array is read now and then.
  std::vector<Member*> order;
  for (Member& x : memory.members) order.push_back(&x);
  std::ranges::stable_sort(order, [](const Member* x, const Member* y) {
    return x->hot != y->hot ? x->hot : x->bytes < y->bytes;
  });
  std::uint64_t used = memory.stages_bytes + staging_bytes;
  for (Member* x : order) {
    if (x->lent) {
      x->zeroed = false;
      memory.lent_bytes += (x->bytes + 7) / 8 * 8;
      continue;
    }
    x->shared = used + x->bytes + padding(*x) <= most_shared && (x->hot || any_length || x->bytes <= kLongArray);
    if (x->shared) used += x->bytes + padding(*x);
  }
  if (memory.stages_bytes != 0 && longest_buffer(m, views) >= kLongBuffer) lend_room(memory);
  add_buffers(m, views, memory.members);  // of stages: in temporary memory, always
  add_links(m, views, uses, Target::Warp, memory.members);

  memory.scratch_bytes = kPadding;  // its end
  memory.shared_bytes = memory.stages_bytes + staging_bytes;
  if (memory.under_stages != 0) {  // the room's rest, a word at least, and the pointer to what waits
    const std::uint64_t rest = memory.under_stages < kStageRoom ? kStageRoom - memory.under_stages : 0;
    memory.scratch_bytes += rest + kWord + kPadding;
    memory.shared_bytes += rest + kWord + kPadding;
    memory.temporary_bytes += (memory.under_stages / kTempAlign + 2) * kTempAlign;
  }
  for (const Member& x : memory.members) {
    const std::uint64_t here = x.shared ? x.bytes + padding(x) : kPadding;
    memory.scratch_bytes += here;
    memory.shared_bytes += here;
    if (!x.shared && !x.lent) memory.temporary_bytes += (x.bytes / kTempAlign + 2) * kTempAlign;  // in order, each aligned
  }
  memory.scratch_bytes = (memory.scratch_bytes + 15) / 16 * 16;
  memory.temporary_bytes = (memory.temporary_bytes + 255) / 256 * 256;
  return memory;
}

}  // namespace sluice::plan
