#include "port/cuda_inventory.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>

#include "base/json.h"
#include "port/analyze.h"

extern "C" const TSLanguage* tree_sitter_cuda();

namespace starbridge::port {
namespace {

using base::text;

struct Word {
  std::string_view word;     // identifier or its beginning
  std::string_view feature;  // what its use means
};

// Identifiers of device code and the feature they stand for (CUDA C++ Programming Guide, language extensions).
constexpr std::array<Word, 22> kFeatureWords = {{{"__shfl", "warp shuffle"},
                                                 {"__ballot", "warp vote"},
                                                 {"__any", "warp vote"},
                                                 {"__all", "warp vote"},
                                                 {"__match", "warp match"},
                                                 {"__reduce_", "warp reduce"},
                                                 {"__activemask", "warp vote"},
                                                 {"atomic", "atomics"},
                                                 {"__syncthreads", "block barrier"},
                                                 {"__syncwarp", "warp barrier"},
                                                 {"__ldg", "read-only cache"},
                                                 {"tex1D", "textures"},
                                                 {"tex2D", "textures"},
                                                 {"tex3D", "textures"},
                                                 {"wmma", "tensor cores"},
                                                 {"cooperative_groups", "cooperative groups"},
                                                 {"this_grid", "grid sync"},
                                                 {"printf", "device printf"},
                                                 {"assert", "device assert"},
                                                 {"double", "double precision"},
                                                 {"__half", "half precision"},
                                                 {"__nv_bfloat16", "bfloat16"}}};
// Prefixes of host APIs and headers by library.
constexpr std::array<Word, 12> kLibraryWords = {{{"cublas", "cublas"},
                                                 {"cudnn", "cudnn"},
                                                 {"cufft", "cufft"},
                                                 {"cusparse", "cusparse"},
                                                 {"curand", "curand"},
                                                 {"cusolver", "cusolver"},
                                                 {"nccl", "nccl"},
                                                 {"cub", "cub"},
                                                 {"thrust", "thrust"},
                                                 {"cutlass", "cutlass"},
                                                 {"cuda", "cuda runtime"},
                                                 {"at", "pytorch"}}};

bool is_library_use(std::string_view word, const Word& row) {
  if (word.substr(0, row.word.size()) != row.word) return false;
  if (row.word == "cub" || row.word == "thrust" || row.word == "cutlass" || row.word == "at") return word == row.word;
  return word.size() > row.word.size() && (word[row.word.size()] >= 'A' && word[row.word.size()] <= 'Z');
}

class Reader {
 public:
  Reader(const SourceFile& file, CudaInventory& inventory) : file_(file), lines_(file.bytes), inventory_(inventory) {}

