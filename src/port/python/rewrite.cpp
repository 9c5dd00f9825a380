#include "port/python/rewrite.h"

#include <algorithm>

#include "port/python/api_remarks.h"
#include "port/python/portable_rewriter.h"
#include "port/python/rewriter.h"
#include "port/python/split_import.h"
#include "port/python/rule_rewriter.h"
#include "port/visible_devices.h"
#include "port/words.h"

namespace starbridge::port::python {
namespace {

using base::text;
using catalog::MapStatus;

std::vector<std::string> split_dots(std::string_view path) {
  std::vector<std::string> words;
  while (!path.empty()) {
    std::size_t dot = path.find('.');
    words.emplace_back(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return words;
}

// "npu:0" of a number, f"npu:{rank}" of a name.
std::string device_of_index(std::string_view device, const std::string& index) {
  bool is_plain = index.find_first_not_of("0123456789") == std::string::npos;
  return is_plain ? fmt::format("\"{}:{}\"", device, index) : fmt::format("f\"{}:{{{}}}\"", device, index);
}

std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('.')); }
std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

}  // namespace

RewriteOutput Rewriter::run() {
  for (const Site& site : in_.sites.sites) {
    if (!site.is_settled) rewrite_site(site);
  }
  place_imports();
  judge_branches();
  return std::move(out_);
}

void Rewriter::judge_branches() {
  std::size_t target = 0;
  while (families()[target].backend != in_.target.family->backend) ++target;
  std::size_t count = 0;
  for (const Branch& branch : in_.sites.branches) {
    count += branch.site_count;
    if (!branch.is_chain || (branch.families >> target & 1U) != 0) continue;
    std::string known;
    for (std::size_t index = 0; index < families().size(); ++index) {
      if ((branch.families >> index & 1U) != 0) known += (known.empty() ? "" : ", ") + std::string(families()[index].device);
    }
    find(branch.span, "vendor-branch-missing", Severity::kWork,
         text("these branches know {} and not {}", "此处分支支持 {}，缺少 {}", known, in_.target.family->device))
        .advice = text("add a branch for {} beside the others", "在其他分支旁增加 {} 分支", in_.target.family->device);
  }
  if (count == 0) return;
  find(in_.sites.branches[0].span, "already-portable", Severity::kInfo,
       text("the file tells cards apart itself ({} places); there it was left alone",
            "文件自行区分加速卡（{} 处），这些位置保持原样", count));
}

void Rewriter::rewrite_site(const Site& site) {
  switch (site.kind) {
    case SiteKind::kDeviceText:
      if (site.name != in_.target.family->device && !is_asked_with_absent_package(site))
        edit(site.span, std::string(in_.target.family->device), "device-text");
      return;
    case SiteKind::kCollectiveText:
      if (site.name != in_.target.family->collective) {
        std::string collective(in_.target.family->collective);
        bool is_capital = in_.file.bytes[site.span.first] < 'a';  // as it is written: "NCCL"
        if (is_capital)
          std::transform(collective.begin(), collective.end(), collective.begin(), [](char c) { return c - 'a' + 'A'; });
        edit(site.span, collective, "collective-backend");
      }
      return;
    case SiteKind::kNameText:
      return rewrite_name_text(site);
    case SiteKind::kName:
      return rewrite_name(site);
    case SiteKind::kMethod:
      return rewrite_method(site);
    case SiteKind::kImportFrom:
      return rewrite_import_from(site);
    case SiteKind::kImportModule:
      return rewrite_import_module(site);
    case SiteKind::kEnvironment:
      return rewrite_environment(site);
    case SiteKind::kPackage:
      return judge_package(site);
    case SiteKind::kDeviceIndex:
      if (!in_.target.is_cuda_named() && !is_index_of_any_card(site))
        edit(site.span, device_of_index(in_.target.family->device, site.name), "device-index");
      return;
    case SiteKind::kProfilerKey:
      if (site.name != in_.target.family->device) edit(site.span, std::string(in_.target.family->device), "profiler-key");
      return;
    case SiteKind::kConstruct:
      return judge_construct(site);
    case SiteKind::kDtype:
      return judge_dtype(site);
    case SiteKind::kRule:
      return;  // among the edits of all others: apply_rules
  }
}

const std::optional<Translation>& Rewriter::translate(const std::string& name) {
  auto [found, is_new] = translations_.try_emplace(name);
  if (is_new) found->second = in_.names.translate(name);
  return found->second;
}

void Rewriter::edit(Span span, std::string replacement, std::string rule) {
  out_.edits.push_back({span.first, span.second, std::move(replacement), std::move(rule)});
  has_device_edit_ = true;
}

Finding& Rewriter::find(Span span, std::string rule, Severity severity, base::Text message, std::string source) {
  LineColumn at = in_.lines.at(span.first);
  Finding finding;
  finding.rule = std::move(rule);
  finding.severity = severity;
  finding.place = {in_.file.path, at.line, at.column, ""};
  finding.message = std::move(message);
  finding.source = std::move(source);
  out_.findings.push_back(std::move(finding));
  return out_.findings.back();
}

bool Rewriter::report(Span span, const std::string& name, const Translation& translation) {
  if (translation.target.empty()) {
    bool is_known = translation.status != MapStatus::kUnknown;
    Finding& finding = find(span, is_known ? "name-without-counterpart" : "name-unknown", Severity::kWork,
                            is_known ? text("{} has no counterpart on {}", "{} 在 {} 上没有对应接口", name, in_.target.chip->name)
                                     : text("no public source says what {} is called on {}",
                                            "没有公开资料说明 {} 在 {} 上的对应名称", name, in_.target.chip->name),
                            translation.source);
    if (!translation.note.empty()) finding.advice = {translation.note, translation.note};
    return false;
  }
  if (translation.status == MapStatus::kChanged) {
    find(span, "name-changed", Severity::kInfo,
         text("{} becomes {}, which behaves differently: {}", "{} 改为 {}，行为有差异：{}", name, translation.target,
              translation.note),
         translation.source);
  }
  return true;
}

void Rewriter::rewrite_name_text(const Site& site) {
  const std::optional<Translation>& translation = translate(site.name);
  if (translation && report(site.span, site.name, *translation)) edit(site.span, translation->target, "type-text");
}

void Rewriter::rewrite_name(const Site& site) {
  const std::optional<Translation>& translation = translate(site.name);
  if (!translation) return judge_api(site);
  if (!report(site.span, site.name, *translation)) return;
  // What the first word stands for after its import has been rewritten.
  const std::optional<Translation>& head = translate(site.head);
  std::string head_target = head && !head->target.empty() ? head->target : site.head;
  if (translation->target.rfind(head_target + ".", 0) != 0 && translation->target != head_target) {
    if (site.segments.empty()) return;  // a bare imported name: its import statement says it all
    if (write_through_plugin(site, translation->target)) return;
    find(site.span, "name-elsewhere", Severity::kWork,
         text("{} becomes {}, which cannot be reached from \"{}\"", "{} 应改为 {}，但无法从“{}”访问", site.name,
              translation->target, site.head))
        .advice = text("write it with its full name by hand", "请手工写成完整名称");
    return;
  }
  std::vector<std::string> words =
      split_dots(std::string_view(translation->target).substr(std::min(translation->target.size(), head_target.size() + 1)));
  write_segments(site, words);
}

// torch.profiler.profile -> torch_npu.profiler.profile: the plug-in is imported wherever torch is at the top of the file.
bool Rewriter::write_through_plugin(const Site& site, const std::string& target) {
  std::string plugin = std::string(in_.target.family->plugin) + ".";
  constexpr std::string_view kTorch = "torch";
  bool is_written = site.head == kTorch && in_.file.bytes.compare(site.span.first, kTorch.size() + 1, "torch.") == 0;
  bool is_reached = plugin.size() > 1 && target.rfind(plugin, 0) == 0 && in_.sites.has_top_level_torch;
  if (!is_written || !is_reached) return false;
  auto head_end = site.span.first + static_cast<std::uint32_t>(kTorch.size());
  edit({site.span.first, head_end}, std::string(in_.target.family->plugin), "torch-name");
  write_segments(site, split_dots(std::string_view(target).substr(plugin.size())));
  return true;
}

void Rewriter::write_segments(const Site& site, const std::vector<std::string>& words) {
  std::vector<std::string> old_words =
      split_dots(std::string_view(site.name).substr(std::min(site.name.size(), site.head.size() + 1)));
  SB_CHECK(old_words.size() == site.segments.size());
  std::size_t same_front = 0;
  while (same_front < std::min(words.size(), old_words.size()) && words[same_front] == old_words[same_front]) ++same_front;
  std::size_t same_back = 0;
  while (same_back < std::min(words.size(), old_words.size()) - same_front &&
         words[words.size() - 1 - same_back] == old_words[old_words.size() - 1 - same_back]) {
    ++same_back;
  }
  std::size_t first = same_front;
  std::size_t last = old_words.size() - same_back;  // one past
  if (first == last && same_front + same_back == words.size()) return;
  if (first < last && first + same_back == words.size()) {  // words only go: their dot goes with a neighbour that is written anew
    if (same_back > 0) {
      ++last;
      --same_back;
    } else if (first > 0) {
      --first;
    } else {
      return;
    }
  }
  if (first == last) {  // words are only added: hang them on a neighbour that stays
    if (first == 0) {
      if (last == old_words.size()) return;
      ++last;
      --same_back;
    } else {
      --first;
    }
  }
  std::string joined;
  for (std::size_t index = first; index < words.size() - same_back; ++index) joined += (joined.empty() ? "" : ".") + words[index];
  edit({site.segments[first].first, site.segments[last - 1].second}, joined, "torch-name");
}

void Rewriter::rewrite_method(const Site& site) {
  std::string method = last_of(site.name);
  bool is_flag = method.rfind("is_", 0) == 0;
  std::string family(is_flag ? method.substr(3) : method);
  if (family == in_.target.family->device) return;
  edit(site.span, (is_flag ? "is_" : "") + std::string(in_.target.family->device), is_flag ? "device-flag" : "device-method");
}

void Rewriter::rewrite_import_module(const Site& site) {
  const std::optional<Translation>& translation = translate(site.name);
  if (!translation) return;
  if (report(site.span, site.name, *translation)) edit(site.span, translation->target, "import-module");
}

void Rewriter::rewrite_import_from(const Site& site) {
  std::vector<std::pair<const ImportedName*, std::string>> moved;
  std::string module_target;
  bool is_movable = true;
  bool has_change = false;
  for (const ImportedName& name : site.names) {
    std::string full = site.name + "." + name.name;
    std::optional<Translation> translation = in_.names.translate(full);
    std::string target = full;
    if (translation) {
      if (report(name.span, full, *translation)) {
        target = translation->target;
        has_change = true;
      } else {
        is_movable = false;  // it stays where it is
      }
    }
    if (module_target.empty()) module_target = parent_of(target);
    if (parent_of(target) != module_target) is_movable = false;
    moved.emplace_back(&name, target);
  }
  if (!has_change) return;
  if (!is_movable) {
    std::optional<std::string> statements = split_import(in_.file.bytes, site, moved);
    if (statements) return edit(site.span, *statements, "import-from");
    find(site.span, "import-split", Severity::kWork,
         text("the names imported from {} part ways on {}", "从 {} 导入的名称在 {} 上分属不同模块", site.name,
              in_.target.chip->name))
        .advice = text("split the import by hand", "请手工拆分该导入");
    return;
  }
  if (module_target != site.name) edit(site.module_span, module_target, "import-from");
  for (const auto& [name, target] : moved) {
    const std::string word = last_of(target);
    if (word == name->name) continue;
    edit(name->span, name->has_alias ? word : word + " as " + name->name, "import-from");
  }
}

// From PyTorch 2.5.1 on a number means a card of whatever kind there is. Where that is pinned, names that hold numbers stay.
bool Rewriter::is_index_of_any_card(const Site& site) const {
  bool is_plain = site.name.find_first_not_of("0123456789") == std::string::npos;
  return !is_plain && !in_.torch_version.empty() && !is_version_below(in_.torch_version, "2.5.1");
}

void Rewriter::judge_visible_devices(const Site& site) {
  if (in_.target.family->backend != "npu" || site.target.second == 0 || !is_list_of_cards(site.name)) return;
  std::optional<VisibleDevices> devices = read_visible_devices(in_.file.bytes, site.span.second);
  if (!devices) return;
  base::Text wrong = describe_order(*devices, in_.target.chip->name);
  if (wrong.empty()) return;
  Finding& finding = find(site.span, "visible-devices-order", Severity::kWarning, wrong);
  if (!devices->in_order.empty()) finding.suggestion = "\"" + devices->in_order + "\"";
}

void Rewriter::rewrite_environment(const Site& site) {
  judge_visible_devices(site);
  // Variables of other families are read through their CUDA name.
  std::string variable = site.name;
  for (const catalog::EnvRow& row : in_.tables.env.rows()) {
    if (!row.target.empty() && row.target == site.name && row.target != row.name && row.backend != in_.target.family->backend)
      variable = row.name;
  }
  if (in_.target.is_cuda_named()) {
    if (variable != site.name) edit(site.span, variable, "environment");
    return;
  }
  const catalog::EnvRow* row = in_.tables.env.find(variable, in_.target.family->backend);
  if (row == nullptr || row->target == site.name || row->status == MapStatus::kKeep) return;
  // os.environ["CUDA_..."] = os.environ["ASCEND_..."] = value sets both already.
  std::string_view bytes = in_.file.bytes;
  std::size_t line_begin = bytes.rfind('\n', site.span.first) + 1;  // npos + 1 is 0
  std::string_view line = bytes.substr(line_begin, std::min(bytes.find('\n', line_begin), bytes.size()) - line_begin);
  if (!row->target.empty() && site.target.second > 0 && line.find(row->target) != std::string_view::npos) return;
  if (row->target.empty()) {
    Finding& finding =
        find(site.span, "environment-without-counterpart", Severity::kWarning,
             text("the variable {} has no counterpart on {}", "环境变量 {} 在 {} 上没有对应项", site.name, in_.target.chip->name),
             row->source);
    if (!row->note.empty()) finding.advice = {row->note, row->note};
    return;
  }
  if (row->status == MapStatus::kChanged) {
    find(site.span, "environment-changed", Severity::kInfo,
         text("{} becomes {}, which behaves differently: {}", "{} 改为 {}，行为有差异：{}", site.name, row->target, row->note),
         row->source);
  }
  if (row->status != MapStatus::kChanged || keeps_its_value(row->target)) edit(site.span, row->target, "environment");
}

void Rewriter::judge_package(const Site& site) {
  if (in_.target.chip->stack->backend == "cuda") return;
  const catalog::LibraryRow* row = in_.tables.libraries.find_import(site.name, in_.target.chip->stack->backend);
  if (row == nullptr || row->status == "ported" || row->status == "neutral") return;
  if (!seen_.emplace("package " + site.name.substr(0, site.name.find('.')), true).second) return;
  Severity severity = row->status == "partial" ? Severity::kWarning : Severity::kWork;
  Finding& finding = find(
      site.span, "package-" + row->status, severity,
      text("the package {} is \"{}\" on {}", "软件包 {} 的状态为“{}”（{}）", row->package, row->status, in_.target.chip->name),
      row->source);
  std::string advice = row->replacement;
  if (!row->note.empty()) advice += (advice.empty() ? "" : "; ") + row->note;
  if (!advice.empty()) finding.advice = text("use instead: {}", "改用：{}", advice);
}

// The package comes to no other card, so the test is about CUDA.
bool Rewriter::is_asked_with_absent_package(const Site& site) const {
  if (site.head.empty() || in_.target.is_cuda_named()) return false;
  const catalog::LibraryRow* row = in_.tables.libraries.find_import(site.head, in_.target.family->backend);
  if (row == nullptr) return false;
  bool is_under_its_name = row->replacement.find(site.head) != std::string::npos;  // triton-ascend is imported as triton
  return row->status == "none" || (row->status == "replaced" && !is_under_its_name);
}

void Rewriter::judge_dtype(const Site& site) {
  std::string status = in_.target.chip->dtype_status(site.name);
  if (status == "supported") return;
  if (!seen_.emplace("dtype " + site.name, true).second) return;
  const catalog::Fact* fact = in_.target.chip->dtype_fact(site.name);
  bool is_unsupported = status == "unsupported";
  Finding& finding = find(
      site.span, is_unsupported ? "dtype-unsupported" : "dtype-limited", is_unsupported ? Severity::kWork : Severity::kWarning,
      is_unsupported ? text("{} does not compute in {}", "{} 不支持 {} 计算", in_.target.chip->name, site.name)
                     : text("{} computes in {} with limits", "{} 对 {} 的支持有限制", in_.target.chip->name, site.name),
      fact != nullptr ? fact->chosen().source : "");
  if (fact != nullptr && !fact->chosen().note.empty()) finding.advice = {fact->chosen().note, fact->chosen().note};
}

void Rewriter::judge_construct(const Site& site) {
  if (in_.target.is_cuda_named()) return;
  const catalog::Chip& chip = *in_.target.chip;
  if (site.name == "cuda-tool") {
    find(site.span, site.name, Severity::kWarning, text("this runs a tool of NVIDIA", "此处运行 NVIDIA 的工具")).advice =
        text("use {}", "改用 {}", chip.stack->facts.text("management_tool").value_or("-"));
  } else if (site.name == "device-number-passed") {
    if (!in_.torch_version.empty() && !is_version_below(in_.torch_version, "2.5.1")) return;
    find(site.span, site.name, Severity::kWarning,
         text("the function takes this number for a device, which before PyTorch 2.5.1 means a card of CUDA",
              "被调函数将该编号用作设备，在 PyTorch 2.5.1 之前它指 CUDA 卡"))
        .advice =
        text("use PyTorch 2.5.1 or later, or give torch.device(\"{}\", ...) if the function does not count with it",
             "使用 PyTorch 2.5.1 及以上版本；若函数不以其计数，可传入 torch.device(\"{}\", ...)", in_.target.family->device);
  } else if (site.name == "cuda-version") {
    find(site.span, site.name, Severity::kWarning,
         text("this is the version of CUDA, None on {}; its uses in this file were left",
              "此处为 CUDA 版本，在 {} 上为 None；本文件中的用法保持原样", chip.name))
        .advice = text("decide by hand what it should be there", "请手工决定该处在目标芯片上的取值");
  } else if (site.name == "cuda-kernel-guard") {
    find(site.span, site.name, Severity::kInfo,
         text("only CUDA has the kernels behind this test; {} takes the other branch",
              "该判断之后的内核仅有 CUDA 版本；{} 走另一分支", chip.name));
  } else if (site.name == "cuda-only-block") {
    find(site.span, site.name, Severity::kWarning,
         text("what is imported here is for CUDA alone; the devices below it in this block were left",
              "此处导入的包仅支持 CUDA；本代码块中其后的设备名保持原样"))
        .advice = text("choose another way on {}", "在 {} 上请改走其他路径", chip.name);
  } else if (site.name == "cuda-maker-test") {
    find(site.span, site.name, Severity::kWarning,
         text("flags of the project tell makers of cards apart here and know nothing of {}",
              "此处按项目自有标志区分厂商，未包含 {}", chip.name))
        .advice = text("add a branch for {} beside the others", "在其他分支旁增加 {} 分支", in_.target.family->device);
  }
}

void Rewriter::judge_api(const Site& site) {
  if (in_.target.is_cuda_named() || site.name.rfind("torch.", 0) != 0) return;
  if (site.name.rfind("torch.utils.cpp_extension", 0) == 0 &&
      in_.target.chip->stack->cuda_extension() == catalog::CudaExtension::kRewrite) {
    if (!seen_.emplace("cpp_extension", true).second) return;
    find(site.span, "cuda-extension", Severity::kWork,
         text("this builds a CUDA extension; its kernels need a kernel port", "此处编译 CUDA 扩展，其内核需要移植"))
        .advice = text("keep a path in plain PyTorch, or port the kernels", "保留纯 PyTorch 路径，或移植内核");
    return;
  }
  if (!seen_.emplace("api " + site.name, true).second) return;
  std::vector<catalog::Evidence> evidence =
      in_.tables.api.find(site.name, in_.target.family->backend, in_.torch_version, in_.target.support_class);
  catalog::Judgement judgement = catalog::ApiTable::judge(evidence);
  if (!judgement.decided_by) return;
  const catalog::Evidence& by = *judgement.decided_by;
  std::string chip = in_.target.chip->name;
  std::string note(by.note);
  if (judgement.status == catalog::Support::kUnsupported) {
    find(site.span, "api-unsupported", Severity::kWork, text("{} is not supported on {}", "{} 在 {} 上不受支持", site.name, chip),
         std::string(by.source))
        .advice = {note, note};
  } else if (judgement.status == catalog::Support::kCpuFallback) {
    find(site.span, "api-cpu-fallback", Severity::kWarning,
         text("{} runs on the CPU on {}", "{} 在 {} 上回退到 CPU 执行", site.name, chip), std::string(by.source))
        .advice = {note, note};
  } else if (judgement.status == catalog::Support::kLimited) {
    find(site.span, "api-limited", Severity::kInfo, describe_limits(site.name, chip, note), std::string(by.source));
  }
}

void Rewriter::apply_rules() {
  if (RuleRewriter(in_, out_).run()) has_device_edit_ = true;
}

void Rewriter::place_imports() {
  apply_rules();
  std::string_view plugin = in_.target.family->plugin;
  bool is_imported = false;
  for (const Span& lines : in_.sites.plugin_imports) {
    std::string_view statement = std::string_view(in_.file.bytes).substr(lines.first, lines.second - lines.first);
    bool is_wanted = !plugin.empty() && statement.find(plugin) != std::string_view::npos;
    is_imported = is_imported || is_wanted;
    if (!is_wanted && has_foreign_plugin(statement)) remove_line(lines);
  }
  for (const Site& site : in_.sites.sites) {
    bool names_plugin = site.kind == SiteKind::kImportModule || site.kind == SiteKind::kImportFrom;
    is_imported = is_imported || (names_plugin && !plugin.empty() && site.name.rfind(plugin, 0) == 0);
  }
  if (plugin.empty() || is_imported || !has_device_edit_ || !in_.sites.has_top_level_torch) return;
  std::string_view ending = line_ending_of(in_.file.bytes);
  std::size_t at = in_.sites.plugin_insert_at;
  bool ends_line = at == 0 || in_.file.bytes[at - 1] == '\n' || in_.file.bytes[at - 1] == '\r';
  std::string line = "import " + std::string(plugin);
  line = ends_line ? line + std::string(ending) : std::string(ending) + line;
  out_.edits.push_back({at, at, std::move(line), "plugin-import"});
}

bool Rewriter::has_foreign_plugin(std::string_view statement) const {
  return std::any_of(families().begin(), families().end(), [&](const Family& family) {
    bool is_sources = in_.sites.source_device.empty() || in_.sites.source_device == family.device;
    return is_sources && !family.plugin.empty() && family.plugin != in_.target.family->plugin &&
           statement.find(family.plugin) != std::string_view::npos;
  });
}

void Rewriter::remove_line(Span lines) {
  // The import statement's own edit would fall inside the removed line.
  out_.edits.erase(std::remove_if(out_.edits.begin(), out_.edits.end(),
                                  [&](const Edit& edit) { return edit.begin >= lines.first && edit.end <= lines.second; }),
                   out_.edits.end());
  out_.edits.push_back({lines.first, lines.second, "", "plugin-import"});
}

RewriteOutput rewrite(const RewriteInput& input) {
  SB_CHECK(input.target.family != nullptr);
  if (input.target.style == Style::kPortable && input.helper != nullptr) return PortableRewriter(input).run();
  return Rewriter(input).run();
}

}  // namespace starbridge::port::python
