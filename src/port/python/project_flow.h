// ProjectFlow: the Python files of a project together. Each is read by itself (read, any thread), then values are followed from
// file to file until nothing new is reached (link), then each gives its sites (finish, any thread). What is found does not depend
// on the threads: questions are asked and answered in rounds, and each file answers its own in their order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "port/python/flow_record.h"
#include "port/python/modules.h"
#include "port/python/sites.h"
#include "port/python/word_index.h"
#include "port/source_file.h"

namespace starbridge::port::python {

constexpr std::size_t kScanThreads = 2;

class ProjectFlow {
 public:
  // `rules`: declared ones; may be null.
  explicit ProjectFlow(std::vector<std::string> paths, const RuleSet* rules = nullptr);

  // The text of a file, once. `may_matter` false: it is looked at only when another file asks.
  void read(std::size_t file, SourceFile source, bool may_matter);
  void link();

  // Instead of link(), after reading `changed` files alone: asks them what `known` says and returns whether they ask the same of
  // the others as before; then what the others say stands. False: everything must be read and linked anew. `load` reads any other
  // file that a path leads through.
  using Load = std::function<SourceFile(std::size_t file)>;
  bool relink(const FlowRecord& known, const std::vector<std::size_t>& changed, Load load);
  // After link(), or after a relink that returned true.
  FlowRecord take_record() { return std::move(record_); }

  const SourceFile& source(std::size_t file) const { return files_[file].source; }
  const Syntax& syntax(std::size_t file) const { return *files_[file].syntax; }
  bool is_parsed(std::size_t file) const { return files_[file].syntax != nullptr; }
  // First damaged byte of a parsed file, or npos.
  std::size_t error_at(std::size_t file) const { return files_[file].syntax->error_at(); }
  // Of a parsed file without damage, once.
  Sites finish(std::size_t file);
  void forget(std::size_t file) { files_[file] = {}; }

  // Names of attributes, options and settings that reach a device or a collective somewhere: what configuration files may set.
  const std::map<std::string, TextRole>& settings() const { return record_.settings; }

 private:
  enum class Mode { kReading, kLinking, kRelinking };
  struct File {
    SourceFile source;
    std::unique_ptr<Syntax> syntax;
    std::unique_ptr<SiteFinder> finder;
    std::vector<WordIndex::Hash> words;  // until the index holds them
    bool may_matter = false;
  };
  struct Question {
    std::size_t file;  // who asks
    Demand demand;
  };
  // A question as one file is to answer it.
  struct Delivery {
    std::size_t file;
    const Question* question;
    Demand demand;
  };

  void parse(std::size_t file);
  void collect_words(std::size_t file);
  void collect(std::size_t file);
  void settle();
  void route(const Question& question, std::vector<Delivery>& deliveries);
  void answer(const Delivery& delivery);
  void take_late_files(std::vector<Delivery>& next_deliveries);
  void note_demand(std::size_t file, const Demand& demand);
  void note_imports(std::size_t file);
  bool reask(const FlowRecord& known, std::size_t file);
  // Where a path leads in the end, through re-exports.
  std::optional<Modules::Target> resolve(std::size_t importer, const std::string& dotted);

  Modules modules_;
  const RuleSet* rules_;
  std::vector<File> files_;
  std::unique_ptr<std::once_flag[]> parsed_;
  std::vector<std::string> paths_;
  WordIndex words_;
  std::vector<bool> is_open_;  // files that answer questions by name: those parsed before the round
  std::mutex late_mutex_;
  std::vector<std::size_t> late_files_;  // parsed in this round
  Mode mode_ = Mode::kReading;
  Load load_;
  int phase_ = 0;
  FlowRecord record_;
  std::vector<std::unique_ptr<Question>> waiting_;
  std::vector<std::unique_ptr<Question>> asked_by_name_;
  std::unordered_multimap<WordIndex::Hash, const Question*> asked_words_;
  std::unordered_set<std::size_t> asked_;
  std::unordered_set<std::uint64_t> noted_;
};

}  // namespace starbridge::port::python
