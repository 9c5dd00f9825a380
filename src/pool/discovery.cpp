#include "pool/discovery.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <memory>

namespace starbridge::pool {
namespace {

// The few declarations of each vendor's C interface that are needed, after their published headers.
extern "C" {
struct nvmlDevice_st;
struct NvmlMemory {
  unsigned long long total;
  unsigned long long free;
  unsigned long long used;
};
struct DcmiChipInfo {
  unsigned char chip_type[32];
  unsigned char chip_name[32];
  unsigned char chip_ver[32];
  unsigned int aicore_cnt;
};
struct DcmiMemoryInfo {
  unsigned long long memory_size;  // MB
  unsigned long long memory_available;
  unsigned int freq;
  unsigned long hugepagesize;
  unsigned long hugepages_total;
  unsigned long hugepages_free;
  unsigned int utiliza;
  unsigned char reserve[60];
};
struct CndevCardInfo {
  int version;
  unsigned int number;
};
struct CndevMemoryInfo {
  int version;
  std::int64_t physicalMemoryTotal;  // MB
  std::int64_t physicalMemoryUsed;
  std::int64_t virtualMemoryTotal;
  std::int64_t virtualMemoryUsed;
  std::int64_t channelNumber;
  std::array<std::int64_t, 64> channelMemoryUsed;
  std::int64_t globalMemory;
};
}
constexpr int kCndevVersion = 5;
constexpr int kCardsMax = 4096;

class Library {
 public:
  explicit Library(const std::string& name) : handle_(::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    const char* error = handle_ == nullptr ? ::dlerror() : nullptr;
    if (error != nullptr) error_ = error;
  }
  ~Library() {
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  // False when there is no such library, and, with a warning, when there is one that cannot be loaded.
  bool is_open(const std::string& name, std::vector<std::string>* warnings) const {
    if (handle_ == nullptr && error_.find("No such file") == std::string::npos && warnings != nullptr)
      warnings->push_back("the library cannot be loaded, its cards are not used: " + (error_.empty() ? name : error_));
    return handle_ != nullptr;
  }
  template <class Function>
  Function* find(const char* symbol) {
    void* address = ::dlsym(handle_, symbol);
    is_complete_ = is_complete_ && address != nullptr;
    return reinterpret_cast<Function*>(address);
  }
  bool is_complete() const { return is_complete_; }

 private:
  void* handle_;
  std::string error_;
  bool is_complete_ = true;
};

void warn(std::vector<std::string>* warnings, const std::string& text) {
  if (warnings != nullptr) warnings->push_back(text);
}

}  // namespace

std::vector<FoundCard> discover_nvml(const std::string& name, std::vector<std::string>* warnings) {
  Library library(name);
  if (!library.is_open(name, warnings)) return {};
  auto* init = library.find<int()>("nvmlInit_v2");
  auto* shutdown = library.find<int()>("nvmlShutdown");
  auto* count_of = library.find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  auto* handle_of = library.find<int(unsigned, nvmlDevice_st**)>("nvmlDeviceGetHandleByIndex_v2");
  auto* name_of = library.find<int(nvmlDevice_st*, char*, unsigned)>("nvmlDeviceGetName");
  auto* memory_of = library.find<int(nvmlDevice_st*, NvmlMemory*)>("nvmlDeviceGetMemoryInfo");
  if (!library.is_complete()) {
    warn(warnings, name + " lacks a function of NVML; its cards are not used");
    return {};
  }
  if (int code = init(); code != 0) {
    warn(warnings, name + ": nvmlInit_v2 failed with " + std::to_string(code));
    return {};
  }
  std::vector<FoundCard> cards;
  unsigned count = 0;
  if (count_of(&count) != 0 || count > kCardsMax) count = 0;
  for (unsigned index = 0; index < count; ++index) {
    nvmlDevice_st* device = nullptr;
    std::array<char, 128> text{};
    NvmlMemory memory{};
    if (handle_of(index, &device) != 0 || name_of(device, text.data(), text.size() - 1) != 0 || memory_of(device, &memory) != 0) {
      warn(warnings, name + ": card " + std::to_string(index) + " does not answer");
      continue;
    }
    cards.push_back({"nvidia", text.data(), static_cast<std::int64_t>(memory.total), static_cast<int>(index)});
  }
  shutdown();
  return cards;
}

std::vector<FoundCard> discover_dcmi(const std::string& name, std::vector<std::string>* warnings) {
  Library library(name);
  if (!library.is_open(name, warnings)) return {};
  auto* init = library.find<int()>("dcmi_init");
  auto* list = library.find<int(int*, int*, int)>("dcmi_get_card_num_list");
  auto* device_count = library.find<int(int, int*)>("dcmi_get_device_num_in_card");
  auto* chip_info = library.find<int(int, int, DcmiChipInfo*)>("dcmi_get_device_chip_info");
  if (!library.is_complete()) {
    warn(warnings, name + " lacks a function of DCMI; its cards are not used");
    return {};
  }
  auto* memory_info = library.find<int(int, int, DcmiMemoryInfo*)>("dcmi_get_device_memory_info_v3");  // not in every release
  if (int code = init(); code != 0) {
    warn(warnings, name + ": dcmi_init failed with " + std::to_string(code));
    return {};
  }
  std::vector<FoundCard> cards;
  std::array<int, 64> ids{};
  int card_count = 0;
  if (list(&card_count, ids.data(), static_cast<int>(ids.size())) != 0) return {};
  int index = 0;
  for (int position = 0; position < card_count && position < static_cast<int>(ids.size()); ++position) {
    int devices = 0;
    if (device_count(ids[static_cast<std::size_t>(position)], &devices) != 0) continue;
    for (int device = 0; device < devices; ++device) {
      DcmiChipInfo chip{};
      if (chip_info(ids[static_cast<std::size_t>(position)], device, &chip) != 0) continue;
      DcmiMemoryInfo memory{};
      bool has_memory = memory_info != nullptr && memory_info(ids[static_cast<std::size_t>(position)], device, &memory) == 0;
      std::string type(reinterpret_cast<const char*>(chip.chip_type),
                       ::strnlen(reinterpret_cast<const char*>(chip.chip_type), sizeof chip.chip_type));
      std::string model(reinterpret_cast<const char*>(chip.chip_name),
                        ::strnlen(reinterpret_cast<const char*>(chip.chip_name), sizeof chip.chip_name));
      cards.push_back(
          {"huawei", type + " " + model, has_memory ? static_cast<std::int64_t>(memory.memory_size) << 20 : 0, index++});
    }
  }
  return cards;
}

std::vector<FoundCard> discover_cndev(const std::string& name, std::vector<std::string>* warnings) {
  Library library(name);
  if (!library.is_open(name, warnings)) return {};
  auto* init = library.find<int(int)>("cndevInit");
  auto* release = library.find<int()>("cndevRelease");
  auto* count_of = library.find<int(CndevCardInfo*)>("cndevGetDeviceCount");
  auto* name_of = library.find<const char*(int)>("getCardNameStringByDevId");
  auto* memory_of = library.find<int(CndevMemoryInfo*, int)>("cndevGetMemoryUsage");
  if (!library.is_complete()) {
    warn(warnings, name + " lacks a function of CNDev; its cards are not used");
    return {};
  }
  if (int code = init(0); code != 0) {
    warn(warnings, name + ": cndevInit failed with " + std::to_string(code));
    return {};
  }
  std::vector<FoundCard> cards;
  CndevCardInfo info{kCndevVersion, 0};
  if (count_of(&info) != 0 || info.number > kCardsMax) info.number = 0;
  for (unsigned index = 0; index < info.number; ++index) {
    CndevMemoryInfo memory{};
    memory.version = kCndevVersion;
    const char* text = name_of(static_cast<int>(index));
    if (text == nullptr || memory_of(&memory, static_cast<int>(index)) != 0) {
      warn(warnings, name + ": card " + std::to_string(index) + " does not answer");
      continue;
    }
    cards.push_back({"cambricon", text, memory.physicalMemoryTotal << 20, static_cast<int>(index)});
  }
  release();
  return cards;
}

const catalog::Chip* match_chip(const FoundCard& card, const catalog::Catalog& catalog) {
  std::string name = catalog::fold_chip_name(card.name);
  const catalog::Chip* best = nullptr;
  std::size_t best_length = 0;
  for (const catalog::Chip& chip : catalog.chips()) {
    if (chip.vendor != card.vendor) continue;
    std::vector<std::string> names = chip.aliases;
    names.push_back(chip.id);
    names.push_back(chip.name);
    if (std::optional<std::string> device_name = chip.facts.text("device_name")) names.push_back(*device_name);
    for (const std::string& each : names) {
      std::string folded = catalog::fold_chip_name(each);
      bool is_in = folded.size() >= 2 && name.find(folded) != std::string::npos;
      // Variants of one model differ in memory: a card with 40 GB is not the one with 80.
      std::int64_t known = chip.memory_bytes().value_or(0);
      bool is_size =
          card.memory_bytes == 0 || known == 0 || (card.memory_bytes > known / 100 * 85 && card.memory_bytes < known / 100 * 115);
      if (is_in && is_size && folded.size() > best_length) {
        best = &chip;
        best_length = folded.size();
      }
    }
  }
  return best;
}

base::Result<Pool> pool_of_this_machine(const catalog::Catalog& catalog, std::vector<std::string>* warnings) {
  std::vector<FoundCard> found = discover_nvml("libnvidia-ml.so.1", warnings);
  for (auto discover : {discover_dcmi, discover_cndev}) {
    std::vector<FoundCard> more = discover(discover == discover_dcmi ? "libdcmi.so" : "libcndev.so", warnings);
    found.insert(found.end(), more.begin(), more.end());
  }
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  Node node{host.data(), {}};
  for (const FoundCard& card : found) {
    const catalog::Chip* chip = match_chip(card, catalog);
    if (chip == nullptr) {
      warn(warnings, "the card \"" + card.name + "\" is not in the catalogue and is not used");
      continue;
    }
    node.cards.push_back({node.id + "/" + chip->id + "-" + std::to_string(card.index), node.id, chip->id, card.index,
                          card.memory_bytes > 0 ? card.memory_bytes : chip->memory_bytes().value_or(0), false, true});
  }
  if (node.cards.empty()) return default_pool(catalog);
  return Pool{node.id, false, {node}};
}

}  // namespace starbridge::pool
