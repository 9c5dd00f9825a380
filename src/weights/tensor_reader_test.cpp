#include "weights/tensor_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "weights/bytes.h"

namespace starbridge::weights {
namespace {

Checkpoint checkpoint_of(std::string bytes) {
  Checkpoint checkpoint;
  std::uint64_t size = bytes.size();
  checkpoint.sources.push_back(std::make_unique<MemorySource>(std::move(bytes)));
  checkpoint.storages.push_back({"0", "cpu", checkpoint.sources[0].get(), 0, size, false});
  return checkpoint;
}

std::string numbered(std::size_t count, std::size_t width) {
  std::string bytes;
  for (std::uint64_t index = 0; index < count; ++index) bytes.append(reinterpret_cast<const char*>(&index), width);
  return bytes;
}

std::string read_whole(const Checkpoint& checkpoint, const Tensor& tensor, std::size_t piece_elements) {
  TensorReader reader(checkpoint, tensor);
  std::string out(reader.byte_count(), '\0');
  std::size_t piece = piece_elements * item_bytes(tensor.dtype);
  for (std::size_t at = 0; at < out.size(); at += piece) {
    std::span<char> part(out.data() + at, std::min(piece, out.size() - at));
    EXPECT_TRUE(reader.read(std::as_writable_bytes(part)).ok());
  }
  return out;
}

std::string read_plainly(const std::string& storage, const Tensor& tensor) {
  std::size_t width = item_bytes(tensor.dtype);
  std::string out;
  std::vector<std::uint64_t> index(tensor.shape.size(), 0);
  for (std::uint64_t count = element_count(tensor); count > 0; --count) {
    std::uint64_t at = tensor.offset;
    for (std::size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * tensor.strides[axis];
    out += storage.substr(at * width, width);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (++index[axis] < tensor.shape[axis]) break;
      index[axis] = 0;
    }
  }
  return out;
}

TEST(TensorReader, AnyStridesGiveTheElementsInTheirOrder) {
  std::mt19937_64 random(21);
  std::string storage = numbered(40'000, 2);
  Checkpoint checkpoint = checkpoint_of(storage);
  for (int round = 0; round < 300; ++round) {
    Tensor tensor;
    tensor.dtype = DType::kF16;
    tensor.storage = 0;
    std::uint64_t reach = 0;
    std::size_t axes = random() % 5;
    for (std::size_t axis = 0; axis < axes; ++axis) {
      tensor.shape.push_back(random() % 9);
      tensor.strides.push_back(random() % 400);
      if (tensor.shape.back() > 0) reach += (tensor.shape.back() - 1) * tensor.strides.back();
    }
    tensor.offset = random() % 1000;
    ASSERT_TRUE(check_layout(tensor, storage.size()).ok()) << reach;
    ASSERT_EQ(read_whole(checkpoint, tensor, 1 + random() % 50), read_plainly(storage, tensor))
        << "round " << round << " " << shape_text(tensor.shape) << shape_text(tensor.strides);
  }
}

TEST(TensorReader, ALargeTransposedMatrixComesInSlabs) {
  std::string storage = numbered(3000 * 1700, 4);
  Checkpoint checkpoint = checkpoint_of(storage);
  Tensor tensor;
  tensor.storage = 0;
  tensor.shape = {1700, 3000};
  tensor.strides = {1, 1700};
  std::string whole = read_whole(checkpoint, tensor, 10'000);
  EXPECT_EQ(whole, read_plainly(storage, tensor));
  TensorReader reader(checkpoint, tensor);
  std::string first(400, '\0'), again(400, '\0');
  ASSERT_TRUE(reader.read(std::as_writable_bytes(std::span(first))).ok());
  reader.rewind();
  ASSERT_TRUE(reader.read(std::as_writable_bytes(std::span(again))).ok());
  EXPECT_EQ(first, again);
}

TEST(TensorReader, TurnsBytesAndSigns) {
  Tensor tensor;
  tensor.storage = 0;
  tensor.dtype = DType::kC64;
  tensor.shape = {2};
  tensor.strides = {1};
  tensor.is_conjugated = true;
  float values[4] = {1, 2, -3, -4};
  std::string storage(reinterpret_cast<const char*>(values), sizeof values);
  Checkpoint checkpoint = checkpoint_of(storage);
  auto read_floats = [&](const Checkpoint& from) {
    std::string bytes = read_whole(from, tensor, 2);
    std::vector<float> floats(4);
    std::memcpy(floats.data(), bytes.data(), bytes.size());
    return floats;
  };
  EXPECT_EQ(read_floats(checkpoint), (std::vector<float>{1, -2, -3, 4}));
  tensor.is_negated = true;
  EXPECT_EQ(read_floats(checkpoint), (std::vector<float>{-1, 2, 3, -4}));
  tensor.is_negated = tensor.is_conjugated = false;
  swap_bytes(storage.data(), storage.size(), 4);
  Checkpoint swapped = checkpoint_of(storage);
  swapped.storages[0].is_big_endian = true;
  EXPECT_EQ(read_floats(swapped), (std::vector<float>{1, 2, -3, -4}));
}

TEST(TensorReader, AFileThatGotShorterIsAnError) {
  Checkpoint checkpoint = checkpoint_of("12345678");
  checkpoint.storages[0].bytes = 16;
  Tensor tensor;
  tensor.name = "weight";
  tensor.storage = 0;
  tensor.shape = {4};
  tensor.strides = {1};
  std::byte out[16];
  base::Status status = TensorReader(checkpoint, tensor).read(out);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().render(base::Language::kEnglish).find("weight"), std::string::npos);
}

}  // namespace
}  // namespace starbridge::weights
