#include "weights/dtype.h"

#include "base/check.h"

namespace starbridge::weights {

const std::vector<DTypeInfo>& all_dtypes() {
  using D = DType;
  using K = Kind;
  // Tolerances: torch.testing's for the types it names; for float8 one step of the mantissa, since a value that was computed in
  // another order may be rounded to the neighbour; whole numbers are exact.
  static const std::vector<DTypeInfo> rows = {
      {D::kBool, "bool", "b1", "BOOL", "BoolStorage", K::kInteger, 8, D::kBool, 0, 0},
      {D::kU8, "uint8", "u8", "U8", "ByteStorage", K::kInteger, 8, D::kU8, 0, 0},
      {D::kI8, "int8", "i8", "I8", "CharStorage", K::kInteger, 8, D::kI8, 0, 0},
      {D::kU16, "uint16", "u16", "U16", "", K::kInteger, 16, D::kU16, 0, 0},
      {D::kI16, "int16", "i16", "I16", "ShortStorage", K::kInteger, 16, D::kI16, 0, 0},
      {D::kU32, "uint32", "u32", "U32", "", K::kInteger, 32, D::kU32, 0, 0},
      {D::kI32, "int32", "i32", "I32", "IntStorage", K::kInteger, 32, D::kI32, 0, 0},
      {D::kU64, "uint64", "u64", "U64", "", K::kInteger, 64, D::kU64, 0, 0},
      {D::kI64, "int64", "i64", "I64", "LongStorage", K::kInteger, 64, D::kI64, 0, 0},
      {D::kF8E4M3Fn, "float8_e4m3fn", "f8e4m3fn", "F8_E4M3", "", K::kFloat, 8, D::kF8E4M3Fn, 0.125, 2e-3},
      {D::kF8E5M2, "float8_e5m2", "f8e5m2", "F8_E5M2", "", K::kFloat, 8, D::kF8E5M2, 0.25, 2e-5},
      {D::kF8E4M3Fnuz, "float8_e4m3fnuz", "f8e4m3fnuz", "F8_E4M3FNUZ", "", K::kFloat, 8, D::kF8E4M3Fnuz, 0.125, 1e-3},
      {D::kF8E5M2Fnuz, "float8_e5m2fnuz", "f8e5m2fnuz", "F8_E5M2FNUZ", "", K::kFloat, 8, D::kF8E5M2Fnuz, 0.25, 1e-5},
      {D::kF8E8M0Fnu, "float8_e8m0fnu", "f8e8m0fnu", "F8_E8M0", "", K::kFloat, 8, D::kF8E8M0Fnu, 0, 0},
      {D::kF16, "float16", "f16", "F16", "HalfStorage", K::kFloat, 16, D::kF16, 1e-3, 1e-5},
      {D::kBf16, "bfloat16", "bf16", "BF16", "BFloat16Storage", K::kFloat, 16, D::kBf16, 1.6e-2, 1e-5},
      {D::kF32, "float32", "f32", "F32", "FloatStorage", K::kFloat, 32, D::kF32, 1.3e-6, 1e-5},
      {D::kF64, "float64", "f64", "F64", "DoubleStorage", K::kFloat, 64, D::kF64, 1e-7, 1e-7},
      {D::kC32, "complex32", "c32", "", "ComplexHalfStorage", K::kComplex, 32, D::kF16, 1e-3, 1e-5},
      {D::kC64, "complex64", "c64", "C64", "ComplexFloatStorage", K::kComplex, 64, D::kF32, 1.3e-6, 1e-5},
      {D::kC128, "complex128", "c128", "", "ComplexDoubleStorage", K::kComplex, 128, D::kF64, 1e-7, 1e-7},
      {D::kQI8, "qint8", "qi8", "", "QInt8Storage", K::kInteger, 8, D::kI8, 0, 0},
      {D::kQU8, "quint8", "qu8", "", "QUInt8Storage", K::kInteger, 8, D::kU8, 0, 0},
      {D::kQI32, "qint32", "qi32", "", "QInt32Storage", K::kInteger, 32, D::kI32, 0, 0},
      {D::kF4, "float4_e2m1fn", "f4", "F4", "", K::kPacked, 4, D::kF4, 0, 0},
      {D::kF6E2M3, "float6_e2m3fn", "f6e2m3", "F6_E2M3", "", K::kPacked, 6, D::kF6E2M3, 0, 0},
      {D::kF6E3M2, "float6_e3m2fn", "f6e3m2", "F6_E3M2", "", K::kPacked, 6, D::kF6E3M2, 0, 0},
  };
  return rows;
}

const DTypeInfo& info(DType dtype) {
  const DTypeInfo& row = all_dtypes()[static_cast<std::size_t>(dtype)];
  SB_CHECK(row.dtype == dtype);  // the table stands in the order of the enumeration
  return row;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeInfo& row : all_dtypes()) {
    if (row.name == name || row.short_name == name) return row.dtype;
  }
  // What else torch calls them.
  struct Alias {
    std::string_view name;
    DType dtype;
  };
  static constexpr Alias kAliases[] = {{"half", DType::kF16},   {"fp16", DType::kF16},   {"float", DType::kF32},
                                       {"fp32", DType::kF32},   {"double", DType::kF64}, {"fp64", DType::kF64},
                                       {"long", DType::kI64},   {"int", DType::kI32},    {"short", DType::kI16},
                                       {"cfloat", DType::kC64}, {"chalf", DType::kC32},  {"cdouble", DType::kC128}};
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return alias.dtype;
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_safetensors(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const DTypeInfo& row : all_dtypes()) {
    if (row.safetensors == name) return row.dtype;
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_storage(std::string_view storage_class) {
  if (storage_class.empty()) return std::nullopt;
  for (const DTypeInfo& row : all_dtypes()) {
    if (row.torch_storage == storage_class) return row.dtype;
  }
  return std::nullopt;
}

bool bytes_of(DType dtype, std::uint64_t count, std::uint64_t& bytes) {
  constexpr std::uint64_t kBitsMax = std::uint64_t{1} << 62;
  auto bits = static_cast<std::uint64_t>(info(dtype).bits);
  if (count > kBitsMax / bits) return false;
  bytes = (count * bits + 7) / 8;
  return true;
}

}  // namespace starbridge::weights
