#include <gtest/gtest.h>

#include "kernel/port/bang_emitter.h"
#include "kernel/port/normalise.h"
#include "kernel/port/shapes.h"
#include "kernel/port/share_tiles.h"

namespace starbridge::kernel::port {

namespace {

Tree tree_of(const std::string& text) {
  std::string why;
  std::optional<Tree> tree = front::read(text, &why);
  EXPECT_TRUE(tree) << why;
  return *tree;
}

// A kernel with arrays to and from, n, and the given statements.
Tree kernel_of(const std::string& statements) {
  return tree_of(
      "(kernel \"k\" @1 (signature \"k\" (argument \"to\" /\"float *\") (argument \"from\" /\"const float *\") (argument \"n\" "
      "/\"int\")) (file \"k.cu\")"
      "(array:f32 \"to\" /\"global\" (const:i64 \"0\") (argument (const:i32 \"0\")))"
      "(array:f32 \"from\" /\"global const\" (const:i64 \"0\") (argument (const:i32 \"1\")))"
      "(parameter:i32 \"n\" (argument (const:i32 \"2\")))"
      "(block \"end\" @1 (seq " +
      statements + ")))");
}
Tree ready(const std::string& statements) { return propagate(lower_exits(kernel_of(statements))); }
Emitted emitted(const std::string& statements) { return BangEmitter(ready(statements), 640 * 1024, 1024, {}).run(); }

const char* const kIndex =
    "(set:i32 \"i\" @2 (cast:i32 (add:u32 (mul:u32 (special:u32 \"bid.x\") (special:u32 \"bdim.x\")) (special:u32 \"tid.x\"))))";

int count(const Tree& tree, const std::string& op) {
  int found = 0;
  front::each(tree, [&](const Tree& part) { found += part->op == op ? 1 : 0; });
  return found;
}

}  // namespace

TEST(LowerExits, AnEarlyReturnBecomesACondition) {
  Tree kernel =
      lower_exits(kernel_of(std::string(kIndex) + "(if @3 (ge:b (var:i32 \"i\") (param:i32 \"n\")) (seq (leave \"end\")))"
                                                  "(store:f32 \"to\" @4 (cast:i64 (var:i32 \"i\")) (const:f32 \"1\"))"));
  EXPECT_EQ(count(kernel, "leave") + count(kernel, "block"), 0);
  ASSERT_EQ(count(kernel, "if"), 1);
  EXPECT_EQ(find_fault(kernel), "");
}

TEST(LowerExits, AReturnInALoopLeavesTheLoopAndWhatFollows) {
  Tree kernel =
      lower_exits(kernel_of("(set:i32 \"k\" (const:i32 \"0\"))(loop (lt:b (var:i32 \"k\") (param:i32 \"n\")) (seq (if (eq:b "
                            "(var:i32 \"k\") (const:i32 \"3\")) (seq (leave \"end\"))))"
                            "(seq (set:i32 \"k\" (add:i32 (var:i32 \"k\") (const:i32 \"1\")))))(store:f32 \"to\" (const:i64 "
                            "\"0\") (const:f32 \"1\"))"));
  EXPECT_EQ(count(kernel, "leave"), 0);
  EXPECT_GE(count(kernel, "break"), 1);
  const std::string text = front::print(kernel);
  EXPECT_NE(text.find("(lnot:b (var:b \"left_end\"))"), std::string::npos) << text;
}

TEST(Shapes, TellWhatGrowsAlongTheThreads) {
  Tree kernel = lower_exits(kernel_of(std::string(kIndex) + "(set:f32 \"x\" (load:f32 \"from\" (cast:i64 (var:i32 \"i\"))))"
                                                            "(set:i32 \"m\" (mul:i32 (param:i32 \"n\") (const:i32 \"2\")))"
                                                            "(set:i32 \"r\" (rem:i32 (var:i32 \"i\") (const:i32 \"7\")))"));
  Shapes shapes(kernel);
  EXPECT_FALSE(shapes.variable("i").is_varying);
  ASSERT_NE(shapes.variable("i").step, nullptr);
  EXPECT_EQ(shapes.variable("i").step->name, "1");
  EXPECT_TRUE(shapes.variable("x").is_varying);
  EXPECT_TRUE(shapes.variable("m").is_uniform());
  EXPECT_TRUE(shapes.variable("r").is_varying);
}

TEST(Shapes, NegativeValuesAreNotFollowedIntoUnsigned) {
  Tree kernel =
      lower_exits(kernel_of(std::string(kIndex) + "(set:u32 \"u\" (cast:u32 (sub:i32 (var:i32 \"i\") (const:i32 \"1\"))))"));
  EXPECT_TRUE(Shapes(kernel).variable("u").is_varying);
}

TEST(Shapes, WhatIsSetForSomeThreadsOnlyVaries) {
  Tree kernel =
      lower_exits(kernel_of("(set:i32 \"m\" (const:i32 \"1\"))(if (lt:b (cast:i32 (special:u32 \"tid.x\")) (const:i32 \"5\")) "
                            "(seq (set:i32 \"m\" (const:i32 \"2\"))))"
                            "(store:f32 \"to\" (const:i64 \"0\") (cast:f32 (var:i32 \"m\")))"));
  EXPECT_TRUE(Shapes(kernel).variable("m").is_varying);
}

TEST(BangEmitter, ContiguousWorkIsVectorWork) {
  Emitted result = emitted(std::string(kIndex) +
                           "(if @3 (lt:b (var:i32 \"i\") (param:i32 \"n\")) (seq (store:f32 \"to\" @4 (cast:i64 (var:i32 \"i\")) "
                           "(add:f32 (load:f32 \"from\" (cast:i64 (var:i32 \"i\"))) (const:f32 \"1\")))))");
  EXPECT_EQ(result.refusal, "");
  EXPECT_TRUE(result.fallbacks.empty());
  EXPECT_GT(result.vector_operations, 0);
  EXPECT_NE(result.text.find("__bang_add_scalar"), std::string::npos) << result.text;
}

TEST(BangEmitter, AGatherRunsThreadByThreadAndSaysSo) {
  Emitted result = emitted(std::string(kIndex) +
                           "(store:f32 \"to\" @4 (cast:i64 (var:i32 \"i\")) (load:f32 \"from\" (cast:i64 (rem:i32 (var:i32 "
                           "\"i\") (param:i32 \"n\")))))");
  ASSERT_EQ(result.fallbacks.size(), 1U);
  EXPECT_EQ(result.fallbacks[0].line, 4);
  EXPECT_NE(result.fallbacks[0].reason.find("from"), std::string::npos);
}

TEST(BangEmitter, ABarrierForSomeThreadsIsRefused) {
  Emitted result =
      emitted("(if @3 (gt:b (load:f32 \"from\" (cast:i64 (special:u32 \"tid.x\"))) (const:f32 \"0\")) (seq (barrier @4)))");
  EXPECT_EQ(result.refusal.substr(0, 17), "barrier_divergent");
}

TEST(BangEmitter, DoubleDataIsRefused) {
  Emitted result = emitted(
      "(set:f64 \"d\" @5 (const:f64 \"1\"))(store:f32 \"to\" (const:i64 \"0\") (cast:f32 (add:f64 (var:f64 \"d\") (cast:f64 "
      "(special:u32 \"tid.x\")))))(set:f64 \"d\" @5 (const:f64 \"2\"))");
  EXPECT_EQ(result.refusal.substr(0, 6), "double");
}

TEST(FindFault, NamesWhatIsWrong) {
  EXPECT_NE(find_fault(kernel_of("(store:f32 \"nowhere\" (const:i64 \"0\") (const:f32 \"1\"))")), "");
  EXPECT_NE(find_fault(kernel_of("(set:i32 \"x\" (add:i32 (const:i32 \"1\")))")), "");
  EXPECT_NE(find_fault(kernel_of("(set:i32 \"x\" (add (const:i32 \"1\") (const:i32 \"2\")))")), "");
}

TEST(ShareTiles, LivesThatDoNotMeetTakeOneTile) {
  const std::map<std::string, int> tiles = {{"a", 4}, {"b", 4}, {"c", 4}, {"d", 1}, {"sum", 4}, {"late", 4}};
  const Tree body = tree_of(
      "(seq (set:f32 \"sum\" (const:f32 \"0\"))"
      "(loop (lt:b (param:i32 \"n\") (const:i32 \"3\")) (seq"
      "(set:f32 \"a\" (const:f32 \"1\")) (set:f32 \"sum\" (add:f32 (var:f32 \"sum\") (var:f32 \"a\")))"
      "(set:f32 \"b\" (const:f32 \"2\")) (set:u8 \"d\" (const:u8 \"2\"))"
      "(if (var:b \"d\") (seq (set:f32 \"sum\" (add:f32 (var:f32 \"sum\") (var:f32 \"b\")))))"
      "(set:f32 \"c\" (var:f32 \"b\")) (store:f32 \"to\" (const:i64 \"0\") (var:f32 \"c\"))"
      "(store:f32 \"to\" (const:i64 \"0\") (var:f32 \"late\")) (set:f32 \"late\" (const:f32 \"5\"))) (seq))"
      "(store:f32 \"to\" (const:i64 \"0\") (var:f32 \"sum\")))");
  const std::map<std::string, std::string> owners = share_tiles(body, tiles);
  // b begins behind a; c is made of b; late carries a value from turn to turn; d has another width; sum lives on.
  EXPECT_EQ(owners, (std::map<std::string, std::string>{{"b", "a"}}));
}

}  // namespace starbridge::kernel::port
