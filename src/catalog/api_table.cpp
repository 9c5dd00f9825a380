#include "catalog/api_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/files.h"
#include "catalog/fact_reader.h"
#include "catalog/nearest.h"
#include "catalog/tsv.h"

namespace starbridge::catalog {
namespace {

using base::Result;
using base::Status;
using base::text;

constexpr std::array<std::string_view, 6> kSupportNames = {"native",       "limited",     "composite",
                                                           "cpu_fallback", "unsupported", "unknown"};

// "2.7.1" -> 2007; patch levels share a table. 0 for an empty or malformed version.
int version_key(std::string_view version) {
  std::size_t dot = version.find('.');
  if (dot == std::string_view::npos) return 0;
  int major = 0;
  int minor = 0;
  auto first = std::from_chars(version.data(), version.data() + dot, major);
  auto second = std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  if (first.ec != std::errc() || second.ec != std::errc()) return 0;
  return major * 1000 + minor;
}

// A row about another torch version ranks behind what is known of the wanted one, but before mere decomposition.
constexpr int kNeighbourPenalty = 32;

struct TableSource {
  Source source;
  std::string file;  // "-" for sources of the name map
  std::string backend;
  int rank = 0;
  Confidence confidence = Confidence::kAssumed;
  int newest = 0;  // newest version a row of this source speaks of
};

struct Entry {
  std::string_view name;
  std::string_view torch_min;
  std::string_view torch_max;
  std::string_view hardware;
  std::string_view dtypes;
  std::string_view vendor_name;
  std::string_view note;
  Support status = Support::kUnknown;
  int min_key = 0;
  int max_key = 0;
  std::size_t source = 0;
};

bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    std::size_t comma = list.find(',');
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return false;
}

// The operator behind a function of this name: torch.isin -> isin, torch.linalg.qr -> linalg_qr.
std::string operator_of(std::string_view api) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kPrefixes = {{{"torch.nn.functional.", ""},
                                                                                       {"torch.Tensor.", ""},
                                                                                       {"torch.linalg.", "linalg_"},
                                                                                       {"torch.special.", "special_"},
                                                                                       {"torch.fft.", "fft_"},
                                                                                       {"torch.", ""}}};
  for (const auto& [prefix, replacement] : kPrefixes) {
    if (api.substr(0, prefix.size()) != prefix) continue;
    std::string_view rest = api.substr(prefix.size());
    if (rest.empty() || rest.find('.') != std::string_view::npos) return "";
    return "aten::" + std::string(replacement) + std::string(rest);
  }
  return "";
}

bool is_out_variant(std::string_view operator_name) {
  std::size_t dot = operator_name.rfind('.');
  return dot != std::string_view::npos && operator_name.find("out", dot) != std::string_view::npos;
}

enum class Kind { kRuns, kElsewhere, kRefused, kSilent };
Kind kind_of(Support support) {
  switch (support) {
    case Support::kNative:
    case Support::kLimited:
    case Support::kComposite:
      return Kind::kRuns;
    case Support::kCpuFallback:
      return Kind::kElsewhere;
    case Support::kUnsupported:
      return Kind::kRefused;
    case Support::kUnknown:
      break;
  }
  return Kind::kSilent;
}

}  // namespace

std::string_view to_string(Support support) { return kSupportNames[static_cast<std::size_t>(support)]; }

std::optional<Support> support_from_name(std::string_view name) {
  for (std::size_t index = 0; index < kSupportNames.size(); ++index) {
    if (kSupportNames[index] == name) return static_cast<Support>(index);
  }
  return std::nullopt;
}

struct ApiTable::Impl {
  std::vector<std::unique_ptr<std::string>> texts;  // the files; entries point into them
  std::vector<TableSource> sources;
  std::vector<Entry> entries;  // by name, then source

  Status read_sources(const std::string& path);
  Status read_entries(const std::string& path, std::size_t source);
  void age_editions();
  std::pair<std::size_t, std::size_t> range(std::string_view name) const;
  Evidence evidence(const Entry& entry, int wanted) const;
  template <class Take>
  void each_of(std::string_view name, std::string_view backend, std::string_view hardware, const Take& take) const;
};

