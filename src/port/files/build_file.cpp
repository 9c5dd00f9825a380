// CMake and Make: where a build compiles or links CUDA. Findings only: what replaces it depends on how the kernels are ported.
#include <array>

#include "port/files/lines.h"
#include "port/words.h"

namespace starbridge::port {
namespace {

using base::text;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Comments, and CMake's quoted and bracket texts, become blanks; everything else keeps its place.
std::string without_comments(std::string_view bytes, bool is_cmake) {
  std::string code(bytes);
  bool is_quoted = false;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (is_cmake && code[at] == '\\') {
      ++at;
      continue;
    }
    if (is_cmake && code[at] == '"') {
      is_quoted = !is_quoted;
      // A quoted text is a setting only when it holds a variable.
      std::size_t close = code.find('"', at + 1);
      bool is_text = is_quoted && close != std::string::npos && code.find("${", at) > close;
      for (std::size_t inside = at + 1; is_text && inside < close; ++inside) {
        if (code[inside] != '\n') code[inside] = ' ';
      }
    }
    if (is_quoted || code[at] != '#') continue;
    if (!is_cmake && at > 0 && code[at - 1] == '\\') continue;
    std::size_t end = std::min(code.find('\n', at), code.size());
    std::size_t bracket = at + 1;
    if (is_cmake && bracket < code.size() && code[bracket] == '[') {
      std::size_t equals = bracket + 1;
      while (equals < code.size() && code[equals] == '=') ++equals;
      if (equals < code.size() && code[equals] == '[') {
        std::string close = "]" + std::string(equals - bracket - 1, '=') + "]";
        end = std::min(code.find(close, equals), code.size());
      }
    }
    for (; at < end; ++at) {
      if (code[at] != '\n') code[at] = ' ';
    }
    --at;
  }
  return code;
}

struct BuildWord {
  std::string_view word;  // whole word, or a prefix when it ends in '*'
  bool is_compile;        // compiles device code; else it finds or links the toolkit
};

constexpr std::array<BuildWord, 19> kWords = {{{"enable_language", true},
                                               {"CMAKE_CUDA_*", true},
                                               {"CUDA_ARCHITECTURES", true},
                                               {"CUDA_NVCC_FLAGS", true},
                                               {"cuda_add_*", true},
                                               {"cuda_compile*", true},
                                               {"CUDAToolkit", false},
                                               {"CUDA_TOOLKIT_ROOT_DIR", false},
                                               {"CUDA_LIBRARIES", false},
                                               {"CUDA_INCLUDE_DIRS", false},
                                               {"TORCH_CUDA_ARCH_LIST", true},
                                               {"nvcc", true},
                                               {"NVCC", true},
                                               {"NVCCFLAGS", true},
                                               {"lcudart", false},
                                               {"lcublas", false},
                                               {"lcudnn", false},
                                               {"lcuda", false},
                                               {"CUDA", false}}};

const BuildWord* find_word(std::string_view word) {
  for (const BuildWord& row : kWords) {
    bool is_prefix = row.word.back() == '*';
    std::string_view name = is_prefix ? row.word.substr(0, row.word.size() - 1) : row.word;
    if (is_prefix ? word.substr(0, name.size()) == name : word == name) return &row;
  }
  return nullptr;
}

}  // namespace

std::vector<TargetResult> analyze_build(const SourceFile& file, const Context& context) {
  std::string name = base::to_lower(file.path);
  bool is_cmake = name.find("cmake") != std::string::npos;
  std::string code = without_comments(file.bytes, is_cmake);
  return per_target(file, context, [&](Sheet& sheet) {
    if (sheet.target().chip->stack->cuda_extension() == catalog::CudaExtension::kAsIs) return;
    each_line(code, [&](std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end;) {
        if (!is_word(code[at])) {
          ++at;
          continue;
        }
        std::size_t word_end = at;
        while (word_end < end && is_word(code[word_end])) ++word_end;
        std::string_view word = std::string_view(code).substr(at, word_end - at);
        const BuildWord* row = find_word(word);
        bool names_cuda =
            row != nullptr && (word != "enable_language" || code.find("CUDA", word_end) < end) && (word != "CUDA" || is_cmake);
        if (names_cuda) {
          const catalog::Chip& chip = *sheet.target().chip;
          bool is_recompile = chip.stack->cuda_extension() == catalog::CudaExtension::kRecompile;
          Finding& finding = sheet.find(
              at, row->is_compile ? "build-cuda-compile" : "build-cuda-toolkit", is_recompile ? Severity::kInfo : Severity::kWork,
              row->is_compile ? text("{}: this build compiles CUDA code", "{}：该构建会编译 CUDA 代码", word)
                              : text("{}: this build uses the CUDA toolkit", "{}：该构建使用 CUDA 工具包", word));
          finding.advice = is_recompile ? text("build with the toolchain of {}", "用 {} 的工具链构建", chip.name)
                                        : text("build the ported kernels with the compiler of {} ({}), or leave this part out",
                                               "用 {} 的编译器（{}）构建移植后的内核，或去掉该部分", chip.name,
                                               chip.stack->kernel_language().value_or("-"));
          break;  // one finding per line says enough
        }
        at = word_end;
      }
    });
  });
}

}  // namespace starbridge::port
