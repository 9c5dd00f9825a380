#include <tree_sitter/api.h>

#include <cstring>
#include <memory>

#include "port/python/sinks.h"
#include "port/words.h"

extern "C" const TSLanguage* tree_sitter_bash();

namespace starbridge::port {
namespace {

using base::text;

struct ShellWord {
  enum class Kind { kVariable, kCommand, kDevice, kCollective };
  Kind kind;
  std::size_t begin;
  std::size_t end;
};

// What an option of a training script names, by its name: --device, --dist-backend.
const python::TextRole* role_of_option(std::string_view option) {
  if (option.substr(0, 2) != "--") return nullptr;
  std::string name(option.substr(2));
  for (char& c : name) c = c == '-' ? '_' : c;
  return python::role_of_name(name);
}

class ShellReader {
 public:
  explicit ShellReader(std::string_view bytes) : bytes_(bytes) {}

  std::vector<ShellWord> read() {
    std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
    SB_CHECK(ts_parser_set_language(parser.get(), tree_sitter_bash()));
    // Bounded: the grammar's external scanner can be slow on hostile text.
    ts_parser_set_timeout_micros(parser.get(), 20'000'000);
    std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
        ts_parser_parse_string(parser.get(), nullptr, bytes_.data(), static_cast<std::uint32_t>(bytes_.size())), ts_tree_delete);
    if (tree == nullptr) return {};
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
    for (bool is_done = false; !is_done;) {
      visit(ts_tree_cursor_current_node(&cursor));
      if (ts_tree_cursor_goto_first_child(&cursor)) continue;
      while (!is_done && !ts_tree_cursor_goto_next_sibling(&cursor)) is_done = !ts_tree_cursor_goto_parent(&cursor);
    }
    ts_tree_cursor_delete(&cursor);
    return std::move(words_);
  }

 private:
  std::string_view text_of(TSNode node) const {
    return bytes_.substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node));
  }
  void add(ShellWord::Kind kind, TSNode node) { words_.push_back({kind, ts_node_start_byte(node), ts_node_end_byte(node)}); }

  void visit(TSNode node) {
    std::string_view type = ts_node_type(node);
    if (type == "variable_name") add(ShellWord::Kind::kVariable, node);
    if (type == "command_name") add(ShellWord::Kind::kCommand, node);
    if (type == "command") visit_arguments(node);
  }

  void visit_arguments(TSNode command) {
    const python::TextRole* role = nullptr;
    for (std::uint32_t index = 0; index < ts_node_named_child_count(command); ++index) {
      TSNode child = ts_node_named_child(command, index);
      if (std::strcmp(ts_node_type(child), "word") != 0) {
        role = nullptr;
        continue;
      }
      std::string_view word = text_of(child);
      std::size_t begin = ts_node_start_byte(child);
      if (role != nullptr) add_value(*role, begin, ts_node_end_byte(child));
      role = nullptr;
      std::size_t equals = word.find('=');
      const python::TextRole* named = role_of_option(word.substr(0, equals));
      if (named != nullptr && equals != std::string_view::npos) add_value(*named, begin + equals + 1, ts_node_end_byte(child));
      if (named != nullptr && equals == std::string_view::npos) role = named;
    }
  }

  void add_value(python::TextRole role, std::size_t begin, std::size_t end) {
    words_.push_back({role == python::TextRole::kDevice ? ShellWord::Kind::kDevice : ShellWord::Kind::kCollective, begin, end});
  }

  std::string_view bytes_;
  std::vector<ShellWord> words_;
};

