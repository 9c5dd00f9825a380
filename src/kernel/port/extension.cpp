#include "kernel/port/extension.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "base/files.h"
#include "kernel/port/host.h"

namespace starbridge::kernel::port {

namespace fs = std::filesystem;
using base::Error;
using base::text;
using front::Tree;

namespace {

// Host code knows no half: pointers lose their type on the way, values go as float.
bool is_pointer(const std::string& type) { return type.back() == '*'; }
bool is_half(const std::string& type) { return type == "half" || type == "bfloat16_t"; }
std::string plain_type(const std::string& type) {
  if (is_pointer(type)) return type.rfind("const ", 0) == 0 ? "const void*" : "void*";
  return is_half(type) ? "float" : type;
}

std::string entry_head(const PortedKernel& kernel) {
  std::string head = "void " + kernel.name +
                     "_entry(const unsigned int* grid, const unsigned int* block, size_t shared_bytes, cnrtQueue_t queue";
  for (const EntryArgument& each : kernel.emitted.entry) head += ", " + plain_type(each.type) + " " + each.name;
  return head + ")";
}

std::string entry_body(const PortedKernel& kernel) {
  std::string given;
  for (const EntryArgument& each : kernel.emitted.entry)
    given += (plain_type(each.type) == each.type ? "" : "(" + each.type + ")") + each.name + ", ";
  return entry_head(kernel) +
         " {\n  const port::Launch at{dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]), shared_bytes, "
         "queue};\n" +
         kernel.emitted.launch_prelude + "  " + kernel.name + "<<<port::tasks(at), cnrtFuncTypeBlock, at.queue>>>(" + given +
         "at.grid.x, at.grid.y, at.grid.z, at.block.x, at.block.y, at.block.z);\n}\n";
}

// Members of PyTorch's accessors are not public; their functions are.
std::string public_member(std::string given) {
  static const std::regex data(R"(\.data_$)"), sizes(R"(\.sizes_\[(\d+)\]$)"), strides(R"(\.strides_\[(\d+)\]$)");
  given = std::regex_replace(given, data, ".data()");
  given = std::regex_replace(given, sizes, ".size($1)");
  return std::regex_replace(given, strides, ".stride($1)");
}

struct Signature {
  std::string name, arguments, head, list, parameters;  // parameters: of the instantiation, by canonical types
};

Signature signature_of(const Tree& tree) {
  const Tree& node = tree->args[0];
  Signature result{node->name, node->extra, "", "", ""};
  int index = 0;
  for (const Tree& each : node->args) {
    if (each->op == "head") result.head = each->name;
    if (each->op == "list") result.list = each->name;
    if (each->op != "argument") continue;
    const std::string name = "argument_" + std::to_string(index++);
    const std::size_t array = each->extra.find("(*)");
    result.parameters +=
        ", " + (array == std::string::npos ? each->extra + " " + name
                                           : each->extra.substr(0, array + 2) + name + each->extra.substr(array + 2));
  }
  return result;
}

// The launcher of one instantiation, for host code.
std::string launcher(const Tree& tree, const PortedKernel& kernel, const std::string& space) {
  const Signature signature = signature_of(tree);
  const bool is_template = !signature.head.empty();
  std::string out = (is_template ? "template <>\n" : "") + std::string("inline void launch_") + signature.name +
                    (is_template ? "<" + signature.arguments + ">" : "") + "(port::Launch at" + signature.parameters + ") {\n";
  if (!kernel.emitted.refusal.empty()) {
    base::Text next;
    return out + "  TORCH_CHECK(false, \"" + signature.name + "<" + signature.arguments +
           "> has no port: " + refusal_text(kernel.emitted.refusal, next).en + "\");\n}\n";
  }
  out +=
      "  const unsigned int grid[] = {at.grid.x, at.grid.y, at.grid.z}, block[] = {at.block.x, at.block.y, at.block.z};\n  ::" +
      space + "::" + kernel.name + "_entry(grid, block, at.shared_bytes, at.queue";
  for (const EntryArgument& each : kernel.emitted.entry) out += ", (" + plain_type(each.type) + ")" + public_member(each.given);
  return out + ");\n}\n";
}

// Two sources of an extension may have kernels of the same name.
std::string space_of(const std::string& stem) {
  std::string space = stem + "_port";
  for (char& c : space) c = isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return space;
}

class Splitter {
 public:
  Splitter(const PortRequest& request, std::string host_name) : request_(request), host_name_(std::move(host_name)) {
    stem_ = fs::path(request.path).stem().string();
  }

