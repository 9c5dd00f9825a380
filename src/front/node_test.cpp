#include "front/node.h"

#include <gtest/gtest.h>

namespace starbridge::front {

TEST(Node, TextIsReadBackAsItWasPrinted) {
  Tree set = make("set", "f32", "sum \"x\"", {make("add", "f32", "", {make("var", "f32", "sum"), constant("i32", -3)})});
  set->line = 12;
  Tree atomic = make("atomic", "i32", "bins", {constant("i64", 0), constant("i32", 1)});
  atomic->extra = "add old";
  const std::string text = print(make("seq", "", "", {set, atomic}));
  std::string why;
  std::optional<Tree> back = read(text, &why);
  ASSERT_TRUE(back) << why;
  EXPECT_EQ(print(*back), text);
}

TEST(Node, DamagedTextIsRefusedWithItsLine) {
  for (const char* text : {"", "(", "(seq\n (set \"x)", "seq", "(seq) (seq)", "()", "(seq 5)"}) {
    std::string why;
    EXPECT_FALSE(read(text, &why)) << text;
    EXPECT_NE(why.find("line "), std::string::npos) << text;
  }
  std::string deep(100000, '(');
  std::string why;
  EXPECT_FALSE(read(deep, &why));
}

}  // namespace starbridge::front
