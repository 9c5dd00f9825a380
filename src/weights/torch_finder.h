// The walk of find_tensors. Internal to the room.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "weights/torch_objects.h"

namespace starbridge::weights {

class TorchFinder {
 public:
  explicit TorchFinder(const Pickle& pickle) : pickle_(pickle), on_path_(pickle.nodes.size(), false) {}
  base::Result<TorchObjects> run();

 private:
  struct Name {
    std::string_view module;
    std::string_view name;
  };

  // Storages
  base::Status claim_storages();
  base::Status claim_storage(NodeId persistent, const Node& id);
  std::size_t add_claim(StorageClaim claim);

  // The walk. Each returns an error only for what no honest file holds.
  base::Status walk(NodeId id, const std::string& path, int depth);
  base::Status walk_items(const Node& node, const std::string& path, int depth);
  base::Status walk_pairs(const Node& node, const std::string& path, int depth);
  base::Status walk_call(NodeId id, const std::string& path, int depth);
  base::Status walk_closed(NodeId id, const Name& name, const std::string& path, int depth);
  base::Status walk_state(NodeId state, const std::string& path, int depth);
  base::Status walk_named(const Node& items, std::initializer_list<const char*> names, const std::string& path, int depth);

  // Tensors. nullopt: the call does not have the arguments that its name promises.
  std::optional<Tensor> tensor_of(NodeId id, int depth);
  std::optional<Tensor> rebuild(std::string_view rebuilder, NodeId callable, NodeId arguments, int depth);
  std::optional<Tensor> rebuild_strided(std::string_view rebuilder, NodeId callable, NodeId arguments);
  std::optional<Tensor> numpy_array(const Node& call);
  std::optional<Tensor> make_array(NodeId dtype, NodeId shape, bool is_fortran, NodeId bytes);
  base::Status add_tensor(Tensor tensor, const std::string& path);
  void add_other(const std::string& path);

  // Reading nodes
  const Node& node(NodeId id) const { return pickle_.node(id); }
  const Node* arguments_of(const Node& call) const;
  bool name_of(NodeId id, Name& name) const;
  bool whole_number(NodeId id, std::uint64_t& value) const;
  bool whole_numbers(NodeId id, std::vector<std::uint64_t>& values) const;
  std::optional<std::string> bytes_of_node(NodeId id) const;
  std::optional<DType> dtype_of(NodeId id) const;
  bool numpy_dtype(NodeId id, DType& dtype, bool& is_big_endian) const;
  void read_metadata(NodeId id, Tensor& tensor) const;
  std::string device_text(NodeId id) const;

  const Pickle& pickle_;
  TorchObjects found_;
  std::vector<bool> on_path_;
  std::unordered_map<NodeId, std::size_t> storage_of_;     // persistent node -> claim
  std::unordered_map<NodeId, std::size_t> array_storage_;  // bytes node of a numpy array -> claim
  std::unordered_map<std::string, std::size_t> claim_by_key_;
  std::unordered_set<std::string> names_;
  std::unordered_set<NodeId> mentioned_;
  std::size_t steps_ = 0;
  std::size_t name_bytes_ = 0;
};

// "<f4" and the like; false for types that are no numbers.
bool parse_numpy_descriptor(std::string_view descriptor, DType& dtype, bool& is_big_endian);

}  // namespace starbridge::weights
