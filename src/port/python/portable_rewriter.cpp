#include "port/python/portable_rewriter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace starbridge::port::python {
namespace {

using base::text;
using catalog::MapStatus;

bool is_under(std::string_view path, std::string_view prefix) {
  return path.substr(0, prefix.size()) == prefix && (path.size() == prefix.size() || path[prefix.size()] == '.');
}

bool is_word_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) > 127;
}

// "2.6", "2.11.0" at least major.minor; false for an empty version.
bool is_at_least(std::string_view version, int major, int minor) {
  std::array<int, 2> numbers = {0, 0};
  for (int& number : numbers) {
    auto [end, failure] = std::from_chars(version.data(), version.data() + version.size(), number);
    if (failure != std::errc()) return false;
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    if (!version.empty() && version[0] == '.') version.remove_prefix(1);
  }
  return numbers[0] > major || (numbers[0] == major && numbers[1] >= minor);
}

// Names outside torch.cuda that the helper knows (NAMES in data/port/portable_device.py; a test compares them).
constexpr std::array<std::string_view, 7> kNamed = {"torch.profiler.ProfilerActivity.CUDA", "torch.profiler.profile",
                                                    "torch.distributed.Backend.NCCL",       "torch.distributed.is_nccl_available",
                                                    "torch.distributed.ProcessGroupNCCL",   "torch.get_autocast_gpu_dtype",
                                                    "torch.set_autocast_gpu_dtype"};

}  // namespace

PortableRewriter::PortableRewriter(const RewriteInput& input) : Rewriter(input), helper_(input.helper->name) {
  has_accelerator_ = is_at_least(input.torch_version, 2, 6);
  // A name of the file's own must not be hidden.
  bool is_taken = false;
  for (std::size_t at = source().find(helper_); at != std::string_view::npos; at = source().find(helper_, at + 1)) {
    std::size_t line = source().rfind('\n', at) + 1;  // npos + 1 is 0
    std::string_view before = source().substr(line, at - line);
    bool is_import = before == "import " || before.substr(0, 5) == "from ";
    is_taken = is_taken || (!is_import && !is_imported());
  }
  if (is_taken) helper_ += "_here";
}

bool PortableRewriter::is_imported() const {
  std::size_t at = source().find(in_.helper->statement);
  return at != std::string_view::npos && (at == 0 || source()[at - 1] == '\n' || source()[at - 1] == '\r');
}

// Chips that keep the names of CUDA need nothing from code that uses these.
bool PortableRewriter::is_targets_own(const Site& site) const {
  if (!in_.target.is_cuda_named()) return false;
  switch (site.kind) {
    case SiteKind::kDeviceText:
    case SiteKind::kProfilerKey:
      return site.name == "cuda";
    case SiteKind::kCollectiveText:
      return site.name == "nccl";
    case SiteKind::kMethod:
      return site.name == "Tensor.cuda" || site.name == "Tensor.is_cuda";
    case SiteKind::kDeviceIndex:
    case SiteKind::kEnvironment:
      return true;
    default:
      return in_.names.canonical(site.name) == site.name;
  }
}

void PortableRewriter::rewrite_site(const Site& site) {
  switch (site.kind) {
    case SiteKind::kDeviceText:
      if (!is_targets_own(site)) rewrite_text(site, helper_ + ".name", "device-text");
      return;
    case SiteKind::kCollectiveText:
      if (!is_targets_own(site)) rewrite_text(site, helper_ + ".collective", "collective-backend");
      return;
    case SiteKind::kProfilerKey:
      if (!is_targets_own(site)) rewrite_text(site, helper_ + ".name", "profiler-key");
      return;
    case SiteKind::kNameText:
      if (!is_targets_own(site)) rewrite_type_text(site);
      return;
    case SiteKind::kDeviceIndex:
      if (!is_targets_own(site)) change(site, site.span, fmt::format("{}.at({})", helper_, site.name), "device-index");
      return;
    case SiteKind::kName:
      return rewrite_portable_name(site);
    case SiteKind::kMethod:
      if (!is_targets_own(site)) rewrite_call(site);
      return;
    case SiteKind::kImportFrom:
      return rewrite_portable_import_from(site);
    case SiteKind::kImportModule:
      return rewrite_portable_import(site);
    case SiteKind::kEnvironment:
      if (!is_targets_own(site)) rewrite_variable(site);
      return;
    case SiteKind::kPackage:
    case SiteKind::kDtype:
    case SiteKind::kConstruct:
    case SiteKind::kRule:
      return Rewriter::rewrite_site(site);
  }
}

