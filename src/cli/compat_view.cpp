#include "cli/compat_view.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <ostream>
#include <set>

#include "base/json.h"

namespace starbridge::cli {
namespace {

using base::Json;
using base::Table;
using base::Text;
using base::text;
using catalog::ApiTable;
using catalog::Evidence;
using catalog::FrameworkRow;
using catalog::MapStatus;
using catalog::Support;

const Text& support_text(Support support) {
  static const std::vector<Text> kTexts = {{"runs on the device", "在设备上运行"},
                                           {"runs with limits", "有限制地运行"},
                                           {"decomposes into operators that run", "分解为可运行的算子"},
                                           {"runs on the CPU", "回退到 CPU 运行"},
                                           {"not supported", "不支持"},
                                           {"unknown", "未知"}};
  return kTexts[static_cast<std::size_t>(support)];
}

const Text& map_text(MapStatus status) {
  static const std::vector<Text> kTexts = {{"same name", "同名"},
                                           {"renamed", "改名"},
                                           {"counterpart behaves differently", "对应项行为不同"},
                                           {"no counterpart", "无对应项"},
                                           {"stays as it is", "保持不变"},
                                           {"counterpart unknown", "对应项未知"}};
  return kTexts[static_cast<std::size_t>(status)];
}

// Between frameworks a name counts for less than what the call does.
const Text& framework_text(MapStatus status) {
  static const Text kSame{"agrees", "一致"};
  static const Text kRenamed{"agrees under another name", "一致，名称不同"};
  if (status == MapStatus::kSame) return kSame;
  return status == MapStatus::kRenamed ? kRenamed : map_text(status);
}

const Text& package_text(const std::string& status) {
  static const std::map<std::string, Text> kTexts = {{"ported", {"package is ported", "软件包已移植"}},
                                                     {"replaced", {"another package takes its place", "由其他软件包代替"}},
                                                     {"partial", {"package runs in part", "软件包部分可用"}},
                                                     {"none", {"package has no counterpart", "软件包无对应项"}},
                                                     {"neutral", {"package does not care about the device", "软件包与设备无关"}}};
  return kTexts.at(status);
}

std::string versions_cell(const Evidence& row) {
  if (row.torch_min.empty() && row.torch_max.empty()) return "-";
  if (row.torch_min == row.torch_max) return std::string(row.torch_min);
  if (row.torch_min.empty()) return fmt::format("<= {}", row.torch_max);
  if (row.torch_max.empty()) return fmt::format(">= {}", row.torch_min);
  return fmt::format("{}-{}", row.torch_min, row.torch_max);
}

std::string remarks_of(const Evidence& row) {
  std::string remarks(row.dtypes);
  if (!row.vendor_name.empty()) remarks += (remarks.empty() ? "-> " : "; -> ") + std::string(row.vendor_name);
  if (!row.note.empty()) remarks += (remarks.empty() ? "" : "; ") + std::string(row.note);
  return remarks;
}

class View {
 public:
  View(const Context& context, const CompatSources& sources) : context_(context), sources_(sources) {}

  std::string say(const char* en, const char* zh) const { return context_.is_chinese() ? zh : en; }
  const std::string& say(const Text& words) const { return context_.say(words); }

  void print(const CompatAnswer& answer, const std::string& chip, const std::string& torch_version) {
    context_.out << context_.style.bold(answer.name) << " @ " << chip;
    if (!torch_version.empty()) context_.out << ", PyTorch " << torch_version;
    context_.out << "\n";
    if (!answer.is_known()) return print_unknown(answer.nearest);
    print_verdict(answer);
    print_maps(answer);
    if (!answer.evidence.empty()) print_evidence(answer.evidence);
  }

  void print(const FrameworkAnswer& answer, const std::string& framework) {
    context_.out << context_.style.bold(answer.name) << " @ " << framework << "\n";
    if (answer.rows.empty()) return print_unknown(answer.nearest);
    std::set<MapStatus> verdicts;
    for (const FrameworkRow* row : answer.rows) {
      const catalog::Source* source = sources_.find(row->source);
      cite(row->source, "published");
      verdicts.insert(row->status);
      context_.out << "  " << say(framework_text(row->status)) << (row->target.empty() ? "" : ": " + row->target);
      if (!row->note.empty()) context_.out << "  (" << say(catalog::describe_change(row->note)) << ")";
      context_.out << "  " << context_.style.dim(row->source + (source != nullptr ? " " + source->date : "")) << "\n";
    }
    if (verdicts.size() > 1) context_.out << "  " << context_.style.yellow(say("sources disagree", "来源相互矛盾")) << "\n";
  }

