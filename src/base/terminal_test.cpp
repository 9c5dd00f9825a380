#include "base/terminal.h"

#include <gtest/gtest.h>

namespace starbridge::base {
namespace {

TEST(Table, ColumnsLineUpInBothLanguages) {
  Table table({{"芯片", Table::Align::kLeft}, {"cards", Table::Align::kRight}, {"note", Table::Align::kLeft}});
  table.add_row({"昇腾 910B", "8", "ok"});
  table.add_row({"A100", "16"});
  EXPECT_EQ(table.render(Style{}),
            "芯片       cards  note\n"
            "昇腾 910B      8  ok\n"
            "A100          16\n");
}

TEST(Table, ColourCodesTakeNoRoom) {
  Style style{true};
  Table table({{"a", Table::Align::kLeft}, {"b", Table::Align::kLeft}});
  table.add_row({style.red("xx"), "y"});
  EXPECT_EQ(table.render(Style{}), "a   b\n\x1b[31mxx\x1b[0m  y\n");
  EXPECT_EQ(visible_width(style.red("算")), 2U);
}

TEST(Bar, IsFilledInProportion) {
  EXPECT_EQ(bar(0.5, 4), "██░░");
  EXPECT_EQ(bar(-1, 2), "░░");
  EXPECT_EQ(bar(7, 2), "██");
  EXPECT_EQ(bar(0.0 / 0.0, 1), "░");
}

}  // namespace
}  // namespace starbridge::base
