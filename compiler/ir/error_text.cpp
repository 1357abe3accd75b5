#include "compiler/ir/error_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "compiler/ir/elements.h"
#include "compiler/ir/names.h"

namespace sluice::ir {
namespace {

// The first statement that refuses through this site.
const Stmt* find_statement(const Block& statements, SiteId site) {
  for (const auto& s : statements) {
    for (const SiteId id : s->sites) {
      if (id == site) return s.get();
    }
    if (const Stmt* found = find_statement(s->body, site)) return found;
    if (const Stmt* found = find_statement(s->orelse, site)) return found;
  }
  return nullptr;
}

const Stmt* find_statement(const Module& module, SiteId site) {
  for (const Rule& rule : module.rules) {
    if (const Stmt* found = find_statement(rule.body, site)) return found;
  }
  return nullptr;
}

bool any_in_dictionary(const Block& statements) {
  return std::ranges::any_of(statements, [](const auto& s) { return s->dictionary || any_in_dictionary(s->body) || any_in_dictionary(s->orelse); });
}

// What a reader of the spec calls the statement.
std::string called(const Stmt* s) {
  if (s == nullptr) return "a field";
  if (!s->name.empty() && s->name != "_") return "`" + s->name + "`";
  switch (s->kind) {
    case Stmt::Kind::Literals: return "`literals`";
    case Stmt::Kind::Within: return "`within`";
    case Stmt::Kind::Producing: return "`producing`";
    case Stmt::Kind::Skip: return "`skip`";
    case Stmt::Kind::Emit: return "`emit`";
    case Stmt::Kind::Run: return "`run`";
    case Stmt::Kind::Copy: return "`copy`";
    case Stmt::Kind::BuildCode:
    case Stmt::Kind::BuildStates: return "`build`";
    case Stmt::Kind::Loop: return "`repeat`";
    case Stmt::Kind::Stage: return "`stage " + std::string(name(s->stage)) + "`";
    case Stmt::Kind::EmitBuffer: return "`" + spelling(s->form) + "`";
    case Stmt::Kind::ReadSymbol: return "a symbol";
    case Stmt::Kind::EmitSymbol: return "`symbol`";
    default: return "a field";
  }
}

// Longest piece of source in a sentence.
constexpr std::size_t kMaxQuoted = 48;

std::string sentence(const Module& module, const SourceSet& sources, SiteId id) {
  const Site& site = module.sites[id];
  if (!site.wrong.empty()) return quoted_source(sources, site.span) + " " + site.wrong;
  const Stmt* statement = find_statement(module, id);
  const std::string what = called(statement);
  const auto is = [&](Stmt::Kind kind) { return statement != nullptr && statement->kind == kind; };
  switch (site.reason) {
    case Reason::Reject: return "reject " + site.name;
    case Reason::TrailingBytes: return "reject " + site.name + ": bytes are left after the end";
    case Reason::EndOfInput: return "the input ends inside " + what;
    case Reason::OutputFull:
      if (is(Stmt::Kind::Producing)) return what + " wants more output than the region around it allows";
      if (const std::string further = statement == nullptr ? "" : further_output_of(module, *statement); !further.empty())
        return what + " makes more of the output `" + further + "` than the region around it allows";
      return what + " makes more output than the region around it allows";
    case Reason::BadDistance: return "the copy reaches back before the start of its window";
    case Reason::NoSuchCode:
      if (is(Stmt::Kind::EmitSymbol)) return "the input gave no bytes for this entry of " + what;
      return "the bits of " + what + " are not a code";
    case Reason::VarintTooLong: return "the varint " + what + " is too long or too large for its type";
    case Reason::OutOfRange:
      if (is(Stmt::Kind::Stage)) return what + " meets a position or an index that is not there";
      return "a value is out of range";
    case Reason::DivideByZero: return "division by zero";
    case Reason::Oversubscribed:
      if (is(Stmt::Kind::BuildStates)) return "the counts of " + what + " are of more states than it has";
      return "the code lengths of " + what + " claim more codes than there are";
    case Reason::Incomplete:
      if (is(Stmt::Kind::BuildStates)) return "the counts of " + what + " do not add up to a power of two";
      return "the code lengths of " + what + " leave codes unused";
    case Reason::BytesLeft:
      return (is(Stmt::Kind::Within) && (statement->flag || statement->backward) ? "bits" : "bytes") + std::string(" of the `within` region are left over");
    case Reason::BadPadding:
      return "the `within` region does not end in padding: zero bits from the highest down, and then a one";
    case Reason::OutputShort:
      if (is(Stmt::Kind::EmitBuffer)) return "the last run of " + what + " lacks its count";
      return "`producing` made fewer outputs than it had to";
    case Reason::Unaligned: return what + " does not start at a byte boundary";
    case Reason::NoProgress: return "a step of the `repeat` used no input and made no output";
  }
  return site.name;
}

constexpr std::array<CallError, 3> kCallErrors{{
    {1, "misaligned_input", "the input does not start at a multiple of what the schedule's `input_alignment` promises"},
    {2, "misaligned_output",
     "the output does not start at a multiple of what the schedule's `output_alignment` promises"},
    {3, "no_room", "the output needs more room than it was given"},
}};

}  // namespace

std::span<const CallError> call_errors() { return kCallErrors; }

std::optional<SiteId> find_site(const Module& module, std::uint64_t word) {
  if (word == 0) return std::nullopt;
  for (SiteId id = 0; id < module.sites.size(); ++id) {
    if (module.sites[id].rule == error_rule(word) && module.sites[id].clause == error_clause(word)) return id;
  }
  return std::nullopt;
}

std::string quoted_source(const SourceSet& sources, Span span) {
  if (span.length == 0 || span.file >= sources.size()) return "a value";
  std::string text;
  for (const char c : sources.text(span)) {
    const bool blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  if (text.size() > kMaxQuoted) text.replace(kMaxQuoted - 4, std::string::npos, " ...");
  return "`" + text + "`";
}

std::string describe_site(const Module& module, const SourceSet& sources, SiteId id) {
  const Site& site = module.sites[id];
  std::string place = site.rule < module.rules.size() ? module.rules[site.rule].name : module.name;
  place += fmt::format(", clause {}", site.clause);
  if (site.span.length != 0 && site.span.file < sources.size()) {
    const LineCol at = sources.line_col(site.span);
    place = fmt::format("{}:{}:{}", sources.name(site.span.file), at.line, at.column);
  }
  return fmt::format("{}: {}", place, sentence(module, sources, id));
}

std::string describe_call(std::string_view format, const CallError& error) {
  return fmt::format("{}: {}: {}", format, error.name, error.text);
}

bool reads_dictionary(const Module& module) {
  return std::ranges::any_of(module.rules, [](const Rule& rule) { return any_in_dictionary(rule.body); });
}

std::string at_bit_of_chunk(std::string_view site, std::uint64_t word, std::uint64_t chunk, bool reads_dictionary) {
  if (error_rule(word) == kCallRule) return fmt::format("{}, chunk {}", site, chunk);
  const ErrorPosition at = error_position(word, reads_dictionary);
  return fmt::format("{} at bit {} of {}chunk {}", site, at.bit, at.in_dictionary ? "the dictionary, " : "", chunk);
}

std::string unknown_word(std::string_view format, std::uint64_t word, std::uint64_t chunk) {
  return fmt::format("{}: unknown error word {:#018x} (rule {}, clause {}) at bit {} of chunk {}", format, word,
                     error_rule(word), error_clause(word), error_bit(word), chunk);
}

std::string describe(const Module& module, const SourceSet& sources, std::uint64_t word, std::uint64_t chunk) {
  if (word == 0) return "ok";
  if (const std::optional<SiteId> id = find_site(module, word))
    return at_bit_of_chunk(describe_site(module, sources, *id), word, chunk, reads_dictionary(module));
  for (const CallError& error : kCallErrors)
    if (word == call_word(error.clause)) return at_bit_of_chunk(describe_call(module.name, error), word, chunk, false);
  return unknown_word(module.name, word, chunk);
}

}  // namespace sluice::ir