  void print_unknown(const std::vector<std::string>& nearest) const {
    context_.out << "  "
                 << context_.style.yellow(say("no source says anything about it; that is not a promise that it runs",
                                              "没有来源提及；这并不表示它可以运行"))
                 << "\n";
    if (nearest.empty()) return;
    std::string names;
    for (const std::string& name : nearest) names += (names.empty() ? "" : ", ") + name;
    context_.out << "  " << say("nearest known: ", "最接近的已知名称：") << names << "\n";
  }

  void print_sources() const {
    if (cited_.empty()) return;
    context_.out << context_.style.bold(say("sources", "来源")) << "\n";
    Table rows({{say("id", "编号")}, {say("date", "日期")}, {say("confidence", "可信度")}, {say("where", "出处")}});
    for (const auto& [id, confidence] : cited_) {
      const catalog::Source* source = sources_.find(id);
      if (source != nullptr) rows.add_row({id, source->date, confidence, source->ref});
    }
    context_.out << rows.render(context_.style, "  ");
  }

  void cite(const std::string& id, const std::string& confidence) { cited_.emplace(id, confidence); }

 private:
  void print_verdict(const CompatAnswer& answer) const {
    const catalog::Judgement& judgement = answer.judgement;
    if (!judgement.decided_by) return;
    context_.out << "  " << say(support_text(judgement.status)) << "  "
                 << context_.style.dim(say(text("confidence {:.2f} (assumed scale), by {}", "可信度 {:.2f}（假定标度），依据 {}",
                                                judgement.confidence, judgement.decided_by->source)))
                 << "\n";
    if (!judgement.is_contested) return;
    context_.out << "  " << context_.style.yellow(say("sources disagree:", "来源相互矛盾："));
    for (const Evidence& row : judgement.against) {
      context_.out << " " << say(text("{}: {} {};", "{}：{} {}；", row.source, row.name, say(support_text(row.status))));
    }
    context_.out << "\n";
  }

  void print_mapping(const Text& what, const std::string& target, const std::string& note, const std::string& source) {
    cite(source, "-");
    context_.out << "  " << say(what) << (target.empty() ? "" : ": " + target) << (note.empty() ? "" : "  (" + note + ")") << "  "
                 << context_.style.dim(source) << "\n";
  }

  void print_maps(const CompatAnswer& answer) {
    if (answer.is_mapped()) {
      print_mapping(map_text(answer.mapped.status), answer.mapped.target, answer.mapped.note, answer.mapped.source);
    }
    if (answer.variable != nullptr) {
      print_mapping(map_text(answer.variable->status), answer.variable->target, answer.variable->note, answer.variable->source);
    }
    if (answer.library != nullptr) {
      print_mapping(package_text(answer.library->status), answer.library->replacement, answer.library->note,
                    answer.library->source);
    }
  }

  void print_evidence(const std::vector<Evidence>& evidence) {
    Table rows({{say("says", "结论")},
                {say("about", "对象")},
                {"PyTorch"},
                {say("hardware", "硬件")},
                {say("source", "来源")},
                {say("date", "日期")},
                {say("confidence", "可信度")},
                {say("dtypes, remarks", "类型与说明")}});
    for (const Evidence& row : evidence) {
      std::string confidence(catalog::to_string(row.confidence));
      rows.add_row({std::string(catalog::to_string(row.status)) +
                        (row.covers_version ? std::string() : say(" (other version)", "（其他版本）")),
                    std::string(row.name), versions_cell(row), row.hardware.empty() ? "-" : std::string(row.hardware),
                    std::string(row.source), sources_.find(row.source)->date, confidence, remarks_of(row)});
      cite(std::string(row.source), confidence);
    }
    context_.out << rows.render(context_.style, "  ");
  }

