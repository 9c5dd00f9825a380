// DType: the element types that checkpoints hold, with their names in each format. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace starbridge::weights {

enum class DType : std::uint8_t {
  kBool,
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kU64,
  kI64,
  kF8E4M3Fn,
  kF8E5M2,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kF8E8M0Fnu,
  kF16,
  kBf16,
  kF32,
  kF64,
  kC32,
  kC64,
  kC128,
  kQI8,
  kQU8,
  kQI32,
  kF4,      // two elements in a byte
  kF6E2M3,  // four elements in three bytes
  kF6E3M2,
};

enum class Kind : std::uint8_t {
  kInteger,
  kFloat,
  kComplex,
  kPacked,  // smaller than a byte: compared and copied as bytes only
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;           // torch's: "bfloat16"
  std::string_view short_name;     // "bf16"
  std::string_view safetensors;    // "BF16"; empty when safetensors has no such type
  std::string_view torch_storage;  // "BFloat16Storage"; empty when torch keeps it in an untyped storage
  Kind kind;
  int bits;                   // of one element
  DType component;            // of complex numbers: the type of their parts; else itself
  double relative_tolerance;  // how far a port may lie from its original: docs/weights.md says where these come from
  double absolute_tolerance;
};

const DTypeInfo& info(DType dtype);
const std::vector<DTypeInfo>& all_dtypes();

// By torch's name or the short one ("bfloat16", "bf16", "half"), by the name in a safetensors header, by the class of a storage.
std::optional<DType> dtype_from_name(std::string_view name);
std::optional<DType> dtype_from_safetensors(std::string_view name);
std::optional<DType> dtype_from_storage(std::string_view storage_class);

// Bytes of `count` elements; packed types round up. False when it does not fit in 63 bits.
bool bytes_of(DType dtype, std::uint64_t count, std::uint64_t& bytes);

// Bytes of one element; packed types count 1.
inline std::size_t item_bytes(DType dtype) { return static_cast<std::size_t>((info(dtype).bits + 7) / 8); }

}  // namespace starbridge::weights
