#include "tests/fuzz/specs/native.h"

#include <cstring>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "runtime/jit/clang/backend.h"
#include "runtime/jit/clang/frontend.h"
#include "runtime/jit/clang/host_target.h"
#include "tests/fuzz/specs/kernel_prelude.h"

namespace sluice::fuzz {

using namespace clang_plugin;

struct Native::Code {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Native::Native(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Native::~Native() = default;
Native::Native(Native&&) noexcept = default;
Native& Native::operator=(Native&&) noexcept = default;

void* Native::symbol(const std::string& name) const {
  auto address = code_->jit->lookup(name);
  if (address) return address->toPtr<void*>();
  llvm::consumeError(address.takeError());
  return nullptr;
}

namespace {

void optimise_lightly(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::PassBuilder builder(&machine);
  // Destroyed in reverse: the managers refer to each other.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  llvm::FunctionPassManager each;
  each.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  each.addPass(llvm::EarlyCSEPass());
  each.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
  passes.run(module, modules);
}

// Everything in the section of __shared__ variables becomes part of one variable that can be found by its name. Each lies where
// its own alignment allows, which may be more than its type's: alignas belongs to the variable there.
constexpr const char* kSharedSection = "simt_shared";
constexpr const char* kShared = "simt_shared_block";

std::size_t gather_shared(llvm::Module& module) {
  const llvm::DataLayout& layout = module.getDataLayout();
  llvm::Type* byte = llvm::Type::getInt8Ty(module.getContext());
  std::vector<std::pair<llvm::GlobalVariable*, std::uint64_t>> variables;  // and their offsets
  std::uint64_t size = 0;
  llvm::Align align(128);
  for (llvm::GlobalVariable& g : module.globals())
    if (g.getSection() == kSharedSection && !g.isDeclaration()) {
      const llvm::Align own = layout.getValueOrABITypeAlignment(g.getAlign(), g.getValueType());
      align = std::max(align, own);
      size = llvm::alignTo(size, own);
      variables.emplace_back(&g, size);
      size += layout.getTypeAllocSize(g.getValueType()).getFixedValue();
    }
  if (variables.empty()) return 0;
  auto* type = llvm::ArrayType::get(byte, size);
  auto* block = new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::ExternalLinkage,
                                         llvm::ConstantAggregateZero::get(type), kShared);
  block->setAlignment(align);
  for (const auto& [variable, offset] : variables) {
    auto* place = llvm::ConstantExpr::getInBoundsGetElementPtr(
        byte, block, llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), offset));
    variable->replaceAllUsesWith(place);
    variable->eraseFromParent();
  }
  return size;
}

}  // namespace

struct NativeMaker {
  // Object code from text; nothing with `problem` set. `shared`, if given, receives the size of the shared variables.
  static std::optional<Native> make(const std::string& text, Effort effort, std::size_t* shared, std::string& problem) {
    llvm::LLVMContext context;
    std::string errors;
    const HostTarget& host = host_target();
    const auto machine = target_machine(host, problem);
    if (!machine) return std::nullopt;
    const auto module = parse(text, host, context, errors);
    if (!module) {
      problem = errors.empty() ? "the front end gave no module" : errors;
      return std::nullopt;
    }
    if (shared) *shared = gather_shared(*module);
    if (effort == Effort::Full) {
      optimise(*module, *machine);
    } else {
      machine->setOptLevel(llvm::CodeGenOptLevel::None);
      machine->setFastISel(true);
      optimise_lightly(*module, *machine);
    }
    llvm::SmallVector<char, 0> object;
    if (!generate(*module, *machine, Output::Object, object, problem)) return std::nullopt;
    return load(object, problem);
  }

