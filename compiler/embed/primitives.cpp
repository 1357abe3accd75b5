#include "compiler/embed/primitives.h"

#include <algorithm>
#include <map>
#include <vector>

#include "compiler/embed/embed.h"

namespace sluice::embed {
namespace {

// ---- The index ------------------------------------------------------------------------------------------------------

enum class Kind {
  Header,       // `names` is its path
  Head,         // the comment at its head
  Open,         // of its namespace
  Close,
  Always,       // words of every text
  If,           // conditions around declarations
  Else,
  Endif,
  Declaration,
};

struct Piece {
  Kind kind;
  unsigned lines;
  std::string_view names;     // that it declares, with spaces between
  std::string_view needs;     // "::x" is the x of `prim` where `thread` has one, too
  std::string_view operands;  // classes that a function takes
};

#define HEADER(path, hash) {Kind::Header, 0, path, {}, {}},
#define PIECE(kind, lines, names, needs, operands) {Kind::kind, lines, names, needs, operands},
constexpr Piece kIndex[] = {
#include "compiler/embed/index/cpu.def"
#include "compiler/embed/index/cpu_vectors.def"
#include "compiler/embed/index/cuda.def"
#include "compiler/embed/index/cuda_stages.def"
#include "compiler/embed/index/cuda_guesses.def"
#include "compiler/embed/index/cuda_values.def"
#include "compiler/embed/index/cuda_lane.def"
};
#undef HEADER
#undef PIECE

std::span<const Piece> pieces_of(std::string_view path) {
  const auto first = std::ranges::find_if(
      kIndex, [&](const Piece& p) { return p.kind == Kind::Header && p.names == path; });
  if (first == std::end(kIndex)) return {};
  const auto last = std::ranges::find(first + 1, std::end(kIndex), Kind::Header, &Piece::kind);
  return {first + 1, last};
}

template <typename F>
void for_each_word(std::string_view words, F&& f) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    f(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

// The first `lines` lines of a text, taken off it.
std::string_view take_lines(std::string_view& text, unsigned lines) {
  std::size_t end = 0;
  for (; lines > 0; --lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

// ---- What is needed -------------------------------------------------------------------------------------------------

enum Space { kPrim, kThread, kSpaces };

struct Declared {
  const Piece* piece;
  Space space;
  std::string_view text;
  bool taken = false;
};

class Closure {
 public:
  void add(Space space, std::span<const std::string_view> headers) {
    for (const std::string_view path : headers) {
      std::string_view rest = text(path);
      take_lines(rest, 1);  // the guard
      for (const Piece& piece : pieces_of(path)) {
        all_.push_back({&piece, space, take_lines(rest, piece.lines)});
        for_each_word(piece.names, [&](std::string_view name) { named_[space][name].push_back(all_.size() - 1); });
      }
      ends_.push_back(all_.size());
    }
  }

  void want(Space space, std::string_view name) {
    if (name.starts_with("::")) return want(kPrim, name.substr(2));
    if (space == kThread && !named_[kThread].contains(name)) space = kPrim;
    if (!wanted_[space].insert(name).second) return;
    const auto found = named_[space].find(name);
    if (found == named_[space].end()) return;  // of a header that is not among these
    for (const std::size_t i : found->second) {
      // Of functions of one name those come along for which there can be an argument.
      if (found->second.size() == 1 || all_[i].piece->operands.empty()) take(i);
      else waiting_.push_back(i);
    }
  }

  void close() {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t k = 0; k < waiting_.size(); ++k)  // which grows
        if (const std::size_t i = waiting_[k]; !all_[i].taken && has_operands(all_[i])) {
          take(i);
          more = true;
        }
    }
  }

  // Those that the texts define.
  std::set<std::string_view> macros() const {
    std::set<std::string_view> found;
    for (const Declared& d : all_)
      if (d.taken || d.piece->kind == Kind::Always)
        for_each_word(d.piece->names, [&](std::string_view name) {
          if (name.starts_with("SLUICE_")) found.insert(name);
        });
    return found;
  }

  std::string text_of(Space space) const {
    std::string out;
    std::size_t first = 0;
    for (const std::size_t end : ends_) {
      if (all_[first].space == space) write_header(std::span(all_).subspan(first, end - first), out);
      first = end;
    }
    return out;
  }

 private:
  void take(std::size_t i) {
    if (all_[i].taken) return;
    all_[i].taken = true;
    for_each_word(all_[i].piece->needs, [&](std::string_view name) { want(all_[i].space, name); });
  }

  bool has(Space space, std::string_view name) const {
    const auto found = named_[space].find(name);
    return found != named_[space].end() &&
           std::ranges::any_of(found->second, [&](std::size_t i) { return all_[i].taken; });
  }
  bool has_operands(const Declared& d) const {
    bool all = true;
    for_each_word(d.piece->operands, [&](std::string_view name) {
      all = all && (has(kPrim, name) || (d.space == kThread && has(kThread, name)));
    });
    return all;
  }

  static void write_header(std::span<const Declared> pieces, std::string& out) {
    const auto is_word = [](const Declared& d) { return d.piece->kind == Kind::Always; };
    if (std::ranges::none_of(pieces, &Declared::taken) && std::ranges::none_of(pieces, is_word)) return;
    if (!out.empty()) out += '\n';
    struct Condition {
      std::string unwritten;  // directives that nothing has stood under yet
      bool written = false;
    };
    std::vector<Condition> around;
    for (const Declared& d : pieces) switch (d.piece->kind) {
        case Kind::If:
          around.push_back({std::string(d.text)});
          break;
        case Kind::Else:
          around.back().unwritten += d.text;
          break;
        case Kind::Endif:
          if (around.back().written) out += d.text;
          around.pop_back();
          break;
        case Kind::Declaration:
          if (!d.taken) break;
          [[fallthrough]];
        default:
          for (Condition& c : around) {
            out += c.unwritten;
            c = {{}, true};
          }
          out += d.text;
      }
  }

  std::vector<Declared> all_;
  std::vector<std::size_t> ends_;  // of headers
  std::map<std::string_view, std::vector<std::size_t>> named_[kSpaces];
  std::set<std::string_view> wanted_[kSpaces];
  std::vector<std::size_t> waiting_;
};

}  // namespace

PrimitiveTexts primitives(std::span<const std::string_view> prim, std::span<const std::string_view> thread,
                          const PrimitiveNames& names) {
  Closure closure;
  closure.add(kPrim, prim);
  closure.add(kThread, thread);
  for (const auto& [space, wanted] : {std::pair(kPrim, &names.prim), std::pair(kThread, &names.thread)})
    for (const std::string_view name : *wanted) closure.want(space, name);
  closure.close();
  return {closure.text_of(kPrim), closure.text_of(kThread), closure.macros()};
}

}  // namespace sluice::embed
