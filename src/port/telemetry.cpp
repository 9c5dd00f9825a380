#include "port/telemetry.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"

namespace starbridge::port {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Json;
using base::text;

// A call over several lines is told at its first, the device may stand on its last.
constexpr int kLinesOfACall = 2;

Error bad_telemetry(const std::string& path, std::size_t entry) {
  return Error("port.bad_telemetry", text("this is no record of intercepted calls", "这不是拦截调用的记录"))
      .at({path, 0, 0, fmt::format("calls[{}]", entry)})
      .next(text("give a file that python -m starbridge_torch --telemetry wrote",
                 "请给出 python -m starbridge_torch --telemetry 生成的文件"));
}

// Lines of one file on which the scan says something about a chip.
std::set<int> lines_of(const FileReport& file, const TargetResult& result, const std::string& bytes) {
  std::set<int> lines;
  LineIndex index(bytes);
  for (const Edit& edit : result.edits) lines.insert(index.at(std::min(edit.begin, bytes.size())).line);
  for (const Finding& finding : result.findings) {
    if (finding.place.file == file.path) lines.insert(finding.place.line);
  }
  return lines;
}

bool is_near(const std::set<int>& lines, int line) {
  auto next = lines.lower_bound(line - kLinesOfACall);
  return next != lines.end() && *next <= line + kLinesOfACall;
}

}  // namespace

base::Result<std::vector<RuntimeCall>> read_telemetry(const std::string& path) {
  SB_TRY(Json record, base::read_json(path));
  bool is_record = record.is_object() && record.value("schema", "") == "starbridge.torch_telemetry/1" &&
                   record.contains("calls") && record["calls"].is_array();
  if (!is_record) return bad_telemetry(path, 0);
  std::vector<RuntimeCall> calls;
  for (const Json& entry : record["calls"]) {
    bool is_call = entry.is_object() && entry.contains("file") && entry["file"].is_string() && entry.contains("line") &&
                   entry["line"].is_number_integer() && entry.contains("name") && entry["name"].is_string() &&
                   entry.contains("count") && entry["count"].is_number_unsigned();
    if (!is_call) return bad_telemetry(path, calls.size());
    calls.push_back({entry["file"].get<std::string>(), entry["line"].get<int>(), entry["name"].get<std::string>(),
                     entry["count"].get<std::size_t>()});
  }
  return calls;
}

TelemetrySummary join_telemetry(ProjectReport& report, const std::vector<RuntimeCall>& calls) {
  TelemetrySummary summary;
  std::error_code failure;
  std::string root = fs::weakly_canonical(report.root, failure).string() + "/";
  struct Line {
    std::size_t count = 0;
    std::set<std::string> names;
  };
  std::map<std::pair<std::string, int>, Line> lines;
  for (const RuntimeCall& call : calls) {
    std::string file = fs::weakly_canonical(call.file, failure).string();
    if (file.compare(0, root.size(), root) != 0) {
      summary.outside_count += call.count;
      continue;
    }
    summary.call_count += call.count;
    if (call.name.compare(0, 4, "str(") == 0) continue;  // printing a device needs no port
    Line& line = lines[{file.substr(root.size()), call.line}];
    line.count += call.count;
    line.names.insert(call.name);
  }
  summary.line_count = lines.size();
  for (std::size_t chip = 0; chip < report.chips.size(); ++chip) {
    std::map<std::string, std::set<int>> known;
    for (const FileReport& file : report.files) {
      base::Result<std::string> bytes = base::read_file(report.root + "/" + file.path);
      if (bytes.ok()) known[file.path] = lines_of(file, file.results[chip], *bytes);
    }
    std::size_t unseen = 0;
    for (const auto& [place, line] : lines) {
      if (is_near(known[place.first], place.second)) continue;
      ++unseen;
      std::string names;
      for (const std::string& name : line.names) names += (names.empty() ? "" : ", ") + name;
      Finding finding{"run-time-use",
                      Severity::kWarning,
                      {place.first, place.second, 1, ""},
                      text("at run time this line used {} ({} times); the sources alone do not say so",
                           "运行时此行使用了 {}（{} 次），仅凭源码看不出", names, line.count),
                      text("look where its device comes from; the vendor and portable styles do not change it",
                           "请检查设备来源；vendor 与 portable 写法不会修改此处"),
                      ""};
      for (FileReport& file : report.files) {
        if (file.path != place.first) continue;
        std::vector<Finding>& findings = file.results[chip].findings;
        findings.insert(
            std::find_if(findings.begin(), findings.end(), [&](const Finding& other) { return other.place.line > place.second; }),
            finding);
      }
      report.chips[chip].findings.push_back(std::move(finding));
    }
    summary.unseen_count = std::max(summary.unseen_count, unseen);
    std::stable_sort(report.chips[chip].findings.begin(), report.chips[chip].findings.end(),
                     [](const Finding& left, const Finding& right) {
                       return std::tie(left.place.file, left.place.line, left.place.column) <
                              std::tie(right.place.file, right.place.line, right.place.column);
                     });
  }
  return summary;
}

}  // namespace starbridge::port
