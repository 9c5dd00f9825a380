// What a shell text needs on a target: the rules behind judge_shell, and whole shell files.
#include <algorithm>

#include "port/files/requirement.h"
#include "port/files/shell.h"
#include "port/files/slurm_resources.h"

namespace starbridge::port {
namespace {

using base::text;

void judge_command(ByteSpan span, Sheet& sheet) {
  std::string_view name = sheet.text(span.begin, span.end);
  name = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  bool is_tool = name == "nvidia-smi" || name == "nvcc" || name == "nsys" || name == "ncu" || name == "nvprof" ||
                 name == "cuda-gdb" || name == "compute-sanitizer" || name == "nvidia-cuda-mps-control";
  if (!is_tool || sheet.target().is_cuda_named()) return;
  std::string tool = sheet.target().chip->stack->facts.text(name == "nvidia-smi" ? "management_tool" : "profiler").value_or("");
  Finding& finding = sheet.find(span.begin, "cuda-tool", Severity::kWarning,
                                text("{} does not exist beside {}", "{} 不随 {} 提供", name, sheet.target().chip->name));
  if (!tool.empty() && (name == "nvidia-smi" || name == "nsys" || name == "ncu" || name == "nvprof"))
    finding.advice = text("use {}", "改用 {}", tool);
}

void judge_module(ByteSpan span, Sheet& sheet) {
  std::string name = base::to_lower(sheet.text(span.begin, span.end));
  bool is_cuda = name.rfind("cuda", 0) == 0 || name.rfind("cudnn", 0) == 0 || name.rfind("nvhpc", 0) == 0 ||
                 name.rfind("nccl", 0) == 0 || name.find("/cuda") != std::string::npos;
  if (!is_cuda || sheet.target().is_cuda_named()) return;
  sheet
      .find(span.begin, "cuda-module", Severity::kWork,
            text("the module {} loads CUDA", "模块 {} 加载的是 CUDA", base::sanitize_utf8(name)))
      .advice = text("load the module of the {} toolkit, or source its set_env script",
                     "改为加载 {} 的工具包模块，或 source 其环境脚本", sheet.target().chip->name);
}

void judge_container(ByteSpan span, Sheet& sheet) {
  if (sheet.target().chip->vendor == "nvidia") return;
  sheet
      .find(span.begin, "container-cards", Severity::kWork,
            text("{} gives a container NVIDIA cards only", "{} 只能为容器分配 NVIDIA 加速卡", sheet.text(span.begin, span.end)))
      .advice = text("give the devices of {} with --device or the vendor's container runtime",
                     "用 --device 或厂商的容器运行时分配 {} 的设备", sheet.target().chip->name);
}

void judge_install(const PackageInstall& install, Sheet& sheet) {
  for (const PackageInstall::Index& index : install.indexes) judge_wheel_index(index.option, index.value, sheet);
  bool has_plugin = false;
  std::vector<std::pair<Requirement, const ShellArgument*>> packages;
  for (const ShellArgument& argument : install.packages) {
    std::string_view whole = sheet.text(0, argument.head.end);
    std::optional<Requirement> requirement = parse_requirement(whole, argument.head.begin, argument.head.end, install.is_conda);
    if (!requirement) continue;
    has_plugin = has_plugin || is_plugin_of(*requirement, sheet.target());
    packages.emplace_back(std::move(*requirement), &argument);
  }
  for (const auto& [requirement, argument] : packages) {
    bool is_torch = requirement.folded_name == "torch" || (install.is_conda && requirement.folded_name == "pytorch");
    if (is_foreign_plugin(requirement, sheet.target())) {
      std::size_t begin = argument->head.begin;
      std::string_view before = sheet.text(0, begin);
      bool is_bare = argument->end == argument->head.end && !before.empty() && before.back() == ' ';
      if (is_bare && packages.size() > 1) sheet.edit(begin - 1, argument->end, "", "plugin-requirement");
      continue;
    }
    judge_requirement(requirement, sheet);
    if (!is_torch || has_plugin || sheet.target().family->plugin.empty() || requirement.is_url) continue;
    if (std::optional<std::string> plugin = plugin_beside(requirement, sheet); plugin && !install.is_conda) {
      sheet.edit(argument->end, argument->end, " " + *plugin, "plugin-requirement");
    } else if (plugin) {
      sheet
          .find(argument->head.begin, "plugin-by-pip", Severity::kWork,
                text("{} is installed by pip, not by conda", "{} 需用 pip 安装，conda 不提供", *plugin))
          .advice = text("add: pip install {}", "加入：pip install {}", *plugin);
    }
  }
}

}  // namespace

void judge_shell(const ShellReading& reading, Sheet& sheet) {
  for (const ShellWord& word : reading.words) {
    switch (word.kind) {
      case ShellWord::Kind::kVariable:
        if (word.assignment_end > 0) {
          sheet.assignment(word.span.begin, word.span.end, word.assignment_end);
        } else if (!sheet.is_portable()) {  // both are set there, and either may be read
          sheet.variable(word.span.begin, word.span.end);
        }
        break;
      case ShellWord::Kind::kDevice:
        reading.is_expanded ? sheet.shell_word(word.span.begin, word.span.end, true)
                            : sheet.device_word(word.span.begin, word.span.end);
        break;
      case ShellWord::Kind::kCollective:
        reading.is_expanded ? sheet.shell_word(word.span.begin, word.span.end, false)
                            : sheet.collective_word(word.span.begin, word.span.end);
        break;
      case ShellWord::Kind::kCommand:
        judge_command(word.span, sheet);
        break;
      case ShellWord::Kind::kModule:
        judge_module(word.span, sheet);
        break;
      case ShellWord::Kind::kContainerCards:
        judge_container(word.span, sheet);
        break;
    }
  }
  judge_slurm(reading.slurm, sheet);
  for (const PackageInstall& install : reading.installs) judge_install(install, sheet);
}

std::vector<TargetResult> analyze_shell(const SourceFile& file, const Context& context) {
  ShellReading reading = read_shell(file.bytes, 0, context);
  return per_target(file, context, [&](Sheet& sheet) {
    if (!reading.is_complete) {
      sheet.find(0, "shell-unreadable", Severity::kWarning,
                 text("the script could not be parsed in time and was left as it is", "脚本未能在限时内解析，未作修改"));
      return;
    }
    judge_shell(reading, sheet);
  });
}

}  // namespace starbridge::port
