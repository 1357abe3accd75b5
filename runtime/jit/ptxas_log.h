#pragma once
// What a kernel takes of the machine, read from what `ptxas -v` says.
//
//   ptxas info    : Compiling entry function 'k' for 'sm_90'
//   ptxas info    : Function properties for k
//   ptxas         .     160 bytes stack frame, 0 bytes spill stores, 4 bytes spill loads
//   ptxas info    : Used 34 registers, used 1 barriers, 160 bytes cumulative stack size, 400 bytes smem
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::runtime {

struct KernelResources {
  std::string name;        // as in the object: kernels plain, device functions mangled
  bool kernel = false;     // an entry; else a function that was not inlined, of which only stack and spills are known
  unsigned registers = 0;  // a thread
  unsigned shared = 0;     // bytes a block, static
  unsigned constant = 0;   // bytes
  unsigned barriers = 0;   // named barriers of a block
  unsigned stack = 0;      // bytes a thread; of a kernel with its callees where ptxas says so
  unsigned spill_stores = 0, spill_loads = 0;  // bytes of code's loads and stores, not of memory
};

// Every function the log speaks of, in its order. Lines of another form are passed over.
[[nodiscard]] std::vector<KernelResources> parse_ptxas_log(std::string_view log);

// The kernel of that name; null when there is none.
[[nodiscard]] const KernelResources* find_kernel(const std::vector<KernelResources>& list, std::string_view name);

}  // namespace sluice::runtime
