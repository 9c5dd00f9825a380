// What stands around the regions of a kernel: the function that hands them to the runtime, and their places in the source.
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "emulate/pass/pass.h"
#include "emulate/pass/regions.h"

namespace starbridge::emulate {

// Lines of the kernel stay those of the kernel: everything counts as inlined into the region.
void keep_kernel_lines(const llvm::Function& kernel, llvm::Function& region) {
  llvm::LLVMContext& context = region.getContext();
  llvm::DISubprogram* head = kernel.getSubprogram();
  if (head == nullptr) return;
  llvm::DIBuilder builder(*region.getParent(), false, head->getUnit());
  llvm::DISubprogram* lines =
      builder.createFunction(head->getFile(), head->getName(), region.getName(), head->getFile(), head->getLine(),
                             builder.createSubroutineType(builder.getOrCreateTypeArray({})), head->getLine(),
                             llvm::DINode::FlagArtificial, llvm::DISubprogram::SPFlagDefinition);
  region.setSubprogram(lines);
  llvm::DILocation* place = llvm::DILocation::getDistinct(context, head->getLine(), 0, lines);
  llvm::DenseMap<const llvm::MDNode*, llvm::MDNode*> cache;
  for (llvm::BasicBlock& block : region) {
    for (llvm::Instruction& at : block) {
      if (const llvm::DebugLoc& line = at.getDebugLoc()) {
        llvm::DebugLoc inlined = llvm::DebugLoc::appendInlinedAt(line, place, context, cache);
        at.setDebugLoc(llvm::DILocation::get(context, line.getLine(), line.getCol(), line.getScope(), inlined.get()));
      } else if (llvm::isa<llvm::CallBase>(at)) {
        at.setDebugLoc(llvm::DILocation::get(context, head->getLine(), 0, lines));
      }
      at.dropDbgRecords();
      if (llvm::MDNode* loop = at.getMetadata(llvm::LLVMContext::MD_loop)) {  // hints stay, places do not
        llvm::SmallVector<llvm::Metadata*, 4> parts = {nullptr};
        for (const llvm::MDOperand& part : llvm::drop_begin(loop->operands())) {
          if (!llvm::isa<llvm::DILocation>(part.get())) parts.push_back(part.get());
        }
        llvm::MDNode* bare = llvm::MDNode::getDistinct(context, parts);
        bare->replaceOperandWith(0, bare);
        at.setMetadata(llvm::LLVMContext::MD_loop, bare);
      }
    }
  }
  builder.finalizeSubprogram(lines);
}

llvm::StructType* type_of_arguments(const llvm::Function& kernel) {
  llvm::SmallVector<llvm::Type*, 16> types;
  for (const llvm::Argument& argument : kernel.args()) types.push_back(argument.getType());
  return llvm::StructType::get(kernel.getContext(), types);
}

// void __sb_wait$KERNEL(): tells the runtime, by the place of a call, where the threads wait.
llvm::Constant* add_wait_place(const llvm::Function& kernel, const Suspend& suspend, unsigned state) {
  llvm::Module& module = *suspend.call->getModule();
  llvm::LLVMContext& context = module.getContext();
  auto* nothing = llvm::FunctionType::get(llvm::Type::getVoidTy(context), false);
  auto* tell = llvm::Function::Create(nothing, llvm::GlobalValue::InternalLinkage,
                                      "__sb_wait" + std::to_string(state) + "$" + kernel.getName(), module);
  llvm::IRBuilder<> ir(llvm::BasicBlock::Create(context, "entry", tell));
  llvm::CallInst* call = ir.CreateCall(module.getOrInsertFunction("__sb_wait_place", nothing));
  call->setDebugLoc(suspend.call->getDebugLoc());
  call->setTailCallKind(llvm::CallInst::TCK_NoTail);
  ir.CreateRetVoid();
  keep_kernel_lines(kernel, *tell);
  return tell;
}

// void __sb_loop$KERNEL(arguments): hands the table of regions to the runtime.
void add_region_loop(llvm::Function& kernel, const std::vector<Region>& regions, const std::vector<Suspend>& suspends,
                     std::uint64_t frame_bytes, std::uint64_t uniform_bytes) {
  llvm::Module& module = *kernel.getParent();
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  auto* loop = llvm::Function::Create(kernel.getFunctionType(), kernel.getLinkage(), "__sb_loop$" + kernel.getName(), module);
  loop->copyAttributesFrom(&kernel);
  loop->removeFnAttr("uniform-work-group-size");
  if (kernel.hasComdat()) loop->setComdat(kernel.getComdat());
  llvm::IRBuilder<> ir(llvm::BasicBlock::Create(context, "entry", loop));
  llvm::StructType* type = type_of_arguments(kernel);
  llvm::Value* arguments = ir.CreateAlloca(type);
  for (llvm::Argument& argument : loop->args())
    ir.CreateStore(&argument, ir.CreateStructGEP(type, arguments, argument.getArgNo()));
  llvm::Type* row_type = llvm::StructType::get(context, {pointer, word, word, word, word, pointer});
  llvm::SmallVector<llvm::Constant*, 16> rows;
  for (unsigned state = 0; state < regions.size(); ++state) {
    const unsigned kind = state == 0 ? 0 : static_cast<unsigned>(suspends[state - 1].kind);
    llvm::Constant* place = state > 0 && pass_options().is_check
                                ? add_wait_place(kernel, suspends[state - 1], state)
                                : llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context));
    const bool whole = state > 0 && suspends[state - 1].is_whole_warp;
    rows.push_back(
        llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(row_type),
                                  {regions[state].function, ir.getInt32(kind), ir.getInt32(whole ? 1 : 0),
                                   ir.getInt32(static_cast<std::uint32_t>(regions[state].single_next)), ir.getInt32(0), place}));
  }
  auto* table_type = llvm::ArrayType::get(row_type, rows.size());
  auto* table = new llvm::GlobalVariable(module, table_type, true, llvm::GlobalValue::PrivateLinkage,
                                         llvm::ConstantArray::get(table_type, rows));
  ir.CreateCall(module.getOrInsertFunction("__sb_run_regions", ir.getVoidTy(), pointer, word, ir.getInt64Ty(), word, pointer),
                {table, ir.getInt32(static_cast<std::uint32_t>(rows.size())), ir.getInt64(frame_bytes),
                 ir.getInt32(static_cast<std::uint32_t>(uniform_bytes)), arguments});
  ir.CreateRetVoid();
}

}  // namespace starbridge::emulate
