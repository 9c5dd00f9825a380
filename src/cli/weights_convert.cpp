// starbridge weights convert: another format, other element types, other device tags, shards.
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/json.h"
#include "cli/weights_tools.h"
#include "cli/weights_view.h"
#include "weights/convert.h"

namespace starbridge::cli {
namespace {

using base::Error;
using base::ExitCode;
using base::Json;
using base::Result;
using base::text;

struct Words {
  std::string from;
  std::string to;
  std::string dtypes;
  std::string devices;
  std::string shard;
  std::string format;
  weights::ConvertOptions options;
};

bool ends_with(std::string_view word, std::string_view end) {
  return word.size() >= end.size() && word.substr(word.size() - end.size()) == end;
}

// By --format, by the suffix of the new name, or as the source is.
Result<weights::Format> choose_format(const Words& words) {
  if (words.format == "safetensors") return weights::Format::kSafetensors;
  if (words.format == "torch") return weights::Format::kTorchZip;
  if (ends_with(words.to, ".safetensors")) return weights::Format::kSafetensors;
  for (const char* suffix : {".pt", ".pth", ".bin", ".ckpt"}) {
    if (ends_with(words.to, suffix)) return weights::Format::kTorchZip;
  }
  SB_TRY(weights::Checkpoint source, weights::open_checkpoint(words.from));
  if (source.format == weights::Format::kSafetensors) return weights::Format::kSafetensors;
  if (source.format == weights::Format::kTorchZip || source.format == weights::Format::kTorchLegacy)
    return weights::Format::kTorchZip;
  return Error("base.usage", text("the name {} does not say which format to write", "名称 {} 未说明要写哪种格式",
                                  base::sanitize_utf8(words.to)))
      .next(text("add --format safetensors or --format torch", "请加 --format safetensors 或 --format torch"));
}

Json to_json(const Words& words, const weights::ConvertReport& report, base::Language language) {
  Json json = {{"schema", "starbridge.weights_convert/1"},
               {"from", words.from},
               {"to", words.to},
               {"format", std::string(weights::to_string(words.options.format))},
               {"files", report.files},
               {"tensor_count", report.tensor_count},
               {"bytes", report.bytes},
               {"keeps_other_values", report.is_rewritten},
               {"conversions", Json::array()},
               {"devices", Json::array()},
               {"dropped_value_count", report.dropped_value_count},
               {"dropped_values", report.dropped_values},
               {"remarks", Json::array()}};
  for (const auto& [types, counts] : report.conversions) {
    json["conversions"].push_back({{"from", std::string(weights::info(types.first).name)},
                                   {"to", std::string(weights::info(types.second).name)},
                                   {"element_count", counts.elements},
                                   {"overflow_count", counts.overflow},
                                   {"underflow_count", counts.underflow}});
  }
  for (const auto& [tags, count] : report.devices) {
    json["devices"].push_back({{"from", tags.first}, {"to", tags.second}, {"tensor_count", count}});
  }
  for (const base::Text& remark : report.remarks) json["remarks"].push_back(remark.in(language));
  return json;
}

void print_report(const Context& context, const Words& words, const weights::ConvertReport& report) {
  context.out << context.say(text("{} tensors, {} in {} files: {}", "{} 个张量，{}，{} 个文件：{}", report.tensor_count,
                                  format_bytes(report.bytes), report.files.size(), words.to))
              << "\n";
  for (const auto& [types, counts] : report.conversions) {
    context.out << "  " << weights::info(types.first).name << " -> " << weights::info(types.second).name << ": "
                << context.say(text("{} elements", "{} 个元素", counts.elements));
    if (counts.overflow > 0) {
      context.out << ", "
                  << context.style.red(
                         context.say(text("{} beyond the range of the new type", "{} 个超出新类型的范围", counts.overflow)));
    }
    if (counts.underflow > 0) context.out << ", " << context.say(text("{} became zero", "{} 个变为零", counts.underflow));
    context.out << "\n";
  }
  for (const auto& [tags, count] : report.devices) {
    if (tags.first == tags.second || tags.second.empty()) continue;
    context.out << "  " << tags.first << " -> " << tags.second << ": " << context.say(text("{} tensors", "{} 个张量", count))
                << "\n";
  }
  if (report.dropped_value_count > 0) {
    std::string first = report.dropped_values.empty() ? "" : report.dropped_values[0];
    context.out << context.style.yellow(
                       context.say(text("left out, since the new file holds tensors only: {} other values ({}, ...)",
                                        "新文件只保存张量，未写入 {} 个其他值（{} 等）", report.dropped_value_count, first)))
                << "\n";
  }
  for (const base::Text& remark : report.remarks) context.out << context.style.yellow(context.say(remark)) << "\n";
  context.note(text("next: starbridge weights check {} {} --ignore-dtype",
                    "下一步：starbridge weights check {} {} --ignore-dtype", words.from, words.to));
}

Result<ExitCode> run_convert(const Context& context, Words words) {
  SB_TRY(words.options.dtypes, weights::parse_dtypes(words.dtypes));
  SB_TRY(words.options.devices, weights::DeviceMap::parse(words.devices));
  if (!words.shard.empty()) {
    SB_TRY(words.options.shard_bytes, weights::parse_size(words.shard));
  }
  SB_TRY(words.options.format, choose_format(words));
  SB_TRY(weights::ConvertReport report, weights::convert(words.from, words.to, words.options));
  if (context.json) {
    context.print_json(to_json(words, report, context.language));
  } else {
    print_report(context, words, report);
  }
  return ExitCode::kDone;
}

}  // namespace

void add_weights_convert(Frame& frame, CLI::App* parent) {
  auto words = std::make_shared<Words>();
  CLI::App* command = frame.add(
      "convert", text("write a checkpoint anew: format, dtype, device tags, shards", "重写检查点：格式、类型、设备标签、分片"),
      {"starbridge weights convert gpu.pt npu.pt --device npu",
       "starbridge weights convert model.pt model.safetensors --dtype bf16",
       "starbridge weights convert model.safetensors ./shards --shard 5GB"},
      parent);
  command
      ->add_option("FROM", words->from,
                   frame.say(text("file, *.index.json or folder of shards", "文件、*.index.json 或分片目录")))
      ->required();
  command->add_option("TO", words->to, frame.say(text("new file; with --shard, new folder", "新文件；使用 --shard 时为新目录")))
      ->required();
  command->add_option("--dtype", words->dtypes,
                      frame.say(text("bf16 for all floats, or float64=float32,int64=int32",
                                     "bf16 表示所有浮点，或 float64=float32,int64=int32")));
  command->add_option("--device", words->devices,
                      frame.say(text("cpu, npu:0, npu (indices stay), or cuda=npu,cuda:3=cpu",
                                     "cpu、npu:0、npu（保留编号）或 cuda=npu,cuda:3=cpu")));
  command->add_option("--shard", words->shard,
                      frame.say(text("cut into files of at most this size, e.g. 5GB", "按此大小切分，例如 5GB")));
  command
      ->add_option("--format", words->format,
                   frame.say(text("safetensors or torch (default: by the new name)", "safetensors 或 torch（默认按新文件名）")))
      ->check(CLI::IsMember({"safetensors", "torch"}));
  command->add_flag("--force", words->options.replaces, frame.say(text("replace an existing file", "覆盖已有文件")));
  command->add_flag("--refuse-overflow", words->options.refuses_overflow,
                    frame.say(text("write nothing when a number would become infinite", "若有数值会变为无穷，则不写入")));
  command->add_flag("--drop-tied", words->options.drops_tied,
                    frame.say(text("safetensors: write tied tensors once, name the others in the metadata",
                                   "safetensors：共享张量只写一次，其余记入元数据")));
  frame.on_run(command, [&frame, words] { return run_convert(frame.context(), *words); });
}

}  // namespace starbridge::cli
