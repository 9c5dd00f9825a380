#include "port/python/project_flow.h"

#include <algorithm>

#include "base/parallel.h"

namespace starbridge::port::python {
namespace {

constexpr int kReexportsMax = 16;
// Fewer are not worth a thread.
constexpr std::size_t kQuestionsPerThread = 16;

// Whether pytest takes fixtures for `asker` from `path`.
bool is_conftest_of(const std::string& path, const std::string& asker) {
  std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  return path.compare(name, std::string::npos, "conftest.py") == 0 && asker.compare(0, name, path, 0, name) == 0;
}

std::size_t threads_for(std::size_t questions) { return std::min(kScanThreads, questions / kQuestionsPerThread + 1); }

}  // namespace

ProjectFlow::ProjectFlow(std::vector<std::string> paths, const RuleSet* rules)
    : modules_(paths),
      rules_(rules),
      files_(paths.size()),
      parsed_(std::make_unique<std::once_flag[]>(paths.size())),
      paths_(std::move(paths)) {}

void ProjectFlow::read(std::size_t file, SourceFile source, bool may_matter) {
  files_[file].source = std::move(source);
  files_[file].may_matter = may_matter;
  if (may_matter) parse(file);
  collect_words(file);
}

void ProjectFlow::parse(std::size_t file) {
  std::call_once(parsed_[file], [&] {
    File& each = files_[file];
    if (mode_ == Mode::kRelinking && each.source.path.empty()) each.source = load_(file);
    if (changes_path(each.source.bytes)) modules_.note_path_change(static_cast<int>(file));
    each.syntax = std::make_unique<Syntax>(Syntax::parse(each.source.bytes));
    if (each.syntax->error_at() == std::string_view::npos) {
      each.finder = std::make_unique<SiteFinder>(*each.syntax, each.source.bytes, &modules_, static_cast<int>(file), rules_);
      each.finder->run();
    }
    if (mode_ != Mode::kLinking) return;
    std::lock_guard<std::mutex> lock(late_mutex_);
    late_files_.push_back(file);
  });
}

// Of an unparsed text only identifiers, for those are all that an argument can be found by.
void ProjectFlow::collect_words(std::size_t file) {
  File& each = files_[file];
  auto take = [&](std::string_view word) { each.words.push_back(WordIndex::hash_of(word)); };
  if (each.finder != nullptr) return each.finder->each_word(take);
  if (each.syntax != nullptr) return;
  std::string_view text = each.source.bytes;
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > at) take(text.substr(at, end - at));
    at = end + 1;
  }
}

void ProjectFlow::collect(std::size_t file) {
  if (files_[file].finder == nullptr) return;
  for (Demand& demand : files_[file].finder->take_demands()) {
    note_demand(file, demand);
    std::size_t key = hash_of(demand) ^ (is_by_name(demand) ? 0 : (file + 1) * 0xC2B2AE3D27D4EB4FULL);
    if (!asked_.insert(key).second) continue;
    if (demand.kind == Demand::Kind::kAttribute || demand.kind == Demand::Kind::kKey)
      record_.settings.emplace(demand.name, demand.role);
    waiting_.push_back(std::make_unique<Question>(Question{file, std::move(demand)}));
  }
}

// In any order and however often: what a file asks does not depend on when it was asked.
void ProjectFlow::note_demand(std::size_t file, const Demand& demand) {
  std::uint64_t hash = hash_of(demand);
  if (!noted_.insert(hash ^ (file + 1) * 0xC2B2AE3D27D4EB4FULL).second) return;
  hash += static_cast<std::uint64_t>(phase_);
  hash = (hash ^ (hash >> 31U)) * 0xBF58476D1CE4E5B9ULL;
  record_.files[file].demands_hash += hash ^ (hash >> 29U);
}

void ProjectFlow::note_imports(std::size_t file) {
  std::uint64_t hash = changes_path(files_[file].source.bytes) ? 2 : 0;
  auto mix = [&](std::string_view text) { hash = (hash ^ std::hash<std::string_view>()(text)) * 0x9E3779B97F4A7C15ULL; };
  if (files_[file].finder != nullptr) {  // else it is damaged
    hash += 1;
    const Scopes& scopes = files_[file].finder->scopes();
    for (std::size_t index = 0; index < scopes.imported_paths().size(); ++index) {
      mix(scopes.imported_paths()[index]);
      mix(files_[file].syntax->symbols().text(scopes.imported_names()[index]));
    }
    for (const std::string& module : scopes.star_modules()) mix(module);
  }
  record_.files[file].imports_hash = hash;
}

