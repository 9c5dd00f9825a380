#include "weights/dump_folder.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/files.h"
#include "base/json.h"
#include "weights/checkpoint.h"
#include "weights/natural_order.h"

namespace starbridge::weights {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Result;
using base::Status;
using base::text;

constexpr std::array<std::string_view, 8> kSuffixes = {".npy", ".npz", ".pt", ".pth", ".bin", ".ckpt", ".pkl", ".safetensors"};
constexpr std::string_view kRecordName = "dump.json";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == '.' || c == '_' || c == '-' || c == '@' || c == '/' || c == ':' || c == ' '; }

// What dump.json says, in the order of its text: a tree would sort the keys.
class RecordHandler final : public nlohmann::json_sax<nlohmann::json> {
 public:
  struct Row {
    std::string op;
    std::string part;  // "input_args", "output", ...
    std::string file;
  };
  std::vector<Row> rows;

  bool start_object(std::size_t) override { return ++depth_ <= base::kJsonDepthMax; }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override { return ++depth_ <= base::kJsonDepthMax; }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) is_data_ = name == "data";
    if (depth_ == 2) op_ = name;
    if (depth_ == 3) part_ = name;
    key_ = name;
    return true;
  }
  bool string(string_t& value) override {
    if (is_data_ && depth_ > 2 && key_ == "data_name" && rows.size() < kDumpFilesMax) rows.push_back({op_, part_, value});
    return true;
  }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  int depth_ = 0;
  bool is_data_ = false;
  std::string op_, part_, key_;
};

Role role_of_part(std::string_view part) {
  if (part.rfind("input", 0) == 0) return Role::kInput;
  return part.rfind("param", 0) == 0 ? Role::kParameter : Role::kOutput;
}

// Where a file stands in the record, by its name.
using Record = std::unordered_map<std::string, std::pair<std::size_t, RecordHandler::Row>>;

Result<Record> read_record(const std::string& path) {
  SB_TRY(std::string content, base::read_file(path, base::kJsonBytesMax));
  RecordHandler handler;
  if (!nlohmann::json::sax_parse(content, &handler)) {
    SB_TRY([[maybe_unused]] base::Json tree, base::parse_json(content, path));  // says where
    return Error("weights.malformed", text("the record of the dump is malformed", "转储记录有误")).at(path);
  }
  Record record;
  for (std::size_t index = 0; index < handler.rows.size(); ++index) {
    RecordHandler::Row& row = handler.rows[index];
    std::string file = row.file;
    record.try_emplace(std::move(file), index, std::move(row));
  }
  return record;
}

struct Found {
  DumpEntry entry;
  std::size_t record_index = SIZE_MAX;
  std::int64_t changed_ns = 0;
  std::size_t index_in_file = 0;
};

bool has_known_suffix(const std::string& name, std::string& stem) {
  for (std::string_view suffix : kSuffixes) {
    if (name.size() > suffix.size() && std::string_view(name).substr(name.size() - suffix.size()) == suffix) {
      stem = name.substr(0, name.size() - suffix.size());
      return true;
    }
  }
  return false;
}

// One entry for each tensor of a file. Headers are read here, data when it is compared.
Status add_file(const std::string& folder, const std::string& relative, const std::string& stem, const Record& record,
                std::vector<Found>& found) {
  std::string path = folder + "/" + relative;
  SB_TRY(Checkpoint file, open_checkpoint(path));
  Found base;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) base.changed_ns = status.st_mtim.tv_sec * 1'000'000'000LL + status.st_mtim.tv_nsec;
  std::string name = relative.substr(relative.rfind('/') == std::string::npos ? 0 : relative.rfind('/') + 1);
  auto recorded = record.find(name);
  for (std::size_t index = 0; index < file.tensors.size(); ++index) {
    Found one = base;
    one.entry.path = path;
    one.index_in_file = index;
    bool is_only = file.tensors.size() == 1;
    const std::string& tensor = file.tensors[index].name;
    one.entry.tensor = tensor;
    one.entry.key = base::sanitize_utf8(is_only ? stem : stem + ":" + tensor);
    if (recorded != record.end()) {
      one.record_index = recorded->second.first;
      one.entry.op = base::sanitize_utf8(recorded->second.second.op);
      one.entry.role = role_of_part(recorded->second.second.part);
    } else {
      split_dump_name(is_only ? stem : tensor, one.entry.op, one.entry.role);
      if (!is_only) one.entry.op = stem + ":" + one.entry.op;
      one.entry.op = base::sanitize_utf8(one.entry.op);
    }
    found.push_back(std::move(one));
    if (found.size() > kDumpFilesMax) {
      return Error("weights.limit", text("the dump holds more tensors than {}", "转储中的张量多于 {} 个", kDumpFilesMax))
          .at(folder);
    }
  }
  return {};
}

bool starts_with_number(const Found& found) {
  std::size_t slash = found.entry.key.rfind('/');
  std::size_t at = slash == std::string::npos ? 0 : slash + 1;
  return at < found.entry.key.size() && is_digit(found.entry.key[at]);
}

