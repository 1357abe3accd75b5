// Codes that are always built before they are read, and those that are not.
#include <gtest/gtest.h>

#include "compiler/analysis/built_codes.h"
#include "sema_fixture.h"

namespace sluice::test {
namespace {

struct Answer {
  std::string verdicts;  // one letter a code: always built, perhaps not, never read
  std::size_t empty = 0;
};

Answer ask(const std::string& body) {
  const Checked c = check("format f\n  input bits lsb\n  output bytes\n  trailing accept rest\n"
                          "  table flat: u4 = [4 x 16]\n  array lengths: u4[16]\n" + body);
  EXPECT_TRUE(c.format.has_value()) << c.text();
  if (!c.format) return {};
  const ir::Module module = lower::lower(*c.format);
  const analysis::BuiltCodes built = analysis::built_codes(module);
  Answer answer;
  for (const analysis::BuiltCode& code : built.codes) {
    EXPECT_EQ(code.why.empty(), !code.read);
    answer.verdicts += !code.read ? 'n' : code.always_built ? 'a' : 'p';
  }
  answer.empty = built.empty_reads.size();
  return answer;
}

// What follows the declaration of one code, or of `copies`.
std::string one(const std::string& body) { return ask("  prefix_code code(16, 4)\n  k: u8\n" + body).verdicts; }
std::string four(const std::string& body) { return ask("  prefix_code code(16, 4) x 4\n  k: u8\n" + body).verdicts; }

const std::string kBuild = "  build code from flat\n", kRead = "  s: code\n  emit s\n";

TEST(BuiltCodes, InALine) {
  EXPECT_EQ(one(kBuild + kRead), "a");
  EXPECT_EQ(one(kBuild + kRead + kBuild), "a");
  EXPECT_EQ(one(kBuild), "n");
  EXPECT_EQ(one(kBuild + "  literals code[k]\n"), "a");
}

TEST(BuiltCodes, Branches) {
  EXPECT_EQ(one("  if k == 1\n    build code from flat\n" + kRead), "p");
  EXPECT_EQ(one("  when k == 1\n    build code from flat\n  else\n    build code from flat\n" + kRead), "a");
  EXPECT_EQ(one("  if k == 1\n    build code from flat\n    s: code\n    emit s\n"), "a");
  // Paths that end the chunk need no code.
  EXPECT_EQ(one("  when k == 1\n    build code from flat\n  else\n    reject no_code\n" + kRead), "a");
  EXPECT_EQ(one("  when k == 1\n    build code from flat\n  else\n    accept empty\n" + kRead), "a");
}

TEST(BuiltCodes, Loops) {
  EXPECT_EQ(one(kBuild + "  repeat until end of input\n    s: code\n    emit s\n"), "a");
  EXPECT_EQ(one("  repeat until end of input\n    x: u4\n    build code from flat\n" + kRead), "p");
  EXPECT_EQ(one("  repeat 3 times\n    build code from flat\n" + kRead), "a");
  EXPECT_EQ(one("  repeat k times\n    build code from flat\n" + kRead), "p");
  EXPECT_EQ(one("  repeat k times\n    build code from flat\n    s: code\n    emit s\n"), "a");
  // Built behind the read: in the first step nothing was.
  EXPECT_EQ(one("  repeat until end of input\n    s: code\n    emit s\n    build code from flat\n"), "p");
  EXPECT_EQ(one("  repeat\n    x: u4\n    build code from flat\n    if x == 1: stop\n" + kRead), "a");
  EXPECT_EQ(one("  repeat\n    x: u4\n    if x == 1: stop\n    build code from flat\n" + kRead), "p");
  EXPECT_EQ(one("  repeat 3 times\n    x: u4\n    if x == 1: stop\n    build code from flat\n" + kRead), "p");
}

TEST(BuiltCodes, Calls) {
  const std::string rule = "  rule make(k: u8)\n    if k == 9: reject nine\n    build code from flat\n";
  const std::string some = "  rule some(k: u8)\n    if k == 9: return\n    build code from flat\n";
  const std::string reads = "  rule reads\n    s: code\n    emit s\n";
  const auto with = [](const std::string& rules, const std::string& body) {
    return ask("  prefix_code code(16, 4)\n" + rules + "  k: u8\n" + body).verdicts;
  };
  EXPECT_EQ(with(rule, "  make(k)\n" + kRead), "a");
  EXPECT_EQ(with(some, "  some(k)\n" + kRead), "p");
  EXPECT_EQ(with(rule, "  if k == 1\n    make(k)\n" + kRead), "p");
  EXPECT_EQ(with(rule + reads, "  make(k)\n  reads()\n"), "a");
  // All calls of a rule count, and only those that a chunk can get to.
  EXPECT_EQ(with(rule + reads, "  if k == 1\n    make(k)\n    reads()\n  reads()\n"), "p");
  EXPECT_EQ(with(rule + reads, "  make(k)\n  reads()\n  reads()\n"), "a");
}

TEST(BuiltCodes, CopiesByNumber) {
  EXPECT_EQ(four("  build code[1] from flat\n  s: code[1]\n  emit s\n"), "a");
  EXPECT_EQ(four("  build code[1] from flat\n  build code[2] from flat\n  s: code[k & 1]\n  emit s\n"), "p");
  EXPECT_EQ(four("  build code[0] from flat\n  build code[1] from flat\n  s: code[k & 1]\n  emit s\n"), "a");
  EXPECT_EQ(four("  n = k & 3\n  build code[n] from flat\n  s: code[n]\n  emit s\n"), "a");
  EXPECT_EQ(four("  var n: u2 = 0\n  build code[n] from flat\n  n := k & 3\n  s: code[n]\n  emit s\n"), "p");
}

TEST(BuiltCodes, CopiesInLoops) {
  const std::string any = "  s: code[k & 3]\n  emit s\n";
  EXPECT_EQ(four("  for i < 4\n    build code[i] from flat\n" + any), "a");
  EXPECT_EQ(four("  for i < 3\n    build code[i] from flat\n" + any), "p");
  EXPECT_EQ(four("  for i < k & 3\n    build code[i] from flat\n" + any), "p");
  const std::string n = "  n = max(k, 4)\n  require n < 9 else reject many\n";
  EXPECT_EQ(four(n + "  for i < n\n    build code[i] from flat\n" + any), "a");
  EXPECT_EQ(four("  for i < 4\n    x: u4\n    if x == 3: stop\n    build code[i] from flat\n" + any), "p");
  EXPECT_EQ(four("  for i < 4\n    x: u4\n    if x == 3\n      build code[i] from flat\n" + any), "p");
  EXPECT_EQ(four("  for i < 4\n    build code[3 - i] from flat\n" + any), "p");
  EXPECT_EQ(four("  for i < 4\n    build code[i] from flat\n    s: code[i]\n    emit s\n"), "a");
  const std::string rule = "  prefix_code code(16, 4) x 4\n  rule make(t: u2)\n    build code[t] from flat\n";
  EXPECT_EQ(ask(rule + "  k: u8\n  for i < 4\n    make(i)\n" + any).verdicts, "a");
  EXPECT_EQ(ask(rule + "  k: u8\n  make(0)\n  make(1)\n  s: code[k & 1]\n  emit s\n").verdicts, "a");
  EXPECT_EQ(ask(rule + "  k: u8\n  make(k & 3)\n  s: code[k & 1]\n  emit s\n").verdicts, "p");
}

TEST(BuiltCodes, WhatNoBuildComesBefore) {
  const std::string two = "  prefix_code code(16, 4)\n  prefix_code other(16, 4)\n  k: u8\n";
  EXPECT_EQ(ask(two + kRead).empty, 1u);
  EXPECT_EQ(ask(two + kRead + kBuild).empty, 1u);
  EXPECT_EQ(ask(two + "  if k == 1\n    build code from flat\n" + kRead).empty, 0u);
  EXPECT_EQ(ask(two + kBuild + kRead + "  t: other\n  emit t\n").empty, 1u);
  EXPECT_EQ(ask(two + "  repeat until end of input\n    s: code\n    emit s\n    build code from flat\n").empty, 0u);
  const std::string copies = "  prefix_code code(16, 4) x 4\n  k: u8\n  build code[1] from flat\n";
  EXPECT_EQ(ask(copies + "  s: code[2]\n  emit s\n").empty, 1u);
  EXPECT_EQ(ask(copies + "  s: code[k & 3]\n  emit s\n").empty, 0u);
  const std::string symbols = "  symbols words[4]\n  k: u8\n  align\n";
  EXPECT_EQ(ask(symbols + "  symbol words[0]\n  words[0] := next 1 bytes\n").empty, 1u);
  EXPECT_EQ(ask(symbols + "  if k == 1\n    words[0] := next 1 bytes\n  symbol words[3]\n").empty, 0u);
}

}  // namespace
}  // namespace sluice::test
