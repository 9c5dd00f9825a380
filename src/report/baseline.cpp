#include "report/baseline.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/files.h"
#include "base/json.h"
#include "base/subprocess.h"

namespace starbridge::report {

using base::Error;
using base::text;

namespace {

constexpr const char* kSchema = "starbridge.baseline/1";
constexpr base::DurationMs kGitTimeoutMs = 60'000;

// "a/with space" stays; git quotes names with special characters in C style.
std::string unquoted(std::string name) {
  if (name.size() < 2 || name.front() != '"' || name.back() != '"') return name;
  std::string plain;
  for (std::size_t at = 1; at + 1 < name.size(); ++at) {
    if (name[at] != '\\') {
      plain += name[at];
    } else if (name[at + 1] >= '0' && name[at + 1] <= '7' && at + 3 < name.size()) {
      plain += static_cast<char>(std::strtol(name.substr(at + 1, 3).c_str(), nullptr, 8));
      at += 3;
    } else {
      ++at;
      plain += name[at] == 'n' ? '\n' : name[at] == 't' ? '\t' : name[at];
    }
  }
  return plain;
}

base::Result<std::string> run_git(const std::string& root, std::vector<std::string> arguments) {
  base::ProcessSpec spec;
  spec.arguments = {"git"};
  spec.arguments.insert(spec.arguments.end(), arguments.begin(), arguments.end());
  spec.working_directory = root;
  spec.timeout_ms = kGitTimeoutMs;
  SB_TRY(base::ProcessResult result, base::run_process(spec));
  if (result.ok()) return std::move(result.out);
  return Error("report.unknown_revision",
               text("git said: {}", "git 报告：{}", base::sanitize_utf8(std::string(base::trim(result.err.substr(0, 400))))))
      .at(root)
      .next(text("name a commit, branch or tag of this repository", "请给出该仓库的提交、分支或标签"));
}

}  // namespace

base::Status write_baseline(const Report& report, const std::string& path) {
  base::Json json = {{"schema", kSchema}, {"chips", base::Json::object()}};
  for (const ChipSection& section : report.chips) {
    std::vector<std::string> fingerprints;
    for (const Item& item : section.items) fingerprints.push_back(item.fingerprint);
    std::sort(fingerprints.begin(), fingerprints.end());
    json["chips"][section.chip->target.chip->id] = fingerprints;
  }
  return base::write_file_atomically(path, base::to_string(json) + "\n");
}

base::Status apply_baseline(Report& report, const std::string& path) {
  SB_TRY(base::Json json, base::read_json(path));
  if (!json.is_object() || json.value("schema", "") != kSchema || !json.contains("chips") || !json["chips"].is_object()) {
    return Error("report.wrong_baseline", text("this is not a baseline of starbridge scan", "这不是 starbridge scan 的基线文件"))
        .at(path)
        .next(text("write one with --write-baseline", "用 --write-baseline 生成"));
  }
  for (ChipSection& section : report.chips) {
    const base::Json& chips = json["chips"];
    auto found = chips.find(section.chip->target.chip->id);
    if (found == chips.end() || !found->is_array()) continue;
    std::set<std::string> known;
    for (const base::Json& each : *found) {
      if (each.is_string()) known.insert(each.get<std::string>());
    }
    for (Item& item : section.items) item.is_known = item.is_known || known.count(item.fingerprint) > 0;
  }
  return {};
}

bool ChangedLines::contains(const std::string& file, int line) const {
  if (whole_files.count(file) > 0) return true;
  auto found = ranges.find(file);
  if (found == ranges.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const auto& range) { return line >= range.first && line <= range.second; });
}

ChangedLines parse_diff(const std::string& diff) {
  ChangedLines changed;
  std::string file;
  std::istringstream lines(diff);
  bool is_header = true;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("diff --git ", 0) == 0) {
      is_header = true;
      file.clear();
    } else if (is_header && line.rfind("+++ ", 0) == 0) {
      file = unquoted(line.substr(4, line.find('\t') == std::string::npos ? std::string::npos : line.find('\t') - 4));
      file = file.rfind("b/", 0) == 0 ? file.substr(2) : "";
    } else if (line.rfind("@@ ", 0) == 0 && !file.empty()) {
      is_header = false;
      std::size_t plus = line.find('+');
      if (plus == std::string::npos) continue;
      char* end = nullptr;
      long first = std::strtol(line.c_str() + plus + 1, &end, 10);
      long count = *end == ',' ? std::strtol(end + 1, nullptr, 10) : 1;
      if (count > 0) changed.ranges[file].emplace_back(static_cast<int>(first), static_cast<int>(first + count - 1));
    }
  }
  return changed;
}

base::Result<ChangedLines> changed_since(const std::string& root, const std::string& revision) {
  base::ProcessSpec inside;
  inside.arguments = {"git", "rev-parse", "--is-inside-work-tree"};
  inside.working_directory = root;
  inside.timeout_ms = kGitTimeoutMs;
  SB_TRY(base::ProcessResult repository, base::run_process(inside));
  if (!repository.ok()) {
    return Error("report.no_repository", text("--since needs a git repository", "--since 需要 git 仓库"))
        .at(root)
        .next(text("leave --since out, or use --baseline", "去掉 --since，或改用 --baseline"));
  }
  // --end-of-options keeps a revision that begins with '-' from being taken for an option.
  SB_TRY(std::string diff, run_git(root, {"-c", "core.quotePath=true", "diff", "--unified=0", "--no-color", "--no-ext-diff",
                                          "--relative", "--end-of-options", revision, "--", "."}));
  ChangedLines changed = parse_diff(diff);
  SB_TRY(std::string untracked, run_git(root, {"ls-files", "--others", "--exclude-standard", "-z"}));
  for (std::size_t begin = 0; begin < untracked.size();) {
    std::size_t end = std::min(untracked.find('\0', begin), untracked.size());
    changed.whole_files.insert(untracked.substr(begin, end - begin));
    begin = end + 1;
  }
  return changed;
}

void keep_changed_lines(Report& report, const ChangedLines& changed) {
  for (ChipSection& section : report.chips) {
    for (Item& item : section.items)
      item.is_known = item.is_known || !changed.contains(item.finding.place.file, item.finding.place.line);
  }
}

}  // namespace starbridge::report
