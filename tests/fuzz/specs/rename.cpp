#include "tests/fuzz/specs/rename.h"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "compiler/emit/cpu.h"
#include "compiler/emit/cuda.h"
#include "compiler/ir/printer.h"
#include "tests/fuzz/specs/lines.h"
#include "tests/support/every_name.h"

namespace sluice::fuzz {
namespace {

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts{""};
  for (const char c : name) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// Tokens of C text, without comments and texts in quotes.
std::vector<std::string> code_tokens(std::string_view text) {
  std::string rest;
  rest.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i), text.size() - 2) + 2;
    } else if (text[i] == '"') {
      i = std::min(text.find('"', i + 1), text.size() - 1) + 1;
    } else {
      rest += text[i] == '\n' || text[i] == '\t' ? ' ' : text[i];
      ++i;
    }
  }
  return tokens_of(rest);
}

}  // namespace

std::map<std::string, std::string> other_names(const ir::Module& module, Random& random) {
  std::set<std::string> old;
  test::each_name(module, [&](const std::string& name) {
    for (const std::string& part : parts_of(name))
      if (!part.empty() && part != "main") old.insert(part);
  });
  std::map<std::string, std::string> names;
  std::set<std::string> taken{"main"};
  for (const std::string& name : old) {
    std::string to(random.pick(test::kHostileNames));
    while (!taken.insert(to).second)
      to = std::string(random.pick(test::kHostileNames)) + "_" + std::to_string(taken.size());
    names[name] = to;
  }
  return names;
}

ir::Module renamed(const ir::Module& module, const std::map<std::string, std::string>& names) {
  ir::Module copy = std::move(*ir::read(ir::print(module), nullptr));
  test::each_name(copy, [&](std::string& name) {
    std::string to;
    for (const std::string& part : parts_of(name)) {
      const auto at = names.find(part);
      to += (to.empty() ? "" : ".") + (at == names.end() ? part : at->second);
    }
    if (!name.empty()) name = to;
  });
  return copy;
}

std::string differ_but_for_names(std::string_view one, std::string_view other) {
  const auto a = code_tokens(one), b = code_tokens(other);
  std::map<std::string, std::string> there, back;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    bool same = a[i] == b[i];
    if (is_word(a[i]) && is_word(b[i]))
      same = there.try_emplace(a[i], b[i]).first->second == b[i] && back.try_emplace(b[i], a[i]).first->second == a[i];
    if (same) continue;
    const auto around = [&](const std::vector<std::string>& tokens) {
      std::string text;
      for (std::size_t k = i < 12 ? 0 : i - 12; k < std::min(tokens.size(), i + 8); ++k)
        text += (text.empty() ? "" : " ") + tokens[k];
      return text;
    };
    return fmt::format("`{}` and `{}`", around(a), around(b));
  }
  return a.size() == b.size() ? "" : fmt::format("{} and {} words", a.size(), b.size());
}

Finding check_names(const ir::Module& module, std::span<const schedule::Schedule> schedules, Random random) {
  const ir::Module other = renamed(module, other_names(module, random));
  // What a round through text loses is the same on both sides.
  const ir::Module plain = renamed(module, {});
  if (std::string where = differ_but_for_names(emit::emit_cpu(plain), emit::emit_cpu(other)); !where.empty())
    return {"names", "CPU text: " + where};
  for (const schedule::Schedule& s : schedules)
    if (std::string where = differ_but_for_names(emit::emit_cuda(plain, {s}).text, emit::emit_cuda(other, {s}).text);
        !where.empty())
      return {"names", "CUDA text: " + where};
  return {};
}

}  // namespace sluice::fuzz
