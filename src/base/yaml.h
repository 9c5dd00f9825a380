// YAML read with limits into a tree that knows its lines, so that every wrong field can be named.
// Plain values after parsing; any thread. Anchors and aliases are expanded within a limit; duplicate keys are refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace starbridge::base {

constexpr std::size_t kYamlBytesMax = 16UL << 20;
constexpr int kYamlDepthMax = 64;
constexpr std::size_t kYamlNodesMax = 2'000'000;  // after alias expansion: stops "billion laughs" documents

class YamlNode {
 public:
  enum class Kind { kNull, kScalar, kSequence, kMapping };

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_scalar() const { return kind_ == Kind::kScalar; }
  bool is_sequence() const { return kind_ == Kind::kSequence; }
  bool is_mapping() const { return kind_ == Kind::kMapping; }
  bool is_quoted() const { return quoted_; }

  // Text of a scalar as written (unquoted); empty otherwise.
  const std::string& scalar() const { return scalar_; }
  const std::vector<YamlNode>& items() const { return items_; }
  const std::vector<std::pair<std::string, YamlNode>>& fields() const { return fields_; }

  // File, line, column and path ("resources.cards", "spec.containers[0].image") of this node.
  Place place() const;
  const std::string& path() const { return path_; }

  // The value of a key, or nullptr. A null value counts as present.
  const YamlNode* find(std::string_view key) const;
  // The value of a key. Error: base.wrong_field naming this mapping and the key.
  Result<const YamlNode*> require(std::string_view key) const;
  // Every key must be among `known`; the error names the nearest one.
  Status refuse_unknown_fields(const std::vector<std::string_view>& known) const;

  // Typed readers of this node. Error: base.wrong_field at this node.
  Result<std::string> as_string() const;
  Result<std::int64_t> as_integer() const;
  Result<double> as_number() const;
  Result<bool> as_boolean() const;
  Result<std::vector<std::string>> as_string_list() const;  // a sequence of scalars, or one scalar
  // The JSON value a YAML 1.2 core-schema reader would give.
  Json to_json() const;

  Error wrong(Text message) const;

 private:
  friend class YamlTreeBuilder;
  Kind kind_ = Kind::kNull;
  bool quoted_ = false;
  std::string scalar_;
  std::vector<YamlNode> items_;
  std::vector<std::pair<std::string, YamlNode>> fields_;
  std::shared_ptr<const std::string> file_;
  std::string path_;
  int line_ = 0;
  int column_ = 0;
};

// All documents of `text`. Errors: base.malformed_yaml (line, column, reason), base.document_too_large, base.document_too_deep.
Result<std::vector<YamlNode>> parse_yaml_documents(std::string_view text, const std::string& name);
// Exactly one document; an empty text is a null node.
Result<YamlNode> parse_yaml(std::string_view text, const std::string& name);
Result<YamlNode> read_yaml(const std::string& path);

}  // namespace starbridge::base
