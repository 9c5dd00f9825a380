// Variables of BANG C in a core's own memories. The headers spell __nram__ and its like as a shared variable with an annotation
// that names the space; the annotation also carries file and line. Each space is one pointer per core and one offset per
// variable. A variable that one kernel alone reaches shares its place with the variables of other kernels, as on the chip.
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include <array>
#include <map>
#include <set>
#include <vector>

#include "emulate/pass/pass.h"

namespace starbridge::emulate {

namespace {

constexpr std::uint64_t kGuardBytes = 256;  // between variables in a check, so that a step over the end is seen
constexpr std::array<llvm::StringRef, 4> kSpaces = {"sb_nram", "sb_wram", "sb_sram",
                                                    "sb_ldram"};  // in step with bang/runtime/memory.h

struct Variable {
  llvm::GlobalVariable* global = nullptr;
  unsigned space = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  llvm::Constant* file = nullptr;
  llvm::Constant* line = nullptr;
};

llvm::StringRef text_of(const llvm::Constant* constant) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(constant->stripPointerCasts());
  const auto* data = global == nullptr || !global->hasInitializer()
                         ? nullptr
                         : llvm::dyn_cast<llvm::ConstantDataArray>(global->getInitializer());
  return data != nullptr && data->isCString() ? data->getAsCString() : "";
}

// Variables with initial values get them from a constant at the entry of every function that uses them.
void set_initial_values(llvm::Module& module, llvm::GlobalVariable& global) {
  if (!global.hasInitializer() || global.getInitializer()->isNullValue() || llvm::isa<llvm::UndefValue>(global.getInitializer()))
    return;
  auto* values =
      new llvm::GlobalVariable(module, global.getValueType(), true, llvm::GlobalValue::PrivateLinkage, global.getInitializer());
  llvm::FunctionCallee fill = module.getOrInsertFunction(
      "__sb_bang_initial", llvm::Type::getVoidTy(module.getContext()), llvm::PointerType::getUnqual(module.getContext()),
      llvm::PointerType::getUnqual(module.getContext()), llvm::Type::getInt64Ty(module.getContext()));
  std::set<llvm::Function*> functions;
  for (llvm::User* user : global.users()) {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) functions.insert(instruction->getFunction());
  }
  for (llvm::Function* function : functions) {
    llvm::BasicBlock& entry = function->getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    builder.SetCurrentDebugLocation(llvm::DebugLoc());
    llvm::CallInst* call = builder.CreateCall(
        fill,
        {&global, values, builder.getInt64(module.getDataLayout().getTypeAllocSize(global.getValueType()).getFixedValue())});
    if (llvm::DISubprogram* head = function->getSubprogram())
      call->setDebugLoc(llvm::DILocation::get(module.getContext(), head->getLine(), 0, head));
  }
}

// The annotated variables of the module; the list of annotations goes, since it would keep them alive.
std::vector<Variable> take_variables(llvm::Module& module) {
  std::vector<Variable> variables;
  llvm::GlobalVariable* list = module.getNamedGlobal("llvm.global.annotations");
  if (list == nullptr) return variables;
  const auto* rows = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
  for (unsigned i = 0; rows != nullptr && i < rows->getNumOperands(); ++i) {
    auto* row = llvm::cast<llvm::ConstantStruct>(rows->getOperand(i));
    auto* global = llvm::dyn_cast<llvm::GlobalVariable>(row->getOperand(0)->stripPointerCasts());
    const auto* space = std::find(kSpaces.begin(), kSpaces.end(), text_of(row->getOperand(1)));
    if (global == nullptr || space == kSpaces.end()) continue;
    variables.push_back({global, static_cast<unsigned>(space - kSpaces.begin()), 0,
                         module.getDataLayout().getTypeAllocSize(global->getValueType()), row->getOperand(2),
                         row->getOperand(3)});
  }
  list->eraseFromParent();
  return variables;
}

// Which functions each kernel reaches by calls and by taking addresses.
std::set<llvm::Function*> reached_from(llvm::Function& kernel) {
  std::set<llvm::Function*> reached = {&kernel};
  std::vector<llvm::Function*> open = {&kernel};
  while (!open.empty()) {
    llvm::Function* function = open.back();
    open.pop_back();
    for (llvm::BasicBlock& block : *function) {
      for (llvm::Instruction& instruction : block) {
        for (llvm::Value* operand : instruction.operands()) {
          auto* callee = llvm::dyn_cast<llvm::Function>(operand->stripPointerCasts());
          if (callee != nullptr && !callee->isDeclaration() && reached.insert(callee).second) open.push_back(callee);
        }
      }
    }
  }
  return reached;
}