  const Context& context_;
  const CompatSources& sources_;
  std::map<std::string, std::string> cited_;  // source -> confidence
};

// What a row of the brief table, and the summary, call the answer.
std::string brief_verdict(const View& view, const CompatAnswer& answer) {
  if (answer.judgement.decided_by) return view.say(support_text(answer.judgement.status));
  if (answer.variable != nullptr) return view.say(map_text(answer.variable->status));
  if (answer.is_mapped()) return view.say(map_text(answer.mapped.status));
  if (answer.library != nullptr) return view.say(package_text(answer.library->status));
  return view.say("nothing is known", "没有资料");
}

// One line a name. Of a project's names also how often each is used.
template <class Answer, class Cells>
void print_brief(const Context& context, const View& view, const std::vector<Answer>& answers, const Cells& cells_of) {
  bool is_of_project = std::any_of(answers.begin(), answers.end(), [](const Answer& answer) { return answer.uses > 0; });
  std::vector<Table::Column> columns = {
      {view.say("name", "名称")}, {view.say("verdict", "结论")}, {view.say("by", "依据")}, {view.say("remark", "说明")}};
  if (is_of_project) columns.insert(columns.begin(), {view.say("uses", "次数"), Table::Align::kRight});
  Table rows(columns);
  for (const Answer& answer : answers) {
    std::vector<std::string> cells = cells_of(answer);
    if (is_of_project) cells.insert(cells.begin(), std::to_string(answer.uses));
    rows.add_row(cells);
  }
  context.out << rows.render(context.style);
}

// How many names, and of a project how many uses, each verdict has.
template <class Answer, class Verdict>
void print_summary(const Context& context, const std::vector<Answer>& answers, const Verdict& verdict_of) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> counts;
  std::size_t uses = 0;
  for (const Answer& answer : answers) {
    auto& [names, used] = counts[verdict_of(answer)];
    ++names;
    used += answer.uses;
    uses += answer.uses;
  }
  context.out << context.say(text("{} names", "{} 个名称", answers.size()));
  if (uses > 0) context.out << context.say(text(", {} uses", "，{} 次使用", uses));
  for (const auto& [verdict, count] : counts) {
    context.out << " · " << verdict << " " << count.first;
    if (uses > 0) context.out << context.say(text(" ({} uses)", "（{} 次）", count.second));
  }
}

std::vector<std::string> brief_cells(const View& view, const CompatAnswer& answer) {
  std::string by = answer.judgement.decided_by ? std::string(answer.judgement.decided_by->source) : "-";
  std::string remark = answer.judgement.is_contested ? view.say("sources disagree", "来源相互矛盾") : "";
  if (!answer.is_known() && !answer.nearest.empty()) remark = view.say("nearest: ", "最接近：") + answer.nearest[0];
  return {answer.name, brief_verdict(view, answer), by, remark};
}

std::string framework_verdict(const View& view, const FrameworkAnswer& answer) {
  return answer.rows.empty() ? view.say("not listed", "未列出") : view.say(framework_text(answer.rows.front()->status));
}

std::vector<std::string> framework_cells(const View& view, const FrameworkAnswer& answer) {
  if (answer.rows.empty()) return {answer.name, framework_verdict(view, answer), "-", ""};
  const FrameworkRow& row = *answer.rows.front();
  std::string remark = row.target;
  if (!row.note.empty()) remark += (remark.empty() ? "" : "; ") + view.say(catalog::describe_change(row.note));
  return {answer.name, framework_verdict(view, answer), row.source, remark};
}

Json source_json(const CompatSources& sources, std::string_view id) {
  const catalog::Source* source = sources.find(id);
  if (source == nullptr) return {{"source", std::string(id)}};
  return {{"source", std::string(id)}, {"date", source->date}, {"ref", source->ref}, {"licence", source->licence}};
}

Json evidence_json(const CompatSources& sources, const Evidence& row) {
  Json json = {{"name", std::string(row.name)},
               {"status", std::string(catalog::to_string(row.status))},
               {"torch_min", std::string(row.torch_min)},
               {"torch_max", std::string(row.torch_max)},
               {"covers_version", row.covers_version},
               {"hardware", std::string(row.hardware)},
               {"dtypes", std::string(row.dtypes)},
               {"vendor_name", std::string(row.vendor_name)},
               {"note", std::string(row.note)},
               {"rank", row.rank},
               {"confidence", std::string(catalog::to_string(row.confidence))}};
  json.update(source_json(sources, row.source));
  return json;
}

Json mapping_json(const CompatSources& sources, std::string status, const std::string& target, const std::string& note,
                  const std::string& source) {
  Json json = {{"status", std::move(status)}, {"target", target}, {"note", note}};
  json.update(source_json(sources, source));
  return json;
}

Json answer_json(const CompatSources& sources, const CompatAnswer& answer) {
  const catalog::Judgement& judgement = answer.judgement;
  Json json = {{"name", answer.name},
               {"uses", answer.uses},
               {"is_known", answer.is_known()},
               {"status", std::string(catalog::to_string(judgement.status))},
               {"confidence", judgement.confidence},
               {"is_contested", judgement.is_contested},
               {"decided_by", judgement.decided_by ? Json(std::string(judgement.decided_by->source)) : Json(nullptr)},
               {"conflicts", Json::array()},
               {"evidence", Json::array()}};
  for (const Evidence& row : judgement.against) {
    json["conflicts"].push_back({{"source", std::string(row.source)}, {"status", std::string(catalog::to_string(row.status))}});
  }
  for (const Evidence& row : answer.evidence) json["evidence"].push_back(evidence_json(sources, row));
  auto status_of = [](MapStatus status) { return std::string(catalog::to_string(status)); };
  if (answer.is_mapped()) {
    json["mapping"] =
        mapping_json(sources, status_of(answer.mapped.status), answer.mapped.target, answer.mapped.note, answer.mapped.source);
  }
  if (const catalog::EnvRow* row = answer.variable)
    json["variable"] = mapping_json(sources, status_of(row->status), row->target, row->note, row->source);
  if (const catalog::LibraryRow* row = answer.library)
    json["package"] = mapping_json(sources, row->status, row->replacement, row->note, row->source);
  if (!answer.is_known()) json["nearest"] = answer.nearest;
  return json;
}

}  // namespace

