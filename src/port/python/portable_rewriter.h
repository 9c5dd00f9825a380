// PortableRewriter: the sites of one file turned into code that runs on NVIDIA cards and on the target: devices, collectives and
// runtimes are asked of the project's helper module (port/portable.h). One object per file and target; one thread.
#pragma once

#include "port/python/rewriter.h"

namespace starbridge::port::python {

class PortableRewriter : public Rewriter {
 public:
  explicit PortableRewriter(const RewriteInput& input);

 protected:
  void rewrite_site(const Site& site) override;
  void place_imports() override;

 private:
  struct Change {
    Edit edit;
    const Site* site;
  };

  bool is_targets_own(const Site& site) const;
  void change(const Site& site, Span span, std::string replacement, std::string rule);
  void leave(const Site& site, base::Text advice);
  // A word inside a literal becomes `field`; the literal a format string, or the field alone when the word is all of it.
  void rewrite_text(const Site& site, const std::string& field, std::string rule);
  std::string apart(Span span, std::string replacement) const;
  void rewrite_type_text(const Site& site);
  void rewrite_portable_name(const Site& site);
  void rewrite_runtime_name(const Site& site, const std::string& rest);
  std::string accelerator_name(const std::string& rest) const;
  void rewrite_call(const Site& site);
  void rewrite_portable_import_from(const Site& site);
  void rewrite_portable_import(const Site& site);
  void rewrite_variable(const Site& site);
  void drop_conflicts();
  bool is_imported() const;
  std::string_view source() const { return in_.file.bytes; }
  std::string_view text_at(Span span) const { return source().substr(span.first, span.second - span.first); }

  std::vector<Change> changes_;
  std::string helper_;  // the name it goes by in this file
  bool has_accelerator_ = false;
};

}  // namespace starbridge::port::python
