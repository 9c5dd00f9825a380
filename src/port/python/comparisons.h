// Comparisons: texts that devices and collectives are compared with, `device.type == "cuda"`, `"cuda" in str(device)`,
// `device.startswith("cuda")`, `match device.type: case "cuda"`, and keys of tables that devices look up, `KERNELS[device.type]`. Judged when the flow knows which
// names hold devices. One object per file; one thread.
#pragma once

#include <functional>
#include <vector>

#include "port/python/flow.h"

namespace starbridge::port::python {

class Comparisons {
 public:
  // `on_environment` takes texts that are compared with os.environ.
  Comparisons(const Syntax& syntax, const Scopes& scopes, Flow& flow, std::function<void(NodeId string)> on_environment)
      : syntax_(syntax), scopes_(scopes), flow_(flow), on_environment_(std::move(on_environment)) {}

  void visit_comparison(NodeId comparison) { comparisons_.push_back(comparison); }
  void visit_match(NodeId statement) { matches_.push_back(statement); }
  void visit_prefix_test(NodeId call) { prefix_tests_.push_back(call); }
  // TABLE[key], TABLE.get(key).
  void visit_lookup(NodeId table, NodeId key);
  void run();

 private:
  struct Lookup {
    NodeId table;
    NodeId key;
  };
  bool is_device_like(NodeId expression) const;
  bool holds_device(NodeId expression) const;
  bool is_backend_like(NodeId expression) const;
  void compare(NodeId comparison);
  void match(NodeId statement);

  const Syntax& syntax_;
  const Scopes& scopes_;
  Flow& flow_;
  std::function<void(NodeId string)> on_environment_;
  std::vector<NodeId> comparisons_;
  std::vector<NodeId> matches_;
  std::vector<NodeId> prefix_tests_;
  std::vector<Lookup> lookups_;
};

}  // namespace starbridge::port::python
