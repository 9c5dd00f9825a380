// Files: reading with a limit, writing that is whole or not at all. Any thread; blocking.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace starbridge::base {

constexpr std::size_t kFileBytesMax = 1UL << 30;

// The whole content of a regular file. Errors: base.file_not_found, base.not_a_file, base.no_permission,
// base.document_too_large (more than `bytes_max`), base.io_failed.
Result<std::string> read_file(const std::string& path, std::size_t bytes_max = kFileBytesMax);

// Writes a temporary file beside `path`, flushes it to the disk and renames it over `path`: a reader sees the old content or
// the new one. On failure nothing is left behind. Keeps `mode` bits.
// Errors: base.disk_full, base.no_permission, base.file_not_found (folder), base.io_failed.
Status write_file_atomically(const std::string& path, std::string_view content, unsigned mode = 0644);
// The same without the flush, for what may be rebuilt: after a loss of power the file may be empty or damaged.
Status write_cache_file(const std::string& path, std::string_view content, unsigned mode = 0600);

// mkdir -p. Errors: base.no_permission, base.not_a_directory, base.disk_full.
Status make_directories(const std::string& path);

// The folder for things that may be rebuilt: $STARBRIDGE_CACHE, $XDG_CACHE_HOME/starbridge or ~/.cache/starbridge.
std::string cache_directory();
// The folder with the server's state: $STARBRIDGE_HOME, $XDG_DATA_HOME/starbridge or ~/.local/share/starbridge.
std::string home_directory();

// The installation root that holds data/ and python/: $STARBRIDGE_ROOT, or found from the place of this program.
// Error: base.file_not_found when no such folder is near.
Result<std::string> installation_root();

}  // namespace starbridge::base
