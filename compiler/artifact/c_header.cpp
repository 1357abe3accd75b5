#include "compiler/artifact/c_header.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "compiler/embed/embed.h"
#include "compiler/ir/ir.h"

namespace sluice::artifact {
namespace {

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// "bad_distance" -> "BAD_DISTANCE"; what C does not take in a name becomes '_'.
std::string upper(std::string_view word) {
  std::string out;
  for (const char c : word)
    out += !is_letter_or_digit(c) ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

// A text that can stand in a comment or, quoted, in a literal.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' || c == '\r' ? ' ' : c == '\\' || c == '"' ? '\'' : c;
  for (std::size_t at = 0; (at = out.find("*/", at)) != std::string::npos;) out[at] = '+';
  return out;
}

std::string file_of(const Artifact& artifact) {
  const std::string& text = artifact.format.sites.empty() ? artifact.format.name : artifact.format.sites[0].text;
  return text.substr(0, text.find(':'));
}

class Header {
 public:
  Header(const Artifact& artifact, std::string_view name) : a_(artifact), name_(name), upper_(upper(name)) {}

  std::string write(std::string_view hash, bool object) {
    add("/* Made by `sluice build` from {}. Do not edit. */\n", plain(file_of(a_)));
    add("#ifndef SLUICE_BUILT_{0}_H\n#define SLUICE_BUILT_{0}_H\n\n", upper_);
    if (object) {
      text_ += embed::text("runtime/api/abi.h");  // guards itself, so any number of headers may hold it
      text_ += '\n';
    }
    add("#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n");
    format(hash);
    arguments();
    cuda();
    if (object) entry_points();
    errors();
    add("/* The artifact in the program itself, where sluice_add_decoder() put it. */\n");
    add("extern const unsigned char {0}_artifact[];\nextern const unsigned long long {0}_artifact_size;\n\n", name_);
    add("#ifdef __cplusplus\n}}\n#endif\n\n#endif\n");
    return std::move(text_);
  }

 private:
  template <class... T>
  void add(fmt::format_string<T...> form, T&&... values) {
    text_ += fmt::format(form, std::forward<T>(values)...);
  }

  void format(std::string_view hash) {
    const Format& f = a_.format;
    add("#define {}_FORMAT \"{}\"\n", upper_, plain(f.name));
    for (const auto& [parameter, value] : f.parameters)
      add("#define {}_SET_{} \"{}\"\n", upper_, upper(parameter), plain(value));
    add("#define {}_ARTIFACT_HASH \"{}\"\n", upper_, hash);
    add("#define {}_OUTPUT_ELEMENT_BYTES {}u\n", upper_, f.element_bits / 8);
    add("#define {}_OUTPUT_ELEMENT_SIGNED {}\n", upper_, f.element_signed ? 1 : 0);
    if (!f.outputs.empty()) add("#define {}_FURTHER_OUTPUT_COUNT {}u\n", upper_, f.outputs.size());
    for (std::size_t i = 0; i < f.outputs.size(); ++i)
      add("#define {}_FURTHER_OUTPUT_{} {}u /* elements of {} bytes{} */\n", upper_, upper(f.outputs[i].name), i,
          f.outputs[i].element_bits / 8, f.outputs[i].element_signed ? ", signed" : "");
    add("#define {}_TAKES_DICTIONARY {}\n", upper_, f.has_dictionary ? 1 : 0);
    add("#define {}_COUNTABLE {} /* its decoded size can be found without decoding */\n\n", upper_,
        f.countable ? 1 : 0);
  }

