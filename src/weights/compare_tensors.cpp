// compare_tensors: one pair of tensors, chunk by chunk.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/xxh64.h"
#include "weights/compare.h"
#include "weights/tensor_reader.h"

namespace starbridge::weights {
namespace {

using base::Status;

// Both chunks and what they widen to stay in the second cache of a core.
constexpr std::size_t kChunkElements = 32 << 10;
constexpr std::size_t kChunkBytes = 256 << 10;

struct Sides {
  TensorReader left;
  TensorReader right;
  std::vector<std::byte> left_chunk;
  std::vector<std::byte> right_chunk;
};

// Hashes both sides; while they are the same, once.
class TwoHashes {
 public:
  void add_same(std::span<const std::byte> bytes) { (is_parted_ ? add(bytes, bytes) : left_.add(bytes)); }
  void add(std::span<const std::byte> left, std::span<const std::byte> right) {
    if (!is_parted_) right_ = left_;
    is_parted_ = true;
    left_.add(left);
    right_.add(right);
  }
  void finish(TensorResult& result) const {
    result.left_hash = left_.hex();
    result.right_hash = is_parted_ ? right_.hex() : result.left_hash;
  }

 private:
  base::Xxh64 left_;
  base::Xxh64 right_;
  bool is_parted_ = false;
};

std::uint64_t first_difference(std::span<const std::byte> left, std::span<const std::byte> right) {
  return static_cast<std::uint64_t>(std::mismatch(left.begin(), left.end(), right.begin()).first - left.begin());
}

// Elements of the component type: a complex number counts two.
void tally_chunk(DType dtype, std::span<const std::byte> left, std::span<const std::byte> right, const Limits& limits,
                 Tally& tally) {
  DType component = info(dtype).component;
  auto compare = kernels().compare[static_cast<std::size_t>(component)];
  SB_CHECK(compare != nullptr);
  compare(left.data(), right.data(), left.size() / item_bytes(component), limits, tally);
}

// The elements before the first difference were only compared as bytes; they belong into the sums as well. Reads them again and
// leaves the left side where it was.
Status tally_prefix(Sides& sides, DType dtype, std::uint64_t prefix_bytes, const Limits& limits, Tally& tally) {
  std::uint64_t resume = sides.left.position();
  std::vector<std::byte> buffer(kChunkBytes / item_bytes(dtype) * item_bytes(dtype));
  sides.left.rewind();
  while (sides.left.position() < resume) {
    auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), resume - sides.left.position()));
    std::span<std::byte> chunk = std::span(buffer).first(piece);
    SB_TRY_VOID(sides.left.read(chunk));
    std::uint64_t end = sides.left.position();
    if (end > prefix_bytes) {
      std::uint64_t surplus = end - prefix_bytes;
      chunk = chunk.first(piece - static_cast<std::size_t>(std::min<std::uint64_t>(piece, surplus)));
    }
    if (!chunk.empty()) tally_chunk(dtype, chunk, chunk, limits, tally);
  }
  return {};
}

Status compare_same_dtype(Sides& sides, DType dtype, const Limits& limits, TensorResult& result) {
  std::size_t chunk_bytes = kChunkBytes / item_bytes(dtype) * item_bytes(dtype);
  sides.left_chunk.resize(chunk_bytes);
  sides.right_chunk.resize(chunk_bytes);
  bool is_packed = info(dtype).kind == Kind::kPacked;
  TwoHashes hashes;
  while (sides.left.position() < sides.left.byte_count()) {
    std::uint64_t begin = sides.left.position();
    auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_bytes, sides.left.byte_count() - begin));
    std::span<std::byte> left = std::span(sides.left_chunk).first(piece), right = std::span(sides.right_chunk).first(piece);
    SB_TRY_VOID(sides.left.read(left));
    SB_TRY_VOID(sides.right.read(right));
    if (!result.first_unequal) {
      if (std::memcmp(left.data(), right.data(), piece) == 0) {
        hashes.add_same(left);
        continue;
      }
      result.first_unequal = (begin + first_difference(left, right)) / item_bytes(dtype);
      if (begin > 0 && !is_packed) SB_TRY_VOID(tally_prefix(sides, dtype, begin, limits, result.tally));
    }
    hashes.add(left, right);
    if (is_packed) {
      for (std::size_t at = 0; at < piece; ++at) result.unequal_bits += left[at] != right[at] ? 1 : 0;
    } else {
      tally_chunk(dtype, left, right, limits, result.tally);
    }
  }
  hashes.finish(result);
  return {};
}

