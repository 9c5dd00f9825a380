#include "port/preflight.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "port/version_matrix.h"

namespace starbridge::port {
namespace {

using base::text;
using catalog::StackVersion;
using catalog::VersionPair;

constexpr std::size_t kPairsShown = 4;

// A pin whose versions could be read, with the result it came from.
struct ReadPin {
  const Pin* pin = nullptr;
  VersionRange range;
  std::optional<Version> exact;
  TargetResult* result = nullptr;
};

std::string folded(std::string_view name) {
  std::string word(name);
  std::replace(word.begin(), word.end(), '_', '-');
  return word;
}

class Preflight {
 public:
  Preflight(const Target& target, const catalog::VersionPairs& pairs)
      : target_(target), stack_(*target.chip->stack), pairs_(pairs) {}

  void take(TargetResult& result) {
    for (const Pin& pin : result.pins) {
      std::optional<VersionRange> range = VersionRange::parse(pin.written);
      // A condition may hold or not; a form that is not understood says nothing.
      if (!range || pin.is_conditional) continue;
      pins_.push_back({&pin, *range, range->exact(), &result});
    }
  }

  void judge() {
    for (const ReadPin& pin : pins_) {
      if (pin.exact) exact_[pin.pin->package].push_back(&pin);
    }
    std::string plugin = folded(target_.family->plugin);
    for (const ReadPin& pin : pins_) {
      if (pin.pin->package == plugin) judge_plugin(pin);
      if (pin.pin->package == "python") judge_python(pin);
      if (pin.pin->package == "cann" && stack_.backend == "npu") judge_toolkit(pin);
      judge_package(pin);
    }
  }

 private:
  // The one version of `package` that goes with `pin`: of its own file, else of the whole project. nullptr: none, or several.
  const ReadPin* partner(const ReadPin& pin, std::string_view package) const {
    auto pinned = exact_.find(package);
    if (pinned == exact_.end()) return nullptr;
    for (bool is_own_file : {true, false}) {
      const ReadPin* found = nullptr;
      bool is_ambiguous = false;
      for (const ReadPin* other : pinned->second) {
        if (is_own_file && other->pin->place.file != pin.pin->place.file) continue;
        if (found == nullptr) found = other;
        is_ambiguous = is_ambiguous || *found->exact != *other->exact;
      }
      if (found != nullptr) return is_ambiguous ? nullptr : found;
    }
    return nullptr;
  }

  StackRows rows_of(const ReadPin* torch) const {
    if (torch == nullptr) {
      StackRows all;
      for (const StackVersion& row : stack_.versions) all.push_back(&row);
      return all;
    }
    return rows_for_torch(stack_, torch->range);
  }

  Finding* find(const ReadPin& pin, std::string_view rule, Severity severity, base::Text message,
                const std::string& source) const {
    const auto& silenced = pin.pin->silenced;
    if (std::find(silenced.begin(), silenced.end(), rule) != silenced.end()) {
      ++pin.result->suppressed_count;
      return nullptr;
    }
    pin.result->findings.push_back({std::string(rule), severity, pin.pin->place, std::move(message), {}, source});
    return &pin.result->findings.back();
  }

  static std::string place_of(const ReadPin& pin) { return base::sanitize_utf8(pin.pin->place.to_string()); }
  // "3.8" of "==3.8.*" and "=3.8"; ranges as they are written.
  static std::string version_of(const ReadPin& pin) {
    std::string_view written = pin.pin->written;
    written.remove_prefix(std::min(written.find_first_not_of("= "), written.size()));
    if (written.size() > 2 && written.substr(written.size() - 2) == ".*") written.remove_suffix(2);
    return base::sanitize_utf8(written);
  }

  // torch_npu==2.6.0 beside torch==2.7.1.
  void judge_plugin(const ReadPin& pin) const {
    if (!pin.exact) return;
    const ReadPin* torch = partner(pin, "torch");
    if (torch == nullptr) return judge_plugin_and_range(pin);
    StackRows rows = rows_of(torch);
    bool pairs =
        std::any_of(rows.begin(), rows.end(), [&](const StackVersion* row) { return parse_version(row->plugin) == pin.exact; });
    if (pairs || rows.empty()) return;  // a torch without any plug-in is told at torch itself
    auto owner = std::find_if(stack_.versions.begin(), stack_.versions.end(),
                              [&](const StackVersion& row) { return parse_version(row.plugin) == pin.exact; });
    std::string plugin(target_.family->plugin);
    if (owner == stack_.versions.end() && pin.exact->release == torch->exact->release) return;  // a post release nobody listed
    base::Text message =
        owner == stack_.versions.end()
            ? text("no table lists {} {} for torch {} ({})", "没有表列出与 torch {2}（{3}）配套的 {0} {1}", plugin,
                   version_of(pin), version_of(*torch), place_of(*torch))
            : text("{} {} belongs to torch {}, but torch {} is pinned ({})", "{} {} 配套 torch {}，但固定的是 torch {}（{}）",
                   plugin, version_of(pin), owner->torch, version_of(*torch), place_of(*torch));
    if (Finding* finding = find(pin, "plugin-version", Severity::kWork, std::move(message), rows.front()->source)) {
      const StackVersion* best = best_row(rows);
      finding->advice = text("pin {}=={}: {}", "固定 {}=={}：{}", plugin, best->plugin, describe_rows({best}, plugin, 1));
    }
  }

