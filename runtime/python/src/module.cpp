// sluice_codecs._core: what the package's Python files stand on. Its functions are documented where users see them, in
// those files; this module is private to them.
#include "runtime/python/src/module.h"

#include <string>

#include "runtime/api/sluice.hpp"
#include "runtime/python/src/call.h"
#include "runtime/python/src/output.h"

namespace nb = nanobind;

NB_MODULE(_core, module) {
  using namespace sluice::python;
  // Objects that threads still hold when the interpreter ends are no fault of this module.
  nb::set_leak_warnings(false);
  module.attr("version") = std::string(sluice::version()).c_str();
  load_numpy();
  bind_memory(module);
  bind_decoder(module);
  bind_cuda(module);
  bind_device_memory(module);
  bind_device_span(module);
  bind_tools(module);
  bind_trace(module);
  module.def("end_all_calls", &end_all_calls);
  module.def("forget_calls_after_fork", &forget_calls_after_fork);
}
