#include "tests/fuzz/specs/write_codecs.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "compiler/ir/error_text.h"
#include "tests/fuzz/specs/generate.h"
#include "tests/fuzz/specs/known.h"
#include "tests/fuzz/specs/mend.h"
#include "tests/fuzz/specs/run.h"
#include "tests/fuzz/specs/steer.h"

namespace sluice::fuzz {
namespace {

namespace fs = std::filesystem;

bool write(const fs::path& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return file.good();
}

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Of an input; false when a file can't be written. An input that the interpreter gives up is left out.
bool write_vector(const ir::Module& module, const Bytes& input, const fs::path& stem) {
  const unsigned element = module.output.bits / 8u;
  Bytes out(kRoom * element);
  const auto made = interpret_some(module, input, out, nullptr);
  if (!made || made->error == ir::kNoRoom) return true;
  const auto beside = [&](const char* ending) { return fs::path(stem).replace_extension(ending); };
  bool ok = write(beside(".in"), text_of(input));
  if (module.has_dictionary) ok = ok && write(beside(".dict"), kDictionary);
  const ir::ErrorPosition at = ir::error_position(made->error, ir::reads_dictionary(module));
  if (made->error != 0)
    return ok && write(beside(".err"), fmt::format("{} {}{}\n", module.sites[made->site].name, at.bit, at.in_dictionary ? " of the dictionary" : ""));
  out.resize(made->produced * element);
  return ok && write(beside(".out"), text_of(out));
}

}  // namespace

int write_codecs(const Options& options, const std::string& directory) {
  std::uint64_t written = 0;
  for (std::uint64_t i = options.first; i < options.first + options.count; ++i) {
    const std::string name = fmt::format("r{}_{}", options.seed, i);
    Random random = random_of(options.seed, i);
    const auto mended = mend(generate(random_of(random.next(), i), name, leave()));
    if (!mended) continue;
    const fs::path codec = fs::path(directory) / "codecs" / name;
    std::error_code problem;
    fs::create_directories(codec / "vectors", problem);
    bool ok = !problem && write(codec / (name + ".sluice"), print_lines(mended->lines));
    const auto inputs = steer(*mended->compiled.module, random, options.inputs, {});
    for (std::size_t k = 0; k < inputs.size(); ++k)
      ok = ok && write_vector(*mended->compiled.module, inputs[k], codec / "vectors" / std::to_string(k));
    if (!ok) {
      fmt::print(stderr, "can't write {}\n", codec.string());
      return 1;
    }
    ++written;
  }
  fmt::print("{} codecs in {}/codecs\n", written, directory);
  return 0;
}

}  // namespace sluice::fuzz
