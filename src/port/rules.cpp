#include "port/rules.h"

#include <algorithm>
#include <array>

namespace starbridge::port {
namespace {

constexpr Effort kAuto = Effort::kAutomatic;
constexpr Effort kAssisted = Effort::kAssisted;
constexpr Effort kManual = Effort::kManual;
constexpr Effort kNone = Effort::kNone;
constexpr Confidence kCertain = Confidence::kCertain;
constexpr Confidence kLikely = Confidence::kLikely;

constexpr auto kRules = std::to_array<Rule>({
    // Edits.
    {"device-text", kAuto, kCertain, "a text that names a device", "表示设备的字符串"},
    {"device-method", kAuto, kCertain, "a method named for a device, such as .cuda()", "以设备命名的方法，如 .cuda()"},
    {"device-flag", kAuto, kCertain, "an attribute that asks for the device, such as .is_cuda", "查询设备的属性，如 .is_cuda"},
    {"torch-name", kAuto, kCertain, "a name of torch.cuda", "torch.cuda 中的名称"},
    {"device-index", kAuto, kLikely, "a number that means a CUDA device", "表示 CUDA 设备的编号"},
    {"profiler-key", kAuto, kCertain, "a key of the profiler that names the device", "含设备名的性能分析键"},
    {"type-text", kAuto, kCertain, "a tensor type as text, torch.cuda.FloatTensor",
     "字符串形式的张量类型，如 torch.cuda.FloatTensor"},
    {"import-module", kAuto, kCertain, "an import of a CUDA module", "导入 CUDA 模块"},
    {"import-from", kAuto, kCertain, "names imported from a CUDA module", "从 CUDA 模块导入名称"},
    {"plugin-import", kAuto, kCertain, "the import of the chip's PyTorch plug-in", "导入芯片的 PyTorch 插件"},
    {"plugin-requirement", kAuto, kCertain, "the package of the chip's PyTorch plug-in", "芯片的 PyTorch 插件包"},
    {"cuda-build", kAuto, kCertain, "a CUDA build of PyTorch in a version", "版本号中的 CUDA 构建标记"},
    {"collective-backend", kAuto, kCertain, "the collective communication backend", "集合通信后端"},
    {"environment", kAuto, kCertain, "an environment variable of CUDA or NCCL", "CUDA 或 NCCL 的环境变量"},
    {"kubernetes-resource", kAuto, kCertain, "the card's resource name in Kubernetes", "Kubernetes 中的加速卡资源名"},
    {"slurm-resource", kAuto, kCertain, "the card's resource name in Slurm", "Slurm 中的加速卡资源名"},
    // Findings on Python.
    {"api-unsupported", kManual, kCertain, "an API the chip's plug-in does not support", "芯片插件不支持的接口"},
    {"api-limited", kNone, kCertain, "an API supported with limits", "受限支持的接口"},
    {"api-cpu-fallback", kNone, kCertain, "an operator that falls back to the CPU", "回退到 CPU 的算子"},
    {"dtype-unsupported", kAssisted, kCertain, "a dtype the chip lacks", "芯片不支持的数据类型"},
    {"dtype-limited", kNone, kCertain, "a dtype supported with limits", "受限支持的数据类型"},
    {"device-number-passed", kAssisted, kLikely, "a number that is a device in the function it is given to",
     "在被调函数中用作设备的编号"},
    {"cuda-only-block", kManual, kCertain, "a block that needs a package for CUDA alone", "依赖仅支持 CUDA 的包的代码块"},
    {"name-unknown", kManual, kLikely, "a name of torch.cuda whose counterpart is not known", "对应项未知的 torch.cuda 名称"},
    {"name-without-counterpart", kManual, kCertain, "a name of torch.cuda without counterpart", "没有对应项的 torch.cuda 名称"},
    {"name-changed", kNone, kCertain, "a counterpart that behaves differently", "行为有差异的对应项"},
    {"name-elsewhere", kAssisted, kCertain, "a counterpart of another shape", "形式不同的对应项"},
    {"import-split", kAssisted, kCertain, "imported names that part ways", "需拆分的导入"},
    {"already-ported", kNone, kCertain, "a project that supports the chip already", "已支持该芯片的项目"},
    {"already-portable", kNone, kCertain, "code that tells cards apart itself", "自行区分加速卡的代码"},
    {"family-file", kNone, kCertain, "a file that exists once per family of cards", "按加速卡系列各有一份的文件"},
    {"vendor-shim", kNone, kCertain, "the vendor's own interception of CUDA names", "厂商自带的 CUDA 名称拦截"},
    {"run-time-use", kAssisted, kCertain, "a device used at run time where the sources name none",
     "运行时使用了设备而源码未写明"},
    {"vendor-branch-missing", kAssisted, kCertain, "branches that lack the chip's", "缺少该芯片的分支"},
    {"name-kept", kNone, kCertain, "a name that means nothing on the chip and does no harm", "在该芯片上不起作用且无害的名称"},
    {"portable-by-hand", kAssisted, kCertain, "code that has no form for every card", "没有通用写法的代码"},
    {"portable-import", kAuto, kCertain, "the import of the project's helper", "导入项目的辅助模块"},
    {"cuda-extension", kManual, kCertain, "a PyTorch extension built for CUDA", "为 CUDA 构建的 PyTorch 扩展"},
    {"python-unparsable", kManual, kCertain, "Python that cannot be parsed", "无法解析的 Python"},
    // Findings on CUDA and builds.
    {"cuda-kernel", kManual, kCertain, "a CUDA kernel that needs a kernel port", "需要移植的 CUDA 内核"},
    {"cuda-kernel-ported", kAuto, kCertain, "a CUDA kernel ported with its extension", "随扩展一起移植的 CUDA 内核"},
    {"cuda-recompile", kNone, kCertain, "a CUDA kernel the vendor's compiler takes", "厂商编译器可编译的 CUDA 内核"},
    {"build-cuda-compile", kManual, kCertain, "a build that compiles CUDA code", "编译 CUDA 代码的构建"},
    {"build-cuda-toolkit", kManual, kCertain, "a build that uses the CUDA toolkit", "使用 CUDA 工具包的构建"},
    // Findings on packages.
    {"package-replaced", kAssisted, kCertain, "a package another one replaces", "需更换的软件包"},
    {"package-partial", kNone, kCertain, "a package supported in part", "部分支持的软件包"},
    {"package-none", kManual, kCertain, "a package without counterpart", "没有对应项的软件包"},
    {"torch-unpinned", kAssisted, kCertain, "torch without a version", "未固定版本的 torch"},
    {"torch-version", kManual, kCertain, "a torch version without plug-in", "没有对应插件的 torch 版本"},
    {"plugin-version", kAssisted, kCertain, "a plug-in of another torch version", "与 torch 版本不配套的插件"},
    {"python-version", kAssisted, kCertain, "a Python the plug-in does not serve", "插件不支持的 Python 版本"},
    {"toolkit-version", kAssisted, kCertain, "a toolkit that does not go with torch", "与 torch 不配套的工具包版本"},
    {"package-pair", kAssisted, kCertain, "two packages of versions that do not go together", "版本不配套的两个软件包"},
    {"torch-link", kAssisted, kCertain, "torch from a link", "来自链接的 torch"},
    {"plugin-hash", kAssisted, kCertain, "a plug-in whose hash must be added", "须补充哈希的插件"},
    {"cuda-build-hash", kAssisted, kCertain, "the hash of a CUDA build", "CUDA 构建的哈希"},
    {"plugin-by-pip", kAssisted, kCertain, "a plug-in that conda does not have", "conda 不提供的插件"},
    {"requirements-per-card", kNone, kCertain, "a requirements file for one kind of card", "某种加速卡专用的依赖文件"},
    {"setting-per-card", kAssisted, kCertain, "a setting that holds for one kind of card", "只适用于一种加速卡的设置"},
    {"cuda-wheel-index", kAuto, kCertain, "a package index of CUDA builds", "CUDA 版软件源"},
    // Findings on scripts, jobs and images.
    {"environment-changed", kNone, kCertain, "a variable whose counterpart behaves differently", "行为有差异的环境变量"},
    {"visible-devices-order", kAssisted, kCertain, "a list of visible cards that the chip reads otherwise",
     "芯片解读方式不同的可见加速卡列表"},
    {"environment-without-counterpart", kNone, kCertain, "a variable without counterpart", "没有对应项的环境变量"},
    {"cuda-tool", kAssisted, kCertain, "a tool of NVIDIA", "NVIDIA 的工具"},
    {"cuda-module", kAssisted, kCertain, "an environment module that loads CUDA", "加载 CUDA 的环境模块"},
    {"cuda-image", kManual, kCertain, "a container image with CUDA", "自带 CUDA 的镜像"},
    {"container-cards", kAssisted, kCertain, "NVIDIA cards given to a container", "为容器分配 NVIDIA 加速卡"},
    {"kubernetes-runtime", kAssisted, kCertain, "NVIDIA's runtime class", "NVIDIA 的运行时类"},
    {"kubernetes-nvidia", kAssisted, kCertain, "a name of NVIDIA's device plug-in", "NVIDIA 设备插件的名称"},
    {"slurm-gpus", kAssisted, kCertain, "an option of Slurm for GPUs only", "Slurm 的 GPU 专用选项"},
    {"slurm-constraint", kAssisted, kCertain, "a constraint that names an NVIDIA card", "指定 NVIDIA 加速卡的约束"},
    {"slurm-resource-unknown", kManual, kCertain, "a chip without known Slurm name", "Slurm 资源名未知的芯片"},
    // Findings on files as such.
    {"unused-import", kAuto, kCertain, "an import that nothing uses any more", "不再使用的导入"},
    {"file-unreadable", kManual, kCertain, "a file that cannot be read", "无法读取的文件"},
    {"file-too-large", kManual, kCertain, "a file too large to analyse", "过大的文件"},
    {"file-binary", kManual, kCertain, "a binary file with a text's name", "名为文本的二进制文件"},
    {"notebook-unreadable", kManual, kCertain, "a notebook that is not JSON", "不是 JSON 的笔记本"},
    {"notebook-edit-split", kAssisted, kCertain, "a change across lines of a notebook", "跨行的笔记本修改"},
    {"yaml-template", kManual, kCertain, "a template that could not be read", "无法读取的模板"},
    {"yaml-unreadable", kManual, kCertain, "YAML that cannot be parsed", "无法解析的 YAML"},
    {"toml-unreadable", kManual, kCertain, "TOML that cannot be parsed", "无法解析的 TOML"},
    {"shell-unreadable", kManual, kCertain, "a script that cannot be parsed", "无法解析的脚本"},
    {"suppression-expired", kManual, kCertain, "a suppression past its date", "已过期的忽略标记"},
    {"suppression-malformed", kManual, kCertain, "a suppression that cannot be read", "无法识别的忽略标记"},
});

}  // namespace

std::string_view to_string(Effort effort) {
  constexpr std::array<std::string_view, 4> kNames = {"automatic", "assisted", "manual", "none"};
  return kNames[static_cast<std::size_t>(effort)];
}

std::string_view to_string(Confidence confidence) { return confidence == Confidence::kCertain ? "certain" : "likely"; }

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
  auto found = std::find_if(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.id == id; });
  return found == kRules.end() ? nullptr : &*found;
}

}  // namespace starbridge::port
