#include "tests/conform/subjects.h"

#include <algorithm>
#include <map>
#include <utility>

#include "tests/support/guard.h"

namespace sluice::test {

const Subjects& subjects(std::string_view codec, std::string_view set) {
  static std::map<std::pair<std::string, std::string>, Subjects> known;
  Subjects& entry = known[{std::string(codec), std::string(set)}];
  if (entry.codec != nullptr) return entry;
  entry.codec = &load_codec(codec, set);
  if (!entry.codec->problem.empty()) return entry;
  entry.all.push_back(interpreter(*entry.codec));
  if (auto linked = ahead_of_time(*entry.codec)) entry.all.push_back(std::move(linked));
  if (auto jit = just_in_time(*entry.codec, &entry.jit_missing)) entry.all.push_back(std::move(jit));
  return entry;
}

bool usable(const Subjects& subjects) {
  if (!subjects.codec->problem.empty()) {
    ADD_FAILURE() << subjects.codec->name << " does not compile:\n" << subjects.codec->problem;
    return false;
  }
  for (const auto& subject : subjects.all) {
    if (subject->target() == "cpu_aot") return true;
  }
  ADD_FAILURE() << subjects.codec->name << " " << subjects.codec->set << ": no decoder was generated at build time";
  return false;
}

Decoded decode(const Subject& subject, std::span<const std::uint8_t> in, std::uint64_t capacity_elements,
               std::span<const std::uint8_t> dictionary, unsigned element_bytes) {
  Decoded decoded;
  decoded.bytes.assign(capacity_elements * element_bytes, 0xcc);
  decoded.outcome = subject.decode({in, decoded.bytes, dictionary});
  EXPECT_LE(decoded.outcome.produced, capacity_elements) << subject.target();
  decoded.bytes.resize(std::min(decoded.outcome.produced, capacity_elements) * element_bytes);
  return decoded;
}

Decoded agree(const Subjects& subjects, std::span<const std::uint8_t> in, std::uint64_t capacity_elements,
              std::span<const std::uint8_t> dictionary, const std::string& what) {
  const ir::Module& module = subjects.codec->module;
  Decoded right;
  for (const auto& subject : subjects.all) {
    Decoded decoded = decode(*subject, in, capacity_elements, dictionary, subjects.codec->element_bytes());
    if (subject == subjects.all.front()) {
      right = std::move(decoded);
      continue;
    }
    EXPECT_EQ(error_text(module, decoded.outcome.error), error_text(module, right.outcome.error)) << subject->target() << ": " << what;
    EXPECT_EQ(decoded.outcome.error, right.outcome.error) << subject->target() << ": " << what;
    EXPECT_EQ(decoded.outcome.produced, right.outcome.produced) << subject->target() << ": " << what;
    EXPECT_EQ(decoded.outcome.consumed, right.outcome.consumed) << subject->target() << ": " << what;
    EXPECT_TRUE(decoded.bytes == right.bytes) << subject->target() << ": other bytes: " << what;
    EXPECT_EQ(decoded.outcome.made, right.outcome.made) << subject->target() << ": " << what;
    EXPECT_TRUE(decoded.outcome.further == right.outcome.further) << subject->target() << ": other bytes in another output: " << what;
  }
  return right;
}

Outcome agree_count(const Subjects& subjects, std::span<const std::uint8_t> in, std::span<const std::uint8_t> dictionary,
                    const std::string& what) {
  const ir::Module& module = subjects.codec->module;
  Outcome right;
  for (const auto& subject : subjects.all) {
    const Outcome outcome = subject->count(in, dictionary);
    if (subject == subjects.all.front()) {
      right = outcome;
      continue;
    }
    EXPECT_EQ(error_text(module, outcome.error), error_text(module, right.error)) << subject->target() << " count: " << what;
    EXPECT_EQ(outcome, right) << subject->target() << " count: " << what;
  }
  return right;
}

void agree_in_pages(const Subjects& subjects, std::span<const std::uint8_t> in, std::uint64_t capacity_elements, std::uint64_t less,
                    const std::string& what) {
  const Decoded right = agree(subjects, in, capacity_elements, {}, what);
  agree_count(subjects, in, {}, what);
  const unsigned size = subjects.codec->element_bytes();
  GuardedBuffer exact_in(in, Flush::End);
  for (std::uint64_t cut = 0; cut <= less && cut <= right.outcome.produced; cut = cut < 20 ? cut + 1 : cut + 97) {
    const Decoded exact = decode(*subjects.all.front(), in, right.outcome.produced - cut, {}, size);
    GuardedBuffer out((right.outcome.produced - cut) * size, Flush::End);
    for (const auto& subject : subjects.all) {
      const Outcome outcome = subject->decode({exact_in.bytes(), out.bytes()});
      ASSERT_EQ(outcome, exact.outcome) << subject->target() << ": " << what << ", " << cut << " less";
      ASSERT_TRUE(std::equal(exact.bytes.begin(), exact.bytes.end(), out.bytes().begin())) << subject->target() << ": " << what;
    }
  }
}

}  // namespace sluice::test