Status ApiTable::Impl::read_sources(const std::string& path) {
  texts.push_back(std::make_unique<std::string>());
  SB_TRY(*texts.back(), base::read_file(path));
  return read_tsv(
      *texts.back(), path, {"id", "file", "backend", "rank", "date", "confidence", "licence", "ref", "title"},
      [&](const TsvRow& row) -> Status {
        const auto& cells = row.cells;
        TableSource entry{
            {std::string(cells[0]), std::string(cells[4]), std::string(cells[8]), std::string(cells[7]), std::string(cells[6])},
            std::string(cells[1]),
            std::string(cells[2]),
            0,
            Confidence::kAssumed,
            0};
        auto parsed = std::from_chars(cells[3].data(), cells[3].data() + cells[3].size(), entry.rank);
        if (parsed.ec != std::errc() || entry.rank <= 0) {
          return bad_data(path, row.line, "rank", text("a whole number above zero was expected", "此处应为大于零的整数"));
        }
        if (!is_date(entry.source.date))
          return bad_data(path, row.line, "date", text("a date YYYY-MM-DD was expected", "此处应为 YYYY-MM-DD 日期"));
        std::optional<Confidence> confidence = confidence_from_name(cells[5]);
        if (!confidence.has_value()) return bad_data(path, row.line, "confidence", text("unknown confidence", "未知的可信度"));
        entry.confidence = *confidence;
        if (entry.source.ref.empty()) return bad_data(path, row.line, "ref", text("a source needs an address", "来源需要地址"));
        sources.push_back(std::move(entry));
        return {};
      });
}

Status ApiTable::Impl::read_entries(const std::string& path, std::size_t source) {
  texts.push_back(std::make_unique<std::string>());
  SB_TRY(*texts.back(), base::read_file(path));
  return read_tsv(
      *texts.back(), path, {"name", "status", "torch_min", "torch_max", "hardware", "dtypes", "vendor_name", "note"},
      [&](const TsvRow& row) -> Status {
        const auto& cells = row.cells;
        std::optional<Support> status = support_from_name(cells[1]);
        if (!status.has_value()) {
          return bad_data(path, row.line, "status", text("unknown status \"{}\"", "未知状态“{}”", base::sanitize_utf8(cells[1])));
        }
        Entry entry{cells[0],
                    cells[2],
                    cells[3],
                    cells[4],
                    cells[5],
                    cells[6],
                    cells[7],
                    *status,
                    version_key(cells[2]),
                    version_key(cells[3]),
                    source};
        if ((!cells[2].empty() && entry.min_key == 0) || (!cells[3].empty() && entry.max_key == 0)) {
          return bad_data(path, row.line, "torch_min", text("a version such as 2.7 was expected", "此处应为 2.7 这样的版本"));
        }
        sources[source].newest = std::max(sources[source].newest, entry.max_key);
        entries.push_back(entry);
        return {};
      });
}

// "npu-migration-2.3" is an older edition of "npu-migration": its newest statement is not the newest there is.
void ApiTable::Impl::age_editions() {
  for (TableSource& source : sources) {
    for (const TableSource& newer : sources) {
      const std::string& id = source.source.id;
      std::size_t length = newer.source.id.size();
      bool is_edition = id.size() > length + 1 && id.compare(0, length, newer.source.id) == 0 && id[length] == '-' &&
                        id[length + 1] >= '0' && id[length + 1] <= '9';
      if (is_edition) source.newest = std::max(source.newest, newer.newest);
    }
  }
}

// Entries named `name`, or for "aten::x" also those of its overloads.
std::pair<std::size_t, std::size_t> ApiTable::Impl::range(std::string_view name) const {
  auto low = std::lower_bound(entries.begin(), entries.end(), name,
                              [](const Entry& entry, std::string_view key) { return entry.name < key; });
  auto high = low;
  std::string prefix = name.substr(0, 6) == "aten::" ? std::string(name) + "." : std::string();
  while (high != entries.end() && (high->name == name || (!prefix.empty() && high->name.substr(0, prefix.size()) == prefix))) {
    ++high;
  }
  return {low - entries.begin(), high - entries.begin()};
}

Evidence ApiTable::Impl::evidence(const Entry& entry, int wanted) const {
  const TableSource& source = sources[entry.source];
  bool covers = wanted == 0 ? entry.max_key == 0 || entry.max_key == source.newest
                            : (entry.min_key == 0 || entry.min_key <= wanted) && (entry.max_key == 0 || wanted <= entry.max_key);
  return {entry.name, source.backend,    entry.status,     entry.torch_min, entry.torch_max,   entry.hardware, entry.dtypes,
          entry.note, entry.vendor_name, source.source.id, source.rank,     source.confidence, covers};
}

template <class Take>
void ApiTable::Impl::each_of(std::string_view name, std::string_view backend, std::string_view hardware, const Take& take) const {
  auto [low, high] = range(name);
  for (std::size_t index = low; index < high; ++index) {
    const Entry& entry = entries[index];
    const TableSource& source = sources[entry.source];
    if (source.backend != backend && source.backend != "*") continue;
    if (!hardware.empty() && !entry.hardware.empty() && !lists(entry.hardware, hardware)) continue;
    take(entry);
  }
}

ApiTable::ApiTable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ApiTable::ApiTable(ApiTable&&) noexcept = default;
ApiTable& ApiTable::operator=(ApiTable&&) noexcept = default;
ApiTable::~ApiTable() = default;