  static std::optional<Native> load(const llvm::SmallVectorImpl<char>& object, std::string& problem) {
    auto code = std::make_unique<Native::Code>();
    auto jit = llvm::orc::LLJITBuilder().create();
    if (!jit) {
      problem = llvm::toString(jit.takeError());
      return std::nullopt;
    }
    code->jit = std::move(*jit);
    auto own =
        llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(code->jit->getDataLayout().getGlobalPrefix());
    if (!own) {
      problem = llvm::toString(own.takeError());
      return std::nullopt;
    }
    code->jit->getMainJITDylib().addGenerator(std::move(*own));
    code->jit->getExecutionSession().setErrorReporter(
        [&problem](llvm::Error e) { problem += llvm::toString(std::move(e)); });
    if (auto e = code->jit->addObjectFile(
            llvm::MemoryBuffer::getMemBufferCopy({object.data(), object.size()}, "decoder.o"))) {
      problem = llvm::toString(std::move(e));
      return std::nullopt;
    }
    return Native(std::move(code));
  }
};

namespace {

std::optional<Decoder> decoder_of(const Native& code, const std::string& prefix) {
  Decoder decoder;
  decoder.decode = reinterpret_cast<sluice_decode_fn>(code.symbol(prefix + "_decode"));
  decoder.count = reinterpret_cast<sluice_decode_fn>(code.symbol(prefix + "_count"));
  const void* scratch = code.symbol(prefix + "_scratch_bytes");
  if (decoder.decode == nullptr || decoder.count == nullptr || scratch == nullptr) return std::nullopt;
  std::memcpy(&decoder.scratch_bytes, scratch, sizeof decoder.scratch_bytes);
  return decoder;
}

void find_decoders(Decoders& made, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    const auto decoder = decoder_of(*made.code, unit.prefix);
    if (!decoder) {
      if (made.problem.empty()) made.problem = "compiled code lacks " + unit.prefix + "_decode";
      made.code.reset();
      made.decoders.clear();
      return;
    }
    made.decoders.push_back(*decoder);
  }
}

// The units as one: the ABI and the primitives that any of them needs once, each decoder in a namespace of its own.
std::string joined(std::span<const Unit> units) {
  embed::PrimitiveNames names;
  for (const Unit& unit : units) names.add(unit.decoder.names);
  std::string whole = emit::emit_cpu_head(names) + "}\n";
  for (const Unit& unit : units)
    whole += "namespace " + unit.prefix + "_room {\nnamespace {\n" + unit.decoder.text + "}\n";
  return whole;
}

}  // namespace

Decoders compile_decoders(std::span<const Unit> units, Effort effort) {
  Decoders made;
  made.code = NativeMaker::make(joined(units), effort, nullptr, made.problem);
  if (made.code) find_decoders(made, units);
  return made;
}

Kernel compile_kernel(const emit::CudaUnit& unit) {
  Kernel kernel;
  kernel.plan = unit.plan;
  std::string text = kernel_prelude();
  text += "namespace {\n" + unit.text + "\n}\n";
  text += "extern \"C\" void simt_decode(void* batch) { " + unit.plan.decode +
          "(*static_cast<const sluice_cuda_batch*>(batch)); }\n";
  text += "extern \"C\" void simt_count(void* batch) { " + unit.plan.count +
          "(*static_cast<const sluice_cuda_batch*>(batch)); }\n";
  std::size_t shared = 0;
  kernel.code = NativeMaker::make(text, Effort::Light, &shared, kernel.problem);
  if (!kernel.code) return kernel;
  kernel.decode = reinterpret_cast<void (*)(void*)>(kernel.code->symbol("simt_decode"));
  kernel.count = reinterpret_cast<void (*)(void*)>(kernel.code->symbol("simt_count"));
  if (shared > 0) kernel.shared = {static_cast<std::byte*>(kernel.code->symbol(kShared)), shared};
  if (kernel.decode == nullptr || kernel.count == nullptr || (shared > 0 && kernel.shared.start == nullptr)) {
    if (kernel.problem.empty()) kernel.problem = "compiled kernel lacks an entry point";
    kernel.code.reset();
  }
  return kernel;
}

}  // namespace sluice::fuzz
