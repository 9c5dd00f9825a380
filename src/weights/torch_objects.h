// Finds the tensors in a pickle graph and names them as a state dict would. Knows a short list of torch, numpy and collections
// names by heart; everything else stays closed, is counted by name, and only looked through for tensors. Pure; any thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "weights/checkpoint.h"
#include "weights/pickle.h"

namespace starbridge::weights {

constexpr std::size_t kWalkDepthMax = 200;
constexpr std::size_t kWalkStepsMax = 4'000'000;
constexpr std::size_t kNamesBytesMax = 256U << 20;  // of all names together
constexpr std::size_t kOtherValuesKept = 50;

// A storage as the pickle speaks of it; its bytes are found by the reader of the file.
struct StorageClaim {
  std::string key;  // root key in the legacy form
  std::string device;
  bool is_untyped = false;
  DType dtype = DType::kU8;       // of typed storages
  std::uint64_t bytes = 0;        // in all
  std::uint64_t view_offset = 0;  // legacy views: bytes from the start of the root
  bool has_inline_bytes = false;  // numpy arrays carry theirs in the pickle
  bool is_big_endian = false;     // numpy arrays say so themselves
  std::string inline_bytes;
};

// For rewriting: one mention of a storage, under one tensor.
struct Mention {
  NodeId persistent = kNoNode;  // its id tuple
  NodeId arguments = kNoNode;   // of the rebuilding call; kNoNode for a storage that stands alone
  NodeId callable = kNoNode;
  std::size_t storage = 0;  // index of the claim
  std::string rebuilder;    // "_rebuild_tensor_v2"
};

struct TorchObjects {
  std::vector<Tensor> tensors;  // Tensor::storage is an index of `storages`; layouts are not yet checked
  std::vector<StorageClaim> storages;
  std::vector<Mention> mentions;
  std::vector<std::pair<NodeId, std::size_t>> storage_ids;  // every id tuple of a storage, with the index of its claim
  std::map<std::string, std::size_t> closed_objects;
  std::vector<std::string> dangerous;
  std::vector<std::string> other_values;
  std::size_t other_value_count = 0;
  std::vector<base::Text> remarks;
};

// Errors: weights.malformed, weights.limit.
base::Result<TorchObjects> find_tensors(const Pickle& pickle);

// True for names that an ordinary unpickler would load or call and no weights need, e.g. posix.system or builtins.eval.
bool is_dangerous_global(std::string_view module, std::string_view name);

}  // namespace starbridge::weights
