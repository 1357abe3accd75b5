#pragma once
// The parts of the extension module, each bound by the file that holds it.
#include <nanobind/nanobind.h>

namespace sluice::python {

void bind_decoder(nanobind::module_& module);  // HostDecoder, CpuDecoder
void bind_cuda(nanobind::module_& module);     // CudaDecoder
void bind_device_memory(nanobind::module_& module);  // memory of a GPU and its events
void bind_device_span(nanobind::module_& module);    // where arrays on a GPU lie
void bind_memory(nanobind::module_& module);   // what arrays own
void bind_tools(nanobind::module_& module);    // check, explain, build, encode, codecs
void bind_trace(nanobind::module_& module);    // Trace

}  // namespace sluice::python
