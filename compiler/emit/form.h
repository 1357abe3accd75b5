#pragma once
// What emitters write text from: literals with places in them, which say themselves which primitives they use. The C++
// compiler reads the names off a literal while it compiles the emitter. Text that has been put together is not looked at.
//
//   w.line("prim::store<{}>(out, {});", 4, value)   ->   prim::store<4>(out, v0_x << 2);      uses `store`
//
// So a name stands in its literal as a whole: "prim::{}(s)" does not compile. What has been noted, and what that needs in
// turn, is what a unit carries (embed/primitives.h).
#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "compiler/embed/primitives.h"

namespace sluice::emit {

// Never defined: a literal for which it would be called is no constant expression.
void name_is_not_whole();
void more_names_than_kMost();

// The primitives that a literal names.
struct FormNames {
  static constexpr std::size_t kMost = 8;
  struct Name {
    std::string_view name;
    bool of_thread = false;  // `thread::prim::x`, said from outside of `thread`
  };
  std::array<Name, kMost> names{};
  std::size_t count = 0;

  // `places`: {} stands for a value in it, {{ for a brace.
  consteval FormNames(std::string_view form, bool places) {
    constexpr std::string_view kSpace = "prim::", kThread = "thread::";
    const auto stands = [form](std::string_view word, std::size_t at) {
      for (std::size_t i = 0; i < word.size(); ++i)
        if (at + i >= form.size() || form[at + i] != word[i]) return false;
      return true;
    };
    const auto in_name = [form](std::size_t at) {
      const char c = at < form.size() ? form[at] : ' ';
      return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    for (std::size_t at = 0; at < form.size(); ++at) {
      if (!stands(kSpace, at) || (at > 0 && in_name(at - 1))) continue;
      const std::size_t first = at + kSpace.size();
      std::size_t end = first;
      while (in_name(end)) ++end;
      const bool place = places && stands("{", end) && !stands("{{", end);
      if (end == first || place) name_is_not_whole();
      if (count == kMost) more_names_than_kMost();
      names[count++] = {{form.data() + first, end - first},
                        at >= kThread.size() && stands(kThread, at - kThread.size())};
    }
  }
};

template <typename... A>
class Form {
 public:
  template <std::size_t N>
  consteval Form(const char (&form)[N]) : text_(form), names_({form, N - 1}, true) {}
  fmt::format_string<A...> text() const { return text_; }
  const FormNames& names() const { return names_; }

 private:
  fmt::format_string<A...> text_;
  FormNames names_;
};

// Without values: the text as it is.
template <>
class Form<> {
 public:
  template <std::size_t N>
  consteval Form(const char (&form)[N]) : text_(form, N - 1), names_({form, N - 1}, false) {}
  std::string_view text() const { return text_; }
  const FormNames& names() const { return names_; }

 private:
  std::string_view text_;
  FormNames names_;
};

// Where the names of a text's forms are noted.
struct Notes {
  embed::PrimitiveNames* names;
  bool in_thread = false;  // the text stands in namespace `thread`

  void add(const FormNames& form) const {
    for (std::size_t i = 0; i < form.count; ++i)
      (in_thread || form.names[i].of_thread ? names->thread : names->prim).insert(form.names[i].name);
  }
  // A form's text with its values.
  template <typename... A>
  std::string fill(const Form<std::type_identity_t<A>...>& form, A&&... a) const {
    add(form.names());
    if constexpr (sizeof...(A) > 0)
      return fmt::format(form.text(), std::forward<A>(a)...);
    else
      return std::string(form.text());
  }
};

}  // namespace sluice::emit
