#ifndef SLUICE_RUNTIME_API_SLUICE_HPP
#define SLUICE_RUNTIME_API_SLUICE_HPP
// Sluice for C++ programs: compile a format's description, decode batches of chunks with it.
//
//   auto decoder = sluice::Decoder::from_name("gzip");
//   if (!decoder) { std::cerr << decoder.error().text; return 1; }
//   sluice::Chunk chunk{compressed, room};
//   sluice::Status status = decoder->decode(chunk);
//   if (status.error) std::cerr << decoder->describe(status.error, 0);
//
// Nothing here keeps global state or prints, and nothing throws but std::bad_alloc. A Decoder is a handle to immutable
// compiled code: copying it is cheap, and every const member may be called from any number of threads at once.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/api/result.hpp"

namespace sluice {

// How a format is run.
enum class Target : std::uint8_t {
  Auto,    // machine code when this machine can make it, else the interpreter; Decoder::why() tells
  Cpu,     // machine code, or an error
  Interp,  // the reference interpreter: slow, defines what a description means
};

// A compile-time parameter of the format: {"T", "i64"}, {"strict", "true"}.
struct Setting {
  std::string name, value;
};

struct Options {
  Target target = Target::Auto;
  std::vector<Setting> set;
  std::vector<std::string> search;  // directories with NAME.sluice or NAME/NAME.sluice, before the built-in codecs
  bool cache = true;                // keep compiled code on disk ($SLUICE_CACHE_DIR, else ~/.cache/sluice)
  bool colour = false;              // terminal colours in Error::text
};

// An output that a format has beside its own: `output offsets: u32[]`. Few formats have any.
struct FurtherOutput {
  std::string name;  // "offsets"; of a module's, "module.offsets"
  std::size_t element_bytes = 1;  // 1, 2, 4 or 8
  bool is_signed = false;         // elements are two's complement
};
inline constexpr std::size_t kMaxFurtherOutputs = 7;

// One independently decodable unit. No alignment is required of any span; nothing outside them is touched.
struct Chunk {
  std::span<const std::uint8_t> in;
  std::span<std::uint8_t> out;  // room for out.size() / output_element_bytes() elements, stored little-endian
  // Likewise for each of Decoder::further_outputs(), in order; none where a format has none. No two may overlap.
  std::span<const std::span<std::uint8_t>> further = {};
};

// What became of one chunk. A failed chunk holds `produced` valid elements.
struct Status {
  std::uint64_t error = 0;     // 0, or rule:10 | clause:14 | bit position:40; see Decoder::describe
  std::uint64_t produced = 0;  // elements
  std::uint64_t consumed = 0;  // bytes of input, rounded up
  std::array<std::uint64_t, kMaxFurtherOutputs> further{};  // elements of each further output; 0 past the last
  friend bool operator==(const Status&, const Status&) = default;
};

// The error of a chunk whose output needs more room than it was given. Every other error is the format's verdict, and
// the same with any room.
inline constexpr std::uint64_t kNoRoom = 0xffc0'0300'0000'0000;

// What a whole batch shares.
struct Batch {
  std::span<const std::uint8_t> dictionary;  // preset dictionary, for formats that declare one
  std::span<const std::uint64_t> arguments;  // in declaration order, e.g. from bind(); empty: their initial values
  unsigned threads = 1;                      // 0: one per core; never more. The results do not depend on it
  std::uint64_t count_limit = ~std::uint64_t{0};  // decoded_sizes: elements after which a chunk is refused with kNoRoom
  // Looked at before every chunk, and by the interpreter inside one: once it is true nothing more is begun, and the call
  // returns CallError::Kind::Cancelled. May be set from any thread, or a signal handler. Null: nobody will.
  const std::atomic<bool>* cancel = nullptr;
  std::atomic<std::uint64_t>* finished = nullptr;  // counts chunks as they are done, to be read meanwhile; null: not wanted
};

// What an error word says, in parts; Decoder::describe makes a sentence of it.
struct ErrorPlace {
  std::string rule;            // of the format; empty for what is the call's matter (kNoRoom)
  std::string reason;          // "bad_distance", or of what needs no clause: "end_of_input"; "no_room"
  std::string file;            // of the description, as diagnostics name it; empty where there is none
  unsigned line = 0, column = 0;  // 1-based; 0: no place in a text
  std::uint64_t bit = 0;       // position in the chunk's input, or in the preset dictionary
  bool in_dictionary = false;
};

// A run-time argument as the format declares it.
struct Argument {
  std::string name;
  std::uint64_t initial = 0;
  unsigned bits = 64;
  bool is_signed = false;
};

// How the word of a NamedValue is meant: as the argument's type reads it, or as a number that is, or is not, below 0.
enum class Sign : std::uint8_t { AsDeclared, Negative, Positive };

// A run-time argument by name. A negative value is given as its two's complement.
struct NamedValue {
  std::string name;
  std::uint64_t value = 0;
  Sign sign = Sign::AsDeclared;
};

// What compiling cost, in milliseconds, less what Decoder::decoded_sizes has compiled.
struct Timings {
  double front = 0;  // text to checked IR
  double emit = 0;   // IR to C text; 0 for the interpreter
  double jit = 0;    // text to loaded code, or from the cache
  bool cached = false;
};

class Decoder {
 public:
  // From text. `name` stands for the file's name in diagnostics.
  static Result<Decoder> from_text(std::string_view text, std::string_view name, const Options& options = {});
  // From a file. `use NAME` lines look beside it first.
  static Result<Decoder> from_file(const std::string& path, const Options& options = {});
  // A codec by name: from options.search, else one built into the library.
  static Result<Decoder> from_name(std::string_view name, const Options& options = {});
  // What `sluice build` wrote: code that was compiled before, on another machine perhaps. Nothing is compiled here, so
  // neither Clang nor a compiler is needed. options.set and options.search mean nothing to it, and Target::Interp is an
  // error, since an artifact holds no description. Damaged or foreign bytes are an error; code is not checked beyond
  // its hash, so load only artifacts that you would run.
  static Result<Decoder> from_artifact(std::span<const std::uint8_t> artifact, const Options& options = {});
  static Result<Decoder> from_artifact_file(const std::string& path, const Options& options = {});
  // An artifact when it ends in .sluicea, a path when it looks like one (has a '/' or ends in .sluice), else a name.
  static Result<Decoder> open(std::string_view path_or_name, const Options& options = {});

