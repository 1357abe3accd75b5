// sluice encode NAME IN -o OUT: data in, the project's own formats out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/api/sluice.hpp"
#include "runtime/cli/commands.h"
#include "runtime/cli/decode_file.h"
#include "runtime/cli/exit_code.h"
#include "runtime/cli/files.h"
#include "runtime/cli/output_file.h"
#include "runtime/cli/output_names.h"
#include "runtime/cli/print.h"
#include "runtime/cli/report.h"
#include "runtime/cli/settings.h"
#include "runtime/cli/terminal.h"
#include "runtime/cli/units.h"
#include "runtime/encode/encoder.h"

namespace sluice::cli {
namespace {

struct EncodeOptions {
  std::string name, input, output;
  std::vector<std::string> set;
  bool verify = false;
};

std::string names_text() {
  std::string text;
  for (const encode::Encoder& encoder : encode::encoders())
    text += (text.empty() ? "" : ", ") + std::string(encoder.name);
  return text;
}

// What `sluice encode --help` says below the options.
std::string options_text() {
  std::string text = "Encoders and their --set options:\n";
  for (const encode::Encoder& encoder : encode::encoders()) {
    text += fmt::format("  {}\n", encoder.name);
    for (const encode::Option& option : encoder.options)
      text += fmt::format("    {:<24} {} ({}..{})\n", fmt::format("{}={}", option.name, option.initial), option.meaning,
                          option.least, option.most);
  }
  return text;
}

bool apply(const std::vector<std::string>& texts, encode::Settings& settings, std::string& error) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      error = "--set takes NAME=VALUE, not `" + text + "`";
      return false;
    }
    if (!settings.set(std::string_view(text).substr(0, equals), std::string_view(text).substr(equals + 1), error))
      return false;
  }
  return true;
}

// The encoder's output, with progress in hundredths on a terminal.
Result<std::vector<std::uint8_t>> run_encoder(const encode::Encoder& encoder, std::span<const std::uint8_t> in,
                                              const encode::Settings& settings, const std::string& label) {
  constexpr std::size_t kSteps = 100;
  Progress line("encoding " + label, kSteps);
  std::size_t shown = 0;
  return encoder.encode(in, settings, [&](std::size_t done) {
    const std::size_t reached = in.empty() ? kSteps : std::min(done, in.size()) * kSteps / in.size();
    for (; shown < reached; ++shown) line.advance();
  });
}

// Decodes `coded` with the codec and compares; anything but kDone has been reported.
int verify(const encode::Encoder& encoder, const encode::Settings& settings, std::span<const std::uint8_t> in,
           std::span<const std::uint8_t> coded) {
  sluice::Options how;
  for (const encode::Option& option : encoder.options) {
    if (option.decoder_too) how.set.push_back({std::string(option.name), std::to_string(settings[option.name])});
  }
  const auto decoder = Decoder::open(std::string(encoder.name), how);
  if (!decoder) return report(decoder.error());
  const std::span<const std::uint8_t> inputs[] = {coded};
  std::string error;
  auto decoded = decode_all(*decoder, inputs, Batch{}, room_for_output({}), error);
  if (!decoded) return environment_error(error);
  Decoded& one = decoded->front();
  if (one.status.error != 0) {
    print_error("the codec refuses what the encoder made: " + decoder->describe(one.status.error, 0));
    return kRejected;
  }
  if (!std::ranges::equal(one.output(*decoder), in)) {
    print_error("the codec makes other bytes of what the encoder made");
    return kRejected;
  }
  return kDone;
}

int encode_file(const EncodeOptions& options) {
  const encode::Encoder* encoder = encode::find_encoder(options.name);
  if (encoder == nullptr) return usage_error("no encoder for `" + options.name + "`; there are: " + names_text());
  encode::Settings settings(encoder->options);
  std::string error;
  if (!apply(options.set, settings, error)) return usage_error(error);
  const NamedOutput output{options.output, "--output"};
  error = wrong_outputs({&options.input, 1}, {&output, 1});
  if (!error.empty()) return usage_error(error);
  if (!can_write(options.output, error)) return environment_error(error);
  const auto in = read_file(options.input, error);
  if (!in) return environment_error(error);

  const Stopwatch watch;
  const auto coded = run_encoder(*encoder, *in, settings, options.input);
  if (!coded) return report(coded.error());
  const double seconds = watch.seconds();
  if (options.verify) {
    const int exit_code = verify(*encoder, settings, *in, *coded);
    if (exit_code != kDone) return exit_code;
  }
  if (!write_file(options.output, *coded, error)) return environment_error(error);
  const double ratio = coded->empty() ? 0 : static_cast<double>(in->size()) / static_cast<double>(coded->size());
  print_err("{}: {} -> {} bytes, ratio {:.3f}, in {}, {}{}\n", encoder->name, in->size(), coded->size(), ratio,
             duration_text(seconds), speed_text(in->size(), seconds), options.verify ? ", verified" : "");
  return kDone;
}

}  // namespace

void add_encode(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<EncodeOptions>();
  CLI::App* command = app.add_subcommand("encode", "Encode a file in one of the project's own formats");
  command->footer(options_text());
  command->add_option("name", options->name, "A codec that has an encoder")->required()->type_name("NAME");
  command->add_option("input", options->input, "The file to encode; - is standard input")->required()->type_name("IN");
  command->add_option("-o,--output", options->output, "Where the output goes; - for standard output")
      ->required()
      ->type_name("OUT");
  add_set_option(*command, options->set);
  command->add_flag("--verify", options->verify, "Decode the result and compare before it is written");
  command->callback([options, &exit_code] { exit_code = encode_file(*options); });
}

}  // namespace sluice::cli
