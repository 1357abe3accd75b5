#pragma once
// Diagnostics: what is wrong with a spec, where, and what to do about it.
//
//   sink.error(Code::Expected, span, "expected `]`").note(open, "to match this `[`").help("...");
//
// Phases report into a sink and go on; nothing throws. Rendering is separate (render.h).
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dsl/source/span.h"

namespace sluice {

enum class Severity : std::uint8_t { Error, Warning, Note };

// "error", "warning" or "note".
std::string_view severity_name(Severity severity);

// One enumerator per row of codes.def, in its order.
enum class Code : std::uint16_t {
#define SLUICE_CODE(name, id, severity, title, explanation) name,
#include "dsl/diag/codes.def"
};

struct CodeInfo {
  Code code;
  std::string_view id;           // "SL0101"
  Severity severity;             // of reports made with DiagSink::report(code, ...)
  std::string_view title;        // one line
  std::string_view explanation;  // a paragraph, unwrapped
};

// All codes in the order of codes.def; indexed by Code.
std::span<const CodeInfo> all_codes();
const CodeInfo& code_info(Code code);
// The code with this id ("SL0101", any case); null when there is none.
const CodeInfo* find_code(std::string_view id);

// A second place that helps to understand the first.
struct Note {
  Span span;
  std::string text;
};

struct Diagnostic {
  Code code{};
  Severity severity = Severity::Error;
  Span span;            // narrowest wrong thing
  std::string message;  // one line, lower case, no full stop
  std::vector<Note> notes;
  std::string help;       // what to write instead; empty: none
  bool has_place = true;  // false: about the command line or the whole run, `span` means nothing
};

class DiagSink;

// Adds to a diagnostic that has just been reported. Valid until the sink is cleared or destroyed.
class DiagBuilder {
 public:
  DiagBuilder& note(Span span, std::string text);
  DiagBuilder& help(std::string text) {
    diagnostic_->help = std::move(text);
    return *this;
  }

 private:
  friend class DiagSink;
  explicit DiagBuilder(Diagnostic& d) : diagnostic_(&d) {}
  Diagnostic* diagnostic_;
};

// Collects diagnostics in order of report. Not thread-safe: one sink per compilation.
class DiagSink {
 public:
  DiagBuilder report(Diagnostic diagnostic);
  // With the severity of the code's row.
  DiagBuilder report(Code code, Span span, std::string message);
  DiagBuilder error(Code code, Span span, std::string message);
  DiagBuilder warning(Code code, Span span, std::string message);
  // An error about no place in a text (command line, files).
  DiagBuilder error_nowhere(Code code, std::string message);
  // Adds a note to each diagnostic from number `first` on: a place that those have in common.
  void note_from(std::size_t first, Span span, const std::string& text);

  std::size_t error_count() const { return errors_; }
  bool ok() const { return errors_ == 0; }
  const std::deque<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::deque<Diagnostic> diagnostics_;  // a deque: builders keep pointing at their element
  std::size_t errors_ = 0;
};

// The candidate that `name` was most likely meant to be: smallest edit distance (insert, delete, replace, swap
// neighbours), at most a third of the name's length; nothing when none is close. Ties: the first candidate.
std::optional<std::string> did_you_mean(std::string_view name, std::span<const std::string> candidates);
std::optional<std::string> did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace sluice