void PortableRewriter::change(const Site& site, Span span, std::string replacement, std::string rule) {
  changes_.push_back({{span.first, span.second, std::move(replacement), std::move(rule)}, &site});
}

void PortableRewriter::leave(const Site& site, base::Text advice) {
  find(site.span, "portable-by-hand", Severity::kWork,
       text("this has no form that holds for every card", "此处没有适用于各种加速卡的写法"))
      .advice = std::move(advice);
}

// What stands in a literal's place must not grow together with the words beside it: return"cuda", "cuda"if x.
std::string PortableRewriter::apart(Span span, std::string replacement) const {
  if (span.first > 0 && is_word_byte(source()[span.first - 1])) replacement.insert(0, " ");
  if (span.second < source().size() && is_word_byte(source()[span.second])) replacement += " ";
  return replacement;
}

void PortableRewriter::rewrite_text(const Site& site, const std::string& field, std::string rule) {
  if (site.literal.second == 0) {
    return leave(site, text("write the table as {{{}: ..., \"cpu\": ...}}, for a keyword is fixed",
                            "关键字不可变，请将表写为 {{{}: ..., \"cpu\": ...}}", field));
  }
  std::string_view literal = text_at(site.literal);
  std::size_t quote = literal.find_first_of("'\"");
  SB_CHECK(quote != std::string_view::npos);
  std::size_t quotes = literal.substr(quote, 3) == std::string(3, literal[quote]) && literal.size() >= quote + 6 ? 3 : 1;
  bool is_whole = site.span.first == site.literal.first + quote + quotes && site.span.second + quotes == site.literal.second;
  if (is_whole && !site.is_joined) return change(site, site.literal, apart(site.literal, field), std::move(rule));
  if (site.is_pattern) {
    return leave(site, text("compare with f\"{{{}}}...\" in an if, for a case takes literals alone",
                            "case 只接受字面量，请改用 if 与 f\"{{{}}}...\" 比较", field));
  }
  std::string prefix(literal.substr(0, quote));
  bool is_format = prefix.find_first_of("fF") != std::string::npos;
  change(site, site.span, "{" + field + "}", rule);
  if (is_format) return;
  prefix.erase(std::remove_if(prefix.begin(), prefix.end(), [](char c) { return c == 'u' || c == 'U'; }), prefix.end());
  Span opening{site.literal.first, site.literal.first + static_cast<std::uint32_t>(quote) + 1};
  change(site, opening, "f" + prefix + literal[quote], rule);
  for (std::uint32_t at = site.literal.first + static_cast<std::uint32_t>(quote + quotes); at < site.literal.second; ++at) {
    bool is_inside = at >= site.span.first && at < site.span.second;
    if (!is_inside && (source()[at] == '{' || source()[at] == '}'))
      change(site, {at, at + 1}, std::string(2, source()[at]), rule);
  }
}

// "torch.cuda.FloatTensor" as text.
void PortableRewriter::rewrite_type_text(const Site& site) {
  const std::optional<Translation>& translation = translate(site.name);
  if (!in_.target.is_cuda_named() && (!translation || !report(site.span, site.name, *translation))) return;
  std::string canonical = in_.names.canonical(site.name);
  if (!is_under(canonical, "torch.cuda")) return;
  std::size_t dot = site.name.find('.', 6);
  if (dot == std::string::npos || site.name.substr(0, 6) != "torch.") return;
  Site word = site;
  word.span = {site.span.first + 6, site.span.first + static_cast<std::uint32_t>(dot)};
  const Site* kept = &site;
  std::size_t first = changes_.size();
  rewrite_text(word, helper_ + ".name", "type-text");
  for (std::size_t index = first; index < changes_.size(); ++index) changes_[index].site = kept;
}

