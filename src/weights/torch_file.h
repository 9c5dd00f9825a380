// TorchFile: a file of torch.save taken apart: its pickle, the tensors found in it, and where the bytes of each storage lie.
// Blocking; any thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "weights/checkpoint.h"
#include "weights/torch_objects.h"
#include "weights/zip_reader.h"

namespace starbridge::weights {

struct TorchFile {
  Format format = Format::kTorchZip;
  std::unique_ptr<FileSource> file;
  std::optional<ZipReader> zip;
  std::string prefix;       // of the entries in the archive, with its slash
  std::string pickle_text;  // outlives `pickle`, which points into it
  Pickle pickle;
  TorchObjects objects;
  std::vector<std::unique_ptr<ByteSource>> sources;
  std::vector<Storage> storages;  // one for each of objects.storages
  // Legacy files only: where their parts lie.
  std::uint64_t pickle_offset = 0;           // of the pickle with the objects
  std::vector<std::string> legacy_keys;      // in the order of the data
  std::uint64_t keys_end = 0;                // where the pickle of keys ends
  std::vector<std::size_t> legacy_storages;  // index of the claim that decides each key's element size
};

// `keeps_sites`: what is needed to rewrite the pickle is kept as well.
// Errors: those of FileSource::open, weights.malformed, weights.limit, weights.unsafe_name, weights.unsupported.
base::Result<std::unique_ptr<TorchFile>> read_torch_file(const std::string& path, bool keeps_sites = false);

base::Result<Checkpoint> read_torch_checkpoint(const std::string& path);

}  // namespace starbridge::weights
