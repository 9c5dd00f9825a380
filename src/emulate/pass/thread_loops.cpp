// Built-in variables and the loop over the threads of a block.
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

namespace {

constexpr const char* kBuiltins[] = {"__sb_threadIdx", "__sb_blockIdx", "__sb_blockDim",  "__sb_gridDim",
                                     "__sb_taskId",    "__sb_taskIdX",  "__sb_taskIdY",   "__sb_taskIdZ",
                                     "__sb_taskDim",   "__sb_taskDimX", "__sb_taskDimY",  "__sb_taskDimZ",
                                     "__sb_coreId",    "__sb_coreDim",  "__sb_clusterId", "__sb_clusterDim"};

// A thread's built-in variables never change, but every call hides that from the optimiser: each function reads them at its
// entry, once.
void read_once(llvm::GlobalVariable& global) {
  const llvm::DataLayout& layout = global.getParent()->getDataLayout();
  std::map<std::pair<llvm::Function*, std::int64_t>, llvm::Value*> read;
  llvm::SmallVector<llvm::Value*, 16> pointers = {&global};
  llvm::SmallVector<llvm::LoadInst*, 32> loads;
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    for (llvm::User* user : pointers[i]->users()) {
      if (llvm::isa<llvm::GetElementPtrInst>(user)) pointers.push_back(user);
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user); load != nullptr && load->getType()->isIntegerTy(32))
        loads.push_back(load);
    }
  }
  for (llvm::LoadInst* load : loads) {
    llvm::APInt offset(64, 0);
    if (load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true) != &global) continue;
    llvm::Value*& value = read[{load->getFunction(), offset.getSExtValue()}];
    if (value == nullptr) {
      llvm::BasicBlock& entry = load->getFunction()->getEntryBlock();
      llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
      builder.SetCurrentDebugLocation(llvm::DebugLoc());
      llvm::Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), builder.CreateThreadLocalAddress(&global),
                                                                offset.getSExtValue());
      value = builder.CreateAlignedLoad(builder.getInt32Ty(), address, llvm::Align(4));
    }
    load->replaceAllUsesWith(value);
    load->eraseFromParent();
  }
}

// A kernel that disappears into its loop keeps its lines only when the loop has lines too: those of the kernel's head.
void keep_lines(llvm::Module& module, const llvm::Function& kernel, llvm::Function& loop, llvm::CallInst& call) {
  llvm::DISubprogram* head = kernel.getSubprogram();
  if (head == nullptr) return;
  llvm::DIBuilder builder(module, false, head->getUnit());
  llvm::DISubprogram* lines =
      builder.createFunction(head->getFile(), loop.getName(), loop.getName(), head->getFile(), head->getLine(),
                             builder.createSubroutineType(builder.getOrCreateTypeArray({})), head->getLine(),
                             llvm::DINode::FlagArtificial, llvm::DISubprogram::SPFlagDefinition);
  loop.setSubprogram(lines);
  call.setDebugLoc(llvm::DILocation::get(module.getContext(), head->getLine(), 0, lines));
  builder.finalizeSubprogram(lines);
}

}  // namespace

void lower_builtins(llvm::Module& module) {
  for (const char* name : kBuiltins) {
    llvm::GlobalVariable* global = module.getNamedGlobal(name);
    if (global == nullptr) continue;
    llvm::convertUsersOfConstantsToInstructions({global});
    global->setThreadLocalMode(llvm::GlobalValue::InitialExecTLSModel);
    read_once(*global);
  }
}

void add_thread_loops(llvm::Module& module, bool may_cut) {
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Function*, 16> kernels;
  for (llvm::Function& function : module) {
    if (is_kernel(function)) kernels.push_back(&function);  // first all: what is added below is none
  }
  llvm::FunctionCallee next = module.getOrInsertFunction("__sb_next_thread", llvm::Type::getInt1Ty(context));
  for (llvm::Function* kernel : kernels) {
    if (may_cut && build_regions(*kernel)) continue;
    auto* loop =
        llvm::Function::Create(kernel->getFunctionType(), kernel->getLinkage(), "__sb_loop$" + kernel->getName(), module);
    loop->copyAttributesFrom(kernel);
    loop->removeFnAttr("uniform-work-group-size");
    loop->removeFnAttr(llvm::Attribute::NoRecurse);
    if (kernel->hasComdat()) loop->setComdat(kernel->getComdat());
    auto* entry = llvm::BasicBlock::Create(context, "entry", loop);  // an entry may have no way back to it
    auto* head = llvm::BasicBlock::Create(context, "next", loop);
    auto* body = llvm::BasicBlock::Create(context, "thread", loop);
    auto* done = llvm::BasicBlock::Create(context, "done", loop);
    llvm::IRBuilder<> builder(entry);
    builder.CreateBr(head);
    builder.SetInsertPoint(head);
    builder.CreateCondBr(builder.CreateCall(next), body, done);
    builder.SetInsertPoint(body);
    llvm::SmallVector<llvm::Value*, 16> arguments;
    for (llvm::Argument& argument : loop->args()) arguments.push_back(&argument);
    llvm::CallInst* call = builder.CreateCall(kernel, arguments);
    call->setCallingConv(kernel->getCallingConv());
    keep_lines(module, *kernel, *loop, *call);
    for (unsigned i = 0; i < arguments.size(); ++i) {
      for (llvm::Attribute attribute : kernel->getAttributes().getParamAttrs(i)) call->addParamAttr(i, attribute);
    }
    builder.CreateBr(head);
    builder.SetInsertPoint(done);
    builder.CreateRetVoid();
  }
}

}  // namespace starbridge::emulate
