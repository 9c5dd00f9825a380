#include "kernel/ascend_sources.h"

#include <regex>

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
  return launchers;
}

}  // namespace starbridge::kernel
