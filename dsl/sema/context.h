#pragma once
// What the phases of sema share: symbols, module instances, and the format that grows.
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "dsl/sema/interval.h"
#include "dsl/sema/sema.h"

namespace sluice::sema {

// Limits of a format. Rules and clauses are bounded by the fields of the error word (10 and 14 bits).
inline constexpr std::uint64_t kMaxRules = (1u << 10) - 1;
inline constexpr std::uint64_t kMaxClauses = (1u << 14) - 1;
inline constexpr std::size_t kMaxInstances = 16;
inline constexpr std::uint64_t kMaxArrayElements = 1u << 20;
inline constexpr std::uint64_t kMaxTableElements = 1u << 20;
inline constexpr std::uint64_t kMaxCodeSymbols = 65536;  // symbols are held in 16 bits
inline constexpr std::uint64_t kMaxCodeBits = 20;        // a full look-up table of 2^20 entries is the largest
inline constexpr std::uint64_t kMaxCodeCopies = 64;
inline constexpr std::uint64_t kMaxBufferElements = 1u << 24;  // of each buffer: part of a chunk's memory
inline constexpr std::uint64_t kMaxSymbols = 65536;            // entries of one declaration: codes of 16 bits
inline constexpr std::uint64_t kMaxWindow = 1ull << 32;
// Most outputs of a chunk, of any format: capacities are below it, so sums of two counts fit 64 bits.
inline constexpr i128 kMaxOutputs = static_cast<i128>(1) << 62;
// A counted loop whose steps may do nothing is bounded by its count alone: more steps than this is an error.
inline constexpr std::uint64_t kMaxIdleSteps = 1u << 20;

struct Symbol {
  enum class Kind : std::uint8_t {
    Type,
    Const,
    Argument,
    Table,
    Ranges,
    Array,
    Global,
    Code,
    State,
    Rule,
    Local,
    Module,
    Buffer,
    Output,
    Symbols
  };
  Kind kind = Kind::Local;
  std::string name;
  Span span;
  std::uint32_t id = 0;   // index in the format's list, or slot; Module: index into Instance::modules
  Type type;              // Type, Const, Argument, Global, Local
  i128 value = 0;         // Const
  bool is_param = false;  // Const, Type: a compile-time parameter of the format
  bool used = false;
  bool is_broken = false;      // Local: what it reads was wrong, and reported
  bool may_be_unused = false;  // fields document the format: reading one and ignoring it is fine
};

// "a table", "a local value", ...: for messages.
std::string_view kind_name(Symbol::Kind kind);

struct Instance;

// A rule's header, and what is needed to check its body later.
struct RuleHead {
  std::string name;  // as written
  std::vector<Type> params;
  std::optional<Type> result;
  const ast::Decl* decl = nullptr;  // null: a format's statements (main)
  Instance* owner = nullptr;
  bool broken = false;  // its header had an error: calls of it are not judged
  std::optional<Type> element;  // of what it outputs, if it is called and that is not the type of its format's output
};

// Where the values of a format's parameters come from, but for defaults: of the spec itself from text that the caller gives,
// of a module from the line that uses it, as expressions of its user.
struct Given {
  const Params* text = nullptr;
  const ast::Use* use = nullptr;
  Instance* user = nullptr;
};

// One use of a module (or the spec itself): its names and its own state.
struct Instance {
  const ast::File* file = nullptr;
  std::string prefix;  // "" or "gzip.deflate." for names in the format
  bool is_top = false;
  Given given;
  std::map<std::string, Symbol> names;
  std::map<std::string, std::uint32_t> marks;
  std::vector<Instance*> modules;
  std::uint32_t main = 0;                      // rule id of its statements
  bool has_input = false, has_output = false;  // declared and understood
  model::Input input = model::Input::Bytes;
  Type output{8, false};
  std::uint64_t window = 0;
  bool has_dictionary = false;
};

struct Context {
  SourceSet& sources;
  DiagSink& sink;
  const Loader& loader;
  model::Format format;
  std::vector<RuleHead> rules;  // parallel to format.rules
  std::deque<std::unique_ptr<Instance>> instances;
  std::map<std::string, std::unique_ptr<ast::File>> files;  // parsed modules by name
  bool too_many_modules = false;                            // reported
  std::set<std::string> missed;                             // names that were looked up and not found
  std::vector<ast::Name> unused;                            // names of blocks that nothing used: for warn_unused