  base::Result<ExtensionPort> run() {
    SB_TRY(module_, port_kernels(request_));
    if (module_.language != "BANG C")
      return Error("kernel.cannot_port", text("extensions are ported to BANG C only, not to {}",
                                              "扩展目前只能移植到 BANG C，不支持 {}", module_.language))
          .at(request_.path)
          .next(text("give a chip with BANG C, such as mlu370-x8", "请选择使用 BANG C 的芯片，如 mlu370-x8"));
    SB_TRY_VOID(judge());
    result_.report.chip = request_.chip;
    result_.report.kernels = module_.kernels;
    result_.files.push_back({stem_ + ".mlu", kernels()});
    result_.files.push_back({stem_ + "_launch.h", declarations()});
    names_of(request_.path);
    SB_TRY_VOID(take(request_.path, host_name_, true));
    return std::move(result_);
  }

 private:
  // Every kernel that is launched must be there for at least one combination of types; those without double data, for all.
  base::Status judge() {
    std::map<std::string, const PortedKernel*> good, bad;
    for (const auto& [tree, kernel] : rows()) {
      if (!kernel->is_launched) continue;
      const std::string name = tree->args[0]->name;
      if (kernel->emitted.refusal.empty()) {
        good[name] = kernel;
        for (const EntryArgument& each : kernel->emitted.entry) {
          if (each.is_symbol)
            return Error("kernel.cannot_port",
                         text("{} reads {}, a variable of the card that host code of an extension cannot reach",
                              "{} 读取设备变量 {}，扩展的主机代码无法访问", name, each.name))
                .at(base::Place{kernel->file, kernel->line, 0, ""})
                .next(text("pass it as an argument", "请改为参数传递"));
        }
        continue;
      }
      const bool is_double = kernel->emitted.refusal.rfind("double", 0) == 0;
      if (!is_double || bad.count(name) == 0) bad[name] = kernel;
      base::Text next;
      result_.left_out.push_back({kernel->name, base::Place{kernel->file, kernel->emitted.refusal_line, 0, ""},
                                  refusal_text(kernel->emitted.refusal, next)});
      if (!is_double) return cannot(*kernel);
    }
    for (const auto& [name, kernel] : bad) {
      if (good.count(name) == 0) return cannot(*kernel);
    }
    return {};
  }
  static Error cannot(const PortedKernel& kernel) {
    base::Text next;
    const base::Text why = refusal_text(kernel.emitted.refusal, next);
    return Error("kernel.cannot_port", base::Text{kernel.name + ": " + why.en, kernel.name + "：" + why.zh})
        .at(base::Place{kernel.file, kernel.emitted.refusal_line, 0, ""})
        .next(next);
  }

  std::vector<std::pair<Tree, const PortedKernel*>> rows() const {
    std::vector<std::pair<Tree, const PortedKernel*>> found;
    std::size_t index = 0;
    for (const Tree& node : module_.tree->args) {
      if (node->op == "kernel" || node->op == "refuse") found.emplace_back(node, &module_.kernels[index++]);
    }
    return found;
  }