// What torch.accelerator (PyTorch 2.6) says in the same words and with the same meaning.
std::string PortableRewriter::accelerator_name(const std::string& rest) const {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kSame = {
      {{"is_available", "is_available"},
       {"device_count", "device_count"},
       {"current_device", "current_device_index"},
       {"set_device", "set_device_index"},
       {"synchronize", "synchronize"},
       {"current_stream", "current_stream"},
       {"set_stream", "set_stream"}}};
  if (!has_accelerator_) return "";
  auto found = std::find_if(kSame.begin(), kSame.end(), [&](const auto& pair) { return pair.first == rest; });
  return found == kSame.end() ? "" : "torch.accelerator." + std::string(found->second);
}

void PortableRewriter::rewrite_portable_name(const Site& site) {
  if (is_targets_own(site)) return;
  const std::optional<Translation>& translation = translate(site.name);
  std::string canonical = in_.names.canonical(site.name);
  bool is_runtime = is_under(canonical, "torch.cuda");
  if (translation && !report(site.span, site.name, *translation)) return;
  if (is_runtime) {
    // Through an import that is rewritten itself, the name reads the same.
    if (is_under(in_.names.canonical(site.head), "torch.cuda")) return;
    return rewrite_runtime_name(site, canonical.size() > 10 ? canonical.substr(11) : "");
  }
  if (!translation && canonical == site.name) return judge_api(site);
  bool is_named = std::find(kNamed.begin(), kNamed.end(), canonical) != kNamed.end();
  if (is_named && !site.segments.empty()) {
    change(site, site.span, apart(site.span, fmt::format("{}.named(\"{}\")", helper_, canonical)), "torch-name");
  } else if (is_named) {
    leave(site, text("write {}.named(\"{}\")", "写作 {}.named(\"{}\")", helper_, canonical));
  } else if (canonical != site.name) {
    leave(site, text("{} is for one kind of card", "{} 仅适用于一种加速卡", site.name));
  } else {
    find(site.span, "name-kept", Severity::kInfo,
         text("{} keeps its name and means nothing on {}", "{} 保留原名，在 {} 上不起作用", site.name, in_.target.chip->name),
         translation->source);
  }
}

void PortableRewriter::rewrite_runtime_name(const Site& site, const std::string& rest) {
  std::string whole = accelerator_name(rest);
  if (whole.empty()) whole = rest.empty() ? helper_ + ".runtime" : helper_ + ".runtime." + rest;
  std::string_view written = text_at(site.span);
  // A comment inside would be lost.
  if (written.find('#') != std::string_view::npos) return leave(site, text("write {}", "写作 {}", whole));
  // The words that stay are not touched: only what stands for the runtime goes.
  std::string tail = rest.empty() ? "" : "." + rest;
  bool keeps_tail = !tail.empty() && whole.size() > tail.size() &&
                    whole.compare(whole.size() - tail.size(), tail.size(), tail) == 0 && written.size() > tail.size() &&
                    written.substr(written.size() - tail.size()) == tail;
  Span span = site.span;
  if (keeps_tail) {
    span.second -= static_cast<std::uint32_t>(tail.size());
    whole.resize(whole.size() - tail.size());
  }
  change(site, span, apart(span, whole), "torch-name");
}

void PortableRewriter::rewrite_call(const Site& site) {
  bool is_flag = site.name.rfind("Tensor.is_", 0) == 0;
  if (is_flag) {
    if (site.segments.empty()) return;
    Span object = site.segments[0];
    change(site, {object.first, object.first}, helper_ + ".is_on(", "device-flag");
    return change(site, {object.second, site.span.second}, ")", "device-flag");
  }
  if (site.segments.size() != 2) {
    return leave(site, text("write .to({}.at(...), non_blocking=...)", "写作 .to({}.at(...), non_blocking=...)", helper_));
  }
  auto [brackets, device] = std::pair(site.segments[0], site.segments[1]);
  change(site, site.span, "to", "device-method");
  if (device.first < device.second) {
    change(site, {device.first, device.first}, helper_ + ".at(", "device-method");
    return change(site, {device.second, device.second}, ")", "device-method");
  }
  std::string_view inside = text_at({brackets.first + 1, brackets.second - 1});
  bool is_empty = inside.find_first_not_of(" \t\r\n\\") == std::string_view::npos;
  change(site, {brackets.first + 1, brackets.first + 1}, helper_ + (is_empty ? ".name" : ".name, "), "device-method");
}