DumpOrder sort_found(std::vector<Found>& found, const DumpOptions& options) {
  DumpOrder order = DumpOrder::kNames;
  if (options.by_time) {
    order = DumpOrder::kTime;
  } else if (std::any_of(found.begin(), found.end(), [](const Found& one) { return one.record_index != SIZE_MAX; })) {
    order = DumpOrder::kRecord;
  } else if (std::all_of(found.begin(), found.end(), starts_with_number)) {
    order = DumpOrder::kNumbers;
  }
  std::stable_sort(found.begin(), found.end(), [&](const Found& left, const Found& right) {
    if (order == DumpOrder::kTime && left.changed_ns != right.changed_ns) return left.changed_ns < right.changed_ns;
    if (order == DumpOrder::kRecord && left.record_index != right.record_index) return left.record_index < right.record_index;
    if (left.entry.path != right.entry.path) return compare_naturally(left.entry.path, right.entry.path) < 0;
    return left.index_in_file < right.index_in_file;
  });
  if (options.order.empty()) return order;
  std::unordered_map<std::string_view, std::size_t> given;
  for (std::size_t index = 0; index < options.order.size(); ++index) given.try_emplace(options.order[index], index);
  auto rank = [&](const Found& one) {
    auto by_key = given.find(one.entry.key), by_op = given.find(one.entry.op);
    return by_key != given.end() ? by_key->second : by_op != given.end() ? by_op->second : given.size();
  };
  std::stable_sort(found.begin(), found.end(), [&](const Found& left, const Found& right) { return rank(left) < rank(right); });
  return DumpOrder::kGiven;
}

}  // namespace

std::string_view to_string(Role role) { return role == Role::kInput ? "input" : role == Role::kOutput ? "output" : "parameter"; }

std::string_view to_string(DumpOrder order) {
  switch (order) {
    case DumpOrder::kGiven:
      return "given";
    case DumpOrder::kRecord:
      return "record";
    case DumpOrder::kNumbers:
      return "numbers";
    case DumpOrder::kTime:
      return "time";
    case DumpOrder::kNames:
      return "names";
  }
  return "";
}

void split_dump_name(std::string_view name, std::string& op, Role& role) {
  struct Word {
    std::string_view word;
    Role role;
  };
  static constexpr std::array<Word, 14> kWords = {{{"input", Role::kInput},
                                                   {"inputs", Role::kInput},
                                                   {"input_args", Role::kInput},
                                                   {"input_kwargs", Role::kInput},
                                                   {"in", Role::kInput},
                                                   {"kwargs", Role::kInput},
                                                   {"output", Role::kOutput},
                                                   {"outputs", Role::kOutput},
                                                   {"out", Role::kOutput},
                                                   {"result", Role::kOutput},
                                                   {"parameter", Role::kParameter},
                                                   {"parameters", Role::kParameter},
                                                   {"param", Role::kParameter},
                                                   {"params", Role::kParameter}}};
  std::size_t slash = name.rfind('/');
  std::string_view folder = slash == std::string_view::npos ? std::string_view() : name.substr(0, slash + 1);
  std::string_view file = name.substr(folder.size());
  std::size_t number = 0;
  while (number < file.size() && is_digit(file[number])) ++number;
  if (number > 0 && number < file.size() && is_separator(file[number])) file.remove_prefix(number + 1);
  role = Role::kOutput;
  std::size_t op_end = file.size();
  for (std::size_t begin = 0; begin < file.size();) {
    std::size_t end = begin;
    while (end < file.size() && !is_separator(file[end])) ++end;
    for (const Word& word : kWords) {
      // The last such word counts: an operator may be called "input_proj".
      if (begin > 0 && file.substr(begin, end - begin) == word.word) {
        role = word.role;
        op_end = begin - 1;
      }
    }
    begin = end + 1;
  }
  op = std::string(folder) + std::string(file.substr(0, op_end));
}

Result<DumpFolder> read_dump_folder(const std::string& path, const DumpOptions& options) {
  std::error_code failure;
  if (!fs::is_directory(path, failure)) {
    return Error("base.not_a_directory", text("a folder of tensor dumps was expected", "此处应为张量转储目录")).at(path);
  }
  std::vector<std::string> files, records;
  for (auto entry = fs::recursive_directory_iterator(path, failure); entry != fs::recursive_directory_iterator();
       entry.increment(failure)) {
    if (failure) return base::io_error(failure.value(), text("cannot read the folder", "无法读取目录"), path);
    if (!entry->is_regular_file(failure)) continue;
    std::string relative = fs::relative(entry->path(), path, failure).string(), stem;
    if (entry->path().filename() == kRecordName) records.push_back(relative);
    if (has_known_suffix(relative, stem)) files.push_back(relative);
    if (files.size() > kDumpFilesMax) {
      return Error("weights.limit", text("the dump holds more files than {}", "转储中的文件多于 {} 个", kDumpFilesMax)).at(path);
    }
  }
  Record record;
  // One record describes one rank of one step; with several, their files bear the same names and the folders must be compared
  // singly.
  if (records.size() == 1) {
    SB_TRY(record, read_record(path + "/" + records[0]));
  }
  std::sort(files.begin(), files.end(), NaturalLess{});
  std::vector<Found> found;
  for (const std::string& file : files) {
    std::string stem;
    has_known_suffix(file, stem);
    SB_TRY_VOID(add_file(path, file, stem, record, found));
  }
  if (found.empty()) {
    return Error("weights.nothing_to_compare", text("there are no tensor dumps in this folder", "该目录中没有张量转储"))
        .at(path)
        .next(text("dumps are .npy, .npz, .pt or .safetensors files", "转储文件为 .npy、.npz、.pt 或 .safetensors"));
  }
  DumpFolder folder;
  folder.path = path;
  folder.order = sort_found(found, options);
  for (Found& one : found) folder.entries.push_back(std::move(one.entry));
  return folder;
}

}  // namespace starbridge::weights
