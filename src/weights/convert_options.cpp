// What the words of the command line mean for a conversion.
#include <charconv>

#include "weights/convert.h"

namespace starbridge::weights {

using base::Error;
using base::Result;
using base::text;

Result<std::map<DType, DType>> parse_dtypes(const std::string& word) {
  auto wrong = [&](std::string_view part) {
    return Error("base.usage", text("\"{}\" is no conversion of element types", "“{}”不是类型转换", base::sanitize_utf8(part)))
        .next(text("write bf16, or float64=float32,int64=int32; float8_e8m0fnu, bool and quantised types are no targets",
                   "写作 bf16 或 float64=float32,int64=int32；float8_e8m0fnu、bool 与量化类型不能作为目标"));
  };
  std::map<DType, DType> dtypes;
  std::string_view rest = word;
  while (!rest.empty()) {
    std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view part = base::trim(rest.substr(0, comma));
    rest.remove_prefix(std::min(rest.size(), comma + 1));
    std::size_t equals = part.find('=');
    std::optional<DType> to = dtype_from_name(equals == std::string_view::npos ? part : part.substr(equals + 1));
    if (!to) return wrong(part);
    if (equals != std::string_view::npos) {
      std::optional<DType> from = dtype_from_name(part.substr(0, equals));
      if (!from || !can_convert(*from, *to)) return wrong(part);
      dtypes[*from] = *to;
      continue;
    }
    // Without a source: the floats that models compute in. float8 weights come with scales and mean nothing without them.
    if (info(*to).kind != Kind::kFloat || !can_convert(DType::kF32, *to)) return wrong(part);
    for (DType from : {DType::kF64, DType::kF32, DType::kF16, DType::kBf16}) dtypes[from] = *to;
    for (const DTypeInfo& row : all_dtypes()) {
      if (row.kind != Kind::kComplex || row.component != *to) continue;
      for (DType from : {DType::kC128, DType::kC64, DType::kC32}) dtypes[from] = row.dtype;
    }
  }
  return dtypes;
}

Result<std::uint64_t> parse_size(const std::string& word) {
  Error wrong("base.usage", text("\"{}\" is no size", "“{}”不是大小", base::sanitize_utf8(word)));
  std::move(wrong).next(text("write it as 5GB, 500MB or 2GiB", "写作 5GB、500MB 或 2GiB"));
  double number = 0;
  auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  std::string unit = base::to_lower(base::trim(std::string_view(end, static_cast<std::size_t>(word.data() + word.size() - end))));
  struct Unit {
    std::string_view name;
    double bytes;
  };
  static constexpr Unit kUnits[] = {{"", 1},      {"b", 1},      {"kb", 1e3},      {"mb", 1e6},      {"gb", 1e9},
                                    {"tb", 1e12}, {"kib", 1024}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1099511627776.0}};
  for (const Unit& known : kUnits) {
    if (problem != std::errc() || known.name != unit) continue;
    double bytes = number * known.bytes;
    if (bytes >= 1 && bytes <= 1e18) return static_cast<std::uint64_t>(bytes);
  }
  return wrong;
}

}  // namespace starbridge::weights