Result<ApiTable> ApiTable::load(const std::string& data_dir) {
  auto impl = std::make_unique<Impl>();
  std::string folder = data_dir + "/compat/";
  SB_TRY_VOID(impl->read_sources(folder + "sources.tsv"));
  for (std::size_t index = 0; index < impl->sources.size(); ++index) {
    if (impl->sources[index].file == "-") continue;
    SB_TRY_VOID(impl->read_entries(folder + impl->sources[index].file, index));
  }
  impl->age_editions();
  std::stable_sort(impl->entries.begin(), impl->entries.end(),
                   [](const Entry& left, const Entry& right) { return left.name < right.name; });
  return ApiTable(std::move(impl));
}

std::vector<Evidence> ApiTable::find(std::string_view name, std::string_view backend, std::string_view torch_version,
                                     std::string_view hardware) const {
  std::vector<Evidence> found;
  int wanted = version_key(torch_version);
  impl_->each_of(name, backend, hardware, [&](const Entry& entry) { found.push_back(impl_->evidence(entry, wanted)); });
  std::string operator_name = operator_of(name);
  if (!operator_name.empty()) {
    impl_->each_of(operator_name, backend, hardware, [&](const Entry& entry) {
      if (!is_out_variant(entry.name)) found.push_back(impl_->evidence(entry, wanted));
    });
  }
  auto strength = [](const Evidence& row) { return row.rank + (row.covers_version ? 0 : kNeighbourPenalty); };
  std::stable_sort(found.begin(), found.end(), [&](const Evidence& left, const Evidence& right) {
    if (strength(left) != strength(right)) return strength(left) < strength(right);
    return version_key(left.torch_max) > version_key(right.torch_max);
  });
  return found;
}

Judgement ApiTable::judge(const std::vector<Evidence>& evidence) {
  Judgement judgement;
  for (const Evidence& row : evidence) {
    if (kind_of(row.status) == Kind::kSilent) continue;
    if (!judgement.decided_by.has_value()) {
      judgement.decided_by = row;
      judgement.status = row.status;
      continue;
    }
    // What holds for other versions, and an operator being decomposable in principle, contradict nothing.
    bool is_peer = row.covers_version == judgement.decided_by->covers_version && row.source != judgement.decided_by->source;
    bool contradicts = is_peer && row.status != Support::kComposite && kind_of(row.status) != kind_of(judgement.status);
    bool is_told = std::any_of(judgement.against.begin(), judgement.against.end(),
                               [&](const Evidence& other) { return other.source == row.source; });
    if (contradicts && !is_told) judgement.against.push_back(row);
  }
  judgement.is_contested = !judgement.against.empty();
  if (!judgement.decided_by.has_value()) return judgement;
  constexpr std::array<double, 4> kWeights = {0.9, 1.0, 0.6, 0.5};  // published, measured, reported, assumed
  judgement.confidence = kWeights[static_cast<std::size_t>(judgement.decided_by->confidence)];
  if (!judgement.decided_by->covers_version) judgement.confidence *= 0.7;
  if (judgement.is_contested) judgement.confidence *= 0.6;
  return judgement;
}

bool ApiTable::knows(std::string_view name) const {
  auto [low, high] = impl_->range(name);
  return low < high;
}

std::vector<std::string> ApiTable::nearest_names(std::string_view name, std::size_t count) const {
  std::vector<std::string_view> names;
  for (const Entry& entry : impl_->entries) {  // sorted, so that equal names stand together
    if (names.empty() || names.back() != entry.name) names.push_back(entry.name);
  }
  return nearest_of(name, names, count);
}

std::vector<Evidence> ApiTable::op_rows(std::string_view backend, std::string_view torch_version) const {
  std::vector<Evidence> rows;
  int wanted = version_key(torch_version);
  for (const Entry& entry : impl_->entries) {
    if (entry.name.substr(0, 6) != "aten::" || impl_->sources[entry.source].backend != backend) continue;
    Evidence row = impl_->evidence(entry, wanted);
    if (row.covers_version) rows.push_back(row);
  }
  return rows;
}

std::vector<Evidence> ApiTable::api_rows(std::string_view backend, std::string_view torch_version,
                                         std::string_view hardware) const {
  std::vector<Evidence> rows;
  int wanted = version_key(torch_version);
  for (const Entry& entry : impl_->entries) {
    if (entry.name.substr(0, 6) == "aten::" || impl_->sources[entry.source].backend != backend) continue;
    if (!hardware.empty() && !entry.hardware.empty() && !lists(entry.hardware, hardware)) continue;
    Evidence row = impl_->evidence(entry, wanted);
    if (row.covers_version) rows.push_back(row);
  }
  return rows;
}

const Source* ApiTable::find_source(std::string_view id) const {
  for (const TableSource& entry : impl_->sources) {
    if (entry.source.id == id) return &entry.source;
  }
  return nullptr;
}

std::size_t ApiTable::row_count() const { return impl_->entries.size(); }

}  // namespace starbridge::catalog