  // Decodes every chunk; one Status each, in order. Chunks that fail leave the others intact.
  // Errors of the call itself: `statuses` shorter than `chunks`, a chunk without a room for each further output, arguments that don't fit the format, no memory. The
  // statuses then mean nothing.
  [[nodiscard]] CallError decode_batch(std::span<const Chunk> chunks, std::span<Status> statuses,
                                         const Batch& batch = {}) const;
  // One chunk. An error of the call gives Status::error = ~0, which is no clause's word.
  [[nodiscard]] Status decode(const Chunk& chunk, const Batch& batch = {}) const;

  // Elements each input would decode to (Status::produced and further), writing nothing. Checksums over output are not verified,
  // so a later decode may still refuse the chunk. Takes no longer than decoding with room for Batch::count_limit. A
  // format whose size depends on its output's values is NotCountable. The first call of a decoder that was made of a
  // description and runs machine code compiles what finds sizes (parts of a second, or milliseconds from the cache; other
  // threads that ask meanwhile wait). Where that fails it is Kind::Driver, and the next call tries again. A batch of no
  // inputs does this and no more.
  [[nodiscard]] CallError decoded_sizes(std::span<const std::span<const std::uint8_t>> inputs,
                                        std::span<Status> statuses, const Batch& batch = {}) const;
  [[nodiscard]] Status decoded_size(std::span<const std::uint8_t> input, const Batch& batch = {}) const;

  // The arguments in declaration order, for Batch::arguments: initial values, but for those named.
  [[nodiscard]] Result<std::vector<std::uint64_t>> bind(std::span<const NamedValue> values) const;

  // "deflate.sluice:31:7: reject bad_distance at bit 40213 of chunk 17", "... at bit 96 of the dictionary, chunk 17"; empty for 0.
  [[nodiscard]] std::string describe(std::uint64_t error, std::uint64_t chunk) const;
  // The same in parts; all empty for 0 and for words that no clause of the format has.
  [[nodiscard]] ErrorPlace place(std::uint64_t error) const;
  // The facts computed from the grammar, as a JSON object.
  [[nodiscard]] std::string facts() const;

  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] Target target() const noexcept;                // Cpu or Interp
  [[nodiscard]] const std::string& engine() const noexcept;    // "clang", "cxx", "aot" or "interp"
  [[nodiscard]] const std::string& why() const noexcept;       // why this engine, in a sentence
  [[nodiscard]] const std::string& warnings() const noexcept;  // rendered warnings about the spec, or empty
  [[nodiscard]] const Timings& timings() const noexcept;
  [[nodiscard]] std::size_t output_element_bytes() const noexcept;  // 1, 2, 4 or 8
  [[nodiscard]] bool output_is_signed() const noexcept;             // elements are two's complement
  [[nodiscard]] const std::vector<FurtherOutput>& further_outputs() const noexcept;  // in order of declaration
  [[nodiscard]] std::uint64_t scratch_bytes() const noexcept;       // temporary memory per thread
  [[nodiscard]] bool countable() const noexcept;  // decoded sizes can be had without decoding
  [[nodiscard]] bool takes_dictionary() const noexcept;
  [[nodiscard]] const std::vector<Argument>& arguments() const noexcept;

 private:
  struct Impl;
  explicit Decoder(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// Names of the codecs built into the library, sorted.
[[nodiscard]] std::vector<std::string> builtin_codecs();

// "0.2.0"
[[nodiscard]] std::string_view version() noexcept;

}  // namespace sluice

#endif
