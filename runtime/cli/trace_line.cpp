#include "runtime/cli/trace_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "compiler/ir/names.h"

namespace sluice::cli {
namespace {

using Event = interp::TraceEvent;
using Kind = Event::Kind;

constexpr std::size_t kMaxShownBytes = 40, kMaxShownElements = 8;

std::string character(std::uint8_t byte) {
  switch (byte) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    default:
      break;
  }
  return byte >= 0x20 && byte < 0x7f ? std::string(1, static_cast<char>(byte)) : fmt::format("\\x{:02x}", byte);
}

std::string number(std::uint64_t value, ir::Type type) {
  if (type.is_signed) return fmt::format("{}", static_cast<std::int64_t>(value));
  if (value < 10) return fmt::format("{}", value);
  return fmt::format("{} (0x{:x})", value, value);
}

// `count` elements of the output from `first`: text for bytes, numbers for wider elements; shortened.
std::string shown(ir::Type element, std::span<const std::uint8_t> output, std::uint64_t first, std::uint64_t count) {
  const std::size_t size = element.bits / 8u;
  const std::uint64_t there = output.size() / size;
  if (first >= there) return {};
  count = std::min(count, there - first);
  if (size == 1) {
    std::string text;
    for (const std::uint8_t byte : output.subspan(first, std::min<std::uint64_t>(count, kMaxShownBytes)))
      text += character(byte);
    return fmt::format(" \"{}\"{}", text, count > kMaxShownBytes ? "..." : "");
  }
  std::string text;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, kMaxShownElements); ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, output.data() + (first + i) * size, size);
    if (element.is_signed && element.bits < 64) {
      const std::uint64_t sign = 1ull << (element.bits - 1u);
      value = (value ^ sign) - sign;
    }
    text += element.is_signed ? fmt::format(" {}", static_cast<std::int64_t>(value)) : fmt::format(" {}", value);
  }
  return fmt::format(" ={}{}", text, count > kMaxShownElements ? " ..." : "");
}

// The same of a buffer's elements.
std::string shown(ir::Type element, const std::vector<std::uint64_t>& buffer, std::uint64_t first, std::uint64_t count) {
  const std::size_t size = element.bits / 8u;
  if (first >= buffer.size()) return {};
  count = std::min<std::uint64_t>(count, buffer.size() - first);
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, kMaxShownBytes + 1); ++i)
    for (std::size_t byte = 0; byte < size; ++byte)
      bytes.push_back(static_cast<std::uint8_t>(buffer[first + i] >> (8 * byte)));
  return shown(element, bytes, 0, count);
}

// What the event's statement has output.
std::string shown(const ir::Module& module, const Event& event, std::span<const std::uint8_t> output) {
  if (event.into != nullptr) return shown(module.output, *event.into, event.output, event.count);
  return shown(event.element, event.further == ir::Stmt::kNoSlot ? output : event.further_out, event.output, event.count);
}

std::string emitted(const Event& event, ir::Type element) {
  if (element.bits == 8 && !element.is_signed)
    return fmt::format("emit {} \"{}\"", event.value, character(static_cast<std::uint8_t>(event.value)));
  return "emit " + number(event.value, element);
}

