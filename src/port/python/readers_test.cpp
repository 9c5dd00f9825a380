// Two readers of Python, one answer: the room's parser and the tree-sitter grammar, on this repository's own Python files, on
// random damage to them, and on the trees that STARBRIDGE_TREES names (separated by ":").
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <sstream>

#include "base/files.h"
#include "port/python/grammar.h"
#include "port/python/parser.h"
#include "port/python/sites.h"

namespace starbridge::port::python {
namespace {

std::vector<std::string> python_files(const std::string& root) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    std::string path = entry.path().string();
    bool is_built = path.find("/build") != std::string::npos || path.find("/.") != std::string::npos;
    if (entry.is_regular_file() && entry.path().extension() == ".py" && !is_built) paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string describe(const Syntax& syntax, const std::string& source) {
  Sites sites = find_sites(syntax, source);
  std::ostringstream out;
  out << sites.plugin_insert_at << ' ' << sites.imports_torch << ' ' << sites.has_top_level_torch << '\n';
  for (const Span& span : sites.plugin_imports) out << "plugin " << span.first << '-' << span.second << '\n';
  for (const Site& site : sites.sites) {
    out << static_cast<int>(site.kind) << ' ' << site.span.first << '-' << site.span.second << ' ' << site.name << ' '
        << site.head << ' ' << site.module_span.first << '-' << site.module_span.second;
    for (const Span& span : site.segments) out << " ." << span.first << '-' << span.second;
    for (const ImportedName& name : site.names) out << ' ' << name.name << name.span.first << name.has_alias;
    out << '\n';
  }
  return out.str();
}

// Children lie inside their parents, in order; every node hangs where it says.
void expect_sound(const Syntax& syntax, const std::string& source) {
  const std::vector<Node>& nodes = syntax.nodes();
  std::size_t seen = 0;
  for (NodeId id = 0; id != kNoNode; id = syntax.next(id)) {
    const Node& node = nodes[id];
    ++seen;
    ASSERT_LE(node.begin, node.end);
    ASSERT_LE(node.end, source.size());
    std::uint32_t before = node.begin;
    for (NodeId child = node.first_child; child != kNoNode; child = nodes[child].next_sibling) {
      ASSERT_EQ(nodes[child].parent, id);
      ASSERT_LE(before, nodes[child].begin) << source;
      ASSERT_LE(nodes[child].end, node.end) << source;
      before = nodes[child].end;
    }
    bool is_named = node.kind == Kind::kIdentifier || node.kind == Kind::kAttribute || node.kind == Kind::kKeywordArgument;
    if (is_named) {
      ASSERT_EQ(source.substr(syntax.name_begin(id), syntax.name(id).size()), syntax.name(id)) << source;
    }
  }
  ASSERT_LE(seen, nodes.size());
}

struct Agreement {
  int parsed = 0;
  int left_to_grammar = 0;
  int only_parser = 0;  // the grammar finds damage where there is none
};

void compare(const std::string& source, const std::string& what, Agreement& agreement) {
  Syntax own;
  if (!Parser(source, own).run()) {
    ++agreement.left_to_grammar;
    return;
  }
  ++agreement.parsed;
  expect_sound(own, source);
  Syntax other;
  GrammarReader(source, other).run();
  if (other.error_at() != std::string_view::npos) {
    ++agreement.only_parser;
    return;
  }
  EXPECT_EQ(describe(own, source), describe(other, source)) << what;
}

std::vector<std::string> roots() {
  std::vector<std::string> all = {SB_SOURCE_DIR};
  const char* more = std::getenv("STARBRIDGE_TREES");
  std::istringstream list(more == nullptr ? "" : more);
  for (std::string root; std::getline(list, root, ':');) all.push_back(root);
  return all;
}

TEST(Readers, FindTheSameSitesInRealFiles) {
  for (const std::string& root : roots()) {
    Agreement agreement;
    for (const std::string& path : python_files(root)) compare(base::read_file(path).value(), path, agreement);
    std::cout << root << ": " << agreement.parsed << " files parsed, " << agreement.left_to_grammar << " left to the grammar, "
              << agreement.only_parser << " the grammar could not read\n";
    EXPECT_GT(agreement.parsed, 0);
  }
}

TEST(Readers, FindTheSameSitesInDamagedFiles) {
  std::vector<std::string> texts;
  for (const std::string& root : roots()) {
    for (const std::string& path : python_files(root)) texts.push_back(base::read_file(path).value());
  }
  const std::vector<std::string> pieces = {
      "(",  ")",      "[",   "]",    "{",       "}",       ":",    ",",      "=",     "'",       "\"",   "\\",
      "\n", "\n    ", "\t",  " ",    "f'{",     "}'",      "cuda", "'cuda'", "torch", "device=", "\xFF", "\xE4\xB8\xAD",
      "#",  "*",      "if ", "not ", "lambda ", "import ", ":=",   "match ", "\r",    "0",       "."};
  std::mt19937 random(17);
  Agreement agreement;
  const char* wanted = std::getenv("STARBRIDGE_MUTANTS");
  const int rounds = wanted == nullptr ? 600 : std::atoi(wanted);
  for (int round = 0; round < rounds; ++round) {
    std::string text = texts[random() % texts.size()];
    for (std::size_t count = random() % 4; count > 0 && !text.empty(); --count) {
      std::size_t at = random() % text.size();
      if (random() % 2 == 0) {
        text.insert(at, pieces[random() % pieces.size()]);
      } else {
        text.erase(at, 1 + random() % 8);
      }
    }
    compare(text, text, agreement);
  }
  std::cout << agreement.parsed << " texts parsed, " << agreement.left_to_grammar << " left to the grammar\n";
  EXPECT_GT(agreement.parsed, rounds / 20);
  EXPECT_GT(agreement.left_to_grammar, rounds / 20);
}

TEST(Readers, SurviveRandomText) {
  const std::string letters = "()[]{}:,='\"\\\n\t fuxr#*-~not if else lambda match case 01.e_\r\xFF@|&^%<>!";
  std::mt19937 random(23);
  for (int round = 0; round < 200'000; ++round) {
    std::string text;
    for (std::size_t count = random() % 60; count > 0; --count) text += letters[random() % letters.size()];
    Syntax syntax;
    if (Parser(text, syntax).run()) expect_sound(syntax, text);
  }
}

}  // namespace
}  // namespace starbridge::port::python