void PortableRewriter::rewrite_portable_import_from(const Site& site) {
  bool is_plugin = site.name.rfind("torch_", 0) == 0;
  std::size_t runtime_count = 0;
  std::vector<std::pair<const ImportedName*, std::string>> renamed;
  for (const ImportedName& name : site.names) {
    std::string full = site.name + "." + name.name;
    std::string canonical = in_.names.canonical(full);
    bool is_own = in_.target.is_cuda_named() && canonical == full;
    if (!is_under(canonical, "torch.cuda") || is_own) continue;
    if (std::optional<Translation> translation = in_.names.translate(full); translation && !report(name.span, full, *translation))
      continue;
    ++runtime_count;
    std::string word = canonical == "torch.cuda" ? "runtime" : canonical.substr(canonical.rfind('.') + 1);
    if (word != name.name) renamed.emplace_back(&name, word);
  }
  if (runtime_count == 0) {
    bool is_star = site.names.empty() && is_under(in_.names.canonical(site.name), "torch.cuda");
    if ((is_plugin || is_star) && !is_targets_own(site)) leave(site, text("import what is used by name", "请按名称导入所用接口"));
    return;
  }
  if (runtime_count != site.names.size()) {
    find(site.span, "import-split", Severity::kWork,
         text("the names imported from {} part ways", "从 {} 导入的名称分属不同模块", site.name))
        .advice = text("import those of the card from {}", "把加速卡相关名称改为从 {} 导入", in_.helper->module);
    return;
  }
  change(site, site.module_span, in_.helper->module, "import-from");
  for (const auto& [name, word] : renamed)
    change(site, name->span, name->has_alias ? word : word + " as " + name->name, "import-from");
}

// import torch.cuda.amp as amp
void PortableRewriter::rewrite_portable_import(const Site& site) {
  std::string canonical = in_.names.canonical(site.name);
  if (is_targets_own(site)) return;
  bool is_runtime = is_under(canonical, "torch.cuda");
  if (is_runtime && site.module_span.second > 0) {
    std::string word = canonical == "torch.cuda" ? "runtime" : canonical.substr(canonical.rfind('.') + 1);
    return change(site, site.module_span, fmt::format("from {} import {} as {}", in_.helper->module, word, site.head),
                  "import-module");
  }
  if (canonical == site.name || find_family_of_plugin(site.name) != nullptr)
    return;  // every PyTorch has it; plug-ins: place_imports
  leave(site, text("import torch alone", "仅导入 torch"));
}

void PortableRewriter::rewrite_variable(const Site& site) {
  std::string variable = site.name;
  for (const catalog::EnvRow& row : in_.tables.env.rows()) {
    if (!row.target.empty() && row.target == site.name && row.target != row.name) variable = row.name;
  }
  const catalog::EnvRow* row = in_.tables.env.find(variable, in_.target.family->backend);
  bool is_plain = row != nullptr && !row->target.empty() && row->status != MapStatus::kKeep &&
                  (row->status != MapStatus::kChanged || row->target.find("VISIBLE_DEVICES") != std::string::npos);
  if (!is_plain) {
    if (row != nullptr && site.name == variable) rewrite_environment(site);
    return;
  }
  if (site.target.second == 0) {
    return change(site, site.literal, apart(site.literal, fmt::format("{}.variable(\"{}\")", helper_, variable)), "environment");
  }
  // os.environ["A"] = os.environ["B"] = value: both are set, and on each machine one of them counts.
  std::size_t line_begin = source().rfind('\n', site.span.first) + 1;
  std::string_view line =
      source().substr(line_begin, std::min(source().find('\n', site.span.first), source().size()) - line_begin);
  std::string subscript(text_at(site.target));
  // Of several targets on a line the first sees to all.
  if (text_at({static_cast<std::uint32_t>(line_begin), site.target.first}).find("environ[") != std::string_view::npos) return;
  std::string added;
  for (const std::string& other : {variable, row->target}) {
    if (line.find(other) != std::string_view::npos) continue;
    std::string copy = subscript;
    copy.replace(site.span.first - site.target.first, site.span.second - site.span.first, other);
    added += " = " + copy;
  }
  if (!added.empty()) change(site, {site.target.second, site.target.second}, added, "environment");
}

