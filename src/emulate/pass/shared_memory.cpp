// __shared__ variables. Clang gives them no initial value at all (`undef`), which no other variable has; `extern __shared__` ones
// are declared arrays without a length. Both move into the memory of the block that runs: one pointer per block, one offset per
// variable. A variable that one kernel alone uses shares its place with the variables of other kernels, as on the card.
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include <map>
#include <vector>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

namespace {

constexpr std::uint64_t kGuardBytes = 32;  // between variables in a check, so that a step over the end is seen

struct Variable {
  llvm::GlobalVariable* global = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

llvm::SmallPtrSet<llvm::Function*, 4> users_of(llvm::GlobalVariable& global) {
  llvm::SmallPtrSet<llvm::Function*, 4> functions;
  for (llvm::User* user : global.users()) {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) functions.insert(instruction->getFunction());
  }
  return functions;
}

// struct { u32 bytes; u32 count; struct { u32 offset; u32 bytes; char* name; } variables[count]; } under a name the runtime
// finds.
void describe(llvm::Module& module, llvm::Function& kernel, const std::vector<Variable>& variables, std::uint64_t bytes) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Type* word = builder.getInt32Ty();
  auto* row_type = llvm::StructType::get(context, {word, word, builder.getPtrTy()});
  std::vector<llvm::Constant*> rows;
  for (const Variable& variable : variables) {
    auto* text = llvm::ConstantDataArray::getString(context, readable_name(variable.global->getName()));
    auto* name = new llvm::GlobalVariable(module, text->getType(), true, llvm::GlobalValue::PrivateLinkage, text);
    rows.push_back(llvm::ConstantStruct::get(row_type, {builder.getInt32(static_cast<std::uint32_t>(variable.offset)),
                                                        builder.getInt32(static_cast<std::uint32_t>(variable.bytes)), name}));
  }
  auto* table = llvm::ConstantArray::get(llvm::ArrayType::get(row_type, rows.size()), rows);
  auto* value = llvm::ConstantStruct::getAnon(
      {builder.getInt32(static_cast<std::uint32_t>(bytes)), builder.getInt32(static_cast<std::uint32_t>(rows.size())), table});
  auto* global =
      new llvm::GlobalVariable(module, value->getType(), true, kernel.getLinkage(), value, "__sb_shared$" + kernel.getName());
  if (kernel.hasComdat()) global->setComdat(kernel.getComdat());
}

}  // namespace

llvm::GlobalVariable* thread_pointer(llvm::Module& module, llvm::StringRef name) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(module.getContext());
  auto* variable = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal(name, pointer));
  variable->setThreadLocalMode(llvm::GlobalValue::InitialExecTLSModel);
  return variable;
}

void replace_by_offset(llvm::GlobalVariable& global, llvm::GlobalVariable& base, std::uint64_t offset) {
  std::map<llvm::Function*, llvm::Value*> address_of;
  llvm::SmallVector<llvm::Use*, 16> uses;
  for (llvm::Use& use : global.uses()) uses.push_back(&use);
  for (llvm::Use* use : uses) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(use->getUser());
    if (instruction == nullptr) continue;
    llvm::Value*& address = address_of[instruction->getFunction()];
    if (address == nullptr) {
      llvm::BasicBlock& entry = instruction->getFunction()->getEntryBlock();
      llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
      builder.SetCurrentDebugLocation(llvm::DebugLoc());
      llvm::Value* start = builder.CreateLoad(
          builder.getPtrTy(), base.isThreadLocal() ? builder.CreateThreadLocalAddress(&base) : static_cast<llvm::Value*>(&base));
      address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), start, offset, global.getName() + ".shared");
    }
    use->set(address);
  }
}

std::string readable_name(llvm::StringRef mangled) {
  std::string name = llvm::demangle(mangled.str());
  std::size_t colon = name.rfind("::");
  return colon == std::string::npos ? name : name.substr(colon + 2);
}

void lower_variables(llvm::Module& module) {
  for (llvm::GlobalVariable& global : module.globals()) {
    // The host may fill what kernels may only read: it must not lie in memory that is read-only for all.
    if (global.hasSection() && global.getSection() == "sb_constant") global.setConstant(false);
  }
  std::vector<llvm::GlobalVariable*> managed;
  for (llvm::GlobalVariable& global : module.globals()) {
    if (global.hasSection() && global.getSection() == "sb_managed") managed.push_back(&global);
  }
  llvm::convertUsersOfConstantsToInstructions(std::vector<llvm::Constant*>(managed.begin(), managed.end()));
  for (llvm::GlobalVariable* global : managed) {
    auto* holder = new llvm::GlobalVariable(module, llvm::PointerType::getUnqual(module.getContext()), false,
                                            llvm::GlobalValue::ExternalLinkage, global, "__sb_managed$" + global->getName());
    replace_by_offset(*global, *holder, 0);
    global->setSection("");
  }
}

void lower_shared(llvm::Module& module, const PassOptions& options) {
  std::vector<llvm::GlobalVariable*> fixed;
  std::vector<llvm::GlobalVariable*> dynamic;
  for (llvm::GlobalVariable& global : module.globals()) {
    auto* array = llvm::dyn_cast<llvm::ArrayType>(global.getValueType());
    if (global.isDeclaration() && array != nullptr && array->getNumElements() == 0)
      dynamic.push_back(&global);
    else if (global.hasInitializer() && llvm::isa<llvm::UndefValue>(global.getInitializer()))
      fixed.push_back(&global);
  }
  std::vector<llvm::Constant*> all(fixed.begin(), fixed.end());
  all.insert(all.end(), dynamic.begin(), dynamic.end());
  llvm::convertUsersOfConstantsToInstructions(all);

  const llvm::DataLayout& layout = module.getDataLayout();
  const std::uint64_t guard = options.is_check ? kGuardBytes : 0;
  auto place = [&](llvm::GlobalVariable& global, std::uint64_t& end) {
    llvm::Align align = std::max(global.getAlign().valueOrOne(), llvm::Align(8));
    Variable variable{&global, llvm::alignTo(end, align), layout.getTypeAllocSize(global.getValueType())};
    end = variable.offset + variable.bytes + guard;
    return variable;
  };
  std::uint64_t common_end = 0;
  std::vector<Variable> common;
  std::map<llvm::Function*, std::vector<llvm::GlobalVariable*>> own;
  for (llvm::GlobalVariable* global : fixed) {
    auto functions = users_of(*global);
    if (functions.size() == 1 && is_kernel(**functions.begin()))
      own[*functions.begin()].push_back(global);
    else if (!functions.empty())
      common.push_back(place(*global, common_end));
  }
  llvm::GlobalVariable* base = thread_pointer(module, "__sb_shared");
  for (const Variable& variable : common) replace_by_offset(*variable.global, *base, variable.offset);
  for (llvm::Function& function : module) {
    if (!is_kernel(function)) continue;
    std::vector<Variable> variables = common;
    std::uint64_t end = common_end;
    for (llvm::GlobalVariable* global : own[&function]) {
      variables.push_back(place(*global, end));
      replace_by_offset(*global, *base, variables.back().offset);
    }
    describe(module, function, variables, end);
  }
  llvm::GlobalVariable* dynamic_base = thread_pointer(module, "__sb_dynamic_shared");
  for (llvm::GlobalVariable* global : dynamic) replace_by_offset(*global, *dynamic_base, 0);
}

}  // namespace starbridge::emulate