Status compare_widened(Sides& sides, DType left_dtype, DType right_dtype, const Limits& limits, TensorResult& result) {
  DType left_component = info(left_dtype).component, right_component = info(right_dtype).component;
  std::size_t left_item = item_bytes(left_component), right_item = item_bytes(right_component);
  sides.left_chunk.resize(kChunkElements * left_item);
  sides.right_chunk.resize(kChunkElements * right_item);
  std::vector<double> left_wide(kChunkElements), right_wide(kChunkElements);
  base::Xxh64 left_hash, right_hash;
  while (sides.left.position() < sides.left.byte_count()) {
    std::uint64_t elements = (sides.left.byte_count() - sides.left.position()) / left_item;
    auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kChunkElements, elements));
    std::span<std::byte> left = std::span(sides.left_chunk).first(count * left_item);
    std::span<std::byte> right = std::span(sides.right_chunk).first(count * right_item);
    SB_TRY_VOID(sides.left.read(left));
    SB_TRY_VOID(sides.right.read(right));
    left_hash.add(left);
    right_hash.add(right);
    kernels().widen[static_cast<std::size_t>(left_component)](left.data(), count, left_wide.data());
    kernels().widen[static_cast<std::size_t>(right_component)](right.data(), count, right_wide.data());
    tally_chunk(DType::kF64, std::as_bytes(std::span(left_wide).first(count)), std::as_bytes(std::span(right_wide).first(count)),
                limits, result.tally);
  }
  result.left_hash = left_hash.hex();
  result.right_hash = right_hash.hex();
  return {};
}

Limits limits_for(const Rule& rule, DType dtype) {
  auto own = rule.limits.find(dtype);
  if (own != rule.limits.end()) return own->second;
  return {info(dtype).relative_tolerance, info(dtype).absolute_tolerance};
}

bool is_comparable(DType left, DType right) {
  bool are_complex = info(left).kind == Kind::kComplex || info(right).kind == Kind::kComplex;
  bool are_packed = info(left).kind == Kind::kPacked || info(right).kind == Kind::kPacked;
  return left == right || (!are_packed && (!are_complex || info(left).kind == info(right).kind));
}

bool judge(const Rule& rule, const TensorResult& result) {
  if (result.outcome == Outcome::kIdentical) return true;
  if (rule.is_exact || result.unequal_bits > 0) return false;
  if (result.tally.nan_mismatch > 0) return false;
  if (rule.cosine_min && !(result.cosine >= *rule.cosine_min) && result.tally.unequal > 0) return false;
  bool is_float = info(info(result.left->dtype).component).kind == Kind::kFloat;
  if (rule.ulp_max && result.has_ulp && is_float) {
    return result.tally.ulp_max <= *rule.ulp_max && !std::isinf(result.tally.absolute_max);
  }
  return result.tally.beyond == 0;
}

}  // namespace

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kIdentical:
      return "identical";
    case Outcome::kWithin:
      return "within_tolerance";
    case Outcome::kDiffers:
      return "differs";
    case Outcome::kWrongShape:
      return "shape_differs";
    case Outcome::kWrongDtype:
      return "dtype_differs";
    case Outcome::kOnlyLeft:
      return "only_in_first";
    case Outcome::kOnlyRight:
      return "only_in_second";
  }
  return "";
}

Status compare_tensors(const Checkpoint& left_file, const Tensor& left, const Checkpoint& right_file, const Tensor& right,
                       const Rule& rule, TensorResult& result) {
  result.left = &left;
  result.right = &right;
  bool same_dtype = left.dtype == right.dtype;
  Limits left_limits = limits_for(rule, left.dtype), right_limits = limits_for(rule, right.dtype);
  result.limits = left_limits.relative >= right_limits.relative ? left_limits : right_limits;  // of the coarser type
  if (left.shape != right.shape) {
    result.outcome = Outcome::kWrongShape;
    result.agrees = false;
    return {};
  }
  bool has_bytes = left.storage != kNoStorage && right.storage != kNoStorage;
  if (has_bytes && is_comparable(left.dtype, right.dtype)) {
    Sides sides{TensorReader(left_file, left), TensorReader(right_file, right), {}, {}};
    if (same_dtype) {
      SB_TRY_VOID(compare_same_dtype(sides, left.dtype, result.limits, result));
    } else {
      SB_TRY_VOID(compare_widened(sides, left.dtype, right.dtype, result.limits, result));
    }
  }
  bool is_identical = same_dtype && !result.first_unequal && (left.storage == kNoStorage) == (right.storage == kNoStorage);
  if (!is_identical) {
    result.has_figures = result.tally.count > 0;
    result.has_ulp = result.has_figures && same_dtype;
    double norms = std::sqrt(result.tally.left_square) * std::sqrt(result.tally.right_square);
    result.cosine = norms > 0 && std::isfinite(norms) ? std::clamp(result.tally.dot / norms, -1.0, 1.0) : std::nan("");
  }
  result.outcome = is_identical ? Outcome::kIdentical : Outcome::kDiffers;
  if (!has_bytes && !is_identical) {
    result.agrees = false;
    return {};
  }
  result.agrees = judge(rule, result);
  if (!same_dtype && (!rule.ignores_dtype || !is_comparable(left.dtype, right.dtype))) {
    result.outcome = Outcome::kWrongDtype;
    result.agrees = false;
  } else if (!is_identical && result.agrees) {
    result.outcome = Outcome::kWithin;
  }
  return {};
}

}  // namespace starbridge::weights
