// Rewriter: turns the sites of one file into edits and findings in the vendor's names. The portable style builds on it
// (portable_rewriter.h); others call rewrite(). One object per file and target; one thread.
#pragma once

#include <map>
#include <unordered_map>

#include "port/python/rewrite.h"

namespace starbridge::port::python {

class Rewriter {
 public:
  explicit Rewriter(const RewriteInput& input) : in_(input) {}
  virtual ~Rewriter() = default;
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  RewriteOutput run();

 protected:
  virtual void rewrite_site(const Site& site);
  // A file writes the same few names again and again. `name` belongs to a site.
  const std::optional<Translation>& translate(const std::string& name);
  void edit(Span span, std::string replacement, std::string rule);
  Finding& find(Span span, std::string rule, Severity severity, base::Text message, std::string source = "");
  // Says what a translation needs said; true when there is a name to write.
  bool report(Span span, const std::string& name, const Translation& translation);
  void rewrite_name_text(const Site& site);
  void rewrite_name(const Site& site);
  // Replaces only the words that differ, so that line breaks and comments between them stay.
  void write_segments(const Site& site, const std::vector<std::string>& words);
  // A name that only the plug-in has, from the bare name of torch; false when it cannot be.
  bool write_through_plugin(const Site& site, const std::string& target);
  void rewrite_method(const Site& site);
  void rewrite_import_module(const Site& site);
  void rewrite_import_from(const Site& site);
  void rewrite_environment(const Site& site);
  bool is_index_of_any_card(const Site& site) const;
  bool is_asked_with_absent_package(const Site& site) const;
  void judge_visible_devices(const Site& site);
  void judge_package(const Site& site);
  void judge_dtype(const Site& site);
  void judge_construct(const Site& site);
  void judge_api(const Site& site);
  // import torch_npu after the first import of torch, once; plug-ins of other families go.
  virtual void place_imports();
  // Code that tells cards apart by itself was left alone; a chain of tests that has no branch for the target needs one.
  void judge_branches();
  // What declared rules ask for, among the edits made so far.
  void apply_rules();
  bool has_foreign_plugin(std::string_view statement) const;
  void remove_line(Span lines);

  const RewriteInput& in_;
  RewriteOutput out_;
  std::map<std::string, bool> seen_;
  std::unordered_map<std::string_view, std::optional<Translation>> translations_;
  bool has_device_edit_ = false;
};

}  // namespace starbridge::port::python
