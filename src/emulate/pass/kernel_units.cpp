// Which units of an Ascend core a kernel reaches, as the chip's compiler finds out too: it decides on which cores a launch runs.
// Leaves `__sb_units$NAME` beside each kernel: { u32 units (1 matrix, 2 vector, 4 a Matmul object), u32 the type it names }.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

namespace {

constexpr std::uint32_t kCube = 1, kVector = 2, kMatmul = 4;

struct Units {
  std::uint32_t units = 0, named = 0;
};

void look_at(const llvm::CallBase& call, Units& found) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return;
  const llvm::StringRef name = callee->getName();
  if (name == "__sb_asc_mmad" || name == "__sb_asc_load_data" || name == "__sb_asc_fixpipe" || name == "__sb_asc_fill_local")
    found.units |= kCube;
  else if (name == "__sb_asc_vector" || name == "__sb_asc_reduce" || name == "__sb_asc_select")
    found.units |= kVector;
  else if (name == "__sb_asc_task_type") {
    const auto* key = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    const auto* type = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    if (key == nullptr || type == nullptr) return;
    if (key->getSExtValue() == -2)
      found.units |= kMatmul;
    else
      found.named = static_cast<std::uint32_t>(type->getZExtValue());
  }
}

}  // namespace

void note_units(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  llvm::SmallVector<llvm::Function*, 16> kernels;
  for (llvm::Function& function : module) {
    if (is_kernel(function)) kernels.push_back(&function);
  }
  for (llvm::Function* kernel : kernels) {
    Units found;
    llvm::SmallVector<llvm::Function*, 16> reached = {kernel};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (llvm::BasicBlock& block : *reached[i]) {
        for (llvm::Instruction& instruction : block) {
          auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          if (call == nullptr) continue;
          look_at(*call, found);
          llvm::Function* callee = call->getCalledFunction();
          if (callee != nullptr && !callee->isDeclaration() && !llvm::is_contained(reached, callee)) reached.push_back(callee);
        }
      }
    }
    auto* type = llvm::StructType::get(context, {word, word});
    auto* value = llvm::ConstantStruct::get(type, {llvm::ConstantInt::get(word, found.units), llvm::ConstantInt::get(word, found.named)});
    auto* note = new llvm::GlobalVariable(module, type, true, kernel->getLinkage(), value, "__sb_units$" + kernel->getName());
    if (kernel->hasComdat()) note->setComdat(kernel->getComdat());
  }
}

}  // namespace starbridge::emulate
