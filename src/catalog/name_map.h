// NameMap, EnvMap, LibraryMap: how CUDA names, environment variables and third-party packages read on another backend. Small
// tables of data/compat, each loaded on its own. Immutable after load; any thread.
//
// What other rooms use: port's rules ask NameMap for every torch.cuda.* name, backend string and device string; EnvMap for
// variables in code, shell and YAML; LibraryMap for imports and requirement files.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace starbridge::catalog {

enum class MapStatus {
  kSame,           // same name under the vendor's module: plain renaming is right
  kRenamed,        // other name, same meaning
  kChanged,        // a counterpart exists but behaves differently: rename and tell
  kNoCounterpart,  // must not be renamed: say so
  kKeep,           // leave as it is
  kUnknown,        // no source found
};
std::string_view to_string(MapStatus status);
std::optional<MapStatus> map_status_from_name(std::string_view name);

struct NameRow {
  std::string name;     // "torch.cuda.get_device_capability", "torch.cuda.*", "nccl"
  std::string backend;  // npu, mlu, musa
  std::string kind;     // module | attribute | class | method | string | backend
  MapStatus status = MapStatus::kUnknown;
  std::string target;  // "torch.npu.get_device_capability"; empty when there is no counterpart
  std::string note;    // what differs, or what to do instead
  std::string source;
};

class NameMap {
 public:
  // Errors: catalog.bad_data with file and line.
  static base::Result<NameMap> load(const std::string& data_dir);
  // The row for a full name. A member of a listed class or function ("torch.cuda.Stream.query") takes its owner's row with the
  // target extended. An attribute of a listed module that is itself not listed is kUnknown with no target: it must not be
  // renamed blindly. Methods are written "Tensor.cuda", plain texts as they are ("cuda", "nccl").
  NameRow find(std::string_view name, std::string_view backend) const;
  const std::vector<NameRow>& rows() const { return rows_; }

 private:
  base::Status read(const std::string& path);

  std::vector<NameRow> rows_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;  // (backend, name)
};

struct EnvRow {
  std::string name;  // "CUDA_VISIBLE_DEVICES", "NCCL_DEBUG"
  std::string backend;
  MapStatus status = MapStatus::kUnknown;
  std::string target;
  std::string note;
  std::string source;
};

class EnvMap {
 public:
  static base::Result<EnvMap> load(const std::string& data_dir);
  // nullptr: the variable is not one of CUDA's or NCCL's that the table knows.
  const EnvRow* find(std::string_view name, std::string_view backend) const;
  const std::vector<EnvRow>& rows() const { return rows_; }

 private:
  std::vector<EnvRow> rows_;
};

struct LibraryRow {
  std::string package;               // distribution name in lower case, "flash-attn"
  std::vector<std::string> imports;  // "flash_attn"
  std::string backend;
  std::string status;       // ported | replaced | partial | none | neutral
  std::string replacement;  // package or API to use instead
  std::string note;
  std::string source;
};

class LibraryMap {
 public:
  static base::Result<LibraryMap> load(const std::string& data_dir);
  // By distribution name ('-', '_' and '.' are equal, case ignored). nullptr: nothing known, which is not a promise.
  const LibraryRow* find_package(std::string_view package, std::string_view backend) const;
  // By the top module of an import ("flash_attn.layers" -> "flash_attn").
  const LibraryRow* find_import(std::string_view module, std::string_view backend) const;
  const std::vector<LibraryRow>& rows() const { return rows_; }

 private:
  std::vector<LibraryRow> rows_;
  std::map<std::string, std::vector<std::size_t>, std::less<>> rows_of_import_;  // rows by the modules they name, in order
};

}  // namespace starbridge::catalog
