#include "kernel/ascend_sources.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "base/files.h"

namespace starbridge::kernel {

namespace {

constexpr std::size_t kParametersMax = 8000;  // of a kernel's parameter list, characters: std::regex recurses

// "GM_ADDR x, uint32_t n": the types alone; pointers as pointers.
std::vector<std::string> types_of(const std::string& parameters) {
  std::vector<std::string> types;
  std::string word;
  static const std::regex named(R"(^\s*(.*?)\s*\w*\s*$)");
  for (std::size_t at = 0; at <= parameters.size(); ++at) {
    if (at < parameters.size() && parameters[at] != ',') {
      word += parameters[at] == '\n' ? ' ' : parameters[at];
      continue;
    }
    std::smatch match;
    if (word.find_first_not_of(' ') != std::string::npos && std::regex_match(word, match, named)) {
      const bool is_pointer = word.find('*') != std::string::npos || word.find("GM_ADDR") != std::string::npos;
      types.push_back(is_pointer ? "void*" : match[1].str());
    }
    word.clear();
  }
  return types;
}

std::string launcher(const std::string& name, const std::vector<std::string>& types) {
  std::string declared, taken, passed;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string argument = "a" + std::to_string(i);
    declared += (i > 0 ? ", " : "") + types[i];
    taken += ", " + types[i] + " " + argument;
    passed += (i > 0 ? ", " : "") + argument;
  }
  return "// Written for this program: launches " + name +
         ".\n#pragma once\n#include \"acl/acl.h\"\n#ifndef ACLRT_LAUNCH_KERNEL\n#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel\n#endif\n"
         "extern \"C\" unsigned __cudaPushCallConfiguration(unsigned, void*, void*);\n"
         "extern \"C\" void __device_stub__" + name + "(" + declared + ");\ninline uint32_t aclrtlaunch_" + name + "(uint32_t blocks, aclrtStream stream" + taken +
         ") {\n  __cudaPushCallConfiguration(blocks, nullptr, stream);\n  __device_stub__" + name + "(" + passed + ");\n  return 0;\n}\n";
}

// The header of an operator's two-phase call.
std::string caller(const std::string& name) {
  return "// Written for this program: calls operator " + name +
         ".\n#pragma once\n#include \"acl/acl.h\"\n#include \"starbridge/op_arguments.h\"\n"
         "template <class... A>\ninline aclnnStatus sb_split_" + name + "(uint64_t* bytes, aclOpExecutor** executor, A... given) {\n"
         "  return sb_op_prepare_call(\"" + name + "\", bytes, executor, given...);\n}\n"
         "template <class... A>\ninline aclnnStatus aclnn" + name + "GetWorkspaceSize(A... given) {\n"
         "  return sb_op_split([](auto... all) { return sb_split_" + name + "(all...); }, given...);\n}\n"
         "inline aclnnStatus aclnn" + name + "(void* workspace, uint64_t bytes, aclOpExecutor* executor, aclrtStream stream) {\n"
         "  return sb_op_execute(executor, workspace, bytes, stream);\n}\n";
}

// Sources, and the headers beside them: where an operator's host half may declare its tiling data.
std::vector<std::string> declaring_files(const std::vector<std::string>& sources) {
  namespace fs = std::filesystem;
  std::set<std::string> folders;
  for (const std::string& source : sources) folders.insert(fs::path(source).has_parent_path() ? fs::path(source).parent_path().string() : ".");
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    std::error_code error;
    std::vector<std::string> headers;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".h") headers.push_back(entry.path().string());
    }
    std::sort(headers.begin(), headers.end());
    files.insert(files.end(), headers.begin(), headers.end());
  }
  files.insert(files.end(), sources.begin(), sources.end());
  return files;
}

struct Declarations {
  std::string structures;                                  // in the words of the kernel's header
  std::vector<std::pair<std::string, std::string>> owners;  // operator and its structure
  std::vector<std::string> operators;
  std::vector<std::pair<std::string, std::vector<std::string>>> types;  // DTYPE_X and the types of X, column by column
};

std::string drop_comments(const std::string& text) {
  std::string kept;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n') ++i;
      kept += '\n';
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
      kept += ' ';
    } else {
      kept += text[i];
    }
  }
  return kept;
}

// What a kernel calls the type of an input or output, in Ascend C.
std::string type_word(const std::string& name) {
  static const std::map<std::string, std::string> words = {{"DT_FLOAT", "float"}, {"DT_FLOAT16", "half"}, {"DT_BF16", "bfloat16_t"}, {"DT_INT8", "int8_t"}, {"DT_UINT8", "uint8_t"}, {"DT_INT16", "int16_t"},
                                                           {"DT_UINT16", "uint16_t"}, {"DT_INT32", "int32_t"}, {"DT_UINT32", "uint32_t"}, {"DT_INT64", "int64_t"}, {"DT_UINT64", "uint64_t"}, {"DT_BOOL", "bool"}, {"DT_DOUBLE", "double"}};
  auto found = words.find(name);
  return found == words.end() ? "" : found->second;
}

