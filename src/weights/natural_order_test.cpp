#include "weights/natural_order.h"

#include <gtest/gtest.h>

namespace starbridge::weights {
namespace {

TEST(NaturalOrder, NumbersCompareAsNumbers) {
  EXPECT_LT(compare_naturally("layers.2.weight", "layers.10.weight"), 0);
  EXPECT_GT(compare_naturally("layers.10", "layers.9"), 0);
  EXPECT_EQ(compare_naturally("a.1", "a.1"), 0);
  EXPECT_NE(compare_naturally("a.01", "a.1"), 0);
  EXPECT_LT(compare_naturally("", "a"), 0);
  EXPECT_LT(compare_naturally("a99999999999999999999998", "a99999999999999999999999"), 0);
}

TEST(NaturalOrder, EmbeddingsComeFirstAndHeadsLast) {
  std::vector<std::string> names = {"lm_head.weight", "model.embed_tokens.weight", "model.layers.10.mlp.weight",
                                    "model.layers.2.mlp.weight", "model.norm.weight"};
  sort_in_model_order(names);
  EXPECT_EQ(names, (std::vector<std::string>{"model.embed_tokens.weight", "model.layers.2.mlp.weight",
                                             "model.layers.10.mlp.weight", "model.norm.weight", "lm_head.weight"}));
}

TEST(NaturalOrder, ALayerIsANameWithoutItsLastPart) {
  EXPECT_EQ(layer_of("layers.3.attn.weight"), "layers.3.attn");
  EXPECT_EQ(layer_of("weight"), "weight");
}

}  // namespace
}  // namespace starbridge::weights