void ProjectFlow::link() {
  mode_ = Mode::kLinking;
  record_.files.resize(files_.size());
  std::vector<const std::vector<WordIndex::Hash>*> words;
  for (const File& file : files_) words.push_back(&file.words);
  words_.build(words);
  std::vector<std::size_t> open;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    files_[file].words = {};
    is_open_.push_back(files_[file].finder != nullptr);
    if (is_parsed(file)) record_.files[file].parse = FlowRecord::File::Parse::kOwn;
    collect(file);
  }
  settle();
  phase_ = 1;
  for (std::size_t file = 0; file < files_.size(); ++file) {
    if (is_open_[file]) open.push_back(file);
  }
  base::for_each_index(open.size(), kScanThreads, [&](std::size_t index) { files_[open[index]].finder->run_comparisons(); });
  for (std::size_t file : open) collect(file);
  settle();
  for (std::size_t file = 0; file < files_.size(); ++file) {
    if (is_parsed(file)) note_imports(file);
  }
}

void ProjectFlow::settle() {
  std::vector<Delivery> late;
  while (!waiting_.empty() || !late.empty()) {
    std::vector<std::unique_ptr<Question>> round = std::move(waiting_);
    waiting_.clear();
    std::vector<std::vector<Delivery>> routed(round.size());
    base::for_each_index(round.size(), threads_for(round.size()),
                         [&](std::size_t index) { route(*round[index], routed[index]); });
    routed.push_back(std::move(late));
    late.clear();
    std::map<std::size_t, std::vector<const Delivery*>> by_file;
    std::size_t count = 0;
    for (const std::vector<Delivery>& some : routed) {
      for (const Delivery& delivery : some) {
        by_file[delivery.file].push_back(&delivery);
        if (is_by_path(delivery.question->demand)) record_.files[delivery.file].asked[phase_].push_back(delivery.demand);
      }
      count += some.size();
    }
    std::vector<const std::vector<const Delivery*>*> groups;
    for (const auto& [file, deliveries] : by_file) groups.push_back(&deliveries);
    base::for_each_index(groups.size(), threads_for(count), [&](std::size_t group) {
      for (const Delivery* delivery : *groups[group]) answer(*delivery);
    });
    for (const auto& [file, deliveries] : by_file) collect(file);
    for (std::unique_ptr<Question>& question : round) {
      if (!is_by_path(question->demand))
        record_.questions[phase_].push_back({static_cast<std::uint32_t>(question->file), question->demand});
      if (!is_by_name(question->demand)) continue;
      asked_words_.emplace(WordIndex::hash_of(question->demand.name), question.get());
      asked_by_name_.push_back(std::move(question));
    }
    take_late_files(late);
  }
}

// Files parsed in this round answer what was asked by name before.
void ProjectFlow::take_late_files(std::vector<Delivery>& next_deliveries) {
  std::sort(late_files_.begin(), late_files_.end());
  for (std::size_t file : late_files_) {
    record_.files[file].parse = FlowRecord::File::Parse::kAsked;
    record_.files[file].parse_phase = static_cast<std::uint8_t>(phase_);
    if (files_[file].finder == nullptr) continue;
    collect(file);
    collect_words(file);
    is_open_[file] = true;
    std::vector<WordIndex::Hash> words = std::move(files_[file].words);
    words_.add(file, words);
    std::unordered_set<const Question*> taken;
    for (WordIndex::Hash word : words) {
      auto [found, end] = asked_words_.equal_range(word);
      for (; found != end; ++found) {
        if (taken.insert(found->second).second) next_deliveries.push_back({file, found->second, found->second->demand});
      }
    }
  }
  late_files_.clear();
}

