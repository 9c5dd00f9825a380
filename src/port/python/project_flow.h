// ProjectFlow: the Python files of a project together. Each is read by itself (read, any thread), then values are followed from
// file to file until nothing new is reached (link), then each gives its sites (finish, any thread). What is found does not depend
// on the threads: questions are asked and answered in rounds, and each file answers its own in their order.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "port/python/modules.h"
#include "port/python/sites.h"
#include "port/python/word_index.h"
#include "port/source_file.h"

namespace starbridge::port::python {

constexpr std::size_t kScanThreads = 2;

class ProjectFlow {
 public:
  explicit ProjectFlow(std::vector<std::string> paths);

  // The text of a file, once. `may_matter` false: it is looked at only when another file asks.
  void read(std::size_t file, SourceFile source, bool may_matter);
  void link();

  const SourceFile& source(std::size_t file) const { return files_[file].source; }
  bool is_parsed(std::size_t file) const { return files_[file].syntax != nullptr; }
  // First damaged byte of a parsed file, or npos.
  std::size_t error_at(std::size_t file) const { return files_[file].syntax->error_at(); }
  // Of a parsed file without damage, once.
  Sites finish(std::size_t file);
  void forget(std::size_t file) { files_[file] = {}; }

  // Names of attributes, options and settings that reach a device or a collective somewhere: what configuration files may set.
  const std::map<std::string, TextRole>& settings() const { return settings_; }

 private:
  struct File {
    SourceFile source;
    std::unique_ptr<Syntax> syntax;
    std::unique_ptr<SiteFinder> finder;
    std::vector<WordIndex::Hash> words;  // until the index holds them
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
  // Where a path leads in the end, through re-exports.
  std::optional<Modules::Target> resolve(std::size_t importer, const std::string& dotted);

  Modules modules_;
  std::vector<File> files_;
  std::unique_ptr<std::once_flag[]> parsed_;
  WordIndex words_;
  std::vector<bool> is_open_;  // files that answer questions by name: those parsed before the round
  std::mutex late_mutex_;
  std::vector<std::size_t> late_files_;  // parsed in this round
  bool is_linking_ = false;
  std::vector<std::unique_ptr<Question>> waiting_;
  std::vector<std::unique_ptr<Question>> asked_by_name_;
  std::unordered_multimap<WordIndex::Hash, const Question*> asked_words_;
  std::unordered_set<std::size_t> asked_;
  std::map<std::string, TextRole> settings_;
};

}  // namespace starbridge::port::python
