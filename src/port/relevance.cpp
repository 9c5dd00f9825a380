#include "port/relevance.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "port/target.h"
#include "port/word_search.h"

namespace starbridge::port {
namespace {

bool is_word_byte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where a statement ends: at a line end that no backslash carries over, a semicolon or a comment.
std::size_t statement_end(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      at += text.substr(at + 1, 2) == "\r\n" ? 2 : 1;
    } else if (text[at] == '\n' || text[at] == ';' || text[at] == '#') {
      return at;
    }
  }
  return text.size();
}

// The modules of an import, from behind its keyword: "a.b as c, d".
bool imports_known_package(std::string_view list, const catalog::LibraryMap& libraries) {
  constexpr std::string_view kBlanks = " \t\f\r\n\\";
  list = list.substr(0, statement_end(list));
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = std::min(list.find(',', begin), list.size());
    std::string_view module = list.substr(begin, end - begin);
    module = module.substr(std::min(module.find_first_not_of(kBlanks), module.size()));
    module = module.substr(0, module.find_first_of(kBlanks));
    for (const Family& family : families()) {
      if (module.empty() || family.backend == "cuda") continue;
      if (libraries.find_import(module, family.backend) != nullptr) return true;
    }
    begin = end + 1;
  }
  return false;
}

// Devices, collectives, variables and frameworks of all families.
bool names_a_card(std::string_view bytes) {
  static constexpr std::array<std::string_view, 23> kWords = {
      "npu",  "cuda", "CUDA", "nccl", "NCCL", "nvidia", "NVIDIA", "ASCEND", "mlu",      "MLU",     "musa",           "MUSA",
      "hccl", "HCCL", "cncl", "CNCL", "mccl", "torch",  "TORCH",  "CUBLAS", "MAX_JOBS", "NEUWARE", "VISIBLE_DEVICES"};
  static constexpr WordSearch<kWords.size()> kSearch(kWords);
  for (auto hit = kSearch.find(bytes, 0); hit.word < kWords.size(); hit = kSearch.find(bytes, hit.position + 1)) {
    bool is_input = hit.word == 0 && hit.position > 0 && bytes[hit.position - 1] == 'i';
    if (!is_input) return true;
  }
  return false;
}

bool may_code_matter(std::string_view bytes, const Tables& tables, bool is_json) {
  // Words that always matter, devices whose names are parts of other words, and what begins an import.
  static constexpr std::array<std::string_view, 15> kWords = {"torch",  "cuda", "CUDA", "NCCL", "nccl", "hccl", "cncl",  "mccl",
                                                              "ASCEND", "MLU",  "npu",  "mlu",  "musa", "from", "import"};
  constexpr std::size_t kFirstDevice = 10;
  constexpr std::size_t kFirstImport = 13;
  static constexpr WordSearch<kWords.size()> kSearch(kWords);
  for (auto hit = kSearch.find(bytes, 0); hit.word < kWords.size(); hit = kSearch.find(bytes, hit.position + 1)) {
    if (hit.word < kFirstDevice) return true;
    std::size_t end = hit.position + kWords[hit.word].size();
    bool ends_word = end == bytes.size() || !is_word_byte(bytes[end]);
    // In JSON the line before may end in the two letters "\n".
    bool begins_word = hit.position == 0 || !is_word_byte(bytes[hit.position - 1]) ||
                       (is_json && hit.position > 1 && bytes[hit.position - 2] == '\\');
    if (!ends_word) continue;
    // x.npu(), "npu:0", is_npu; but not "input".
    if (hit.word < kFirstImport && (begins_word || bytes[hit.position - 1] == '_')) return true;
    if (hit.word >= kFirstImport && begins_word && imports_known_package(bytes.substr(end), tables.libraries)) return true;
  }
  return false;
}

// As std::string_view::find, which is ten times slower where the first letter is a frequent one.
std::size_t find_text(std::string_view text, std::string_view word, std::size_t from) {
  if (from >= text.size()) return std::string_view::npos;
  const void* found = memmem(text.data() + from, text.size() - from, word.data(), word.size());
  return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// Words of declared rules on packages that the tables know are found by imports_known_package; these are the others.
bool names_word_of(const RuleSet* rules, std::string_view bytes) {
  if (rules == nullptr) return false;
  return std::any_of(rules->words().begin(), rules->words().end(), [&](const std::string& word) {
    for (std::size_t at = find_text(bytes, word, 0); at != std::string_view::npos; at = find_text(bytes, word, at + 1)) {
      bool begins = at == 0 || !is_word_byte(bytes[at - 1]);
      std::size_t end = at + word.size();
      if (begins && (end == bytes.size() || !is_word_byte(bytes[end]))) return true;
    }
    return false;
  });
}

}  // namespace

bool may_python_matter(std::string_view bytes, const Tables& tables, const RuleSet* rules) {
  return may_code_matter(bytes, tables, false) || names_word_of(rules, bytes);
}

bool may_python_pass_devices(std::string_view bytes) {
  static constexpr std::array<std::string_view, 2> kWords = {".to(", "device"};
  static constexpr WordSearch<kWords.size()> kSearch(kWords);
  return kSearch.find(bytes, 0).word < kWords.size();
}

bool may_shell_matter(std::string_view bytes) {
  // Slurm's options, installers, modules, NVIDIA's tools.
  static constexpr std::array<std::string_view, 16> kWords = {"SBATCH", "srun",   "sbatch",    "salloc", "install", "conda",
                                                              "mamba",  "module", "gpu",       "ncu",    "nvcc",    "nsys",
                                                              "nvprof", "nvhpc",  "sanitizer", "gdb"};
  static constexpr WordSearch<kWords.size()> kSearch(kWords);
  return names_a_card(bytes) || kSearch.find(bytes, 0).word < kWords.size();
}

bool may_settings_matter(std::string_view bytes) {
  // Resources of Kubernetes; images and interpreters whose versions the preflight looks at.
  static constexpr std::array<std::string_view, 6> kResources = {".com/", ".ai/", "cann:", "ascend", "python:3", "python="};
  static constexpr WordSearch<kResources.size()> kSearch(kResources);
  return names_a_card(bytes) || kSearch.find(bytes, 0).word < kResources.size();
}

bool may_notebook_matter(std::string_view bytes, const Tables& tables, const RuleSet* rules) {
  return may_code_matter(bytes, tables, true) || names_word_of(rules, bytes) || may_shell_matter(bytes);
}

}  // namespace starbridge::port
