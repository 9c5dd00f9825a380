// TemporaryFolder: a folder that goes away with the object. One owner.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace starbridge::kernel {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "starbridge-kernel-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path = pattern;
  }
  ~TemporaryFolder() {
    std::error_code error;
    if (!path.empty()) std::filesystem::remove_all(path, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path;  // empty: it could not be made
};

}  // namespace starbridge::kernel
