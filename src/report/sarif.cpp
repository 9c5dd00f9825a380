#include "report/sarif.h"

#include <map>

#include "base/json.h"

namespace starbridge::report {
namespace {

using base::Json;

// Paths in URIs: everything but unreserved characters and '/' is percent-encoded (RFC 3986).
std::string uri_of(const std::string& path) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string uri;
  for (char c : path) {
    bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                    c == '_' || c == '~' || c == '/';
    if (is_plain) {
      uri += c;
    } else {
      uri += '%';
      uri += kDigits[static_cast<unsigned char>(c) >> 4];
      uri += kDigits[static_cast<unsigned char>(c) & 15];
    }
  }
  return uri;
}

std::string_view level_of(port::Severity severity) {
  switch (severity) {
    case port::Severity::kWork:
      return "error";
    case port::Severity::kWarning:
      return "warning";
    case port::Severity::kInfo:
      return "note";
  }
  return "note";
}

class Run {
 public:
  Run(const ChipSection& section, base::Language language) : section_(section), language_(language) {}

  Json json() {
    Json results = Json::array();
    for (const Item& item : section_.items) results.push_back(finding(item));
    for (const ChangedFile& file : section_.files) {
      for (const Change& change : file.changes) results.push_back(edit(file.path, change));
    }
    const catalog::Chip& chip = *section_.chip->target.chip;
    return {{"tool", {{"driver", {{"name", "StarBridge"}, {"version", SB_VERSION}, {"rules", rules_}}}}},
            {"automationDetails", {{"id", "starbridge/" + chip.id + "/"}}},
            {"columnKind", "unicodeCodePoints"},
            {"properties",
             {{"chip", chip.id},
              {"verdict", port::to_string(section_.chip->verdict)},
              {"score", section_.score.score},
              {"suppressed", section_.chip->suppressed_count}}},
            {"results", std::move(results)}};
  }

 private:
  std::size_t rule_index(const std::string& id) {
    auto [found, is_new] = indexes_.emplace(id, indexes_.size());
    if (is_new) {
      const port::Rule* rule = section_.chip->find_rule(id);
      std::string_view title = rule == nullptr                         ? std::string_view(id)
                               : language_ == base::Language::kChinese ? rule->title_zh
                                                                       : rule->title_en;
      rules_.push_back({{"id", id}, {"shortDescription", {{"text", title}}}});
      if (rule != nullptr)
        rules_.back()["properties"] = {{"effort", port::to_string(rule->effort)},
                                       {"confidence", port::to_string(rule->confidence)}};
    }
    return found->second;
  }

  static Json location(const std::string& path, Json region) {
    Json physical = {{"artifactLocation", {{"uri", uri_of(path)}, {"uriBaseId", "%SRCROOT%"}}}};
    if (!region.empty()) physical["region"] = std::move(region);
    return {{"physicalLocation", std::move(physical)}};
  }

  Json finding(const Item& item) {
    const port::Finding& found = item.finding;
    Json region = Json::object();
    if (found.place.line > 0) region["startLine"] = found.place.line;
    if (found.place.line > 0 && found.place.column > 0) region["startColumn"] = found.place.column;
    std::string message = found.message.in(language_);
    if (!found.advice.empty()) message += ". " + found.advice.in(language_);
    Json result = {{"ruleId", found.rule},
                   {"ruleIndex", rule_index(found.rule)},
                   {"level", level_of(found.severity)},
                   {"message", {{"text", message}}},
                   {"locations", Json::array({location(found.place.file, std::move(region))})},
                   {"partialFingerprints", {{"starbridge/v1", item.fingerprint}}},
                   {"baselineState", item.is_known ? "unchanged" : "new"}};
    result["properties"] = {{"reach", port::to_string(item.reach)}, {"hot", item.is_hot}};
    if (!found.source.empty()) result["properties"]["evidence"] = found.source;
    if (!found.suggestion.empty()) result["properties"]["suggestion"] = base::sanitize_utf8(found.suggestion);
    return result;
  }

  Json edit(const std::string& path, const Change& change) {
    Json region = {{"startLine", change.line},       {"startColumn", change.column}, {"endLine", change.end_line},
                   {"endColumn", change.end_column}, {"byteOffset", change.begin},   {"byteLength", change.end - change.begin}};
    Json replacement = {{"deletedRegion", region}, {"insertedContent", {{"text", change.replacement}}}};
    const port::Rule* rule = section_.chip->find_rule(change.rule);
    std::string title(rule == nullptr                         ? std::string_view(change.rule)
                      : language_ == base::Language::kChinese ? rule->title_zh
                                                              : rule->title_en);
    Json description = {{"text", title}};
    return {{"ruleId", change.rule},
            {"ruleIndex", rule_index(change.rule)},
            {"level", "note"},
            {"message", {{"text", title}}},
            {"locations", Json::array({location(path, region)})},
            {"fixes", Json::array({{{"description", description},
                                    {"artifactChanges",
                                     Json::array({{{"artifactLocation", {{"uri", uri_of(path)}, {"uriBaseId", "%SRCROOT%"}}},
                                                   {"replacements", Json::array({replacement})}}})}}})}};
  }

  const ChipSection& section_;
  base::Language language_;
  std::map<std::string, std::size_t> indexes_;
  Json rules_ = Json::array();
};

}  // namespace

base::Json to_sarif(const Report& report, base::Language language) {
  Json runs = Json::array();
  for (const ChipSection& section : report.chips) runs.push_back(Run(section, language).json());
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", std::move(runs)}};
}

}  // namespace starbridge::report
