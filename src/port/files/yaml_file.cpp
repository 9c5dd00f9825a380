// YAML and JSON: Kubernetes manifests, Compose files, CI files, conda environments and configurations of training programs.
#include <set>

#include "base/yaml_scalars.h"
#include "port/files/images.h"
#include "port/files/lines.h"
#include "port/files/requirement.h"
#include "port/relevance.h"

namespace starbridge::port {
namespace {

using base::text;
using base::YamlScalar;

bool is_cuda_image(std::string_view image) {
  return image.find("cuda") != std::string_view::npos || image.find("nvidia") != std::string_view::npos ||
         image.find("nvcr") != std::string_view::npos;
}

bool is_block(const YamlScalar& scalar) {
  return scalar.style == YamlScalar::Style::kLiteral || scalar.style == YamlScalar::Style::kFolded;
}

bool is_environment_key(std::string_view key) {
  return key == "env" || key == "environment" || key == "envs" || key == "env_vars" || key == "variables" || key == "extraEnv" ||
         key == "env_variables" || key == "environment_variables";
}

// Kubernetes compares labels as text: nothing there names a device to a program.
bool is_label_key(std::string_view key) {
  return key == "labels" || key == "matchLabels" || key == "annotations" || key == "nodeSelector" || key == "selector";
}

bool is_command_key(std::string_view key) { return key == "command" || key == "args" || key == "entrypoint" || key == "cmd"; }

bool is_script_key(std::string_view key) {
  return key == "run" || key == "script" || key == "before_script" || key == "after_script" || key == "install" ||
         key == "before_install" || key == "setup" || is_command_key(key);
}

bool is_variable_name(std::string_view word) {
  if (word.find('_') == std::string_view::npos) return false;
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

// The shell texts inside the file, read once for all targets.
class Scripts {
 public:
  Scripts(std::string_view bytes, const base::YamlScalars& found, const Context& context)
      : bytes_(bytes), found_(found), context_(context) {
    read();
  }
  const std::vector<ShellReading>& readings() const { return readings_; }

 private:
  void read() {
    std::set<int> commands_done;
    for (const YamlScalar& scalar : found_.scalars) {
      if (scalar.is_key) continue;
      const YamlScalar* key = found_.key_of(scalar);
      if (key == nullptr) continue;
      bool is_list = scalar.item >= 0;
      // A list of arguments is one command; a list of scripts (GitLab's script:) is many.
      if (is_list && is_command_key(key->value)) {
        if (commands_done.insert(scalar.parent).second) read_list(scalar.parent);
      } else if (is_script_key(key->value) && (is_block(scalar) || scalar.is_verbatim)) {
        read_script(scalar);
      }
    }
  }

  void read_script(const YamlScalar& scalar) {
    std::string script(bytes_.substr(scalar.begin, scalar.end - scalar.begin));
    if (scalar.style != YamlScalar::Style::kLiteral) {
      for (char& c : script) c = c == '\n' || c == '\r' ? ' ' : c;
    }
    mask_templates(script);
    readings_.push_back(read_shell(script, scalar.begin, context_));
  }

  // "${{ matrix.device }}" is the runner's, not the shell's.
  static void mask_templates(std::string& script) {
    for (std::size_t at = script.find("${{"); at != std::string::npos; at = script.find("${{", at)) {
      std::size_t end = script.find("}}", at);
      if (end == std::string::npos) return;
      for (; at < end + 2; ++at) script[at] = 'x';
    }
  }

  void read_list(int collection) {
    std::vector<ByteSpan> arguments;
    const base::YamlCollection& list = found_.collections[static_cast<std::size_t>(collection)];
    for (int index = list.first_scalar; index < list.last_scalar; ++index) {
      const YamlScalar& scalar = found_.scalars[static_cast<std::size_t>(index)];
      if (scalar.parent != collection || scalar.is_key) continue;
      // ["bash", "-c", "python train.py"]: the last is a script of its own.
      bool is_script = is_block(scalar) || scalar.value.find(' ') != std::string::npos;
      if (is_script && (is_block(scalar) || scalar.is_verbatim)) read_script(scalar);
      arguments.push_back(scalar.is_verbatim && !is_script ? ByteSpan{scalar.begin, scalar.end}
                                                           : ByteSpan{scalar.begin, scalar.begin});
    }
    const YamlScalar* key = found_.key_of_collection(collection);
    // Kubernetes' args has no program in front.
    if (key != nullptr && key->value == "args")
      arguments.insert(arguments.begin(), ByteSpan{arguments[0].begin, arguments[0].begin});
    readings_.push_back(read_command(bytes_, arguments, context_));
  }

  std::string_view bytes_;
  const base::YamlScalars& found_;
  const Context& context_;
  std::vector<ShellReading> readings_;
};

class YamlJudge {
 public:
  YamlJudge(const SourceFile& file, const Context& context, const base::YamlScalars& found, Sheet& sheet)
      : file_(file), context_(context), found_(found), sheet_(sheet) {
    resource_ = sheet.target().chip->kubernetes_resource().value_or("");
  }

  void judge() {
    for (const YamlScalar& scalar : found_.scalars) {
      if (!scalar.is_verbatim) continue;
      judge_resource_name(scalar);
      if (scalar.is_key) {
        judge_key(scalar);
      } else {
        judge_value(scalar);
      }
    }
    judge_packages();
  }

 private:
  // "nvidia.com/gpu", also as "requests.nvidia.com/gpu" of a quota.
  void judge_resource_name(const YamlScalar& scalar) {
    std::string_view name = scalar.value;
    std::size_t prefix = name.rfind("requests.", 0) == 0 ? 9 : name.rfind("limits.", 0) == 0 ? 7 : 0;
    name.remove_prefix(prefix);
    if (name.find('/') == std::string_view::npos) return;
    bool is_card = name == "nvidia.com/gpu";
    for (const catalog::Chip& chip : context_.tables.catalog.chips()) {
      is_card = is_card || chip.kubernetes_resource() == std::string(name);
    }
    if (is_card && !resource_.empty()) {
      sheet_.edit(scalar.begin + prefix, scalar.end, resource_, "kubernetes-resource");
    } else if (!sheet_.target().is_cuda_named() && name.rfind("nvidia.com/", 0) == 0) {
      sheet_
          .find(scalar.begin, "kubernetes-nvidia", Severity::kWork,
                text("{} is known to NVIDIA's device plug-in only", "只有 NVIDIA 的设备插件提供 {}", name))
          .advice = text("use what the vendor's device plug-in offers for {}", "改用厂商设备插件为 {} 提供的名称",
                         sheet_.target().chip->name);
    }
  }

  void judge_key(const YamlScalar& key) {
    const YamlScalar* around = found_.key_of_collection(key.parent);
    bool is_environment = around != nullptr && is_environment_key(around->value);
    if (is_environment && is_variable_name(key.value)) sheet_.variable(key.begin, key.end);
  }

  void judge_value(const YamlScalar& value) {
    const YamlScalar* key = found_.key_of(value);
    if (key == nullptr) return;
    if (is_environment_key(key->value) && value.item >= 0) {  // - NAME=value
      std::string_view name = std::string_view(value.value).substr(0, value.value.find('='));
      if (is_variable_name(name)) sheet_.variable(value.begin, value.begin + name.size());
      return;
    }
    const YamlScalar* around = found_.key_of_collection(value.parent);
    if (around != nullptr && is_label_key(around->value)) return;
    if (const python::TextRole* role = role_of_setting(context_, key->value)) {
      bool is_word = value.value.find(' ') == std::string::npos;
      if (*role == python::TextRole::kDevice && is_word) sheet_.device_word(value.begin, value.end);
      if (*role == python::TextRole::kCollective && is_word) sheet_.collective_word(value.begin, value.end);
    }
    if (key->value == "name" && value.key >= 0 && is_variable_name(value.value)) judge_kubernetes_variable(value);
    if (!sheet_.target().is_cuda_named()) judge_container(*key, value);
  }

  void judge_kubernetes_variable(const YamlScalar& name) {
    const YamlScalar* list = found_.key_of_collection(name.parent);
    if (list != nullptr && is_environment_key(list->value)) sheet_.variable(name.begin, name.end);
  }

  void judge_container(const YamlScalar& key, const YamlScalar& value) {
    const std::string& name = sheet_.target().chip->name;
    if (key.value == "image" || key.value == "container") pin_image(value.value, value.begin, sheet_);
    if (key.value == "runtimeClassName" && value.value == "nvidia") {
      sheet_
          .find(key.begin, "kubernetes-runtime", Severity::kWork,
                text("the runtime class nvidia starts no other card", "运行时类 nvidia 不能启动其他加速卡"))
          .advice = text("remove it or name the vendor's runtime class", "删除或改为厂商的运行时类");
    } else if ((key.value == "image" || key.value == "container") && is_cuda_image(value.value)) {
      sheet_
          .find(key.begin, "cuda-image", Severity::kWork,
                text("the image {} brings CUDA", "镜像 {} 自带 CUDA", base::sanitize_utf8(value.value)))
          .advice = text("build on the vendor's image for {}", "改用 {} 厂商的基础镜像", name);
    } else if (key.value == "options" &&
               (value.value.find("--gpus") != std::string::npos ||
                value.value.find("--runtime=nvidia") != std::string::npos)) {  // of a job in a container
      sheet_
          .find(value.begin, "container-cards", Severity::kWork,
                text("--gpus gives a container NVIDIA cards only", "--gpus 只能为容器分配 NVIDIA 加速卡"))
          .advice = text("give the devices of {} with --device", "用 --device 分配 {} 的设备", name);
    } else if ((key.value == "driver" || key.value == "runtime") && value.value == "nvidia") {
      sheet_
          .find(key.begin, "container-cards", Severity::kWork,
                text("{}: nvidia gives a container NVIDIA cards only", "{}: nvidia 只能为容器分配 NVIDIA 加速卡", key.value))
          .advice = text("give the devices of {} under devices:, or name the vendor's runtime",
                         "在 devices: 下分配 {} 的设备，或使用厂商的运行时", name);
    }
  }

  // environment.yml of conda: dependencies with a list of pip inside.
  void judge_packages() {
    std::vector<std::pair<const YamlScalar*, Requirement>> packages;
    bool has_plugin = false;
    for (const YamlScalar& scalar : found_.scalars) {
      if (scalar.item < 0 || !scalar.is_verbatim) continue;
      const YamlScalar* key = found_.key_of(scalar);
      if (key == nullptr || (key->value != "dependencies" && key->value != "pip")) continue;
      std::optional<Requirement> requirement =
          parse_requirement(file_.bytes, scalar.begin, scalar.end, key->value == "dependencies");
      if (!requirement) continue;
      has_plugin = has_plugin || is_plugin_of(*requirement, sheet_.target());
      packages.emplace_back(&scalar, std::move(*requirement));
    }
    for (const auto& [scalar, requirement] : packages) judge_package(*scalar, requirement, has_plugin);
  }

  void judge_package(const YamlScalar& scalar, const Requirement& requirement, bool has_plugin) {
    bool is_pip = found_.key_of(scalar)->value == "pip";
    bool is_flow = found_.collections[static_cast<std::size_t>(scalar.parent)].is_flow;
    std::string_view bytes = file_.bytes;
    std::size_t line_end = std::min(bytes.find_first_of("\r\n", scalar.end), bytes.size());
    std::size_t line_begin = bytes.find_last_of("\r\n", scalar.begin);
    line_begin = line_begin == std::string_view::npos ? 0 : line_begin + 1;
    if (is_foreign_plugin(requirement, sheet_.target())) {
      if (is_pip && !is_flow) sheet_.edit(line_begin, after_line(bytes, line_end), "", "plugin-requirement");
      return;
    }
    judge_requirement(requirement, sheet_);
    bool is_torch = requirement.folded_name == "torch" || requirement.folded_name == "pytorch";
    if (!is_torch || has_plugin || sheet_.target().family->plugin.empty() || requirement.is_url) return;
    std::optional<std::string> plugin = plugin_beside(requirement, sheet_);
    if (!plugin) return;
    std::string_view head = bytes.substr(line_begin, scalar.begin - line_begin);
    bool is_plain_item = is_pip && !is_flow && head.find_first_not_of(" \t-") == std::string_view::npos;
    if (is_plain_item) {
      std::size_t at = after_line(bytes, line_end);
      std::string ending(line_ending_of(bytes));
      std::string item = std::string(head) + *plugin;
      sheet_.edit(at, at, at > line_end ? item + ending : ending + item, "plugin-requirement");
    } else {
      sheet_
          .find(scalar.begin, "plugin-by-pip", Severity::kWork,
                text("{} is installed by pip, not by conda", "{} 需用 pip 安装，conda 不提供", *plugin))
          .advice = text("add {} under pip:", "在 pip: 下加入 {}", *plugin);
    }
  }

  const SourceFile& file_;
  const Context& context_;
  const base::YamlScalars& found_;
  Sheet& sheet_;
  std::string resource_;
};

// Templates of Helm and Jinja made readable, byte for byte as long: actions alone on a line become blanks, others a word.
std::string without_templates(std::string_view bytes) {
  std::string plain(bytes);
  each_line(bytes, [&](std::size_t begin, std::size_t end) {
    std::string line(bytes.substr(begin, end - begin));
    bool has_text = false;
    bool has_template = false;
    std::size_t copied = begin;
    for (std::size_t at = 0; at < line.size();) {
      bool is_value = line.compare(at, 2, "{{") == 0;
      if (is_value || line.compare(at, 2, "{%") == 0 || line.compare(at, 2, "{#") == 0) {
        std::size_t close = line.find(is_value ? "}}" : line[at + 1] == '%' ? "%}" : "#}", at);
        std::size_t stop = close == std::string::npos ? line.size() : close + 2;
        for (; at < stop; ++at) plain[copied + at] = is_value ? 'x' : ' ';
        has_template = true;
        continue;
      }
      has_text = has_text || (line[at] != ' ' && line[at] != '\t');
      ++at;
    }
    for (std::size_t at = begin; has_template && !has_text && at < end; ++at) plain[at] = ' ';
  });
  return plain;
}

}  // namespace

std::vector<TargetResult> analyze_yaml(const SourceFile& file, const Context& context) {
  if (!may_settings_matter(file.bytes)) return std::vector<TargetResult>(context.targets.size());
  base::Result<base::YamlScalars> found = base::find_yaml_scalars(file.bytes, file.path);
  bool is_template = file.bytes.find("{{") != std::string::npos || file.bytes.find("{%") != std::string::npos;
  if (!found.ok() && is_template) found = base::find_yaml_scalars(without_templates(file.bytes), file.path);
  if (!found.ok()) {
    // JSON with comments and the like is left alone in silence: nothing in it can be taken for a job.
    if (file.path.size() > 5 && base::to_lower(file.path.substr(file.path.size() - 5)) == ".json")
      return std::vector<TargetResult>(context.targets.size());
    return per_target(file, context, [&](Sheet& sheet) {
      if (is_template) {
        sheet.find(0, "yaml-template", Severity::kWarning, text("a template was left as it is", "模板文件未作修改")).advice =
            text("render it, then port the result", "渲染后再移植");
        return;
      }
      Finding& finding = sheet.find(0, "yaml-unreadable", Severity::kWarning, found.error().message());
      finding.place = found.error().place();
      finding.advice = found.error().next_step();
    });
  }
  Scripts scripts(file.bytes, *found, context);
  return per_target(file, context, [&](Sheet& sheet) {
    YamlJudge(file, context, *found, sheet).judge();
    for (const ShellReading& reading : scripts.readings()) judge_shell(reading, sheet);
  });
}

}  // namespace starbridge::port