std::optional<Modules::Target> ProjectFlow::resolve(std::size_t importer, const std::string& dotted) {
  std::optional<Modules::Target> target = modules_.resolve(static_cast<int>(importer), dotted);
  for (int step = 0; step < kReexportsMax && target && !target->name.empty(); ++step) {
    std::size_t file = static_cast<std::size_t>(target->file);
    parse(file);
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

void ProjectFlow::route(const Question& question, std::vector<Delivery>& deliveries) {
  const Demand& demand = question.demand;
  if (is_by_path(demand)) {
    std::optional<Modules::Target> target = resolve(question.file, demand.name);
    if (!target || target->name.empty() || static_cast<std::size_t>(target->file) == question.file) return;
    Demand own = demand;
    own.name = target->name;
    if (std::size_t dot = target->name.rfind('.'); dot != std::string::npos) {  // config.Settings.device: of something there
      own.name = target->name.substr(dot + 1);
      own.kind = demand.kind == Demand::Kind::kImported ? Demand::Kind::kAttribute : Demand::Kind::kMethodReturned;
    }
    deliveries.push_back({static_cast<std::size_t>(target->file), &question, std::move(own)});
    return;
  }
  bool is_argument = demand.kind == Demand::Kind::kArgument;
  bool is_fixture = demand.kind == Demand::Kind::kFixture;
  for (std::size_t file : words_.files_with(WordIndex::hash_of(demand.name))) {
    if (is_fixture && !is_conftest_of(paths_[file], paths_[question.file])) continue;
    if (is_argument ? file != question.file : is_open_[file]) deliveries.push_back({file, &question, demand});
  }
}

void ProjectFlow::answer(const Delivery& delivery) {
  bool is_fixture = delivery.demand.kind == Demand::Kind::kFixture;
  if (is_fixture && !is_conftest_of(paths_[delivery.file], paths_[delivery.question->file])) return;
  parse(delivery.file);
  if (files_[delivery.file].finder == nullptr) return;
  SiteFinder& finder = *files_[delivery.file].finder;
  if (delivery.demand.kind != Demand::Kind::kArgument) return finder.answer(delivery.demand);
  finder.answer_argument(delivery.demand, [&](const std::string& dotted) {
    std::optional<Modules::Target> target = resolve(delivery.file, dotted);
    return target && static_cast<std::size_t>(target->file) == delivery.question->file && target->name == delivery.demand.name;
  });
}

bool ProjectFlow::relink(const FlowRecord& known, const std::vector<std::size_t>& changed, Load load) {
  mode_ = Mode::kRelinking;
  load_ = std::move(load);
  record_ = known;
  for (std::size_t file : changed) {
    if (!reask(known, file)) return false;
  }
  return true;
}

// One file hears everything it heard when the project was linked.
bool ProjectFlow::reask(const FlowRecord& known, std::size_t file) {
  using Parse = FlowRecord::File::Parse;
  const FlowRecord::File& before = known.files[file];
  FlowRecord::File& now = record_.files[file];
  // Whether others would have asked for a file that now says nothing of itself is not known.
  if (before.parse == Parse::kOwn && !files_[file].may_matter) return false;
  now.demands_hash = 0;
  bool is_open = false;
  auto finder = [&] { return files_[file].finder.get(); };
  std::unordered_set<WordIndex::Hash> words(files_[file].words.begin(), files_[file].words.end());
  auto ask = [&](const FlowRecord::Question& question) {
    if (words.count(WordIndex::hash_of(question.demand.name)) == 0) return;
    Question asked{question.file, question.demand};
    answer({file, &asked, question.demand});
  };
  auto note = [&] {
    if (finder() == nullptr) return;
    for (const Demand& demand : finder()->take_demands()) note_demand(file, demand);
  };
  for (phase_ = 0; phase_ < FlowRecord::kPhases; ++phase_) {
    if (phase_ == 1 && finder() != nullptr) finder()->run_comparisons();
    note();
    if (before.parse == Parse::kAsked && before.parse_phase == phase_) parse(file);
    for (const FlowRecord::Question& question : known.questions[phase_]) {
      if (question.demand.kind == Demand::Kind::kArgument && question.file != file) ask(question);
    }
    for (const Demand& demand : before.asked[phase_]) answer({file, nullptr, demand});
    if (finder() == nullptr) continue;
    int first = is_open ? phase_ : 0;
    if (!is_open) {
      collect_words(file);
      words.insert(files_[file].words.begin(), files_[file].words.end());
    }
    is_open = true;
    for (int asked_in = first; asked_in <= phase_; ++asked_in) {
      for (const FlowRecord::Question& question : known.questions[asked_in]) {
        if (question.demand.kind != Demand::Kind::kArgument) ask(question);
      }
    }
    note();
  }
  if (!is_parsed(file)) return before.parse == Parse::kNever;
  if (files_[file].may_matter) now.parse = Parse::kOwn;
  note_imports(file);
  // Nobody followed a path through a file that was never parsed.
  bool has_same_imports = before.parse == Parse::kNever || now.imports_hash == before.imports_hash;
  return now.demands_hash == before.demands_hash && has_same_imports;
}

Sites ProjectFlow::finish(std::size_t file) { return files_[file].finder->finish(); }

}  // namespace starbridge::port::python