// "#SBATCH --gres=gpu:a100:8": the resource of Slurm that the card of the target goes by.
void read_sbatch_line(std::size_t begin, std::size_t end, Sheet& sheet) {
  std::string_view line = sheet.text(begin, end);
  if (line.substr(0, 7) != "#SBATCH") return;
  bool is_cuda = sheet.target().is_cuda_named() && sheet.target().chip->vendor == "nvidia";
  std::string gres = sheet.target().chip->slurm_gres().value_or("");
  std::string wanted = is_cuda ? "gpu" : gres.substr(0, gres.find(':'));
  std::size_t at = line.find("--gres=");
  if (at != std::string_view::npos && !wanted.empty()) {
    std::size_t name_begin = at + 7;
    std::string_view value = line.substr(name_begin, line.find_first_of(" \t#", name_begin) - name_begin);
    std::string_view name = value.substr(0, value.find(':'));
    bool is_card = name == "gpu" || name == "npu" || name == "mlu" || name == "dcu" || name == "gcu";
    if (is_card && name != wanted) {
      std::size_t first_colon = value.find(':');
      std::size_t last_colon = value.rfind(':');
      bool has_type = first_colon != last_colon;
      std::size_t replaced = has_type ? last_colon : name.size();
      sheet.edit(begin + name_begin, begin + name_begin + replaced, has_type && !is_cuda ? gres : wanted, "slurm-resource");
    }
  }
  std::size_t per_node = line.find("--gpus-per-node=");
  if (per_node != std::string_view::npos && !wanted.empty() && wanted != "gpu") {
    sheet.edit(begin + per_node, begin + per_node + 16, "--gres=" + wanted + ":", "slurm-resource");
  }
  for (std::string_view option : {"--gpus=", "--gpus-per-task=", "-G "}) {
    std::size_t found = line.find(option);
    if (found == std::string_view::npos || wanted.empty() || wanted == "gpu") continue;
    sheet
        .find(begin + found, "slurm-gpus", Severity::kWork,
              text("Slurm counts only NVIDIA-style GPUs with {}", "Slurm 的 {} 只统计 GPU 类型的资源", option))
        .advice = text("write --gres={}:N per node", "改写为每节点 --gres={}:N", wanted);
  }
}

void judge_command(const ShellWord& word, Sheet& sheet) {
  std::string_view name = sheet.text(word.begin, word.end);
  name = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  bool is_tool = name == "nvidia-smi" || name == "nvcc" || name == "nsys" || name == "ncu" || name == "nvprof" ||
                 name == "cuda-gdb" || name == "compute-sanitizer";
  if (!is_tool || sheet.target().is_cuda_named()) return;
  std::string tool = sheet.target().chip->stack->facts.text(name == "nvidia-smi" ? "management_tool" : "profiler").value_or("");
  Finding& finding = sheet.find(word.begin, "cuda-tool", Severity::kWarning,
                                text("{} does not exist beside {}", "{} 环境中没有 {}", name, sheet.target().chip->name));
  finding.message.zh = fmt::format("{} 环境中没有 {}", sheet.target().chip->name, name);
  if (!tool.empty() && name != "nvcc") finding.advice = text("use {}", "改用 {}", tool);
}

}  // namespace

std::vector<TargetResult> analyze_shell(const SourceFile& file, const Context& context) {
  std::vector<TargetResult> results(context.targets.size());
  std::vector<ShellWord> words = ShellReader(file.bytes).read();
  LineIndex lines(file.bytes);
  for (std::size_t index = 0; index < context.targets.size(); ++index) {
    if (context.targets[index].family == nullptr) continue;
    Sheet sheet(file, lines, context.targets[index], context.tables, results[index]);
    for (int line = 1; line <= lines.line_count(); ++line) {
      std::size_t begin = lines.start_of(line);
      std::size_t end = line < lines.line_count() ? lines.start_of(line + 1) : file.bytes.size();
      while (end > begin && (file.bytes[end - 1] == '\n' || file.bytes[end - 1] == '\r')) --end;
      read_sbatch_line(begin, end, sheet);
    }
    for (const ShellWord& word : words) {
      if (word.kind == ShellWord::Kind::kVariable) sheet.variable(word.begin, word.end);
      if (word.kind == ShellWord::Kind::kDevice) sheet.device_word(word.begin, word.end);
      if (word.kind == ShellWord::Kind::kCollective) sheet.collective_word(word.begin, word.end);
      if (word.kind == ShellWord::Kind::kCommand) judge_command(word, sheet);
    }
  }
  return results;
}

}  // namespace starbridge::port
