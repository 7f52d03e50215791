#include "ssm/cli/cell_text.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace ssm;

namespace {

const double kNan = std::nan("");

/// A cell whose ceiling, of `ceiling`, it misses by `difference`.
CellResult CellOf(bool higher_is_better, double ceiling, double difference) {
  CellResult cell;
  cell.higher_is_better = higher_is_better;
  cell.references = {{"exact",
                      Role::kCeiling,
                      std::string(kSameSequences),
                      {ceiling, kNan, kNan},
                      {difference, kNan, kNan}}};
  return cell;
}

}  // namespace

TEST_CASE("numbers of any size have four digits, what is no number has none") {
  CHECK(NumberText(0.20431) == "0.2043");
  CHECK(NumberText(-0.0) == "0");
  CHECK(NumberText(1.23456e-12) == "1.235e-12");
  CHECK(NumberText(1.23456e300) == "1.235e+300");
  for (const double none : {kNan, HUGE_VAL, -HUGE_VAL}) {
    CHECK(NumberText(none) == "-");
    CHECK(StatisticText(none) == "-");
    CHECK(IntervalText({none, 0, 1}) == "undefined");
  }
  CHECK(StatisticText(1048576) == "1,048,576");
  CHECK(StatisticText(-0.0) == "0");
  CHECK(IntervalText({0.5, 0.25, 0.75}) == "0.5000 [0.2500, 0.7500]");
  CHECK(IntervalText({0.5, kNan, 0.75}) == "0.5000");
}

TEST_CASE("shares and gaps are neither minus nothing nor hundreds of digits") {
  CHECK(ShareText(0.123) == "12.3 %");
  CHECK(ShareText(0) == "0.0 %");
  CHECK(ShareText(1e-9) == "< 0.1 %");
  CHECK(ShareText(kNan) == "-");
  CHECK(GapText(CellOf(false, 0.5, 0.25)) == "+50.0 %");
  CHECK(GapText(CellOf(false, 0.5, -1e-9)) == "0.0 %");
  CHECK(GapText(CellOf(false, 1e-30, 1)) == "+1.000e+32 %");
  CHECK(GapText(CellOf(true, 0.9, -0.0031)) == "-0.0031");
  CHECK(GapText(CellOf(true, 0.9, -1e-7)) == "0.0000");
  CHECK(GapText(CellOf(true, 0.9, kNan)) == "-");
  CHECK(GapText(CellOf(false, 0, 1)) == "-");
}

TEST_CASE("the ceiling shown is the one the gap is measured from") {
  CellResult cell = CellOf(false, 0.5, 0.25);
  CHECK(CeilingText(cell) == "0.5000");
  cell.references.insert(
      cell.references.begin(),
      {"exact", Role::kCeiling, "closed form", {0.6, kNan, kNan}, {0.15, kNan, kNan}});
  CHECK(CeilingText(cell) == "0.5000");
  CHECK(GapText(cell) == "+50.0 %");
  cell.references.pop_back();
  CHECK(CeilingText(cell) == "0.6000");
  CHECK(GapText(cell) == "+25.0 %");
}

TEST_CASE("a probe is compared with nothing, and says why") {
  CellResult cell = CellOf(true, 0.9, -0.1);
  cell.sequences = 9;
  cell.references.push_back({"rule", Role::kHeuristic, "closed form", {0.5, 0.4, 0.6}, {1, 1, 1}});
  cell.references.push_back({"coin", Role::kChance, "closed form", {0.5, 0.4, 0.6}, {1, 1, 1}});
  CHECK(VerdictText(cell) == "better");
  cell.key.split = Split::kProbe;
  for (const auto text : {CeilingText, GapText, BestHeuristicText, ChanceText, VerdictText}) {
    CHECK(text(cell) == "-");
  }
  const CellResult* const cells[] = {&cell, &cell};
  CHECK(CellNotes(cells) ==
        "Split \"probe\" has no right answers to judge by: it is for the kernel.\n");
}

TEST_CASE("each reason for a missing metric or verdict is told once") {
  CellResult flat, wild, alone;
  flat.undefined = "flat";
  wild.undefined = "wild";
  const CellResult* const cells[] = {&flat, &alone, &wild, &flat, &alone};
  CHECK(CellNotes(cells) ==
        "Undefined: flat.\nVerdict \"-\": nothing to compare with.\nUndefined: wild.\n");
  CHECK(UndefinedNote(alone).empty());
  CellResult judged;
  judged.sequences = 2;
  judged.references = {{"rule", Role::kHeuristic, "closed form", {1, 1, 1}, {-1, -2, -0.5}}};
  const CellResult* const good[] = {&judged};
  CHECK(CellNotes(good).empty());
}

TEST_CASE("FLOPs have three digits and a decimal prefix") {
  CHECK(FlopsText(0) == "-");
  CHECK(FlopsText(640) == "640");
  CHECK(FlopsText(999.6e3) == "1.00 M");
  CHECK(FlopsText(254e6) == "254 M");
  CHECK(FlopsText(4.524e15) == "4.52 P");
  CHECK(FlopsText(2e21) == "2000 E");
}
