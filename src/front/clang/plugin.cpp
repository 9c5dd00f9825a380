// The plugin: kernels that are launched or not templates, their launches, and what of the sources is device code, written as one
// module to the file named by -plugin-arg-starbridge-front out=FILE.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendPluginRegistry.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <fstream>

#include "front/clang/lower.h"

namespace starbridge::front {

namespace {

constexpr int kAttemptsMax = 64;

class Collector : public clang::RecursiveASTVisitor<Collector> {
 public:
  explicit Collector(clang::ASTContext& context) : context_(context), sources_(context.getSourceManager()) {}
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (sources_.isInSystemHeader(function->getLocation()) || !function->isThisDeclarationADefinition()) {
      if (!sources_.isInSystemHeader(function->getLocation()) && function->hasAttr<clang::CUDAGlobalAttr>())
        remove(function, "declaration");
      return true;
    }
    const bool is_kernel = function->hasAttr<clang::CUDAGlobalAttr>();
    const bool is_device = function->hasAttr<clang::CUDADeviceAttr>(), is_host = function->hasAttr<clang::CUDAHostAttr>();
    if (is_kernel || (is_device && !is_host && !llvm::isa<clang::CXXMethodDecl>(function)))
      remove(function, is_kernel ? "kernel" : "function");
    if (is_kernel && !function->isDependentContext()) kernels_.push_back(function);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* var) {
    if (sources_.isInSystemHeader(var->getLocation()) || !var->hasGlobalStorage() || var->isStaticLocal()) return true;
    // Constants of the host that kernels name have got the attribute from the compiler: they stay what they are.
    const auto is_written = [](const clang::Attr* attribute) { return attribute != nullptr && !attribute->isImplicit(); };
    if (!is_written(var->getAttr<clang::CUDAConstantAttr>()) && !is_written(var->getAttr<clang::CUDADeviceAttr>())) return true;
    if (var->getDescribedVarTemplate() != nullptr || var->isConstexpr()) return true;
    Tree node = range(var->getSourceRange(), var);
    node->op = "symbol";
    node->name = var->getNameAsString();
    std::string type = var->getType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
    node->type = "";
    node->extra = type;
    if (var->hasInit()) node->args.push_back(make("initial", "", text_of(var->getInit()->getSourceRange())));
    module_.push_back(node);
    return true;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) {
    if (sources_.isInSystemHeader(call->getBeginLoc())) return true;
    Tree node = range(call->getSourceRange(), nullptr);
    node->op = "launch";
    const clang::Expr* callee = call->getCallee()->IgnoreParenImpCasts();
    known_.insert(callee);
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(callee)) node->name = reference->getDecl()->getNameAsString();
    if (const auto* lookup = llvm::dyn_cast<clang::UnresolvedLookupExpr>(callee)) node->name = lookup->getName().getAsString();
    node->args.push_back(make("callee", "", text_of(call->getCallee()->getSourceRange())));
    for (const clang::Expr* each : call->getConfig()->arguments())
      node->args.push_back(make("config", "", llvm::isa<clang::CXXDefaultArgExpr>(each) ? "" : text_of(each->getSourceRange())));
    if (node->name.empty()) node->extra = "function_pointer";
    module_.push_back(node);
    return true;
  }

