#include "dsl/diag/diag.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace sluice {

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "error";
}

namespace {

constexpr CodeInfo kCodes[] = {
#define SLUICE_CODE(name, id, severity, title, explanation) {Code::name, id, Severity::severity, title, explanation},
#include "dsl/diag/codes.def"
};

// Ids are unique and rise within the file, so a section can't grow into the next one unseen.
constexpr bool ids_rise() {
  for (std::size_t i = 1; i < std::size(kCodes); ++i)
    if (!(kCodes[i - 1].id < kCodes[i].id)) return false;
  return true;
}
static_assert(ids_rise(), "codes.def: ids must be unique and in order");

// Optimal string alignment distance: insert, delete, replace, swap two neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

template <class Text>
std::optional<std::string> closest(std::string_view name, std::span<const Text> candidates) {
  const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
  std::optional<std::string> best;
  std::size_t best_distance = limit + 1;
  for (const Text& candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size()),
                      shorter = std::min(name.size(), candidate.size());
    if (candidate == name || longer - shorter >= best_distance) continue;
    const std::size_t distance = edit_distance(name, candidate);
    // Replacing every character is no likeness: `a` is not a misspelt `b`.
    if (distance < best_distance && distance < longer) {
      best_distance = distance;
      best = std::string(candidate);
    }
  }
  return best;
}

}  // namespace

std::span<const CodeInfo> all_codes() { return kCodes; }

const CodeInfo& code_info(Code code) { return kCodes[static_cast<std::size_t>(code)]; }

const CodeInfo* find_code(std::string_view id) {
  const auto same = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
  };
  for (const CodeInfo& info : kCodes)
    if (std::equal(info.id.begin(), info.id.end(), id.begin(), id.end(), same)) return &info;
  return nullptr;
}

DiagBuilder& DiagBuilder::note(Span span, std::string text) {
  diagnostic_->notes.push_back({span, std::move(text)});
  return *this;
}

DiagBuilder DiagSink::report(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error) ++errors_;
  diagnostics_.push_back(std::move(diagnostic));
  return DiagBuilder(diagnostics_.back());
}

DiagBuilder DiagSink::report(Code code, Span span, std::string message) {
  return report(Diagnostic{code, code_info(code).severity, span, std::move(message), {}, {}, true});
}

DiagBuilder DiagSink::error(Code code, Span span, std::string message) {
  return report(Diagnostic{code, Severity::Error, span, std::move(message), {}, {}, true});
}

DiagBuilder DiagSink::warning(Code code, Span span, std::string message) {
  return report(Diagnostic{code, Severity::Warning, span, std::move(message), {}, {}, true});
}

DiagBuilder DiagSink::error_nowhere(Code code, std::string message) {
  return report(Diagnostic{code, Severity::Error, {}, std::move(message), {}, {}, false});
}

void DiagSink::note_from(std::size_t first, Span span, const std::string& text) {
  for (; first < diagnostics_.size(); ++first) diagnostics_[first].notes.push_back({span, text});
}

std::optional<std::string> did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  return closest(name, candidates);
}

std::optional<std::string> did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  return closest(name, candidates);
}

}  // namespace sluice
