// The scan's cache: what an earlier scan of a tree found, file by file, so that the next one looks only at what was written
// since. Told by contents: a file whose time stamps changed is hashed and stands if it reads as before. Rebuilt whenever anything
// else the scan depends on differs: the program, its data, the chips, the options, the day.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "port/analyze.h"
#include "port/python/flow_record.h"
#include "port/walk.h"

namespace starbridge::port {

// What a Python file adds to what is known of the project as a whole.
struct PythonFacts {
  std::vector<std::pair<std::string, base::Place>> shims;
  std::array<std::size_t, 4> family_counts{};
  bool is_helper = false;
};

struct ScannedFile {
  std::string path;
  FileStamp stamp;  // all zero: written so late that only its contents tell
  bool is_read = false;
  std::uint64_t hash = 0;  // of its bytes, when it was read
  PythonFacts python;
  FileReport report;  // before anything that regards the whole project
};

struct ScanSnapshot {
  std::vector<ScannedFile> files;  // by path
  python::FlowRecord flow;
  std::string source_device;
  std::set<std::string> shims;
  bool has_helper = false;
};

std::uint64_t content_hash(std::string_view bytes);

// Everything a scan depends on but the tree. Empty when it cannot be told; then nothing is kept.
std::string scan_key(const std::string& root, const Context& context);
// The snapshot of the same key, or nothing: a cache that is missing, damaged or of another key is no error.
std::optional<ScanSnapshot> load_snapshot(const std::string& root, const std::string& key);
// Best effort.
void save_snapshot(const std::string& root, const std::string& key, std::string_view encoded);

std::string encode(ScanSnapshot& snapshot);
std::optional<ScanSnapshot> decode(std::string_view encoded);

}  // namespace starbridge::port
