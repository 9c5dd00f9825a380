#include "port/python/project_flow.h"

#include <algorithm>

namespace starbridge::port::python {
namespace {

constexpr int kReexportsMax = 16;
constexpr std::uint64_t kWordMask = 0xFFFFFFFF00000000ULL;

// Words of equal keys are asked for together: a file may be asked in vain, never left out.
std::uint64_t word_key(std::string_view word) { return std::hash<std::string_view>()(word) & kWordMask; }

}  // namespace

ProjectFlow::ProjectFlow(std::vector<std::string> paths) : modules_(paths), files_(paths.size()) {}

void ProjectFlow::read(std::size_t file, SourceFile source, bool may_matter) {
  files_[file].source = std::move(source);
  if (may_matter) parse(file);
}

void ProjectFlow::parse(std::size_t file) {
  File& each = files_[file];
  if (each.syntax != nullptr) return;
  each.syntax = std::make_unique<Syntax>(Syntax::parse(each.source.bytes));
  if (each.syntax->error_at() != std::string_view::npos) return;
  each.finder = std::make_unique<SiteFinder>(*each.syntax, each.source.bytes, &modules_, static_cast<int>(file));
  each.finder->run();
  if (is_linking_) each.finder->each_word([&](std::string_view word) { late_words_.emplace(word_key(word), file); });
}

// Identifiers of an unparsed text, for those are all that an argument can be found by.
void ProjectFlow::index_words(std::size_t file) {
  auto take = [&](std::string_view word) { words_.push_back(word_key(word) | file); };
  if (files_[file].finder != nullptr) return files_[file].finder->each_word(take);
  if (files_[file].syntax != nullptr) return;
  std::string_view text = files_[file].source.bytes;
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > at) take(text.substr(at, end - at));
    at = end + 1;
  }
}

std::vector<std::size_t> ProjectFlow::files_with(const std::string& word) const {
  std::uint64_t key = word_key(word);
  std::vector<std::size_t> files;
  auto [late, late_end] = late_words_.equal_range(key);
  for (; late != late_end; ++late) files.push_back(late->second);
  auto begin = std::lower_bound(words_.begin(), words_.end(), key);
  for (auto each = begin; each != words_.end() && (*each & kWordMask) == key; ++each) {
    files.push_back(static_cast<std::size_t>(*each & ~kWordMask));
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

void ProjectFlow::collect(std::size_t file) {
  if (files_[file].finder == nullptr) return;
  for (Demand& demand : files_[file].finder->take_demands()) {
    bool is_own = demand.kind == Demand::Kind::kImported || demand.kind == Demand::Kind::kReturned ||
                  demand.kind == Demand::Kind::kArgument;
    std::size_t key = hash_of(demand) ^ (is_own ? (file + 1) * 0xC2B2AE3D27D4EB4FULL : 0);
    if (asked_.insert(key).second) waiting_.push_back({file, std::move(demand)});
  }
}

void ProjectFlow::link() {
  is_linking_ = true;
  for (std::size_t file = 0; file < files_.size(); ++file) index_words(file);
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  for (std::size_t file = 0; file < files_.size(); ++file) collect(file);
  settle();
  for (std::size_t file = 0; file < files_.size(); ++file) {
    if (files_[file].finder == nullptr) continue;
    files_[file].finder->run_comparisons();
    collect(file);
  }
  settle();
}

void ProjectFlow::settle() {
  while (!waiting_.empty()) {
    Question question = std::move(waiting_.front());
    waiting_.pop_front();
    answer(question);
  }
}

std::optional<Modules::Target> ProjectFlow::resolve(std::size_t importer, const std::string& dotted) {
  std::optional<Modules::Target> target = modules_.resolve(static_cast<int>(importer), dotted);
  for (int step = 0; step < kReexportsMax && target && !target->name.empty(); ++step) {
    std::size_t file = static_cast<std::size_t>(target->file);
    parse(file);
    collect(file);
    if (files_[file].finder == nullptr) return std::nullopt;
    std::string head = target->name.substr(0, target->name.find('.'));
    const Scopes& scopes = files_[file].finder->scopes();
    Symbol symbol = files_[file].syntax->symbols().find(head);
    std::span<const Binding> bindings = symbol == kNoSymbol ? std::span<const Binding>() : scopes.find(0, symbol);
    if (bindings.empty() || bindings[0].kind != Binding::Kind::kImport) return target;
    std::optional<Modules::Target> next =
        modules_.resolve(target->file, scopes.module(bindings[0]) + target->name.substr(head.size()));
    if (!next) return target;
    target = next;
  }
  return target;
}

void ProjectFlow::answer(const Question& question) {
  const Demand& demand = question.demand;
  if (demand.kind == Demand::Kind::kArgument) return answer_argument(question);
  if (demand.kind == Demand::Kind::kImported || demand.kind == Demand::Kind::kReturned) {
    std::optional<Modules::Target> target = resolve(question.file, demand.name);
    if (!target || target->name.empty() || static_cast<std::size_t>(target->file) == question.file) return;
    std::size_t file = static_cast<std::size_t>(target->file);
    if (files_[file].finder == nullptr) return;
    Demand own = demand;
    std::size_t dot = target->name.rfind('.');
    own.name = target->name;
    if (dot != std::string::npos) {  // config.Settings.device: an attribute of something there
      own.name = target->name.substr(dot + 1);
      own.kind = demand.kind == Demand::Kind::kImported ? Demand::Kind::kAttribute : Demand::Kind::kMethodReturned;
    }
    files_[file].finder->answer(own);
    return collect(file);
  }
  if (demand.kind == Demand::Kind::kAttribute || demand.kind == Demand::Kind::kKey) settings_.emplace(demand.name, demand.role);
  for (std::size_t file : files_with(demand.name)) {
    if (files_[file].finder == nullptr) continue;
    files_[file].finder->answer(demand);
    collect(file);
  }
}

void ProjectFlow::answer_argument(const Question& question) {
  const std::string& name = question.demand.name;
  for (std::size_t file : files_with(name)) {
    if (file == question.file) continue;
    if (files_[file].syntax == nullptr) {
      parse(file);
      collect(file);
    }
    if (files_[file].finder == nullptr) continue;
    files_[file].finder->answer_argument(question.demand, [&](const std::string& dotted) {
      std::optional<Modules::Target> target = resolve(file, dotted);
      return target && static_cast<std::size_t>(target->file) == question.file && target->name == name;
    });
    collect(file);
  }
}

Sites ProjectFlow::finish(std::size_t file) { return files_[file].finder->finish(); }

}  // namespace starbridge::port::python
