// The door of the pass: Clang 19 loads this library with -fpass-plugin and runs it before its own optimisations.
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <cstdlib>
#include <string_view>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

PassOptions pass_options() {
  const char* value = std::getenv("SB_EMULATE_PASS");
  std::string_view mode = value == nullptr ? "" : value;
  return {.is_host = mode == "host",
          .is_check = mode.ends_with("check"),
          .is_bang = mode.starts_with("bang-"),
          .is_ascend = mode.starts_with("ascend-"),
          .is_timed = mode.ends_with("time")};
}

bool is_kernel(const llvm::Function& function) {
  // Clang 19 gives this attribute to kernels of CUDA only, for every target.
  return !function.isDeclaration() && function.hasFnAttribute("uniform-work-group-size");
}

namespace {

void lower_for_cuda(llvm::Module& module, const PassOptions& options) {
  lower_variables(module);
  lower_shared(module, options);
  lower_builtins(module);
  if (options.is_check)
    instrument_accesses(module);
  else
    mark_volatile_steps(module);
  // SB_EMULATE_FIBRES: every thread on a stack of its own, to compare.
  add_thread_loops(module, !options.is_check && std::getenv("SB_EMULATE_FIBRES") == nullptr);
}

void lower_for_bang(llvm::Module& module, const PassOptions& options) {
  for (llvm::Function& function : module) {
    // The runtime finds kernels by name, also those whose template arguments are local types.
    if (is_kernel(function) && function.hasLocalLinkage()) function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
  }
  lower_spaces(module, options);
  lower_assembly(module);
  lower_builtins(module);
  if (options.is_check) instrument_accesses(module);
}

void lower_for_ascend(llvm::Module& module, const PassOptions& options) {
  for (llvm::Function& function : module) {
    if (is_kernel(function) && function.hasLocalLinkage()) function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
  }
  note_units(module);
  if (options.is_check) instrument_accesses(module);
}

struct Lower : llvm::PassInfoMixin<Lower> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    PassOptions options = pass_options();
    if (options.is_host) {
      add_invokers(module);
      return llvm::PreservedAnalyses::none();
    }
    if (options.is_bang)
      lower_for_bang(module, options);
    else if (options.is_ascend)
      lower_for_ascend(module, options);
    else
      lower_for_cuda(module, options);
    // For whoever works on the pass: what is wrong with the module, instead of a crash further on.
    if (std::getenv("SB_EMULATE_VERIFY") != nullptr && llvm::verifyModule(module, &llvm::errs())) std::abort();
    return llvm::PreservedAnalyses::none();
  }
};

struct CountScalars : llvm::PassInfoMixin<CountScalars> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    count_scalars(module);
    return llvm::PreservedAnalyses::none();
  }
};

struct LowerPtx : llvm::PassInfoMixin<LowerPtx> {
  static bool isRequired() { return true; }
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    lower_ptx(module);
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace
}  // namespace starbridge::emulate

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "starbridge-emulate", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
              using namespace starbridge::emulate;
              if (!pass_options().is_host && level != llvm::OptimizationLevel::O0) {
                // Our headers' small functions disappear into their callers, so that what is told to the runtime carries the
                // user's line; values that live in registers are not told at all.
                passes.addPass(llvm::AlwaysInlinerPass());
                // The registers of inline PTX become variables that the passes below take apart.
                if (!pass_options().is_bang) passes.addPass(LowerPtx());
                llvm::FunctionPassManager functions;
                functions.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
                functions.addPass(llvm::EarlyCSEPass());
                passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
              }
              if (!pass_options().is_host && !pass_options().is_bang && level == llvm::OptimizationLevel::O0)
                passes.addPass(LowerPtx());
              passes.addPass(Lower());
            });
            builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
              using namespace starbridge::emulate;
              if (pass_options().is_timed) passes.addPass(CountScalars());
            });
          }};
}
