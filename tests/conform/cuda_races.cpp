// ThreadSanitizer's reports, counted, in programs whose kernels are built with it.
#include "tests/conform/cuda_simt.h"

extern "C" void __tsan_on_report(void* report);

namespace {
unsigned reports = 0;
}
// The runtime calls this for each report, after printing it.
extern "C" void __tsan_on_report(void*) { ++reports; }

namespace sluice::test {
unsigned races_reported() { return reports; }
}  // namespace sluice::test