// DTYPE_NAME of each input and output that the operator declares.
void collect_types(const std::string& content, Declarations& found) {
  static const std::regex declared(R"re(\.?\b(?:Input|Output)\s*\(\s*"(\w+)"\s*\))re"), listed(R"(^[^;]*?DataType\s*\(\s*\{([^}]*)\})"), each(R"(\bDT_\w+)");
  for (std::sregex_iterator it(content.begin(), content.end(), declared), last; it != last; ++it) {
    const std::string after = content.substr(static_cast<std::size_t>(it->position() + it->length()), 1200);
    std::smatch match;
    if (!std::regex_search(after, match, listed)) continue;
    std::string name = "DTYPE_" + (*it)[1].str();
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const std::string list = match[1];
    std::vector<std::string> types;
    for (std::sregex_iterator type(list.begin(), list.end(), each); type != last; ++type) types.push_back(type_word(type->str()));
    found.types.emplace_back(name, types);
  }
}

void collect(const std::string& content, std::set<std::string>& known, Declarations& found) {
  static const std::regex owner(R"(REGISTER_TILING_DATA_CLASS\s*\(\s*(\w+)\s*,\s*(\w+)\s*\))"), added(R"(\bOP_ADD\s*\(\s*(\w+))"), name(R"(^BEGIN_TILING_DATA_DEF\s*\(\s*(\w+))");
  static const std::string begin = "BEGIN_TILING_DATA_DEF", end = "END_TILING_DATA_DEF";
  for (std::size_t at = content.find(begin); at != std::string::npos; at = content.find(begin, at + 1)) {
    const std::size_t stop = content.find(end, at);
    if (stop == std::string::npos) break;
    const std::string head = content.substr(at, 200);
    std::smatch match;
    if (!std::regex_search(head, match, name) || !known.insert(match[1]).second) continue;
    found.structures += content.substr(at, stop + end.size() - at) + ";\n";
  }
  collect_types(content, found);
  for (std::sregex_iterator it(content.begin(), content.end(), owner), last; it != last; ++it) found.owners.emplace_back((*it)[1], (*it)[2]);
  for (std::sregex_iterator it(content.begin(), content.end(), added), last; it != last; ++it) found.operators.push_back((*it)[1]);
}

std::string letters_of(std::string name) {
  std::erase(name, '_');
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

// The kernels of one source read the tiling data of the operator whose name is the file's; else of the only one there is.
std::string tiling_header(const Declarations& found, const std::string& stem, bool asks_types) {
  std::string header = "// Written for this program: tiling data of its operators.\n#pragma once\n#include \"starbridge/kernel_tiling.h\"\n" + found.structures;
  std::string chosen;
  for (const auto& [owner, structure] : found.owners) {
    if (letters_of(owner) == letters_of(stem)) chosen = structure;
  }
  if (chosen.empty() && !found.owners.empty()) chosen = found.owners.front().second;
  if (!chosen.empty()) header += "using sb_registered_tiling = " + chosen + ";\n";
  if (!asks_types) return header;
  header += "#ifndef SB_OP_TYPES\n#define SB_OP_TYPES 0\n#endif\n";
  for (const auto& [name, types] : found.types) {
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!types[i].empty()) header += "#if SB_OP_TYPES == " + std::to_string(i) + " && !defined(" + name + ")\n#define " + name + " " + types[i] + "\n#endif\n";
    }
  }
  header += "extern \"C\" void sb_op_note_types(const char* stem, int column);\nstatic const int sb_types_noted = (sb_op_note_types(\"" + stem + "\", SB_OP_TYPES), 0);\n";
  return header;
}

}  // namespace

std::string snake_case(const std::string& name) {
  std::string words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isupper(c) != 0 && i > 0) words += '_';
    words += static_cast<char>(std::tolower(c));
  }
  return words;
}

std::string tiling_header_of(const std::string& launchers, const std::string& source) {
  return launchers + "/tiling_of_" + std::filesystem::path(source).stem().string() + ".h";
}

namespace {
base::Status write_operators(const std::vector<std::string>& sources, const std::string& launchers) {
  Declarations found;
  std::set<std::string> known;
  for (const std::string& file : declaring_files(sources)) {
    base::Result<std::string> content = base::read_file(file);
    if (content.ok()) collect(drop_comments(*content), known, found);
  }
  for (const std::string& name : found.operators) {
    SB_TRY_VOID(base::write_file_atomically(launchers + "/aclnn_" + snake_case(name) + ".h", caller(name)));
  }
  for (const std::string& source : sources) {
    base::Result<std::string> content = base::read_file(source);
    SB_TRY_VOID(base::write_file_atomically(tiling_header_of(launchers, source), tiling_header(found, std::filesystem::path(source).stem().string(), content.ok() && content->find("DTYPE_") != std::string::npos)));
  }
  return {};
}
}  // namespace

base::Result<std::string> write_launchers(const std::vector<std::string>& sources, const std::string& folder) {
  const std::string launchers = folder + "/launchers";
  SB_TRY_VOID(base::make_directories(launchers));
  static const std::string mark = "__global__";
  static const std::regex kernel(R"(^__global__\s+(?:__aicore__\s+)?void\s+(\w+)\s*\(([^)]*)\))");
  for (const std::string& source : sources) {
    base::Result<std::string> content = base::read_file(source);
    if (!content.ok()) continue;
    for (std::size_t at = content->find(mark); at != std::string::npos; at = content->find(mark, at + mark.size())) {
      const std::string piece = content->substr(at, kParametersMax);
      std::smatch match;
      if (!std::regex_search(piece, match, kernel, std::regex_constants::match_continuous)) continue;
      const std::string name = match[1];
      SB_TRY_VOID(base::write_file_atomically(launchers + "/aclrtlaunch_" + name + ".h", launcher(name, types_of(match[2]))));
    }
  }
  SB_TRY_VOID(write_operators(sources, launchers));
  return launchers;
}

}  // namespace starbridge::kernel
