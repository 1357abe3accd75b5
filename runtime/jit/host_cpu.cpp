#include "runtime/jit/host_cpu.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace sluice::runtime {

#if defined(__x86_64__) || defined(__i386__)

std::string host_cpu_id() {
  std::string id = "x86_64";
  unsigned a = 0, b = 0, c = 0, d = 0;
  // Leaf 1's ebx holds the number of the core that happens to run this: leave it out.
  if (__get_cpuid(1, &a, &b, &c, &d)) id += fmt::format(" 1:{:08x}.{:08x}.{:08x}", a, c, d);
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    id += fmt::format(" 7:{:08x}.{:08x}.{:08x}", b, c, d);
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) id += fmt::format(" 7.1:{:08x}.{:08x}.{:08x}", a, b, d);
  }
  if (__get_cpuid_count(0xd, 1, &a, &b, &c, &d)) id += fmt::format(" d.1:{:x}", a & 0xf);
  if (__get_cpuid(0x80000001u, &a, &b, &c, &d)) id += fmt::format(" e1:{:08x}.{:08x}", c, d);
  // The operating system may keep wide registers switched off; xgetbv tells, if the processor has it.
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE)) {
    unsigned lo = 0, hi = 0;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    id += fmt::format(" x:{:x}", lo);
  }
  return id;
}

#else

std::string host_cpu_id() {
  utsname name{};
  return uname(&name) == 0 ? fmt::format("{} {} {}", name.machine, name.nodename, name.release) : "unknown";
}

#endif

}  // namespace sluice::runtime
