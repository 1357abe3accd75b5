#include "compiler/schedule/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sluice::schedule {
namespace {

struct Word {
  std::string_view text;
  Span span;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Words between blanks and the characters of `separators`; '#' starts a comment that goes to the end of the line.
std::vector<Word> words_of(std::string_view text, std::uint32_t file, std::uint32_t offset,
                           std::string_view separators) {
  std::vector<Word> words;
  const std::string ends = " \t\r\n#" + std::string(separators);
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (ends.find(text[at]) != std::string::npos) {
      ++at;
    } else {
      const std::size_t end = std::min(text.find_first_of(ends, at), text.size());
      words.push_back({text.substr(at, end - at),
                       {file, offset + static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end - at)}});
      at = end;
    }
  }
  return words;
}

class Reader {
 public:
  explicit Reader(DiagSink& sink) : sink_(sink) {}

  // One directive from its words; reports what is wrong with it.
  void directive(const Word& name, const Word* value, std::vector<Setting>& settings) {
    const Directive* found = find_directive(name.text);
    if (!found) {
      unknown(name);
      return;
    }
    if (!value) {
      sink_.error(Code::BadDirectiveValue, name.span, fmt::format("`{}` has no value", name.text))
          .help(fmt::format("it takes {}", found->values));
      return;
    }
    Schedule scratch;
    if (!found->set(scratch, value->text)) {
      sink_
          .error(Code::BadDirectiveValue, value->span, fmt::format("`{}` does not take `{}`", found->name, value->text))
          .help(fmt::format("it takes {}", found->values));
      return;
    }
    const auto same = std::ranges::find(settings, found, &Setting::directive);
    if (same != settings.end()) {
      sink_.error(Code::DirectiveTwice, name.span, fmt::format("`{}` is given twice", found->name))
          .note(same->name_span, "the first time is here");
      return;
    }
    settings.push_back({found, std::string(value->text), name.span, value->span});
  }

 private:
  void unknown(const Word& name) {
    std::vector<std::string_view> known;
    std::string list;
    for (const Directive& d : directives()) {
      known.push_back(d.name);
      list += fmt::format("{}`{}`", list.empty() ? "" : ", ", d.name);
    }
    const auto near = did_you_mean(name.text, known);
    sink_.error(Code::UnknownDirective, name.span, fmt::format("no directive `{}`", name.text))
        .help(near ? fmt::format("did you mean `{}`?", *near) : "there are " + list);
  }

  DiagSink& sink_;
};

}  // namespace

bool is_architecture(std::string_view word) {
  if (!word.starts_with("sm_")) return false;
  word.remove_prefix(3);
  const std::size_t digits = static_cast<std::size_t>(std::ranges::find_if_not(word, is_digit) - word.begin());
  const std::string_view suffix = word.substr(digits);
  return (digits == 2 || digits == 3) && (suffix.empty() || suffix == "a" || suffix == "f");
}

std::vector<Setting> parse_list(const SourceSet& sources, std::uint32_t file, DiagSink& sink) {
  const auto words = words_of(sources.text(file), file, 0, ",=");
  std::vector<Setting> settings;
  Reader reader(sink);
  for (std::size_t i = 0; i < words.size(); i += 2)
    reader.directive(words[i], i + 1 < words.size() ? &words[i + 1] : nullptr, settings);
  return settings;
}

std::vector<Section> parse_file(const SourceSet& sources, std::uint32_t file, DiagSink& sink) {
  const std::string_view text = sources.text(file);
  std::vector<Section> sections;
  std::vector<Setting> nowhere;  // of directives above every section
  Reader reader(sink);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const auto words = words_of(text.substr(start, end - start), file, static_cast<std::uint32_t>(start), "");
    const bool indented = text[start] == ' ' || text[start] == '\t';
    start = end + 1;
    if (words.empty()) continue;
    if (!indented) {
      std::string_view target = words[0].text;
      const bool colon = target.ends_with(':');
      if (colon) target.remove_suffix(1);
      const bool known = target == "cuda" || (target.starts_with("cuda:") && is_architecture(target.substr(5)));
      if (!colon || !known || words.size() > 1) {
        sink.error(Code::ScheduleSection, cover(words.front().span, words.back().span),
                   "a section is expected at the left margin")
            .help("write `cuda:`, or `cuda:sm_90:` for one architecture, and the directives indented below");
        sections.push_back({"", words[0].span, {}});  // what follows is no directive of the section before
        continue;
      }
      const auto same = std::ranges::find(sections, target, &Section::target);
      if (same != sections.end())
        sink.error(Code::DirectiveTwice, words[0].span, fmt::format("section `{}` is given twice", target))
            .note(same->span, "the first time is here");
      sections.push_back({std::string(target), words[0].span, {}});
      continue;
    }
    if (sections.empty() && nowhere.empty())
      sink.error(Code::ScheduleSection, words[0].span, "a directive stands in no section")
          .help("write `cuda:` above it, at the left margin");
    std::vector<Setting>& settings = sections.empty() ? nowhere : sections.back().settings;
    reader.directive(words[0], words.size() > 1 ? &words[1] : nullptr, settings);
    if (words.size() > 2)
      sink.error(Code::BadDirectiveValue, cover(words[2].span, words.back().span), "words are left after the value")
          .help("a line holds one directive: its name and its value");
  }
  return sections;
}

const Section* section_for(const std::vector<Section>& sections, std::string_view target) {
  for (const std::string_view wanted : {target, target.substr(0, target.find(':'))}) {
    const auto at = std::ranges::find(sections, wanted, &Section::target);
    if (at != sections.end()) return &*at;
  }
  return nullptr;
}

}  // namespace sluice::schedule
