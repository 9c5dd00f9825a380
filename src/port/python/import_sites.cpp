#include "port/python/import_sites.h"

#include "port/target.h"

namespace starbridge::port::python {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

}  // namespace

void ImportSites::add(SiteKind kind, NodeId at, std::string name) {
  Site site;
  site.kind = kind;
  site.span = span_of(at);
  site.name = std::move(name);
  sites_.sites.push_back(std::move(site));
}

void ImportSites::note_torch_import(NodeId statement, std::string_view module) {
  if (module != "torch" && !starts_with(module, "torch.")) return;
  sites_.imports_torch = true;
  if (sites_.has_top_level_torch || syntax_.node(statement).parent != 0) return;
  std::size_t end = syntax_.node(statement).end;
  std::size_t line_end = source_.find_first_of("\r\n", end);
  // `import torch; import os` keeps its line whole.
  if (line_end == std::string_view::npos) line_end = source_.size();
  if (line_end < source_.size()) line_end += source_.compare(line_end, 2, "\r\n") == 0 ? 2 : 1;
  sites_.has_top_level_torch = true;
  sites_.plugin_insert_at = line_end;
}

void ImportSites::note_package(std::string_view module, NodeId at) {
  std::string top(module.substr(0, module.find('.')));
  if (top != "torch" && find_family_of_plugin(top) == nullptr) add(SiteKind::kPackage, at, std::string(module));
}

void ImportSites::note_plugin(NodeId statement) {
  Span lines = span_of(statement);
  while (lines.first > 0 && (source_[lines.first - 1] == ' ' || source_[lines.first - 1] == '\t')) --lines.first;
  std::size_t end = source_.find_first_not_of(" \t", lines.second);
  bool is_whole_line = (lines.first == 0 || source_[lines.first - 1] == '\n' || source_[lines.first - 1] == '\r') &&
                       (end == std::string_view::npos || source_[end] == '\r' || source_[end] == '\n');
  if (!is_whole_line || syntax_.node(statement).parent != 0) return;
  if (end == std::string_view::npos) end = source_.size();
  if (end < source_.size()) end += source_.compare(end, 2, "\r\n") == 0 ? 2 : 1;
  lines.second = static_cast<std::uint32_t>(end);
  sites_.plugin_imports.push_back(lines);
}

// Behind `try:` or `if ...:`, which are statements with blocks; functions are not.
bool ImportSites::is_guarded(NodeId statement) const {
  NodeId block = syntax_.node(statement).parent;
  return syntax_.kind(block) == Kind::kBlock && syntax_.kind(syntax_.node(block).parent) == Kind::kStatement;
}

void ImportSites::visit_import(NodeId statement) {
  int count = 0;
  bool has_plugin = false;
  for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
    NodeId name = syntax_.kind(part) == Kind::kAliasedImport ? syntax_.child(part, Field::kName) : part;
    if (syntax_.kind(name) != Kind::kDottedName) continue;
    ++count;
    std::string module(syntax_.text(name));
    note_torch_import(statement, module);
    note_package(module, name);
    has_plugin = has_plugin || (find_family_of_plugin(module) != nullptr && syntax_.kind(part) != Kind::kAliasedImport);
    if (!starts_with(module, "torch.") && !starts_with(module, "torch_")) continue;
    add(SiteKind::kImportModule, name, module);
    sites_.sites.back().is_guarded = is_guarded(statement);
    bool is_alone = part == syntax_.node(statement).first_child && syntax_.node(part).next_sibling == kNoNode;
    if (!is_alone || syntax_.kind(part) != Kind::kAliasedImport) continue;
    sites_.sites.back().module_span = span_of(statement);
    sites_.sites.back().head = std::string(syntax_.text(syntax_.child(part, Field::kAlias)));
  }
  if (has_plugin && count == 1) note_plugin(statement);
}

void ImportSites::visit_import_from(NodeId statement) {
  NodeId module = syntax_.child(statement, Field::kModuleName);
  if (syntax_.kind(module) != Kind::kDottedName) return;
  std::string name(syntax_.text(module));
  note_torch_import(statement, name);
  note_package(name, module);
  if (name != "torch" && !starts_with(name, "torch.") && !starts_with(name, "torch_")) return;
  Site site;
  site.kind = SiteKind::kImportFrom;
  site.span = span_of(statement);
  site.name = name;
  site.module_span = span_of(module);
  site.is_guarded = is_guarded(statement);
  for (NodeId part = syntax_.node(statement).first_child; part != kNoNode; part = syntax_.node(part).next_sibling) {
    if (part == module) continue;
    bool has_alias = syntax_.kind(part) == Kind::kAliasedImport;
    NodeId imported = has_alias ? syntax_.child(part, Field::kName) : part;
    if (syntax_.kind(imported) == Kind::kDottedName)
      site.names.push_back({std::string(syntax_.text(imported)), span_of(imported), has_alias});
  }
  sites_.sites.push_back(std::move(site));
}

}  // namespace starbridge::port::python