const catalog::Source* CompatSources::find(std::string_view id) const {
  const catalog::Source* source = table.find_source(id);
  return source != nullptr ? source : catalog.find_source(id);
}

void print_chip_answers(const Context& context, const CompatSources& sources, const catalog::Chip& chip,
                        const CompatQuestion& question, const std::vector<CompatAnswer>& answers) {
  View view(context, sources);
  if (question.is_brief) {
    print_brief(context, view, answers, [&](const CompatAnswer& answer) { return brief_cells(view, answer); });
  } else {
    for (const CompatAnswer& answer : answers) view.print(answer, chip.id, question.torch_version);
    view.print_sources();
  }
  if (answers.size() < 2) return;
  print_summary(context, answers, [&](const CompatAnswer& answer) { return brief_verdict(view, answer); });
  auto contested =
      std::count_if(answers.begin(), answers.end(), [](const CompatAnswer& answer) { return answer.judgement.is_contested; });
  if (contested > 0) context.out << " · " << view.say("sources disagree", "来源相互矛盾") << " " << contested;
  context.out << "\n";
}

Json chip_answers_json(const CompatSources& sources, const catalog::Chip& chip, const CompatQuestion& question,
                       const std::vector<CompatAnswer>& answers) {
  Json json = {{"schema", "starbridge.compat/1"},
               {"chip", chip.id},
               {"backend", chip.stack->backend},
               {"torch_version", question.torch_version},
               {"names", Json::array()}};
  for (const CompatAnswer& answer : answers) json["names"].push_back(answer_json(sources, answer));
  return json;
}

void print_framework_answers(const Context& context, const CompatSources& sources, const std::string& framework,
                             const CompatQuestion& question, const std::vector<FrameworkAnswer>& answers) {
  View view(context, sources);
  if (question.is_brief) {
    print_brief(context, view, answers, [&](const FrameworkAnswer& answer) { return framework_cells(view, answer); });
  } else {
    for (const FrameworkAnswer& answer : answers) view.print(answer, framework);
    view.print_sources();
  }
  if (answers.size() < 2) return;
  print_summary(context, answers, [&](const FrameworkAnswer& answer) { return framework_verdict(view, answer); });
  context.out << "\n";
}

Json framework_answers_json(const Context& context, const CompatSources& sources, const std::string& framework,
                            const std::vector<FrameworkAnswer>& answers) {
  Json json = {{"schema", "starbridge.compat/1"}, {"framework", framework}, {"names", Json::array()}};
  for (const FrameworkAnswer& answer : answers) {
    Json entry = {{"name", answer.name}, {"uses", answer.uses}, {"is_known", !answer.rows.empty()}, {"evidence", Json::array()}};
    entry["status"] = answer.rows.empty() ? "unknown" : std::string(catalog::to_string(answer.rows.front()->status));
    entry["target"] = answer.rows.empty() ? "" : answer.rows.front()->target;
    for (const FrameworkRow* row : answer.rows) {
      Json evidence = {{"status", std::string(catalog::to_string(row->status))},
                       {"target", row->target},
                       {"note", row->note},
                       {"note_text", context.say(catalog::describe_change(row->note))}};
      evidence.update(source_json(sources, row->source));
      entry["evidence"].push_back(std::move(evidence));
    }
    if (answer.rows.empty()) entry["nearest"] = answer.nearest;
    json["names"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace starbridge::cli
