#include "catalog/fact_reader.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "catalog/tsv.h"

namespace starbridge::catalog {
namespace {

using base::Result;
using base::Status;
using base::text;
using base::YamlNode;

constexpr std::array<std::string_view, 18> kTorchDtypes = {
    "bfloat16",    "bool",  "complex128", "complex32", "complex64", "float16", "float32", "float64", "float8_e4m3fn",
    "float8_e5m2", "int16", "int32",      "int4",      "int64",     "int8",    "qint8",   "quint8",  "uint8"};

Status check_cuda_extension(const YamlNode& value) {
  const std::string& word = value.scalar();
  if (word == "as_is" || word == "recompile" || word == "rewrite") return {};
  return value.wrong(text("as_is, recompile or rewrite was expected, not \"{}\"",
                          "此处应为 as_is、recompile 或 rewrite，而不是“{}”", base::sanitize_utf8(word)));
}

Status check_value(const YamlNode& value, std::string_view kind) {
  if (kind == "number" || kind == "integer") {
    SB_TRY(double number, value.as_number());
    if (kind == "integer")
      SB_TRY_VOID([&]() -> Status {
        SB_TRY([[maybe_unused]] std::int64_t whole, value.as_integer());
        return {};
      }());
    if (number <= 0) return value.wrong(text("a number above zero was expected", "此处应为大于零的数"));
    return {};
  }
  SB_TRY(std::string word, value.as_string());
  if (kind == "flag") {
    SB_TRY([[maybe_unused]] bool flag, value.as_boolean());
    return {};
  }
  if (kind == "cuda_extension") return check_cuda_extension(value);
  if (kind == "dtype_status" && word != "supported" && word != "limited" && word != "unsupported") {
    return value.wrong(text("supported, limited or unsupported was expected, not \"{}\"",
                            "此处应为 supported、limited 或 unsupported，而不是“{}”", base::sanitize_utf8(word)));
  }
  if (word.empty()) return value.wrong(text("the text is empty; leave the fact out instead", "文本为空；未知的事实请不要写"));
  return {};
}

Result<std::string> optional_text(const YamlNode& mapping, std::string_view key) {
  const YamlNode* node = mapping.find(key);
  if (node == nullptr) return std::string();
  return node->as_string();
}

Result<Observation> read_observation(const YamlNode& node, std::string_view kind, const Sources& sources) {
  SB_TRY_VOID(node.refuse_unknown_fields({"value", "source", "confidence", "chosen", "via", "note"}));
  Observation observation;
  observation.place = node.place();
  SB_TRY(const YamlNode* value, node.require("value"));
  SB_TRY_VOID(check_value(*value, kind));
  observation.value = value->scalar();
  SB_TRY(observation.source, read_source_id(node, sources));
  SB_TRY(observation.confidence, read_confidence(node));
  if (const YamlNode* chosen = node.find("chosen")) {
    SB_TRY(observation.is_chosen, chosen->as_boolean());
  }
  SB_TRY(observation.via, optional_text(node, "via"));
  SB_TRY(observation.note, optional_text(node, "note"));
  return observation;
}

Result<Fact> read_fact(const std::string& name, const YamlNode& node, std::string_view kind, const Sources& sources) {
  if (!node.is_sequence() || node.items().empty()) {
    return node.wrong(text("a list of observations was expected", "此处应为观测列表"));
  }
  Fact fact{name, {}};
  std::size_t chosen_count = 0;
  for (const YamlNode& item : node.items()) {
    SB_TRY(Observation observation, read_observation(item, kind, sources));
    chosen_count += observation.is_chosen ? 1 : 0;
    fact.observations.push_back(std::move(observation));
  }
  if (fact.observations.size() == 1) fact.observations[0].is_chosen = true;
  if (fact.observations.size() > 1 && chosen_count != 1) {
    return node
        .wrong(text("{} of {} observations are chosen; exactly one must be", "{} 项观测被选定（共 {} 项）；应恰好选定一项",
                    chosen_count, fact.observations.size()))
        .next(
            text("add \"chosen: true\" to the value to use and keep the others", "请在要采用的值上写 chosen: true，并保留其余"));
  }
  return fact;
}

}  // namespace

bool is_date(std::string_view date) {
  if (date.size() != 10 || date[4] != '-' || date[7] != '-') return false;
  for (std::size_t index : {0, 1, 2, 3, 5, 6, 8, 9}) {
    if (date[index] < '0' || date[index] > '9') return false;
  }
  int month = (date[5] - '0') * 10 + date[6] - '0';
  int day = (date[8] - '0') * 10 + date[9] - '0';
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

Status require_scalar(const YamlNode& mapping, std::string_view key, std::string_view value) {
  SB_TRY(const YamlNode* node, mapping.require(key));
  if (node->scalar() == value) return {};
  return node->wrong(
      text("\"{}\" was expected, not \"{}\"", "此处应为“{}”，而不是“{}”", value, base::sanitize_utf8(node->scalar())));
}

Result<Confidence> read_confidence(const YamlNode& mapping) {
  SB_TRY(const YamlNode* node, mapping.require("confidence"));
  std::optional<Confidence> confidence = confidence_from_name(node->scalar());
  if (confidence.has_value()) return *confidence;
  return node->wrong(text("published, measured, reported or assumed was expected, not \"{}\"",
                          "此处应为 published、measured、reported 或 assumed，而不是“{}”", base::sanitize_utf8(node->scalar())));
}

Result<std::string> read_source_id(const YamlNode& mapping, const Sources& sources) {
  SB_TRY(const YamlNode* node, mapping.require("source"));
  SB_TRY(std::string id, node->as_string());
  if (sources.contains(id)) return id;
  return node->wrong(text("there is no source \"{}\"", "没有来源“{}”", base::sanitize_utf8(id)))
      .next(text("add it to data/sources.tsv", "请将其加入 data/sources.tsv"));
}

Result<Facts> read_facts(const YamlNode& node, const FactRules& rules) {
  std::vector<std::string_view> known;
  for (const auto& [name, kind] : rules.kinds) {
    if (kind.of == rules.of) known.push_back(name);
  }
  SB_TRY_VOID(node.refuse_unknown_fields(known));
  Facts facts;
  for (const auto& [name, value] : node.fields()) {
    SB_TRY(Fact fact, read_fact(name, value, rules.kinds.find(name)->second.kind, rules.sources));
    facts.add(std::move(fact));
  }
  for (std::string_view name : known) {
    if (!rules.kinds.find(name)->second.is_required || facts.find(name) != nullptr) continue;
    return node.wrong(text("the fact \"{}\" is missing", "缺少事实“{}”", name));
  }
  facts.sort();
  return facts;
}

Result<Facts> read_dtypes(const YamlNode& node, const FactRules& rules) {
  SB_TRY_VOID(node.refuse_unknown_fields({kTorchDtypes.begin(), kTorchDtypes.end()}));
  Facts facts;
  for (const auto& [name, value] : node.fields()) {
    SB_TRY(Fact fact, read_fact(name, value, "dtype_status", rules.sources));
    facts.add(std::move(fact));
  }
  facts.sort();
  return facts;
}

Result<FactKinds> read_fact_kinds(const std::string& path) {
  SB_TRY(std::string content, base::read_file(path));
  FactKinds kinds;
  Status status =
      read_tsv(content, path, {"name", "of", "kind", "unit", "required", "en", "zh"}, [&](const TsvRow& row) -> Status {
        FactKind kind{std::string(row.cells[0]), std::string(row.cells[1]),
                      std::string(row.cells[2]), std::string(row.cells[3]),
                      row.cells[4] == "yes",     {std::string(row.cells[5]), std::string(row.cells[6])}};
        if (kind.of != "chip" && kind.of != "stack")
          return bad_data(path, row.line, "of", text("chip or stack was expected", "此处应为 chip 或 stack"));
        if (!kinds.emplace(kind.name, kind).second)
          return bad_data(path, row.line, "name", text("\"{}\" stands twice", "“{}”重复", kind.name));
        return {};
      });
  SB_TRY_VOID(status);
  return kinds;
}

Result<Sources> read_sources(const std::string& path) {
  SB_TRY(std::string content, base::read_file(path));
  Sources sources;
  Status status = read_tsv(content, path, {"id", "date", "title", "ref", "licence"}, [&](const TsvRow& row) -> Status {
    Source source{std::string(row.cells[0]), std::string(row.cells[1]), std::string(row.cells[2]), std::string(row.cells[3]),
                  std::string(row.cells[4])};
    if (source.id.empty()) return bad_data(path, row.line, "id", text("the id is empty", "编号为空"));
    if (!is_date(source.date))
      return bad_data(path, row.line, "date", text("a date YYYY-MM-DD was expected", "此处应为 YYYY-MM-DD 日期"));
    if (source.ref.empty()) return bad_data(path, row.line, "ref", text("a source needs an address", "来源需要地址"));
    if (!sources.emplace(source.id, source).second)
      return bad_data(path, row.line, "id", text("\"{}\" stands twice", "“{}”重复", source.id));
    return {};
  });
  SB_TRY_VOID(status);
  return sources;
}

}  // namespace starbridge::catalog