  std::string kernels() const {
    std::string out = "// Kernels of " + fs::path(request_.path).filename().string() +
                      " in BANG C, and what host code calls to launch them.\n"
                      "#include <bang.h>\n\n#include \"starbridge_port.h\"\n\nnamespace " +
                      space_of(stem_) + " {\n";
    for (const auto& [tree, kernel] : rows()) {
      if (!kernel->emitted.refusal.empty() || !kernel->is_launched) continue;
      out += "\n" + kernel_heading(*kernel) + kernel->emitted.kernel_text + "\n" + entry_body(*kernel);
    }
    out += "\n}  // namespace " + space_of(stem_) + "\n";
    return out;
  }
  std::string declarations() const {
    std::string out = "// What " + stem_ +
                      ".mlu offers to host code.\n#pragma once\n\n#include \"starbridge_port_torch.h\"\n\nnamespace " +
                      space_of(stem_) + " {\n";
    for (const auto& [tree, kernel] : rows()) {
      if (kernel->emitted.refusal.empty() && kernel->is_launched) out += entry_head(*kernel) + ";\n";
    }
    out += "}  // namespace " + space_of(stem_) + "\n";
    return out;
  }

  void names_of(const std::string& path) {
    if (!seen_.insert(fs::weakly_canonical(path).string()).second) return;
    base::Result<std::string> content = base::read_file(path);
    if (!content.ok()) return;
    own_names_.merge(defined_names(*content));
    for (const std::string& place : includes_of(path, *content)) names_of(place);
  }
  std::vector<std::string> includes_of(const std::string& path, const std::string& content) const {
    std::vector<std::string> found;
    for (const std::string& include : quoted_includes(content)) {
      std::vector<std::string> places = {(fs::path(path).parent_path() / include).string()};
      for (const std::string& folder : request_.includes) places.push_back((fs::path(folder) / include).string());
      for (const std::string& place : places) {
        std::error_code error;
        if (!fs::is_regular_file(place, error)) continue;
        found.push_back(place);
        break;
      }
    }
    return found;
  }

  // Host code of one file; headers only where something of theirs changes.
  base::Status take(const std::string& path, const std::string& name, bool is_program) {
    if (!done_.insert(fs::weakly_canonical(path).string()).second) return {};
    HostRequest host;
    host.path = path;
    host.own_names = own_names_;
    SB_TRY(host.text, base::read_file(path));
    auto is_here = [&](const std::string& file) {
      std::error_code error;
      return fs::equivalent(file, path, error);
    };
    for (const Tree& node : module_.tree->args) {
      if (node->op == "kernel" || node->op == "refuse" || node->args.empty() || !is_here(node->args[0]->name)) continue;
      host.nodes.push_back(node);
    }
    std::set<std::string> heads;
    for (const auto& [tree, kernel] : rows()) {
      if (!kernel->is_launched || !is_here(tree->args[1]->name)) continue;
      const Signature signature = signature_of(tree);
      std::string& place = host.kernels[signature.name];
      if (heads.insert(signature.name).second) {
        place += "// " + signature.name + ": its kernels are in " + stem_ + ".mlu.\n";
        if (!signature.head.empty())
          place += signature.head + "\nvoid launch_" + signature.name + "(port::Launch at" +
                   (signature.list.empty() ? "" : ", " + signature.list) + ");\n";
      }
      place += launcher(tree, *kernel, space_of(stem_));
    }
    const bool is_changed = is_program || !host.nodes.empty();
    const std::string before = host.text;
    SB_TRY(std::string content, translate_host(host));
    const std::vector<HostEdit> edits = extension_edits(content);
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
      content.replace(edit->begin, edit->end - edit->begin, edit->text);
    if (is_program) content = "#include \"" + stem_ + "_launch.h\"\n" + content;
    if (is_changed || content != before) result_.files.push_back({name, content});
    for (const std::string& place : includes_of(path, before)) {
      const fs::path relative = fs::path(place).lexically_relative(fs::path(request_.path).parent_path());
      SB_TRY_VOID(take(place, relative.string(), false));
    }
    return {};
  }

  const PortRequest& request_;
  std::string host_name_, stem_;
  PortedModule module_;
  ExtensionPort result_;
  std::set<std::string> own_names_, seen_, done_;
};

}  // namespace

base::Result<ExtensionPort> port_extension_source(const PortRequest& request, const std::string& host_name) {
  return Splitter(request, host_name).run();
}

}  // namespace starbridge::kernel::port
