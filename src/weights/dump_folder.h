// DumpFolder: the tensors that a run wrote to disk, file by file, in the order in which they were recorded. Blocking.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace starbridge::weights {

constexpr std::size_t kDumpFilesMax = 1'000'000;

enum class Role : std::uint8_t { kInput, kOutput, kParameter };
std::string_view to_string(Role role);

struct DumpEntry {
  std::string key;  // pairs the two sides: path below the folder without suffix, and the tensor's name in a file of several
  std::string op;   // "Functional.relu.0.forward"
  Role role = Role::kOutput;
  std::string path;
  std::string tensor;  // name in the file; empty: its only one
};

enum class DumpOrder : std::uint8_t { kGiven, kRecord, kNumbers, kTime, kNames };
std::string_view to_string(DumpOrder order);

struct DumpFolder {
  std::string path;
  std::vector<DumpEntry> entries;  // in order
  DumpOrder order = DumpOrder::kNames;
};

struct DumpOptions {
  bool by_time = false;            // of the files' last change
  std::vector<std::string> order;  // operators or keys; goes before everything else
};

// Reads *.npy, *.npz, *.pt, *.pth, *.bin and *.safetensors below `path`, and dump.json beside them when there is one (the record
// that the Ascend tools write: its "data" names operators and files in the order of execution). Errors: base.not_a_directory,
// weights.limit, weights.nothing_to_compare (no dump inside), those of reading dump.json.
base::Result<DumpFolder> read_dump_folder(const std::string& path, const DumpOptions& options);

// "0012_Functional.relu.0.forward.input.1" -> operator "Functional.relu.0.forward", role input. A name that says no role is an
// output.
void split_dump_name(std::string_view name, std::string& op, Role& role);

}  // namespace starbridge::weights