  // torch_npu==2.6.0 beside torch>=2.7: whatever release that will be, it is not the plug-in's.
  void judge_plugin_and_range(const ReadPin& pin) const {
    StackRows owners;
    for (const StackVersion& row : stack_.versions) {
      if (parse_version(row.plugin) == pin.exact) owners.push_back(&row);
    }
    for (const ReadPin& torch : pins_) {
      bool is_open_torch = torch.pin->package == "torch" && !torch.exact && torch.pin->place.file == pin.pin->place.file;
      if (!is_open_torch || owners.empty()) continue;
      bool allows = std::any_of(owners.begin(), owners.end(), [&](const StackVersion* row) {
        std::optional<Version> version = parse_version(row->torch);
        return version && torch.range.allows(*version);
      });
      if (allows) continue;
      std::string plugin(target_.family->plugin);
      if (Finding* finding = find(pin, "plugin-version", Severity::kWork,
                                  text("{} {} belongs to torch {}, which torch{} rules out ({})",
                                       "{} {} 配套 torch {}，而 torch{} 排除了该版本（{}）", plugin, version_of(pin),
                                       owners.front()->torch, base::sanitize_utf8(torch.pin->written), place_of(torch)),
                                  owners.front()->source)) {
        StackRows rows = rows_for_torch(stack_, torch.range);
        if (!rows.empty())
          finding->advice = text("these go together: {}", "可用的组合：{}", describe_rows(rows, plugin, kPairsShown));
      }
      return;
    }
  }

  // A Python for which the plug-in has no build.
  void judge_python(const ReadPin& pin) const {
    const ReadPin* torch = partner(pin, "torch");
    StackRows rows = rows_of(torch);
    bool says_python = false;
    for (const StackVersion* row : rows) {
      if (row->python.empty()) continue;
      says_python = true;
      if (allows_any_minor(pin.range, row->python)) return;
    }
    if (!says_python) return;
    std::string plugin(target_.family->plugin);
    base::Text message =
        torch == nullptr
            ? text("no listed {} serves Python {}", "没有 {} 支持 Python {}", plugin, version_of(pin))
            : text("{} for torch {} ({}) does not serve Python {}", "与 torch {1}（{2}）配套的 {0} 不支持 Python {3}", plugin,
                   version_of(*torch), place_of(*torch), version_of(pin));
    if (Finding* finding = find(pin, "python-version", Severity::kWork, std::move(message), rows.front()->source))
      finding->advice = text("these go together: {}", "可用的组合：{}", describe_rows(rows, plugin, kPairsShown));
  }

  // An image with CANN 8.0.0 under torch==2.7.1.
  void judge_toolkit(const ReadPin& pin) const {
    if (!pin.exact) return;
    StackRows listed;
    for (const StackVersion& row : stack_.versions) {
      if (parse_version(toolkit_version(row)) == pin.exact) listed.push_back(&row);
    }
    std::string plugin(target_.family->plugin);
    const std::string& source = stack_.versions.front().source;
    if (listed.empty()) {
      if (Finding* finding = find(
              pin, "toolkit-version", Severity::kInfo,
              text("no table says which torch goes with CANN {}", "没有表说明与 CANN {} 配套的 torch", version_of(pin)), source))
        finding->advice = text("listed are: {}", "已列出的组合：{}", describe_rows(rows_of(nullptr), plugin, kPairsShown));
      return;
    }
    const ReadPin* torch = partner(pin, "torch");
    const ReadPin* plugin_pin = partner(pin, folded(target_.family->plugin));
    StackRows wanted;  // rows the project's pins leave
    for (const StackVersion& row : stack_.versions) {
      bool fits_torch = torch == nullptr || torch->range.allows(*parse_version(row.torch));
      bool fits_plugin = plugin_pin == nullptr || parse_version(row.plugin) == plugin_pin->exact;
      if (fits_torch && fits_plugin) wanted.push_back(&row);
    }
    if (torch == nullptr && plugin_pin == nullptr) {
      bool is_ambiguous = std::any_of(pins_.begin(), pins_.end(), [&](const ReadPin& other) {
        return other.exact && (other.pin->package == "torch" || other.pin->package == folded(plugin));
      });
      if (is_ambiguous) return;
      if (Finding* finding = find(pin, "toolkit-version", Severity::kInfo,
                                  text("CANN {} decides which torch can be used, and none is pinned",
                                       "CANN {} 决定可用的 torch 版本，而 torch 未固定", version_of(pin)),
                                  source))
        finding->advice = text("these go together: {}", "可用的组合：{}", describe_rows(listed, plugin, kPairsShown));
      return;
    }
    bool pairs = std::any_of(wanted.begin(), wanted.end(), [&](const StackVersion* row) {
      return std::find(listed.begin(), listed.end(), row) != listed.end();
    });
    if (pairs || wanted.empty()) return;  // pins that contradict each other are told where they stand
    const ReadPin& other = plugin_pin != nullptr ? *plugin_pin : *torch;
    if (Finding* finding = find(pin, "toolkit-version", Severity::kWork,
                                text("CANN {} does not go with {} {} ({})", "CANN {} 与 {} {} 不配套（{}）", version_of(pin),
                                     plugin_pin != nullptr ? plugin : "torch", version_of(other), place_of(other)),
                                source)) {
      std::string toolkits;
      for (const StackVersion* row : wanted) {
        std::string entry = row->toolkit + " (" + plugin + " " + row->plugin + ")";
        if (toolkits.find(entry) == std::string::npos) toolkits += (toolkits.empty() ? "" : "; ") + entry;
      }
      finding->advice = text("use an image of {}", "改用以下版本的镜像：{}", toolkits);
    }
  }

