// Requirements files, Dockerfiles and YAML: line-shaped files whose few device words stand at known places.
#include <algorithm>

#include "port/python/sinks.h"
#include "port/words.h"

namespace starbridge::port {
namespace {

using base::text;

// Calls `take(begin, end)` for each line without its line end.
template <class Take>
void each_line(std::string_view bytes, Take take) {
  for (std::size_t begin = 0; begin < bytes.size();) {
    std::size_t end = std::min(bytes.find_first_of("\r\n", begin), bytes.size());
    take(begin, end);
    begin = end + (bytes.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
}

template <class Take>
std::vector<TargetResult> per_target(const SourceFile& file, const Context& context, Take take) {
  std::vector<TargetResult> results(context.targets.size());
  LineIndex lines(file.bytes);
  for (std::size_t index = 0; index < context.targets.size(); ++index) {
    if (context.targets[index].family == nullptr) continue;
    Sheet sheet(file, lines, context.targets[index], context.tables, results[index]);
    take(sheet);
  }
  return results;
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

std::string folded_package(std::string_view name) {
  std::string folded = base::to_lower(name);
  std::replace(folded.begin(), folded.end(), '_', '-');
  return folded;
}

// The line ending at the place where a line was found, so that an inserted line looks like its neighbour.
std::size_t after_line(std::string_view bytes, std::size_t end) {
  if (end >= bytes.size()) return end;
  return end + (bytes.compare(end, 2, "\r\n") == 0 ? 2 : 1);
}

void add_plugin_requirement(const SourceFile& file, std::size_t begin, std::size_t end, Sheet& sheet) {
  std::string_view line = sheet.text(begin, end);
  line = line.substr(0, line.find('#'));
  std::size_t pin = line.find("==");
  std::string plugin(sheet.target().family->plugin);
  if (pin == std::string_view::npos) {
    const catalog::StackVersion* version = sheet.target().chip->stack->version_to_use();
    Finding& finding = sheet.find(
        begin, "torch-unpinned", Severity::kWarning,
        text("torch is not pinned, so the version of {} cannot be chosen", "torch 未固定版本，无法确定 {} 的版本", plugin));
    if (version != nullptr)
      finding.advice =
          text("pin torch=={} and add {}=={}", "固定 torch=={} 并加入 {}=={}", version->torch, plugin, version->plugin);
    return;
  }
  std::string version(base::trim(line.substr(pin + 2, line.find_first_of(";, \t+", pin + 2) - pin - 2)));
  const catalog::StackVersion* row = sheet.target().chip->stack->version_for(version);
  if (row == nullptr || row->plugin.empty()) {
    sheet
        .find(begin, "torch-version", Severity::kWork,
              text("no {} is listed for torch {}", "没有与 torch {1} 对应的 {0}", plugin, version))
        .advice = text("choose a torch version that {} supports: see starbridge compat",
                       "选择 {} 支持的 torch 版本：见 starbridge compat", plugin);
    return;
  }
  std::size_t at = after_line(file.bytes, end);
  std::string ending(line_ending_of(file.bytes));
  std::string added = plugin + "==" + row->plugin;
  sheet.edit(at, at, at == end ? ending + added : added + ending, "plugin-requirement");
}

}  // namespace

std::vector<TargetResult> analyze_requirements(const SourceFile& file, const Context& context) {
  return per_target(file, context, [&](Sheet& sheet) {
    std::string plugin = folded_package(sheet.target().family->plugin);
    bool has_plugin = false;
    each_line(file.bytes, [&](std::size_t begin, std::size_t end) {
      std::size_t name_end = begin;
      while (name_end < end && is_name_character(file.bytes[name_end])) ++name_end;
      has_plugin = has_plugin || (!plugin.empty() && folded_package(sheet.text(begin, name_end)) == plugin);
    });
    each_line(file.bytes, [&](std::size_t begin, std::size_t end) {
      std::string_view line = sheet.text(begin, end);
      if (line.find("/whl/cu") != std::string_view::npos && !sheet.target().is_cuda_named()) {
        sheet
            .find(begin, "cuda-wheel-index", Severity::kWork,
                  text("this index serves CUDA builds of PyTorch", "该软件源提供的是 CUDA 版 PyTorch"))
            .advice = text("use the CPU build of torch with the chip's plug-in", "使用 CPU 版 torch 加芯片插件");
      }
      std::size_t name_end = begin;
      while (name_end < end && is_name_character(file.bytes[name_end])) ++name_end;
      std::string name = folded_package(sheet.text(begin, name_end));
      if (name.empty()) return;
      bool is_foreign_plugin = false;
      for (const Family& family : families()) {
        is_foreign_plugin =
            is_foreign_plugin || (!family.plugin.empty() && name == folded_package(family.plugin) && name != plugin);
      }
      if (is_foreign_plugin) {
        sheet.edit(begin, after_line(file.bytes, end), "", "plugin-requirement");
      } else if (name == "torch" && !plugin.empty() && !has_plugin) {
        add_plugin_requirement(file, begin, end, sheet);
      } else if (!(sheet.target().chip->stack->backend == "cuda")) {
        sheet.package(begin, name);
      }
    });
  });
}

std::vector<TargetResult> analyze_dockerfile(const SourceFile& file, const Context& context) {
  return per_target(file, context, [&](Sheet& sheet) {
    each_line(file.bytes, [&](std::size_t begin, std::size_t end) {
      std::string_view line = sheet.text(begin, end);
      std::size_t start = line.find_first_not_of(" \t");
      if (start == std::string_view::npos || line[start] == '#') return;
      std::string word = base::to_lower(line.substr(start, line.find_first_of(" \t", start) - start));
      if (word == "from" && !sheet.target().is_cuda_named()) {
        std::string image(base::trim(line.substr(start + 4)));
        bool is_cuda = image.find("cuda") != std::string::npos || image.find("nvidia") != std::string::npos ||
                       image.find("nvcr.") != std::string::npos;
        if (is_cuda) {
          sheet
              .find(begin, "cuda-image", Severity::kWork,
                    text("the image {} brings CUDA", "镜像 {} 自带 CUDA", base::sanitize_utf8(image)))
              .advice = text("build on the vendor's image for {}", "改用 {} 厂商的基础镜像", sheet.target().chip->name);
        }
      }
      if (word != "env" && word != "arg") return;
      std::size_t name_begin = begin + line.find_first_not_of(" \t", start + 3);
      if (name_begin <= begin + start) return;
      std::size_t name_end = name_begin;
      while (name_end < end && (is_name_character(file.bytes[name_end]) && file.bytes[name_end] != '-')) ++name_end;
      sheet.variable(name_begin, name_end);
    });
  });
}

std::vector<TargetResult> analyze_yaml(const SourceFile& file, const Context& context) {
  if (file.bytes.find("{{") != std::string::npos && file.bytes.find("}}") != std::string::npos) {
    std::vector<TargetResult> results(context.targets.size());
    bool matters = file.bytes.find("nvidia.com/") != std::string::npos || file.bytes.find("cuda") != std::string::npos;
    for (TargetResult& result : results) {
      if (!matters) break;
      result.findings.push_back({"yaml-template",
                                 Severity::kWarning,
                                 {file.path, 1, 1, ""},
                                 text("a template was left as it is", "模板文件未作修改"),
                                 text("render it, then port the result", "渲染后再移植"),
                                 ""});
    }
    return results;
  }
  return per_target(file, context, [&](Sheet& sheet) {
    std::string resource = sheet.target().chip->kubernetes_resource().value_or("");
    each_line(file.bytes, [&](std::size_t begin, std::size_t end) {
      std::string_view line = sheet.text(begin, end);
      std::size_t key_begin = line.find_first_not_of(" \t-");
      if (key_begin == std::string_view::npos || line[key_begin] == '#') return;
      char quote = line[key_begin] == '"' || line[key_begin] == '\'' ? line[key_begin] : '\0';
      if (quote != '\0') ++key_begin;
      std::size_t key_end = quote != '\0' ? line.find(quote, key_begin) : line.find(':', key_begin);
      if (key_end == std::string_view::npos) return;
      std::string_view key = line.substr(key_begin, key_end - key_begin);
      std::size_t colon = line.find(':', key_end);
      if (colon == std::string_view::npos) return;
      std::size_t value_begin = line.find_first_not_of(" \t\"'", colon + 1);
      std::string_view value;
      if (value_begin != std::string_view::npos)
        value = line.substr(value_begin, line.find_first_of(" \t\"'#,]}", value_begin) - value_begin);
      bool is_card_resource = key == "nvidia.com/gpu";
      for (const catalog::Chip& chip : context.tables.catalog.chips()) {
        is_card_resource =
            is_card_resource || (key.find(".com/") != std::string_view::npos && chip.kubernetes_resource() == std::string(key));
      }
      if (is_card_resource && !resource.empty()) sheet.edit(begin + key_begin, begin + key_end, resource, "kubernetes-resource");
      if (const python::TextRole* role = python::role_of_name(key); role != nullptr && !value.empty()) {
        std::size_t at = begin + value_begin;
        if (*role == python::TextRole::kDevice) sheet.device_word(at, at + value.size());
        if (*role == python::TextRole::kCollective) sheet.collective_word(at, at + value.size());
      }
      if (key == "name" && value.find("_") != std::string_view::npos)
        sheet.variable(begin + value_begin, begin + value_begin + value.size());
      if (key == "runtimeClassName" && value == "nvidia" && !sheet.target().is_cuda_named()) {
        sheet
            .find(begin + key_begin, "kubernetes-runtime", Severity::kWork,
                  text("the runtime class nvidia starts no other card", "运行时类 nvidia 不能启动其他加速卡"))
            .advice = text("remove it or name the vendor's runtime class", "删除或改为厂商的运行时类");
      }
      if (key == "image" && !sheet.target().is_cuda_named() &&
          (value.find("cuda") != std::string_view::npos || value.find("nvidia") != std::string_view::npos ||
           value.find("nvcr") != std::string_view::npos)) {
        sheet.find(begin + key_begin, "cuda-image", Severity::kWork, text("the image {} brings CUDA", "镜像 {} 自带 CUDA", value))
            .advice = text("build on the vendor's image for {}", "改用 {} 厂商的基础镜像", sheet.target().chip->name);
      }
    });
  });
}

}  // namespace starbridge::port
