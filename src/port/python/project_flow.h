// ProjectFlow: the Python files of a project together. Each is read by itself (read, any thread), then values are followed from
// file to file until nothing new is reached (link, one thread), then each gives its sites (finish, any thread).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "port/python/modules.h"
#include "port/python/sites.h"
#include "port/source_file.h"

namespace starbridge::port::python {

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
  };
  struct Question {
    std::size_t file;  // who asks
    Demand demand;
  };

  void parse(std::size_t file);
  void index_words(std::size_t file);
  // Files in which a word may stand, in their order.
  std::vector<std::size_t> files_with(const std::string& word) const;
  void collect(std::size_t file);
  void settle();
  void answer(const Question& question);
  void answer_argument(const Question& question);
  // Where a path leads in the end, through re-exports.
  std::optional<Modules::Target> resolve(std::size_t importer, const std::string& dotted);

  Modules modules_;
  std::vector<File> files_;
  std::vector<std::uint64_t> words_;                                // 32 bits of a word's hash, then the file; sorted
  std::unordered_multimap<std::uint64_t, std::size_t> late_words_;  // of files parsed after words_ was made
  bool is_linking_ = false;
  std::deque<Question> waiting_;
  std::unordered_set<std::size_t> asked_;
  std::map<std::string, TextRole> settings_;
};

}  // namespace starbridge::port::python