  // torchvision==0.21.0 beside torch==2.7.1; vllm-ascend with another torch than it was built for.
  void judge_package(const ReadPin& pin) const {
    if (!pin.exact) return;
    std::vector<const VersionPair*> rows;
    std::size_t most_parts = 0;  // 0.11.0rc1 itself rather than 0.11
    for (const VersionPair* row : pairs_.of(pin.pin->package, stack_.backend)) {
      std::optional<Version> listed = parse_version(row->version);
      if (!listed) continue;
      bool is_this = *listed == *pin.exact || (listed->written_parts == 2 && pin.exact->begins_with(*listed));
      if (!is_this || listed->written_parts < most_parts) continue;
      if (listed->written_parts > most_parts) rows.clear();
      most_parts = listed->written_parts;
      rows.push_back(row);
    }
    std::set<std::string_view> told;
    for (const VersionPair* row : rows) {
      const ReadPin* other = partner(pin, row->needs);
      if (other == nullptr || told.contains(row->needs) || fits(*row, *other)) continue;
      // The same package may be listed twice; it is enough that one row fits.
      bool any_fits = std::any_of(rows.begin(), rows.end(),
                                  [&](const VersionPair* each) { return each->needs == row->needs && fits(*each, *other); });
      if (any_fits) continue;
      told.insert(row->needs);
      if (Finding* finding =
              find(pin, "package-pair", Severity::kWork,
                   text("{} {} goes with {} {}, but {} is pinned ({})", "{} {} 配套 {} {}，但固定的是 {}（{}）", pin.pin->package,
                        version_of(pin), row->needs, row->range, version_of(*other), place_of(*other)),
                   row->source))
        finding->advice = advice_for(pin, *other);
    }
  }

  static bool fits(const VersionPair& row, const ReadPin& other) {
    std::optional<VersionRange> range = VersionRange::parse(row.range);
    if (!range) return true;
    // "2.7" stands for every release of 2.7.
    std::optional<Version> exact = range->exact();
    if (exact && exact->written_parts == 2) return other.exact->begins_with(*exact);
    return range->allows(*other.exact);
  }

  // The release of the pinned package that goes with the other one.
  base::Text advice_for(const ReadPin& pin, const ReadPin& other) const {
    std::string versions;
    for (const VersionPair* row : pairs_.of(pin.pin->package, stack_.backend)) {
      if (row->needs != other.pin->package || !fits(*row, other)) continue;
      if (versions.find(row->version) == std::string::npos) versions += (versions.empty() ? "" : ", ") + row->version;
    }
    if (versions.empty())
      return text("no listed {} goes with {} {}", "没有与 {1} {2} 配套的 {0}", pin.pin->package, other.pin->package,
                  version_of(other));
    return text("with {} {} goes {} {}", "与 {} {} 配套的是 {} {}", other.pin->package, version_of(other), pin.pin->package,
                versions);
  }

  const Target& target_;
  const catalog::Stack& stack_;
  const catalog::VersionPairs& pairs_;
  std::vector<ReadPin> pins_;
  std::map<std::string, std::vector<const ReadPin*>, std::less<>> exact_;  // by package; a large tree has many thousand pins
};

}  // namespace

void add_preflight(std::vector<FileReport>& reports, const Context& context) {
  for (std::size_t index = 0; index < context.targets.size(); ++index) {
    const Target& target = context.targets[index];
    bool has_matrix = target.family != nullptr && !target.family->plugin.empty() && !target.chip->stack->versions.empty();
    if (!has_matrix) continue;
    Preflight preflight(target, context.tables.pairs);
    for (FileReport& report : reports) {
      if (index < report.results.size()) preflight.take(report.results[index]);
    }
    preflight.judge();
    for (FileReport& report : reports) {
      if (index >= report.results.size() || report.results[index].pins.empty()) continue;
      std::vector<Finding>& findings = report.results[index].findings;
      std::stable_sort(findings.begin(), findings.end(), [](const Finding& left, const Finding& right) {
        return std::tie(left.place.line, left.place.column) < std::tie(right.place.line, right.place.column);
      });
    }
  }
}

}  // namespace starbridge::port
