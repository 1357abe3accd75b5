// An error word in parts. A description that was compiled here has its sites; an artifact keeps each site's place as the
// beginning of its sentence, "deflate.sluice:31:7: ..." (ir::describe_site), and that is read back.
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

#include "compiler/ir/error_text.h"
#include "runtime/api/decoder_base.h"

namespace sluice {
namespace {

// Takes ":NUMBER" off the end of `text`; nothing, with `text` as it was, when it does not end so.
std::optional<unsigned> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  unsigned value = 0;
  const char *first = text.data() + colon + 1, *last = text.data() + text.size();
  if (const auto [end, error] = std::from_chars(first, last, value); error != std::errc() || end != last || first == last)
    return std::nullopt;
  text = text.substr(0, colon);
  return value;
}

// "deflate.sluice:31:7: reject bad_distance". The place ends at the first ": " with two numbers before it, which no
// "rule, clause 3: ..." of a site without a place has.
void read_place(std::string_view sentence, ErrorPlace& place) {
  std::string_view text = sentence.substr(0, sentence.find(": "));
  const auto column = take_number(text);
  const auto line = column ? take_number(text) : std::nullopt;
  if (!line) return;
  place.file = text;
  place.line = *line;
  place.column = *column;
}

// Of the call and not of the format; false when `word` is none of these.
bool is_call_error(std::uint64_t word, ErrorPlace& place) {
  for (const ir::CallError& error : ir::call_errors())
    if (word == ir::call_word(error.clause)) {
      place.reason = error.name;
      return true;
    }
  return false;
}

void tell_bit(std::uint64_t word, bool reads_dictionary, ErrorPlace& place) {
  const ir::ErrorPosition at = ir::error_position(word, reads_dictionary);
  place.bit = at.bit;
  place.in_dictionary = at.in_dictionary;
}

ErrorPlace place_of(const artifact::Format& format, std::uint64_t word) {
  ErrorPlace place;
  if (is_call_error(word, place)) return place;
  for (const artifact::Site& site : format.sites) {
    if (site.rule != ir::error_rule(word) || site.clause != ir::error_clause(word)) continue;
    place.rule = site.rule_name;
    place.reason = site.name;
    tell_bit(word, format.reads_dictionary, place);
    read_place(site.text, place);
    break;
  }
  return place;
}

}  // namespace

ErrorPlace place_of(const ir::Module& module, const SourceSet& sources, std::uint64_t word) {
  ErrorPlace place;
  if (is_call_error(word, place)) return place;
  const auto id = ir::find_site(module, word);
  if (!id) return place;
  const ir::Site& site = module.sites[*id];
  if (site.rule < module.rules.size()) place.rule = module.rules[site.rule].name;
  place.reason = site.name;
  tell_bit(word, ir::reads_dictionary(module), place);
  if (site.span.length != 0 && site.span.file < sources.size()) {
    const LineCol at = sources.line_col(site.span);
    place.file = sources.name(site.span.file);
    place.line = at.line;
    place.column = at.column;
  }
  return place;
}

ErrorPlace DecoderBase::place(std::uint64_t word) const {
  if (word == 0) return {};
  return built ? place_of(*built, word) : place_of(module(), compiled->sources, word);
}

}  // namespace sluice
