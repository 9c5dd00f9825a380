// YamlScalars: where every scalar of a YAML text stands, byte for byte, for edits that keep everything else. Pure; any thread.
// Aliases are not expanded: the text they stand for is edited where it is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::base {

struct YamlScalar {
  enum class Style { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral, kFolded };
  std::string value;  // as YAML reads it
  Style style = Style::kPlain;
  std::size_t begin = 0;  // byte offsets of the content as written: inside the quotes, after the header line of a block
  std::size_t end = 0;
  bool is_key = false;
  int parent = -1;  // index in YamlScalars::collections of the mapping or sequence it stands in; -1: the document itself
  int key = -1;     // of a value in a mapping: index of its key among the scalars; -1 in a sequence
  int item = -1;    // of a value in a sequence: its position
  // The bytes between begin and end are the value, so that a part of the value has a place in the file.
  bool is_verbatim = false;
};

struct YamlCollection {
  bool is_mapping = false;
  bool is_flow = false;
  int parent = -1;  // collection around it
  int key = -1;     // scalar that is its key in a mapping around it, or -1
  int item = -1;
  int first_scalar = 0;  // the scalars below it are those from here to before last_scalar
  int last_scalar = 0;
};

struct YamlScalars {
  std::vector<YamlScalar> scalars;  // in the order of the text
  std::vector<YamlCollection> collections;
  // The key under which a scalar or collection finally stands: of `- name: X` below `env:`, the "env" of the sequence.
  const YamlScalar* key_of(const YamlScalar& scalar) const;
  const YamlScalar* key_of_collection(int collection) const;
  // The scalar value of a key in a mapping, or nullptr.
  const YamlScalar* value_in(int mapping, std::string_view key) const;
};

// All documents. Errors: base.malformed_yaml (line, column, reason), base.document_too_large, base.document_too_deep.
Result<YamlScalars> find_yaml_scalars(std::string_view content, const std::string& name);

}  // namespace starbridge::base
