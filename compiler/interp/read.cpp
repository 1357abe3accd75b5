// Fields: how one value is taken from the input.
#include "compiler/interp/machine.h"

namespace sluice::interp {

using Kind = ir::ReadSpec::Kind;
using Order = ir::ReadSpec::Order;

std::optional<std::uint64_t> Machine::read_value(const ir::ReadSpec& spec, const std::array<ir::SiteId, 3>& sites) {
  switch (spec.kind) {
    case Kind::Fixed: return read_width(spec, spec.type.bits, sites[0]);
    case Kind::Computed: {
      const std::uint64_t width = eval(spec.width);
      if (width > 64 || (spec.order != Order::Stream && width % 8 != 0)) {
        broken();
        return std::nullopt;
      }
      return read_width(spec, static_cast<unsigned>(width), sites[0]);
    }
    case Kind::Varint: return read_varint(spec, sites);
    case Kind::Code: return read_code(spec, sites);
    case Kind::Ranges: return read_ranges(spec, sites[0]);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Machine::read_width(const ir::ReadSpec& spec, unsigned width, ir::SiteId end_of_input) {
  if (in_.left() < width) {
    fail(end_of_input, in_.position());
    return std::nullopt;
  }
  if (width == 0) return 0;
  if (spec.order != Order::Stream && !in_.aligned()) {
    broken();
    return std::nullopt;
  }
  const std::uint64_t raw =
      spec.order == Order::Stream ? in_.bits(width) : in_.bytes(width / 8, spec.order == Order::Big);
  return extend(raw, {static_cast<std::uint8_t>(width), spec.type.is_signed});
}

std::optional<std::uint64_t> Machine::read_varint(const ir::ReadSpec& spec, const std::array<ir::SiteId, 3>& sites) {
  const std::uint64_t start = in_.position();
  const unsigned groups = (spec.type.bits + 6u) / 7u;  // at most 10: 70 bits, which i128 holds
  ir::i128 raw = 0;
  bool more = true;
  for (unsigned group = 0; more && group < groups; ++group) {
    if (in_.left() < 8) {
      in_.move_to(start);
      fail(sites[0], start);
      return std::nullopt;
    }
    const std::uint64_t byte = in_.bits(8);
    raw |= static_cast<ir::i128>(byte & 0x7f) << (7 * group);
    more = (byte & 0x80) != 0;
  }
  if (more || raw > ir::range_of({spec.type.bits, false}).hi) {
    in_.move_to(start);
    fail(sites[1], start);
    return std::nullopt;
  }
  const std::uint64_t value = static_cast<std::uint64_t>(raw);
  return spec.type.is_signed ? (value >> 1) ^ (0 - (value & 1)) : value;
}

std::optional<std::uint64_t> Machine::read_code(const ir::ReadSpec& spec, const std::array<ir::SiteId, 3>& sites) {
  const std::uint64_t copy = spec.index ? eval(spec.index) : 0;
  if (copy >= codes_[spec.ref].size()) {
    broken();
    return std::nullopt;
  }
  const PrefixCode::Symbol symbol = codes_[spec.ref][copy].decode(in_);
  if (symbol.value) return *symbol.value;
  fail(symbol.miss == PrefixCode::Miss::EndOfInput ? sites[0] : sites[1], in_.position());
  return std::nullopt;
}

std::optional<std::uint64_t> Machine::read_ranges(const ir::ReadSpec& spec, ir::SiteId end_of_input) {
  const ir::Ranges& ranges = module_.ranges[spec.ref];
  const std::uint64_t index = eval(spec.index);
  if (index >= ranges.base.size() || index >= ranges.extra.size()) {
    broken();
    return std::nullopt;
  }
  const unsigned extra = ranges.extra[index];
  if (in_.left() < extra) {
    fail(end_of_input, in_.position());
    return std::nullopt;
  }
  return ranges.base[index] + in_.bits(extra);
}

}  // namespace sluice::interp