  std::string text(Span span) const { return std::string(sources.text(span)); }
};

// ---- Phases ----------------------------------------------------------------------------------------------

// modules.cpp: makes the instance of `file`, asked for as `name`, and before it those of what it uses. `path`: names
// of the modules being loaded, outermost first. Never null.
Instance* instantiate(Context& context, const ast::File& file, std::string name, std::string prefix, const Given& given,
                      std::vector<std::string>& path);

// params.cpp: symbols of the format's parameters, each with its value. And notes to what was reported about a module from
// number `first` of the diagnostics on: the lines that set its parameters, which may be why.
void bind_params(Context& context, Instance& instance);
void note_settings(Context& context, const Instance& instance, std::size_t first);

// declare.cpp: symbols of the format's declarations, rule headers.
void declare(Context& context, Instance& instance);

// elements.cpp: of which type the elements are that each rule makes where its callers' outputs go, by the first call of it.
void place_rules(Context& context);

// elements.cpp: what makes elements of one type must not be asked for those of another: rules, buffers and symbols.
void check_elements(const model::Format& format, DiagSink& sink);

// body.cpp: checks the body of a rule, fills format.rules[rule].
void check_body(Context& context, std::uint32_t rule);

// names.cpp: warns about names in blocks of the top spec that nothing uses, and about those of its declarations. A name
// that was looked for where it can't be seen is not unused: that it was not found is reported.
void warn_unused_in_blocks(Context& context);
void warn_unused(Context& context, const Instance& top);

// calls.cpp: refuses recursion; then sorts the rules by first call, main first, and drops those never called.
// False: the format is recursive.
bool order_rules(Context& context);

// unused.cpp: leaves out what no statement of the rules that are left names: variables, arrays, tables, codes, buffers, marks;
// and the further outputs of modules: its own ones a format hands over, filled or not.
void drop_unused(model::Format& format);

// alignment.cpp: marks byte-ordered reads and peeks whose position is not proven to be a byte boundary, refuses those
// that never stand at one.
void prove_alignment(model::Format& format, DiagSink& sink);

// progress.cpp: marks loops that need a run-time progress check, refuses those that can't make progress.
void prove_progress(model::Format& format, DiagSink& sink);

// into.cpp: what may not stand inside `into`, in the block itself and in the rules it calls; marks set there.
void check_into(const model::Format& format, DiagSink& sink);

// regions.cpp: what may not stand in a region that is read from its end, or of the dictionary, in the block itself and in the
// rules it calls.
void check_regions(const model::Format& format, DiagSink& sink);

// trailing.cpp: main must say what happens to bytes left over, unless it only ends where the input does.
void check_trailing(Context& context, const Instance& top);

// ---- Symbols (names.cpp)
// -------------------------------------------------------------------------------------------------

// What is seen as `name` at the level of a format: what it declares itself, and as MODULE.NAME what a module that it uses
// declares, except that module's own modules. Null: nothing.
//
//   use fse        find_declared(instance, "counts")     an array of its own, or null
//                  find_declared(instance, "fse.counts") an array of fse, as that format sees it
Symbol* find_declared(Instance& instance, std::string_view name);

// Adds a format-level name; a second one of the same name is reported.
Symbol* add_symbol(Context& context, Instance& instance, Symbol symbol);

// The `constant` of a Place where a `use` line sets a parameter: what is declared below that line is not seen there.
inline constexpr std::string_view kSetValue = "the value of a parameter";

// Where a name was looked up: in a rule's body, in main (no rule), or in a constant expression.
struct Place {
  const ast::Decl* rule = nullptr;
  std::string_view constant;  // "the initial value": what had to be known at compile time; empty: no constant
};

// undefined.cpp: reports a name that is not declared where it is used: with the place that makes it out of sight, else
// the closest existing name, else what another language's word is here.
void report_undefined(Context& context, Instance& instance, const Place& place, const ast::Name& name,
                      std::string_view what, const std::vector<std::string>& more_candidates);

}  // namespace sluice::sema