  // cudaFuncSetAttribute(kernel, ...) asks for nothing that a port has.
  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* callee = call->getDirectCallee();
    if (callee == nullptr || callee->getNameAsString().rfind("cudaFunc", 0) != 0 || call->getNumArgs() == 0) return true;
    const clang::Expr* given = call->getArg(0)->IgnoreParenCasts();
    if (const auto* address = llvm::dyn_cast<clang::UnaryOperator>(given)) given = address->getSubExpr()->IgnoreParenCasts();
    known_.insert(given);
    return true;
  }
  // A kernel named where it is neither launched nor asked about: its launcher cannot take its place.
  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (!reference->getDecl()->hasAttr<clang::CUDAGlobalAttr>() || known_.count(reference) > 0) return true;
    if (sources_.isInSystemHeader(reference->getBeginLoc())) return true;
    Tree node = range(reference->getSourceRange(), nullptr);
    node->op = "value";
    node->name = reference->getDecl()->getNameAsString();
    module_.push_back(node);
    return true;
  }

  void skip(clang::SourceRange source) {
    if (sources_.isInSystemHeader(source.getBegin())) return;
    Tree node = range(source, nullptr);
    node->op = "skipped";
    module_.push_back(node);
  }

  Tree finish() {
    Tree module = make("module", "", "");
    std::set<std::string> done;
    for (const Tree& each : module_) {
      if (done.insert(print(each)).second) module->args.push_back(each);
    }
    std::map<std::string, int> uses;
    for (const clang::FunctionDecl* kernel : kernels_) {
      if (kernel->getTemplateSpecializationKind() == clang::TSK_Undeclared || kernel->getDefinition() == kernel)
        module->args.push_back(lower(kernel, uses));
    }
    return module;
  }

 private:
  std::string text_of(clang::SourceRange range) {
    clang::CharSourceRange chars =
        clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(range), sources_, context_.getLangOpts());
    return clang::Lexer::getSourceText(chars, sources_, context_.getLangOpts()).str();
  }
  // (… @line (file "...") (bytes begin end)); bytes of the whole, 0 0 when it comes out of a macro.
  Tree range(clang::SourceRange source, const clang::Decl* decl) {
    Tree node = make("remove", "", "");
    clang::CharSourceRange chars =
        clang::Lexer::makeFileCharRange(clang::CharSourceRange::getTokenRange(source), sources_, context_.getLangOpts());
    const clang::SourceLocation at = sources_.getFileLoc(source.getBegin());
    node->line = static_cast<int>(sources_.getPresumedLoc(at).getLine());
    long long begin = 0, end = 0;
    if (chars.isValid()) {
      begin = sources_.getFileOffset(chars.getBegin());
      end = sources_.getFileOffset(chars.getEnd());
    }
    node->args.push_back(make("file", "", sources_.getFilename(at).str()));
    node->args.push_back(constant("i64", begin));
    node->args.push_back(constant("i64", end));
    return node;
  }
  void remove(const clang::FunctionDecl* function, const std::string& what) {
    clang::SourceRange source = function->getSourceRange();
    std::string head;
    const clang::FunctionDecl* pattern = function->getTemplateInstantiationPattern();
    if (pattern == nullptr) pattern = function;
    if (const auto* of = pattern->getDescribedFunctionTemplate()) source = of->getSourceRange();
    if (function->isTemplateInstantiation() && pattern != function) return;
    Tree node = range(source, function);
    node->name = function->getNameAsString();
    node->extra = what;
    module_.push_back(node);
  }
  Tree lower(const clang::FunctionDecl* kernel, std::map<std::string, int>& uses) {
    std::string name = kernel->getNameAsString();
    std::string arguments;
    if (const auto* given = kernel->getTemplateSpecializationArgs()) {
      llvm::raw_string_ostream out(arguments);
      std::string parts;
      for (const clang::TemplateArgument& each : given->asArray()) {
        if (!arguments.empty()) out << ", ";
        each.print(context_.getPrintingPolicy(), out, true);
      }
      out.flush();
      for (char c : arguments) parts += isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
      name += "_" + parts;
    }
    if (uses[name]++ > 0) name += "_" + std::to_string(uses[name]);
    // A variable whose address is taken is known when that is met: then the kernel is begun again with it in memory.
    std::set<const void*> in_memory;
    Tree tree;
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
      Lowering lowering(context_, name, in_memory);
      tree = lowering.run(kernel);
      if (lowering.wanted_in_memory() == nullptr || !in_memory.insert(lowering.wanted_in_memory()).second) break;
    }
    Tree signature = make("signature", "", kernel->getNameAsString());
    signature->extra = arguments;
    for (const clang::ParmVarDecl* parameter : kernel->parameters()) {
      clang::PrintingPolicy policy = context_.getPrintingPolicy();
      policy.FullyQualifiedName = true;
      Tree one = make("argument", "", parameter->getNameAsString());
      one->extra = parameter->getType().getCanonicalType().getAsString(policy);
      signature->args.push_back(one);
    }
    const clang::FunctionDecl* pattern = kernel->getTemplateInstantiationPattern();
    if (pattern == nullptr) pattern = kernel;
    const clang::SourceLocation at = sources_.getFileLoc(pattern->getBeginLoc());
    Tree file = make("file", "", sources_.getFilename(at).str());
    std::string head;  // "template <class T>" and the parameters as written, for the launcher of a template
    if (const auto* of = pattern->getDescribedFunctionTemplate()) {
      head = text_of({of->getBeginLoc(), of->getTemplateParameters()->getRAngleLoc()});
      std::string list;
      for (const clang::ParmVarDecl* parameter : pattern->parameters())
        list += (list.empty() ? "" : ", ") + text_of(parameter->getSourceRange());
      signature->args.push_back(make("head", "", head));
      signature->args.push_back(make("list", "", list));
    }
    tree->args.insert(tree->args.begin(), {signature, file});
    return tree;
  }

  clang::ASTContext& context_;
  clang::SourceManager& sources_;
  std::vector<Tree> module_;
  std::vector<const clang::FunctionDecl*> kernels_;
  std::set<const clang::Expr*> known_;  // names of kernels in launches
};

// What the preprocessor leaves out: calls there need no counterpart.
class Skipped : public clang::PPCallbacks {
 public:
  explicit Skipped(std::vector<clang::SourceRange>& ranges) : ranges_(ranges) {}
  void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override { ranges_.push_back(range); }

 private:
  std::vector<clang::SourceRange>& ranges_;
};

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(std::string out, clang::Preprocessor& preprocessor) : out_(std::move(out)) {
    preprocessor.addPPCallbacks(std::make_unique<Skipped>(skipped_));
  }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    Collector collector(context);
    collector.TraverseDecl(context.getTranslationUnitDecl());
    for (const clang::SourceRange& range : skipped_) collector.skip(range);
    std::ofstream(out_) << print(collector.finish());
  }

 private:
  std::string out_;
  std::vector<clang::SourceRange> skipped_;
};

class Action : public clang::PluginASTAction {
 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
    return std::make_unique<Consumer>(out_, compiler.getPreprocessor());
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>& arguments) override {
    for (const std::string& each : arguments) {
      if (each.rfind("out=", 0) == 0) out_ = each.substr(4);
    }
    return !out_.empty();
  }

 private:
  std::string out_;
};

}  // namespace

static clang::FrontendPluginRegistry::Add<Action> g_plugin("starbridge-front", "kernels as trees");

}  // namespace starbridge::front
