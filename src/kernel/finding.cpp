#include "kernel/finding.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/json.h"
#include "base/subprocess.h"
#include "kernel/rule.h"

namespace starbridge::kernel {

using base::Json;

namespace {

using Address = std::pair<std::string, std::uint64_t>;  // module, offset
struct Spot {
  base::Place place;
  std::string function;
};

std::optional<Address> address_of(const Json& side) {
  if (!side.is_object() || !side.contains("module") || !side.contains("offset")) return std::nullopt;
  return Address{side["module"].get<std::string>(), side["offset"].get<std::uint64_t>()};
}

// Asks the symbolizer for all addresses at once. The innermost frame that is not in the card's own headers is the user's place.
std::map<Address, Spot> locate(const Toolchain& toolchain, const std::set<Address>& addresses) {
  std::map<Address, Spot> spots;
  if (toolchain.symbolizer.empty() || addresses.empty()) return spots;
  base::ProcessSpec spec;
  spec.arguments = {toolchain.symbolizer, "--output-style=JSON", "--inlines"};
  for (const auto& [module, offset] : addresses) spec.input += "\"" + module + "\" " + std::to_string(offset) + "\n";
  spec.timeout_ms = 60000;
  base::Result<base::ProcessResult> result = base::run_process(spec);
  if (!result.ok()) return spots;
  auto next = addresses.begin();
  for (std::size_t at = 0; at < result->out.size() && next != addresses.end(); ++next) {
    std::size_t end = std::min(result->out.find('\n', at), result->out.size());
    base::Result<Json> line = base::parse_json(result->out.substr(at, end - at), "llvm-symbolizer");
    at = end + 1;
    if (!line.ok() || !line->contains("Symbol")) continue;
    for (const Json& frame : (*line)["Symbol"]) {
      std::string file = frame.value("FileName", "");
      if (file.empty() || file.rfind(toolchain.headers, 0) == 0 || file.rfind(toolchain.shared_headers, 0) == 0) continue;
      Spot spot{{file, frame.value("Line", 0), frame.value("Column", 0), ""}, frame.value("FunctionName", "")};
      std::error_code error;
      std::string relative = std::filesystem::proximate(file, error).string();
      if (!error && relative.rfind("..", 0) != 0) spot.place.file = relative;
      spots[*next] = spot;
      break;
    }
  }
  return spots;
}

FindingSide side_of(const Json& json, const std::map<Address, Spot>& spots) {
  FindingSide side;
  side.block = json.value("block", "");
  side.thread = json.value("thread", "");
  side.task = json.value("task", "");
  side.core = json.value("core", "");
  // Some findings are about a declaration, whose place the compiler wrote down.
  if (json.contains("file")) side.place = {json.value("file", ""), json.value("line", 0), 0, ""};
  side.is_write = json.value("write", false);
  if (auto address = address_of(json); address && spots.count(*address) > 0) {
    side.place = spots.at(*address).place;
    side.function = spots.at(*address).function;
  }
  return side;
}

Json side_json(const FindingSide& side) {
  Json json = {{"file", side.place.file}, {"line", side.place.line}, {"column", side.place.column}, {"write", side.is_write}};
  if (!side.function.empty()) json["function"] = side.function;
  if (!side.block.empty()) {
    json["block"] = side.block;
    json["thread"] = side.thread;
  }
  if (!side.task.empty()) {
    json["task"] = side.task;
    json["core"] = side.core;
  }
  return json;
}

Json location_json(const FindingSide& side) {
  Json region = {{"startLine", std::max(side.place.line, 1)}};
  if (side.place.column > 0) region["startColumn"] = side.place.column;
  Json location = {
      {"physicalLocation",
       {{"artifactLocation", {{"uri", side.place.file.empty() ? "unknown" : side.place.file}}}, {"region", region}}}};
  if (!side.block.empty()) location["message"] = {{"text", "block (" + side.block + ") thread (" + side.thread + ")"}};
  if (!side.task.empty()) location["message"] = {{"text", "task " + side.task + " core " + side.core}};
  return location;
}

}  // namespace

base::Result<std::vector<KernelFinding>> read_findings(const Toolchain& toolchain, const std::string& path) {
  std::vector<KernelFinding> findings;
  base::Result<std::string> content = base::read_file(path);
  if (!content.ok()) {
    if (content.error().code() == "base.file_not_found") return findings;
    return std::move(content).error();
  }
  std::vector<Json> lines;
  std::set<Address> addresses;
  for (std::size_t at = 0; at < content->size();) {
    std::size_t end = std::min(content->find('\n', at), content->size());
    base::Result<Json> line = base::parse_json(content->substr(at, end - at), path);
    at = end + 1;
    if (!line.ok()) continue;  // the program died while it wrote
    for (const char* key : {"side", "other"}) {
      if (!line->contains(key)) continue;
      if (auto address = address_of((*line)[key])) addresses.insert(*address);
    }
    lines.push_back(std::move(*line));
  }
  std::map<Address, Spot> spots = locate(toolchain, addresses);
  auto key_of = [](const std::string& rule, const FindingSide& side, const FindingSide* other) {
    std::vector<std::string> places = {side.place.to_string()};
    if (other != nullptr) places.push_back(other->place.to_string());
    std::sort(places.begin(), places.end());  // a race found from either side is one race
    std::string key = rule;
    for (const std::string& place : places) key += "|" + place;
    return key;
  };
  std::map<std::string, std::size_t> index;
  for (const Json& line : lines) {
    if (!line.contains("side")) continue;
    FindingSide side = side_of(line["side"], spots);
    std::optional<FindingSide> other;
    if (line.contains("other")) other = side_of(line["other"], spots);
    const std::string rule = line.contains("rule") ? line["rule"].get<std::string>() : line.value("repeat", "");
    const std::string key = key_of(rule, side, other ? &*other : nullptr);
    if (!line.contains("rule")) {
      if (auto found = index.find(key); found != index.end())
        findings[found->second].count += line.value("count", std::uint64_t{2}) - 1;
      continue;
    }
    if (auto found = index.find(key); found != index.end()) {
      ++findings[found->second].count;
      continue;
    }
    index[key] = findings.size();
    const Rule* known = find_rule(rule);
    findings.push_back({rule,
                        {line.value("en", ""), line.value("zh", "")},
                        line.value("kernel", ""),
                        side,
                        other,
                        1,
                        known == nullptr || known->is_error});
  }
  return findings;
}

Json to_json(const KernelFinding& finding, base::Language language) {
  Json json = {{"rule", finding.rule},
               {"severity", finding.is_error ? "error" : "note"},
               {"message", finding.message.in(language)},
               {"kernel", finding.kernel},
               {"at", side_json(finding.side)},
               {"count", finding.count}};
  if (finding.other) json["other"] = side_json(*finding.other);
  return json;
}

Json to_sarif(const std::vector<KernelFinding>& findings, base::Language language, const std::string& version) {
  Json rules = Json::array();
  std::set<std::string> named;
  Json results = Json::array();
  for (const KernelFinding& finding : findings) {
    if (named.insert(finding.rule).second) {
      const Rule* rule = find_rule(finding.rule);
      Json described = {{"id", finding.rule}};
      if (rule != nullptr) {
        described["shortDescription"] = {{"text", rule->title.in(language)}};
        described["fullDescription"] = {{"text", rule->explanation.in(language)}};
      }
      rules.push_back(described);
    }
    Json result = {{"ruleId", finding.rule},
                   {"level", finding.is_error ? "error" : "note"},
                   {"message", {{"text", finding.message.in(language)}}},
                   {"locations", Json::array({location_json(finding.side)})},
                   {"occurrenceCount", finding.count}};
    if (finding.other) result["relatedLocations"] = Json::array({location_json(*finding.other)});
    results.push_back(result);
  }
  Json driver = {{"name", "starbridge kernel check"}, {"version", version}, {"rules", rules}};
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}};
}

}  // namespace starbridge::kernel