  void read() {
    std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(), ts_parser_delete);
    SB_CHECK(ts_parser_set_language(parser.get(), tree_sitter_cuda()));
    std::unique_ptr<TSTree, decltype(&ts_tree_delete)> tree(
        ts_parser_parse_string(parser.get(), nullptr, file_.bytes.data(), static_cast<std::uint32_t>(file_.bytes.size())),
        ts_tree_delete);
    SB_CHECK(tree != nullptr);
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree.get()));
    std::uint32_t device_end = 0;  // end of the device function the walk is in
    CudaKernel* kernel = nullptr;
    for (bool is_done = false; !is_done;) {
      TSNode node = ts_tree_cursor_current_node(&cursor);
      std::string_view type = ts_node_type(node);
      std::uint32_t begin = ts_node_start_byte(node);
      if (begin >= device_end) kernel = nullptr;
      if (type == "function_definition") {
        std::string_view head = head_of(node);
        if (head.find("__global__") != std::string_view::npos || head.find("__device__") != std::string_view::npos) {
          device_end = std::max(device_end, ts_node_end_byte(node));
          inventory_.device_line_count += static_cast<int>(ts_node_end_point(node).row - ts_node_start_point(node).row) + 1;
        }
        if (head.find("__global__") != std::string_view::npos) kernel = add_kernel(node);
      } else if (type == "kernel_call_syntax") {
        add_launch(node);
      } else if (type == "identifier" || type == "namespace_identifier" || type == "type_identifier" ||
                 type == "primitive_type") {
        note_word(text_of(node), begin < device_end, kernel);
      } else if (type == "gnu_asm_expression" || type == "asm" || type == "__shared__" || type == "__constant__" ||
                 type == "__managed__") {
        note_keyword(type, node, kernel);
      } else if (type == "preproc_include") {
        note_include(text_of(node));
      }
      is_done = !advance(cursor);
    }
    ts_tree_cursor_delete(&cursor);
    for (CudaKernel& each : inventory_.kernels) {
      std::sort(each.features.begin(), each.features.end());
      each.features.erase(std::unique(each.features.begin(), each.features.end()), each.features.end());
    }
  }

 private:
  static bool advance(TSTreeCursor& cursor) {
    if (ts_tree_cursor_goto_first_child(&cursor)) return true;
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) return false;
    }
    return true;
  }

  std::string_view text_of(TSNode node) const {
    return std::string_view(file_.bytes).substr(ts_node_start_byte(node), ts_node_end_byte(node) - ts_node_start_byte(node));
  }

  static TSNode field_of(TSNode node, std::string_view field) {
    return ts_node_child_by_field_name(node, field.data(), static_cast<std::uint32_t>(field.size()));
  }

  // The declaration before the body.
  std::string_view head_of(TSNode function) const {
    TSNode body = field_of(function, "body");
    std::uint32_t begin = ts_node_start_byte(function);
    std::uint32_t end = ts_node_is_null(body) ? ts_node_end_byte(function) : ts_node_start_byte(body);
    return std::string_view(file_.bytes).substr(begin, end - begin);
  }

  CudaKernel* add_kernel(TSNode function) {
    TSNode declarator = field_of(function, "declarator");
    while (!ts_node_is_null(declarator) && !ts_node_is_null(field_of(declarator, "declarator")))
      declarator = field_of(declarator, "declarator");
    CudaKernel kernel;
    kernel.name = ts_node_is_null(declarator) ? "?" : base::sanitize_utf8(text_of(declarator));
    kernel.file = file_.path;
    kernel.line = lines_.at(ts_node_start_byte(function)).line;
    kernel.line_count = static_cast<int>(ts_node_end_point(function).row - ts_node_start_point(function).row) + 1;
    TSNode parent = ts_node_parent(function);
    kernel.is_template = !ts_node_is_null(parent) && std::string_view(ts_node_type(parent)) == "template_declaration";
    inventory_.kernels.push_back(std::move(kernel));
    return &inventory_.kernels.back();
  }

  void add_launch(TSNode syntax) {
    TSNode call = ts_node_parent(syntax);
    if (ts_node_is_null(call)) return;
    CudaLaunch launch;
    TSNode function = field_of(call, "function");
    if (!ts_node_is_null(function)) launch.kernel = base::sanitize_utf8(text_of(function));
    launch.file = file_.path;
    launch.line = lines_.at(ts_node_start_byte(syntax)).line;
    if (ts_node_named_child_count(syntax) > 0) launch.grid = base::sanitize_utf8(text_of(ts_node_named_child(syntax, 0)));
    if (ts_node_named_child_count(syntax) > 1) launch.block = base::sanitize_utf8(text_of(ts_node_named_child(syntax, 1)));
    inventory_.launches.push_back(std::move(launch));
  }

  void note_feature(std::string_view feature, CudaKernel* kernel) {
    ++inventory_.features[std::string(feature)];
    if (kernel != nullptr) kernel->features.emplace_back(feature);
  }

  void note_word(std::string_view word, bool is_device, CudaKernel* kernel) {
    for (const Word& row : kFeatureWords) {
      if (is_device && word.substr(0, row.word.size()) == row.word) note_feature(row.feature, kernel);
    }
    for (const Word& row : kLibraryWords) {
      if (is_library_use(word, row)) {
        ++inventory_.libraries[std::string(row.feature)];
        break;
      }
    }
  }

  void note_keyword(std::string_view type, TSNode node, CudaKernel* kernel) {
    if (type == "__shared__") {
      std::uint32_t begin = ts_node_start_byte(node);
      bool is_dynamic = begin >= 7 && std::string_view(file_.bytes).substr(begin - 7, 6) == "extern";
      note_feature(is_dynamic ? "dynamic shared memory" : "shared memory", kernel);
    } else if (type == "__constant__") {
      note_feature("constant memory", kernel);
    } else if (type == "__managed__") {
      note_feature("managed memory", kernel);
    } else if (type == "gnu_asm_expression") {
      note_feature("inline PTX", kernel);
    }
  }

  void note_include(std::string_view include) {
    for (std::string_view library :
         {"cublas", "cudnn", "cufft", "cusparse", "curand", "cusolver", "nccl", "cutlass", "thrust", "cub/"}) {
      if (include.find(library) != std::string_view::npos)
        ++inventory_.libraries[std::string(library.substr(0, library.find('/')))];
    }
  }

  const SourceFile& file_;
  LineIndex lines_;
  CudaInventory& inventory_;
};

}  // namespace

