// The CPU's decoder as a class of Python.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "runtime/python/src/host_decoder.h"
#include "runtime/python/src/module.h"
#include "runtime/python/src/spec_options.h"

namespace sluice::python {
namespace {

// An argument that may be None: what it is is looked at later, for messages that say more than "incompatible".
auto any(const char* name) { return nb::arg(name).none(); }

// sluice::Decoder, and what only that has to tell.
class CpuDecoder : public HostDecoder {
 public:
  explicit CpuDecoder(const std::shared_ptr<const DecoderOf<Decoder>>& of) : HostDecoder(of, traits(of->decoder)), of_(of) {}
  [[nodiscard]] const Decoder& cpu() const { return of_->decoder; }

 private:
  // Temporary memory from here on is that of stages, over whole buffers. zstd has less, for the literals of one block, and so has
  // parquet_delta_strings, for the lengths of a page, whose time a thread for each call would double.
  static constexpr std::uint64_t kStages = 1 << 20;
  static Traits traits(const Decoder& decoder) {
    return {.slow = decoder.target() == Target::Interp || decoder.scratch_bytes() > kStages};
  }
  std::shared_ptr<const DecoderOf<Decoder>> of_;
};

std::unique_ptr<CpuDecoder> made(Result<Decoder> decoder) {
  if (!decoder) raise_error(decoder.error());
  return std::make_unique<CpuDecoder>(std::make_shared<const DecoderOf<Decoder>>(std::move(*decoder)));
}

// `source`: a name or a path, or with `is_text` a description, called `name` in messages. Compiles without the GIL.
std::unique_ptr<CpuDecoder> make(const std::string& source, bool is_text, const std::string& name, const std::string& target,
                                 const Settings& settings, const std::vector<std::string>& search, bool cache) {
  Options options;
  options.target = target == "cpu" ? Target::Cpu : target == "interp" ? Target::Interp : Target::Auto;
  options.set = as_settings(settings);
  options.search = search;
  options.cache = cache;
  auto decoder = [&] {
    const nb::gil_scoped_release release;
    return is_text ? Decoder::from_text(source, name, options) : Decoder::open(source, options);
  }();
  return made(std::move(decoder));
}

std::unique_ptr<CpuDecoder> from_artifact_file(const std::string& path) {
  auto decoder = [&] {
    const nb::gil_scoped_release release;
    return Decoder::from_artifact_file(path);
  }();
  return made(std::move(decoder));
}

std::unique_ptr<CpuDecoder> from_artifact(nb::handle artifact) {
  const Input bytes(artifact, "artifact");
  return made(Decoder::from_artifact(bytes.bytes()));
}

nb::object decode(const HostDecoder& self, nb::handle data, nb::handle out, nb::handle max_output, nb::handle dictionary,
                  nb::handle arguments) {
  CallOptions options(self, max_output, dictionary, arguments);
  return self.decode(data, out, options);
}

nb::object decode_batch(const HostDecoder& self, nb::handle chunks, nb::handle out, nb::handle sizes, nb::handle offsets,
                        nb::handle lengths, bool return_errors, nb::handle max_output, unsigned threads,
                        nb::handle dictionary, nb::handle arguments, nb::handle progress) {
  CallOptions options(self, max_output, dictionary, arguments);
  const Inputs inputs(chunks, offsets, lengths);
  return self.decode_batch(inputs, {out, sizes, return_errors, threads, progress.is_none() ? nb::handle() : progress}, options);
}

nb::object decoded_sizes(const HostDecoder& self, nb::handle chunks, nb::handle offsets, nb::handle lengths,
                         nb::handle max_output, unsigned threads, nb::handle dictionary, nb::handle arguments) {
  CallOptions options(self, max_output, dictionary, arguments);
  return self.decoded_sizes(Inputs(chunks, offsets, lengths), threads, options);
}

nb::list arguments_of(const HostDecoder& self) {
  nb::list list;
  for (const Argument& a : self.decoder().arguments())
    list.append(nb::make_tuple(a.name, a.is_signed ? nb::object(nb::int_(static_cast<std::int64_t>(a.initial))) : nb::object(nb::int_(a.initial)),
                               a.bits, a.is_signed));
  return list;
}

nb::dict outputs_of(const HostDecoder& self) {
  nb::dict dict;
  dict["output"] = self.element().name();
  for (const FurtherOutput& o : self.decoder().further_outputs()) dict[o.name.c_str()] = Element{o.element_bytes, o.is_signed}.name();
  return dict;
}

nb::dict timings_of(const CpuDecoder& self) {
  const Timings& t = self.cpu().timings();
  nb::dict dict;
  dict["front"] = t.front / 1e3;
  dict["emit"] = t.emit / 1e3;
  dict["jit"] = t.jit / 1e3;
  dict["cached"] = t.cached;
  return dict;
}

}  // namespace

void bind_decoder(nb::module_& module) {
  nb::class_<HostDecoder>(module, "HostDecoder")
      .def("decode", &decode, any("data"), any("out"), any("max_output"), any("dictionary"), any("arguments"))
      .def("decode_batch", &decode_batch, any("chunks"), any("out"), any("sizes"), any("offsets"), any("lengths"),
           nb::arg("return_errors"), any("max_output"), nb::arg("threads"), any("dictionary"), any("arguments"), any("progress"))
      .def("decoded_sizes", &decoded_sizes, any("chunks"), any("offsets"), any("lengths"), any("max_output"),
           nb::arg("threads"), any("dictionary"), any("arguments"))
      .def_prop_ro("name", [](const HostDecoder& d) { return d.decoder().name(); })
      .def_prop_ro("dtype", [](const HostDecoder& d) { return d.element().name(); })
      .def_prop_ro("outputs", &outputs_of)
      .def_prop_ro("why", [](const HostDecoder& d) { return d.decoder().why(); })
      .def_prop_ro("warnings", [](const HostDecoder& d) { return d.decoder().warnings(); })
      .def_prop_ro("countable", [](const HostDecoder& d) { return d.decoder().countable(); })
      .def_prop_ro("takes_dictionary", [](const HostDecoder& d) { return d.decoder().takes_dictionary(); })
      .def_prop_ro("arguments", &arguments_of);
  nb::class_<CpuDecoder, HostDecoder>(module, "CpuDecoder")
      .def_prop_ro("engine", [](const CpuDecoder& d) { return d.cpu().engine(); })
      .def_prop_ro("interpreted", [](const CpuDecoder& d) { return d.cpu().target() == Target::Interp; })
      .def_prop_ro("timings", &timings_of)
      .def("facts", [](const CpuDecoder& d) { return d.cpu().facts(); });
  module.def("make_decoder", &make);
  module.def("decoder_from_artifact_file", &from_artifact_file);
  module.def("decoder_from_artifact", &from_artifact);
}

}  // namespace sluice::python
