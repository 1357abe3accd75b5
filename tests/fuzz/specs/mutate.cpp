#include "tests/fuzz/specs/mutate.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/fuzz/specs/mend.h"
#include "tests/support/files.h"

namespace sluice::fuzz {
namespace {

namespace fs = std::filesystem;

bool is_compared(const std::string& t) {
  return t == "==" || t == "!=" || t == "<" || t == "<=" || t == ">" || t == ">=";
}

// A word of one kind as another of that kind; the token itself where there is none.
std::string replaced(const std::string& token, const std::vector<std::string>& words, Random& random) {
  if (is_number(token)) {
    const std::uint64_t v = std::strtoull(token.c_str(), nullptr, 0);
    switch (random.below(8)) {
      case 0:
        return std::to_string(v + 1);
      case 1:
        return std::to_string(v == 0 ? 1 : v - 1);
      case 2:
        return std::to_string(v / 2);
      case 3:
        return std::to_string(v < (1ull << 40) ? v * 2 : v);
      case 4:
        return "0";
      case 5:
        return std::to_string(random.below(20));
      case 6:
        return std::to_string(std::uint64_t{1} << random.below(33));
      default:
        return std::to_string(random.below(1000));
    }
  }
  if (is_compared(token)) return std::string(random.pick({"==", "!=", "<", "<=", ">", ">="}));
  if (token == "+" || token == "-" || token == "*" || token == "+%" || token == "-%" || token == "&" || token == "|" ||
      token == "^")
    return std::string(random.pick({"+", "-", "+%", "-%", "*", "&", "|", "^"}));
  if (token == "<<" || token == ">>") return token == "<<" ? ">>" : "<<";
  if (token == "and" || token == "or") return token == "and" ? "or" : "and";
  if (token == "min" || token == "max") return token == "min" ? "max" : "min";
  if (token == "bytes" || token == "bits") return token == "bytes" ? "bits" : "bytes";
  if (token == "lsb" || token == "msb") return token == "lsb" ? "msb" : "lsb";
  const bool typed = token.size() >= 2 && (token[0] == 'u' || token[0] == 'i') && token[1] >= '0' && token[1] <= '9';
  if (typed) {
    const bool ordered = token.ends_with("le") || token.ends_with("be");
    if (ordered)
      return std::string(random.pick({"u16le", "u16be", "u24le", "u32le", "u32be", "u64le", "i16le", "i32be"}));
    return std::string(
        random.pick({"u8", "u8", "u1", "u3", "u5", "u9", "u16", "u17", "u32", "u64", "i8", "i16", "i64"}));
  }
  if (is_word(token) && !words.empty()) return words[random.below(words.size())];
  return token;
}

std::vector<std::string> names_of(const Lines& lines) {
  std::vector<std::string> names;
  for (const Line& line : lines) {
    const auto tokens = tokens_of(line.text);
    if (tokens.size() > 2 && is_word(tokens[0]) && (tokens[1] == ":" || tokens[1] == "=" || tokens[1] == ":="))
      names.push_back(tokens[0]);
    if (tokens.size() > 2 && (tokens[0] == "var" || tokens[0] == "array" || tokens[0] == "table" ||
                              tokens[0] == "for" || tokens[0] == "const"))
      names.push_back(tokens[1]);
  }
  return names;
}

bool fixed(const Line& line) { return line.indent == 0 || line.text.starts_with("input "); }

void indent_from(Lines& piece, unsigned indent) {
  const unsigned base = piece.front().indent;
  for (Line& line : piece) line.indent = line.indent - base + indent;
}

// One change. Lines 0 and what stands at the margin stay.
void change(Lines& lines, const Pool& pool, Random& random) {
  if (lines.size() < 3) return;
  const std::size_t at = random.between(1, lines.size() - 1);
  if (fixed(lines[at])) return;
  const std::size_t end = end_of_block(lines, at);
  const std::uint64_t how = random.below(100);
  if (how < 50) {
    auto tokens = tokens_of(lines[at].text);
    const std::size_t i = random.below(tokens.size());
    tokens[i] = replaced(tokens[i], names_of(lines), random);
    lines[at].text = join_tokens(tokens);
  } else if (how < 60) {
    lines = without(lines, at, end);
  } else if (how < 68) {  // doubled
    const Lines piece(lines.begin() + static_cast<std::ptrdiff_t>(at),
                      lines.begin() + static_cast<std::ptrdiff_t>(end));
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(end), piece.begin(), piece.end());
  } else if (how < 76) {  // somewhere else
    Lines piece(lines.begin() + static_cast<std::ptrdiff_t>(at), lines.begin() + static_cast<std::ptrdiff_t>(end));
    lines = without(lines, at, end);
    const std::size_t to = random.between(1, lines.size() - 1);
    indent_from(piece, lines[to].indent == 0 ? 2 : lines[to].indent);
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to), piece.begin(), piece.end());
  } else if (how < 86) {  // a line or block of any spec
    const Lines& other = random.pick(pool.originals).lines;
    if (other.size() < 3) return;
    const std::size_t from = random.between(1, other.size() - 1);
    Lines piece(other.begin() + static_cast<std::ptrdiff_t>(from),
                other.begin() + static_cast<std::ptrdiff_t>(end_of_block(other, from)));
    indent_from(piece, lines[at].indent);
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(random.percent(50) ? at : end), piece.begin(),
                 piece.end());
  } else {  // a block around it
    static constexpr const char* kHeads[]{"repeat 2 times",   "if produced & 1 == 0",
                                          "if remaining > 3", "repeat until end of input",
                                          "within 9 bytes",   "producing 4"};
    for (std::size_t i = at; i < end; ++i) lines[i].indent += 2;
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), {lines[at].indent - 2, random.pick(kHeads)});
  }
}

}  // namespace

Pool load_pool(const std::string& root) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const char* room : {"codecs", "examples", "tests"})
    for (auto it = fs::recursive_directory_iterator(fs::path(root) / room, error);
         it != fs::recursive_directory_iterator(); it.increment(error))
      if (it->path().extension() == ".sluice") paths.push_back(it->path());
  std::sort(paths.begin(), paths.end());
  Pool pool;
  for (const fs::path& path : paths) {
    Original original;
    original.name = path.stem().string();
    original.lines = parse_lines(test::read_text(path).value_or(""));
    for (const fs::path& file : test::list_files(path.parent_path() / "vectors"))
      if (file.extension() == ".in")
        if (auto bytes = test::read_file(file); bytes && bytes->size() <= kMaxInput)
          original.inputs.push_back(std::move(*bytes));
    // Specs of the tests for diagnostics are left out.
    if (original.lines.size() >= 3 && driver::compile_spec(request_of(original.lines, false)).ok())
      pool.originals.push_back(std::move(original));
  }
  return pool;
}

Lines mutate(const Original& original, const Pool& pool, Random& random) {
  Lines lines = original.lines;
  for (std::uint64_t n = random.between(1, 3); n > 0; --n) change(lines, pool, random);
  return lines;
}

}  // namespace sluice::fuzz