// Sites inside one another may ask for the same bytes; then each is left to a person rather than one of them spoilt.
void PortableRewriter::drop_conflicts() {
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& left, const Change& right) {
    return std::tie(left.edit.begin, left.edit.end) < std::tie(right.edit.begin, right.edit.end);
  });
  std::vector<const Site*> dropped;
  for (std::size_t index = 1; index < changes_.size(); ++index) {
    const Change& before = changes_[index - 1];
    const Change& now = changes_[index];
    bool is_same =
        before.edit.begin == now.edit.begin && before.edit.end == now.edit.end && before.edit.replacement == now.edit.replacement;
    bool is_conflict =
        before.edit.end > now.edit.begin || (before.edit.begin == now.edit.begin && before.edit.end == now.edit.end);
    if (!is_same && is_conflict) {
      dropped.push_back(before.site);
      dropped.push_back(now.site);
    }
  }
  auto is_dropped = [&](const Site* site) { return std::find(dropped.begin(), dropped.end(), site) != dropped.end(); };
  for (const Site& site : in_.sites.sites) {
    if (is_dropped(&site)) leave(site, text("use {}", "使用 {}", in_.helper->module));
  }
  for (const Change& each : changes_) {
    if (!is_dropped(each.site))
      edit({static_cast<std::uint32_t>(each.edit.begin), static_cast<std::uint32_t>(each.edit.end)}, each.edit.replacement,
           each.edit.rule);
  }
}

void PortableRewriter::place_imports() {
  drop_conflicts();
  apply_rules();
  bool needs_helper = false;
  std::size_t first_use = source().size();
  for (const Edit& edit : out_.edits) {
    bool is_use = edit.replacement.find(helper_ + ".") != std::string::npos;
    if (is_use || edit.replacement.find("torch.accelerator") != std::string::npos) needs_helper = true;
    if (is_use) first_use = std::min(first_use, edit.begin);
    bool names_module = edit.replacement.find(in_.helper->name) != std::string::npos;
    if (names_module) out_.new_files = {{in_.helper->path, in_.tables.portable_helper}};
  }
  for (const Span& lines : in_.sites.plugin_imports) {
    std::string_view statement = text_at(lines);
    bool is_own = in_.target.is_cuda_named() ? false : statement.find(in_.target.family->plugin) != std::string_view::npos;
    if (!is_own && !has_foreign_plugin(statement)) continue;
    remove_line(lines);
    needs_helper = true;
  }
  if (!needs_helper || (is_imported() && helper_ == in_.helper->name)) return;
  out_.new_files = {{in_.helper->path, in_.tables.portable_helper}};
  std::string_view ending = line_ending_of(source());
  std::size_t at = in_.sites.header_end;
  if (in_.sites.has_top_level_torch && in_.sites.plugin_insert_at <= first_use) at = in_.sites.plugin_insert_at;
  // A removed import line may end where the new line goes.
  bool ends_line =
      at == 0 || source()[at - 1] == '\n' || source()[at - 1] == '\r' || (at == 3 && source().substr(0, 3) == "\xEF\xBB\xBF");
  std::string line = in_.helper->statement + (helper_ == in_.helper->name ? "" : " as " + helper_);
  line = ends_line ? line + std::string(ending) : std::string(ending) + line;
  out_.edits.push_back({at, at, std::move(line), "portable-import"});
}

}  // namespace starbridge::port::python
