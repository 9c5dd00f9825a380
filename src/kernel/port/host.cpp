#include "kernel/port/host.h"

#include <algorithm>
#include <regex>
#include <set>

namespace starbridge::kernel::port {

using base::text;

namespace {

// What becomes of words alike for all chips.
const std::map<std::string, std::string, std::less<>>& shared_words() {
  static const std::map<std::string, std::string, std::less<>> table = {
      {"__constant__", ""},
      {"__half", "half"},
      {"__nv_bfloat16", "bfloat16_t"},
      {"nv_bfloat16", "bfloat16_t"},
      {"__half2float", "(float)"},
      {"__bfloat162float", "(float)"},
      {"__float2half", "(half)"},
      {"__float2bfloat16", "(bfloat16_t)"},
      {"__float2bfloat16_rn", "(bfloat16_t)"},
      {"__device__", ""},
      {"__forceinline__", "inline"},
      {"__host__", ""},
      {"__managed__", ""},
      {"__restrict__", "__restrict__"},
      {"__align__", "alignas"},
      {"cudaDeviceProp", "port::DeviceProperties"},
      {"cudaFuncSetAttribute", "PORT_NOTHING"},
      {"cudaFuncAttributeMaxDynamicSharedMemorySize", "0"},
      {"cudaDeviceGetAttribute", "port::device_attribute"},
      {"cudaDevAttrMaxSharedMemoryPerBlock", "port::kSharedPerBlock"},
      {"cudaDevAttrMultiProcessorCount", "port::kProcessors"},
      {"cudaDevAttrMaxThreadsPerBlock", "port::kThreadsPerBlock"},
      {"cudaDevAttrWarpSize", "port::kWarp"},
      {"cudaFuncSetCacheConfig", "PORT_NOTHING"},
      {"cudaDeviceSetCacheConfig", "PORT_NOTHING"},
      {"cudaProfilerStart", "PORT_NOTHING"},
      {"cudaProfilerStop", "PORT_NOTHING"},
      {"cudaHostAllocDefault", "0"},
      {"cublasStatus_t", "port::BlasStatus"},
      {"CUBLAS_STATUS_SUCCESS", "port::kBlasSuccess"},
      {"cublasHandle_t", "port::BlasHandle"},
      {"cublasLtHandle_t", "port::BlasHandle"},
      {"cublasCreate", "port::blas_create"},
      {"cublasCreate_v2", "port::blas_create"},
      {"cublasLtCreate", "port::blas_create"},
      {"cublasDestroy", "port::blas_nothing"},
      {"cublasLtDestroy", "port::blas_nothing"},
      {"cublasSetMathMode", "port::blas_nothing"},
      {"cublasMath_t", "port::BlasMode"},
      {"cublasComputeType_t", "port::BlasMode"},
      {"CUBLAS_DEFAULT_MATH", "port::kBlasDefault"},
      {"CUBLAS_TF32_TENSOR_OP_MATH", "port::kBlasTf32"},
      {"CUBLAS_COMPUTE_32F", "port::kBlasDefault"},
      {"CUBLAS_COMPUTE_32F_FAST_TF32", "port::kBlasTf32"}};
  return table;
}

const std::set<std::string, std::less<>>& known_headers() {
  static const std::set<std::string, std::less<>> table = {"cuda_runtime.h",
                                                           "cuda.h",
                                                           "cuda_runtime_api.h",
                                                           "device_launch_parameters.h",
                                                           "cooperative_groups.h",
                                                           "cooperative_groups/reduce.h",
                                                           "cuda_fp16.h",
                                                           "cuda_bf16.h",
                                                           "cuda_profiler_api.h",
                                                           "device_functions.h",
                                                           "math_constants.h",
                                                           "vector_types.h",
                                                           "vector_functions.h",
                                                           "driver_types.h",
                                                           "helper_cuda.h",
                                                           "cublas_v2.h",
                                                           "cublasLt.h"};
  return table;
}

bool is_name_char(char c) { return isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string prefixed(const std::string& callee) {
  std::size_t stop = std::min(callee.find('<'), callee.size());
  std::size_t at = callee.rfind("::", stop);
  at = at == std::string::npos ? 0 : at + 2;
  return callee.substr(0, at) + "launch_" + callee.substr(at);
}

struct Edit {
  std::size_t begin, end;
  std::string text;
};

std::string launch_text(const front::Tree& node, const std::string& source, const std::string& old) {
  std::vector<std::string> config;
  std::string callee;
  for (const front::Tree& each : node->args) {
    if (each->op == "callee") callee = each->name;
    if (each->op == "config") config.push_back(each->name);
  }
  config.resize(4);
  std::size_t close = old.rfind(">>>");
  std::size_t open = close == std::string::npos ? std::string::npos : old.find('(', close);
  if (open == std::string::npos) return "";
  std::string given = old.substr(open + 1, old.rfind(')') - open - 1);
  const bool is_empty = given.find_first_not_of(" \t\n\\") == std::string::npos;
  std::string at = "port::Launch{dim3(" + config[0] + "), dim3(" + config[1] + ")";
  if (!config[2].empty() || !config[3].empty()) at += ", (size_t)(" + (config[2].empty() ? "0" : config[2]) + ")";
  if (!config[3].empty()) at += ", " + (config[3] == "0" || config[3] == "NULL" ? "nullptr" : config[3]);
  (void)source;
  return prefixed(callee) + "(" + at + "}" + (is_empty ? "" : ", " + given) + ")";
}

class Translator {
 public:
  explicit Translator(const HostRequest& request) : request_(request), source_(request.text) {}

  base::Result<std::string> run() {
    std::vector<Edit> edits;
    for (const front::Tree& node : request_.nodes) {
      Edit edit{static_cast<std::size_t>(std::stoll(node->args[1]->name)),
                static_cast<std::size_t>(std::stoll(node->args[2]->name)), ""};
      if (node->op == "skipped") {
        if (edit.end > edit.begin && edit.end <= source_.size()) skipped_.emplace_back(edit.begin, edit.end);
        continue;
      }
      if (node->op == "value")
        return refuse(node->line, text("{} is handed on as a value", "内核 {} 被当作值传递", node->name),
                      text("launch it by its name", "请以内核名直接启动"));
      // Inside a macro: found again in its text.
      if (node->op == "launch" && edit.end <= edit.begin && node->extra != "function_pointer") continue;
      if (edit.end <= edit.begin || edit.end > source_.size())
        return refuse(node->line, text("{} comes out of a macro", "{} 来自宏展开", node->name),
                      text("write it out", "请直接写出"));
      const std::string old = source_.substr(edit.begin, edit.end - edit.begin);
      if (node->op == "launch") {
        edit.text = launch_text(node, source_, old);
        if (edit.text.empty() || node->extra == "function_pointer")
          return refuse(node->line, text("a launch through a pointer", "通过指针启动内核"),
                        text("name the kernel", "请直接写内核名"));
      } else if (node->op == "symbol") {
        edit.text = "port::Symbol<" + node->extra + "> " + node->name;
        if (node->args.size() > 3) edit.text += "{" + node->args[3]->name + "}";
      } else if (node->extra == "kernel") {
        auto found = request_.kernels.find(node->name);
        edit.text = found == request_.kernels.end() ? "" : found->second;
      } else if (node->extra == "declaration" && edit.end < source_.size() && source_[edit.end] == ';') {
        ++edit.end;
      }
      edits.push_back(edit);
    }
    std::sort(edits.begin(), edits.end(),
              [](const Edit& a, const Edit& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
    std::string out;
    std::size_t at = 0;
    for (const Edit& edit : edits) {
      if (edit.begin < at) {
        if (edit.end <= at) continue;
        return refuse(line_of(edit.begin), text("two declarations share their beginning", "两个声明共用开头"),
                      text("declare them one by one", "请分开声明"));
      }
      SB_TRY(std::string before, words(at, edit.begin));
      out += before;
      // What stands in place of a launch is host code too.
      SB_TRY(std::string instead, edit.text.rfind("//", 0) == 0 || edit.text.empty() ? base::Result<std::string>(edit.text)
                                                                                     : words_of(edit.text, line_of(edit.begin)));
      out += instead;
      at = edit.end;
    }
    SB_TRY(std::string rest, words(at, source_.size()));
    return out + rest;
  }

 private:
  int line_of(std::size_t at) const {
    return 1 + static_cast<int>(std::count(source_.begin(), source_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  base::Error refuse(int line, base::Text what, base::Text next) const {
    return base::Error("kernel.cannot_port", std::move(what)).at(base::Place{request_.path, line, 0, ""}).next(std::move(next));
  }
  base::Result<std::string> words(std::size_t begin, std::size_t end) {
    return words_of(source_.substr(begin, end - begin), line_of(begin), begin);
  }
  // CUB's block primitives went into the kernels; what host code still names are their algorithms, in template arguments.
  static bool names_a_choice_of_cub(const std::string& piece, std::size_t begin, std::size_t end) {
    if (piece.compare(begin, end - begin, "cub") != 0) return false;
    static const std::regex choice(R"(^::(Block\w*Algorithm|BLOCK_\w+))"), rest(R"(^\s*;)");
    const std::string after = piece.substr(end, 64), before = piece.substr(0, begin);
    const bool is_used = before.size() >= 10 && before.compare(before.size() - 10, 10, "namespace ") == 0;
    return std::regex_search(after, choice) || (is_used && std::regex_search(after, rest));
  }
  // A launch in the text of a macro: NAME, perhaps <...>, <<<. `at` moves from behind the name to behind the bracket that opens
  // the arguments.
  static bool find_launch(const std::string& piece, std::size_t& at) {
    std::size_t i = at;
    auto blank = [&] {
      while (i < piece.size() && (isspace(static_cast<unsigned char>(piece[i])) != 0 || piece[i] == '\\')) ++i;
    };
    blank();
    if (i < piece.size() && piece[i] == '<' && piece.compare(i, 3, "<<<") != 0) {
      int depth = 0;
      do {
        if (piece[i] == '<') ++depth;
        if (piece[i] == '>') --depth;
        if (piece[i] == ';' || piece[i] == '{' || piece.compare(i, 3, "<<<") == 0) return false;
        ++i;
      } while (i < piece.size() && depth > 0);
      blank();
    }
    if (piece.compare(i, 3, "<<<") != 0) return false;
    const std::size_t close = piece.find(">>>", i);
    if (close == std::string::npos) return false;
    i = close + 3;
    blank();
    if (i >= piece.size() || piece[i] != '(') return false;
    at = i + 1;
    return true;
  }

  base::Result<std::string> launch_head(const std::string& piece, std::size_t begin, std::size_t end, std::size_t past, int line) {
    const std::string name = piece.substr(begin, end - begin);
    const std::size_t open = piece.find("<<<", end), close = piece.find(">>>", open);
    std::vector<std::string> config(1);
    int depth = 0;
    for (std::size_t i = open + 3; i < close; ++i) {
      const char c = piece[i];
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      if (c == ',' && depth == 0)
        config.emplace_back();
      else
        config.back() += c == '\\' || c == '\n' ? ' ' : c;
    }
    config.resize(4);
    for (std::string& each : config) {
      SB_TRY(each, words_of(each, line));
    }
    std::string launch = "port::Launch{dim3(" + config[0] + "), dim3(" + config[1] + ")";
    if (!config[2].empty() || !config[3].empty()) launch += ", (size_t)(" + (config[2].empty() ? "0" : config[2]) + ")";
    if (!config[3].empty()) launch += ", " + config[3];
    SB_TRY(std::string between, words_of(piece.substr(end, open - end), line));
    std::size_t next = past;
    while (next < piece.size() && (isspace(static_cast<unsigned char>(piece[next])) != 0 || piece[next] == '\\')) ++next;
    const bool is_empty = next < piece.size() && piece[next] == ')';
    return std::string(is_macro_parameter(piece, begin, name) ? "launch_##" : "launch_") + name + between + "(" + launch + "}" +
           (is_empty ? "" : ", ");
  }
  // Whether `name` at `at` is a parameter of the #define it stands in.
  static bool is_macro_parameter(const std::string& piece, std::size_t at, const std::string& name) {
    std::size_t start = at;
    while (start > 0 && !(piece[start - 1] == '\n' && (start < 2 || piece[start - 2] != '\\'))) --start;
    static const std::regex define(R"(^[ \t]*#[ \t]*define[ \t]+\w+\(([^)]*)\))");
    std::smatch match;
    const std::string logical = piece.substr(start, at - start);
    if (!std::regex_search(logical, match, define)) return false;
    const std::string list = match[1].str();
    return std::regex_search(list, std::regex("\\b" + name + "\\b"));
  }
  // What the preprocessor leaves out may name what it likes; `at`: of the piece in the source.
  bool is_left_out(std::size_t at) const {
    return std::any_of(skipped_.begin(), skipped_.end(),
                       [&](const auto& range) { return at >= range.first && at < range.second; });
  }

  base::Result<std::string> words_of(const std::string& piece, int line, std::size_t at = std::string::npos) {
    std::string out;
    for (std::size_t i = 0; i < piece.size();) {
      const char c = piece[i];
      if (c == '\n') ++line;
      if (c == '/' && i + 1 < piece.size() && (piece[i + 1] == '/' || piece[i + 1] == '*')) {
        std::size_t end = piece[i + 1] == '/' ? piece.find('\n', i) : piece.find("*/", i + 2);
        end = end == std::string::npos ? piece.size() : piece[i + 1] == '/' ? end : end + 2;
        line += static_cast<int>(
            std::count(piece.begin() + static_cast<std::ptrdiff_t>(i), piece.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        out += piece.substr(i, end - i);
        i = end;
      } else if (c == '"' || c == '\'') {
        std::size_t end = i + 1;
        while (end < piece.size() && piece[end] != c && piece[end] != '\n') end += piece[end] == '\\' ? 2 : 1;
        end = std::min(end + 1, piece.size());
        out += piece.substr(i, end - i);
        i = end;
      } else if (c == '#') {
        static const std::regex include(R"(^#\s*include\s*[<"]([^>"]+)[>"])");
        std::size_t end = std::min(piece.find('\n', i), piece.size());
        const std::string whole = piece.substr(i, end - i);
        std::smatch match;
        if (std::regex_search(whole, match, include)) {
          // Headers from above the program's folder are written beside it.
          const std::string name = match[1].str();
          const std::size_t up = name.rfind("../");
          if (known_headers().count(name) == 0 && name.rfind("cub/block/", 0) != 0 && name.rfind("cub/warp/", 0) != 0 &&
              name != "cub/cub.cuh" && (name != "omp.h" || source_.find("omp_") != std::string::npos))
            out += up == std::string::npos ? whole : "#include \"" + name.substr(up + 3) + "\"";
          i = end;
        } else {
          out += c;
          ++i;
        }
      } else if (is_name_char(c) && isdigit(static_cast<unsigned char>(c)) == 0) {
        std::size_t end = i;
        while (end < piece.size() && is_name_char(piece[end])) ++end;
        const std::string word = piece.substr(i, end - i);
        const std::string* instead = instead_of(word);
        static const std::regex foreign(
            R"(^(cuda[A-Z]\w*|cublas[A-Z]\w*|CUBLAS_\w*|curand\w*|cufft\w*|cusparse\w*|cudnn\w*|cu[A-Z][a-z]\w*|thrust|cub|nvtx\w*)$)");
        if (std::size_t past = end; at != std::string::npos && find_launch(piece, past)) {
          SB_TRY(std::string head, launch_head(piece, i, end, past, line));
          out += head;
          line += static_cast<int>(std::count(piece.begin() + static_cast<std::ptrdiff_t>(end),
                                              piece.begin() + static_cast<std::ptrdiff_t>(past), '\n'));
          end = past;
        } else if (instead != nullptr) {
          out += *instead;
          if (instead->empty() && end < piece.size() && piece[end] == ' ') ++end;
        } else if (request_.own_names.count(word) == 0 && std::regex_match(word, foreign) &&
                   !(at != std::string::npos && is_left_out(at + i)) && !names_a_choice_of_cub(piece, i, end)) {
          return refuse(line, text("{} has no counterpart in {}", "{1} 没有 {0} 的对应接口", word, request_.names->runtime),
                        text("write this part against {} or the vendor's library by hand", "请手工改用 {} 或厂商库",
                             request_.names->runtime));
        } else {
          out += word;
        }
        i = end;
      } else if (isdigit(static_cast<unsigned char>(c)) != 0) {
        while (i < piece.size() && (is_name_char(piece[i]) || piece[i] == '.')) out += piece[i++];
      } else {
        out += c;
        ++i;
      }
    }
    return out;
  }

  // What stands for a word of CUDA, or nullptr.
  const std::string* instead_of(const std::string& word) const {
    for (const auto* table : {&request_.names->words, &shared_words()}) {
      if (auto found = table->find(word); found != table->end()) return &found->second;
    }
    return nullptr;
  }

  const HostRequest& request_;
  const std::string& source_;
  std::vector<std::pair<std::size_t, std::size_t>> skipped_;
};

}  // namespace

base::Result<std::string> translate_host(const HostRequest& request) { return Translator(request).run(); }

std::set<std::string> defined_names(const std::string& source) {
  static const std::regex pattern(R"(#[ \t]*define[ \t]+(\w+)|\b(?:void|int|bool|auto|inline|static)[ \t]+(\w+)[ \t]*\()");
  std::set<std::string> found;
  for (std::sregex_iterator it(source.begin(), source.end(), pattern), end; it != end; ++it)
    found.insert((*it)[1].matched ? (*it)[1] : (*it)[2]);
  return found;
}

std::vector<std::string> quoted_includes(const std::string& source) {
  static const std::regex pattern(R"re(#[ \t]*include[ \t]*"([^"]+)")re");
  std::vector<std::string> found;
  for (std::sregex_iterator it(source.begin(), source.end(), pattern), end; it != end; ++it) found.push_back((*it)[1]);
  return found;
}

}  // namespace starbridge::kernel::port