void CudaInventory::merge(CudaInventory other) {
  std::move(other.kernels.begin(), other.kernels.end(), std::back_inserter(kernels));
  std::move(other.launches.begin(), other.launches.end(), std::back_inserter(launches));
  for (const auto& [name, count] : other.libraries) libraries[name] += count;
  for (const auto& [name, count] : other.features) features[name] += count;
  device_line_count += other.device_line_count;
}

base::Json CudaInventory::to_json() const {
  base::Json json = {{"kernels", base::Json::array()}, {"launches", base::Json::array()}};
  for (const CudaKernel& kernel : kernels) {
    json["kernels"].push_back({{"name", kernel.name},
                               {"file", kernel.file},
                               {"line", kernel.line},
                               {"line_count", kernel.line_count},
                               {"is_template", kernel.is_template},
                               {"features", kernel.features}});
  }
  for (const CudaLaunch& launch : launches) {
    json["launches"].push_back({{"kernel", launch.kernel},
                                {"file", launch.file},
                                {"line", launch.line},
                                {"grid", launch.grid},
                                {"block", launch.block}});
  }
  json["libraries"] = libraries;
  json["features"] = features;
  json["device_line_count"] = device_line_count;
  return json;
}

std::vector<TargetResult> analyze_cuda(const SourceFile& file, const Context& context, CudaInventory& inventory) {
  Reader(file, inventory).read();
  std::vector<TargetResult> results(context.targets.size());
  for (std::size_t index = 0; index < context.targets.size(); ++index) {
    const catalog::Chip& chip = *context.targets[index].chip;
    catalog::CudaExtension how = chip.stack->cuda_extension();
    if (how == catalog::CudaExtension::kAsIs) continue;
    bool is_rewrite = how == catalog::CudaExtension::kRewrite;
    for (const CudaKernel& kernel : inventory.kernels) {
      Finding finding;
      finding.rule = is_rewrite ? "cuda-kernel" : "cuda-recompile";
      finding.severity = is_rewrite ? Severity::kWork : Severity::kInfo;
      finding.place = {file.path, kernel.line, 1, ""};
      finding.message = is_rewrite ? text("the CUDA kernel {} ({} lines) needs a kernel port for {}",
                                          "CUDA 内核 {}（{} 行）需要为 {} 做内核移植", kernel.name, kernel.line_count, chip.name)
                                   : text("the CUDA kernel {} ({} lines) is compiled by the toolchain of {}",
                                          "CUDA 内核 {}（{} 行）由 {} 的工具链编译", kernel.name, kernel.line_count, chip.name);
      if (is_rewrite)
        finding.advice = text("port it to {}, or keep a path in plain PyTorch", "移植为 {}，或保留纯 PyTorch 路径",
                              chip.stack->kernel_language().value_or("the chip's kernel language"));
      results[index].findings.push_back(std::move(finding));
    }
  }
  return results;
}

}  // namespace starbridge::port