std::string what(const ir::Module& module, const Event& event, std::span<const std::uint8_t> output) {
  switch (event.kind) {
    case Kind::Field:
      return fmt::format("{} = {}", event.name.empty() ? "_" : event.name, number(event.value, event.type));
    case Kind::Let:
      if (event.stmt != nullptr && event.stmt->kind == ir::Stmt::Kind::SetElem)
        return fmt::format("{}[{}] := {}", event.name, event.count, number(event.value, event.type));
      return fmt::format("{} := {}", event.name, number(event.value, event.type));
    case Kind::Emit:
      return emitted(event, event.element);
    case Kind::Literals:
      return fmt::format("literals {}{}", event.count, shown(module, event, output));
    case Kind::Run:
      return fmt::format("run of {}{}", event.count, shown(module, event, output));
    case Kind::Copy:
      return fmt::format("copy distance {}, length {}{}", event.value, event.count, shown(module, event, output));
    case Kind::Build:
      if (event.stmt != nullptr && event.stmt->kind == ir::Stmt::Kind::BuildStates)
        return fmt::format("build {} from {} counts: {} states", event.name, event.count, event.value);
      return fmt::format("build {} from {} lengths: {} codes", event.name, event.count, event.value);
    case Kind::Align:
      return event.bits == 0 ? "" : "align";
    case Kind::Skip:
      return fmt::format("skip {} bytes", event.bits / 8);
    case Kind::Region:
      if (event.stmt != nullptr && event.stmt->dictionary) return fmt::format("within the dictionary, {} bytes", event.count);
      return fmt::format("within {} {}{}", event.count, event.stmt != nullptr && event.stmt->flag ? "bits" : "bytes",
                         event.stmt != nullptr && event.stmt->backward ? ", backward" : "");
    case Kind::Producing:
      return fmt::format("producing {}", event.count);
    case Kind::Into:
      return fmt::format("into {}", event.name);
    case Kind::Filled:
      return fmt::format("{} {} {}", event.name, event.stmt != nullptr && event.stmt->further ? "has got" : "holds", event.count);
    case Kind::Stage:
      return fmt::format("stage {} of {} ({})", event.stmt == nullptr ? "" : ir::name(event.stmt->stage), event.name,
                         event.count);
    case Kind::Buffer:
      if (event.stmt != nullptr && event.stmt->form == ir::BufferForm::Slice)
        return fmt::format("literals {}[{}, {}]{}", event.name, event.value, event.count, shown(module, event, output));
      return fmt::format("emit {} of {}: {}{}", ir::name(event.stmt != nullptr ? event.stmt->form : ir::BufferForm::All),
                         event.name, event.count, shown(module, event, output));
    case Kind::Symbol:
      return fmt::format("{} {}[{}]: {} bytes{}", event.bits != 0 ? "read" : "symbol", event.name, event.value,
                         event.count, event.bits != 0 ? "" : shown(module, event, output));
    case Kind::Enter:
      return fmt::format("{}:", event.rule == 0 ? module.name : event.name);
    case Kind::Leave: {
      const ir::Rule& rule = module.rules[event.rule];
      return rule.result ? fmt::format("return {}", number(event.value, *rule.result)) : "";
    }
    case Kind::Accept:
      return fmt::format("accept {}", event.name);
    case Kind::Error:
      return fmt::format("REFUSED: {}", event.site < module.sites.size() ? module.sites[event.site].name : "");
  }
  return {};
}

}  // namespace

std::optional<FurtherRooms> FurtherRooms::make(const ir::Module& module, std::uint64_t bytes) {
  FurtherRooms rooms;
  for (const ir::Output& output : module.outputs) {
    auto buffer = reserve(bytes, 1);
    if (!buffer) return std::nullopt;
    rooms.rooms_.push_back({buffer->bytes(), buffer->bytes().size() / (output.type.bits / 8u)});
    rooms.buffers_.push_back(std::move(*buffer));
  }
  return rooms;
}

std::string_view trace_heading() { return "         bit   width      output  what"; }

std::string trace_line(const ir::Module& module, const Event& event, std::span<const std::uint8_t> output) {
  const std::string text = what(module, event, output);
  if (text.empty()) return {};
  // A rule's name stands one level above what the rule does.
  const std::size_t depth = event.kind == Kind::Enter ? event.depth : event.depth + 1;
  return fmt::format("{:>12}  {:>6}  {:>10}  {:{}}{}", event.bit, event.bits == 0 ? "" : std::to_string(event.bits),
                     event.output, "", depth * 2, text);
}

}  // namespace sluice::cli
