#include "port/python/constructs.h"

#include <algorithm>
#include <array>

#include "port/target.h"

namespace starbridge::port::python {
namespace {

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_index(std::string_view text) {
  return !text.empty() && text.size() <= 3 && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

void Constructs::add(SiteKind kind, Span span, std::string name) {
  Site site;
  site.kind = kind;
  site.span = span;
  site.name = std::move(name);
  sites_.sites.push_back(std::move(site));
}

void Constructs::visit_call(NodeId call, std::string_view path) {
  static constexpr std::array<std::string_view, 8> kRunners = {
      "subprocess.run",        "subprocess.Popen",     "subprocess.call", "subprocess.check_output",
      "subprocess.check_call", "subprocess.getoutput", "os.system",       "os.popen"};
  NodeId function = syntax_.child(call, Field::kFunction);
  bool is_method = syntax_.kind(function) == Kind::kAttribute;
  bool is_option = is_method && syntax_.name(function) == "add_argument";
  if (is_option) indices_.visit_option(call);
  if (path == "torch.multiprocessing.spawn" || path == "torch.multiprocessing.spawn.spawn" || path == "multiprocessing.spawn")
    indices_.visit_spawn(call);
  if (path.empty()) {
    if (is_method && syntax_.name(function) == "to" && argument_of(syntax_, call, "", 1) == kNoNode)
      visit_index(argument_of(syntax_, call, "", 0));
    if (is_method && syntax_.name(function) == "table") visit_profiler_key(argument_of(syntax_, call, "sort_by", 0));
    if (is_method && syntax_.name(function) == "export_stacks") visit_profiler_key(argument_of(syntax_, call, "metric", 1));
    return;
  }
  if (path == "torch.device" && argument_of(syntax_, call, "index", 1) == kNoNode)
    visit_index(argument_of(syntax_, call, "type", 0));
  if (path.substr(0, 6) == "torch.") {
    visit_index(argument_of(syntax_, call, "device", -1));
    visit_index(argument_of(syntax_, call, "map_location", -1));
  }
  if (is_one_of(path, kRunners)) visit_command(argument_of(syntax_, call, "args", 0));
}

void Constructs::finish() {
  for (NodeId value : waiting_) {
    if (!indices_.can_be_formatted(value) || !indices_.is_number(value)) continue;
    add(SiteKind::kDeviceIndex, {syntax_.node(value).begin, syntax_.node(value).end}, std::string(syntax_.text(value)));
  }
  waiting_.clear();
  // The function may count with the number too: it is told, and stays.
  std::sort(passed_.begin(), passed_.end());
  passed_.erase(std::unique(passed_.begin(), passed_.end()), passed_.end());
  for (NodeId value : passed_) {
    if (value != kNoNode && indices_.is_number(value)) add_construct(value, "device-number-passed");
  }
  passed_.clear();
}

void Constructs::visit_index(NodeId value) {
  Kind kind = value == kNoNode ? Kind::kOther : syntax_.kind(value);
  if (kind == Kind::kIdentifier || kind == Kind::kAttribute || kind == Kind::kBinary) waiting_.push_back(value);
  if (syntax_.kind(value) == Kind::kConstant && is_index(syntax_.text(value)))
    add(SiteKind::kDeviceIndex, {syntax_.node(value).begin, syntax_.node(value).end}, std::string(syntax_.text(value)));
}

// ["nvidia-smi", ...] or "nvidia-smi ...", also behind a path.
void Constructs::visit_command(NodeId value) {
  Kind kind = syntax_.kind(value);
  NodeId first = kind == Kind::kList || kind == Kind::kTuple ? syntax_.node(value).first_child : value;
  if (syntax_.kind(first) != Kind::kString) return;
  std::string_view program = read_literal(syntax_, first).text;
  program = program.substr(0, program.find(' '));
  program = program.substr(program.rfind('/') == std::string_view::npos ? 0 : program.rfind('/') + 1);
  if (program == "nvidia-smi" || program == "nvcc" || program == "nsys" || program == "ncu") add_construct(first, "cuda-tool");
}

// Keys of the profiler's tables name the device: "cuda_time_total", "self_cuda_memory_usage".
void Constructs::visit_profiler_key(NodeId value) {
  if (syntax_.kind(value) != Kind::kString) return;
  Literal literal = read_literal(syntax_, value);
  std::size_t at = literal.text.substr(0, 5) == "self_" ? 5 : 0;
  for (const Family& family : families()) {
    std::string_view rest = literal.text.substr(std::min(at, literal.text.size()));
    if (rest.substr(0, family.device.size()) != family.device) continue;
    std::string_view measure = rest.substr(family.device.size());
    if (measure != "_time" && measure != "_time_total" && measure != "_memory_usage") continue;
    std::uint32_t begin = literal.begin + static_cast<std::uint32_t>(at);
    add(SiteKind::kProfilerKey, {begin, begin + static_cast<std::uint32_t>(family.device.size())}, std::string(family.device));
    sites_.sites.back().literal = {syntax_.node(value).begin, syntax_.node(value).end};
  }
}

}  // namespace starbridge::port::python