  void arguments() {
    const auto& list = a_.format.arguments;
    add("#define {}_ARGUMENT_COUNT {}u\n", upper_, list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      add("#define {}_ARGUMENT_{} {}u /* {}{}, initially {} */\n", upper_, upper(list[i].name), i,
          list[i].is_signed ? 'i' : 'u', list[i].bits, list[i].initial);
    text_ += '\n';
  }

  void cuda() {
    if (!a_.cuda) return;
    add("/* Kernels. Their parameter is struct sluice_cuda_batch of <sluice/cuda_abi.h>. */\n");
    for (const CudaImage& c : a_.cuda->images) {
      const std::string prefix = upper_ + "_" + upper(c.arch);
      add("/* {}: {} */\n", plain(c.arch), plain(c.schedule));
      add("#define {}_DECODE_KERNEL \"{}\"\n", prefix, plain(c.plan.decode));
      add("#define {}_COUNT_KERNEL \"{}\"\n", prefix, plain(c.plan.count));
      add("#define {}_THREADS_PER_BLOCK {}u\n", prefix, c.plan.threads_per_block);
      add("#define {}_CHUNKS_PER_BLOCK {}u\n", prefix, c.plan.chunks_per_block);
      add("#define {}_TEMP_BYTES_PER_SLOT {}ull\n", prefix, c.plan.temp_bytes_per_slot);
      add("#define {}_INPUT_ALIGNMENT {}u\n", prefix, c.plan.input_alignment);
      add("#define {}_OUTPUT_ALIGNMENT {}u\n", prefix, c.plan.output_alignment);
    }
    text_ += '\n';
  }

  void entry_points() {
    add("/* Entry points of the object file. */\n");
    add("extern const unsigned {}_abi_version;\n", name_);
    add("extern const unsigned long long {}_scratch_bytes;\n", name_);
    add("unsigned long long {}_decode(struct sluice_job*);\n", name_);
    add("unsigned long long {}_count(struct sluice_job*);\n\n", name_);
  }

  // A site's constant: rule, clause and reason, so that it stays the same while other clauses change their reasons.
  std::string constant(const Site& site) const {
    return fmt::format("{}_ERROR_{}_{}_{}", upper_, upper(site.rule_name), site.clause, upper(site.name));
  }

  void errors() {
    add("/* An error word is rule:10 | clause:14 | bit position:40; 0 is success. */\n");
    add("#define {}_ERROR(word) ((enum {}_error)((word) >> 40))\n", upper_, name_);
    const bool both = a_.format.reads_dictionary;
    add("#define {}_ERROR_BIT(word) ((word) & 0x{:x}ull)\n", upper_, both ? ir::kInDictionary - 1 : 2 * ir::kInDictionary - 1);
    if (both) add("#define {}_ERROR_IN_DICTIONARY(word) ((word) >> 39 & 1) /* the bit is one of the preset dictionary */\n", upper_);
    add("enum {}_error {{\n  {}_OK = 0,\n", name_, upper_);
    // Modules may give two rules one name: then the numbers tell them apart.
    std::map<std::string, unsigned> seen;
    std::string names, texts;
    for (const Site& site : a_.format.sites) {
      const std::uint32_t value = site.rule << 14 | site.clause;
      std::string own = constant(site);
      if (seen[own]++ != 0) own += fmt::format("_{:06x}", value);
      add("  {} = {:#08x}, /* {} */\n", own, value, plain(site.text));
      names += fmt::format("    case {}: return \"{}\";\n", own, plain(site.name));
      texts += fmt::format("    case {}: return \"{}\";\n", own, plain(site.text));
    }
    add("}};\n\n/* The reason of an error word: \"bad_distance\"; and where the description gives it. */\n");
    for (const auto& [what, cases] : {std::pair{"name", &names}, std::pair{"text", &texts}}) {
      add("static inline const char* {}_error_{}(unsigned long long word) {{\n", name_, what);
      add("  switch ((unsigned)(word >> 40)) {{\n    case {}_OK: return \"ok\";\n", upper_);
      text_ += *cases;
      add("    default: return \"unknown error\";\n  }}\n}}\n\n");
    }
  }

  const Artifact& a_;
  std::string_view name_;
  std::string upper_, text_;
};

}  // namespace

std::string c_header(const Artifact& artifact, std::string_view name, std::string_view hash, bool object) {
  return Header(artifact, name).write(hash, object);
}

}  // namespace sluice::artifact