bool is_used_in(const llvm::GlobalVariable& global, const std::set<llvm::Function*>& functions) {
  for (const llvm::User* user : global.users()) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
    if (instruction != nullptr && functions.count(const_cast<llvm::Function*>(instruction->getFunction())) > 0) return true;
  }
  return false;
}

llvm::Constant* make_text(llvm::Module& module, llvm::StringRef text) {
  auto* data = llvm::ConstantDataArray::getString(module.getContext(), text);
  return new llvm::GlobalVariable(module, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data);
}

// struct { u32 count; u32 zero; struct { u32 space, offset, bytes, line; char* name; char* file; } variables[count]; }
void describe(llvm::Module& module, llvm::Function& kernel, const std::vector<const Variable*>& variables) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> builder(context);
  llvm::Type* word = builder.getInt32Ty();
  llvm::Type* pointer = builder.getPtrTy();
  auto* row_type = llvm::StructType::get(context, {word, word, word, word, pointer, pointer});
  std::vector<llvm::Constant*> rows;
  for (const Variable* variable : variables) {
    llvm::Constant* name = make_text(module, readable_name(variable->global->getName()));
    llvm::Constant* file = make_text(module, text_of(variable->file));  // the annotation's own text is not emitted
    rows.push_back(llvm::ConstantStruct::get(
        row_type, {builder.getInt32(variable->space), builder.getInt32(static_cast<std::uint32_t>(variable->offset)),
                   builder.getInt32(static_cast<std::uint32_t>(variable->bytes)), variable->line, name, file}));
  }
  auto* table = llvm::ConstantArray::get(llvm::ArrayType::get(row_type, rows.size()), rows);
  auto* value =
      llvm::ConstantStruct::getAnon({builder.getInt32(static_cast<std::uint32_t>(rows.size())), builder.getInt32(0), table});
  auto* global =
      new llvm::GlobalVariable(module, value->getType(), true, kernel.getLinkage(), value, "__sb_spaces$" + kernel.getName());
  if (kernel.hasComdat()) global->setComdat(kernel.getComdat());
}

}  // namespace

void lower_spaces(llvm::Module& module, const PassOptions& options) {
  std::vector<Variable> variables = take_variables(module);
  std::vector<llvm::Constant*> globals;
  for (const Variable& variable : variables) globals.push_back(variable.global);
  llvm::convertUsersOfConstantsToInstructions(globals);
  for (const Variable& variable : variables) set_initial_values(module, *variable.global);
  std::map<llvm::Function*, std::set<llvm::Function*>> reached;
  for (llvm::Function& function : module) {
    if (is_kernel(function)) reached[&function] = reached_from(function);
  }
  const std::uint64_t guard = options.is_check ? kGuardBytes : 0;
  std::array<std::uint64_t, 4> common_end = {};
  std::map<llvm::Function*, std::array<std::uint64_t, 4>> own_end;
  std::map<llvm::Function*, std::vector<const Variable*>> used;
  auto place = [&](Variable& variable, std::uint64_t& end) {
    variable.offset = llvm::alignTo(end, std::max(variable.global->getAlign().valueOrOne(), llvm::Align(128)));
    end = variable.offset + variable.bytes + guard;
  };
  std::vector<std::pair<Variable*, llvm::Function*>> own;
  for (Variable& variable : variables) {
    std::vector<llvm::Function*> users;
    for (auto& [kernel, functions] : reached) {
      if (is_used_in(*variable.global, functions)) users.push_back(kernel);
    }
    for (llvm::Function* kernel : users) used[kernel].push_back(&variable);
    if (users.size() == 1)
      own.emplace_back(&variable, users[0]);
    else
      place(variable, common_end[variable.space]);
  }
  for (auto [variable, kernel] : own) {
    auto [end, is_new] = own_end.try_emplace(kernel, common_end);
    place(*variable, end->second[variable->space]);
  }
  std::array<llvm::GlobalVariable*, 4> bases = {thread_pointer(module, "__sb_nram"), thread_pointer(module, "__sb_wram"),
                                                thread_pointer(module, "__sb_sram"), thread_pointer(module, "__sb_ldram")};
  for (auto& [kernel, functions] : reached) describe(module, *kernel, used[kernel]);
  for (Variable& variable : variables) replace_by_offset(*variable.global, *bases[variable.space], variable.offset);
}

}  // namespace starbridge::emulate
