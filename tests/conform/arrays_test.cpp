// Loops that change arrays which they read, of the specs in tests/support/specs: an image with recent pixels, numbers with XOR
// windows, strings that are learnt, and tokens that are left behind their stores; tokens that begin as the one before them, and sums that
// are kept. Streams that decode long, cut and damaged ones.
#include <functional>
#include <random>

#include "tests/conform/subjects.h"

namespace sluice::test {
namespace {

constexpr std::uint64_t kRoom = 1 << 16;  // elements

class Arrays : public testing::Test {
 protected:
  // Streams of `make`, whole, cut anywhere, and with a few bytes changed. `least`: outputs that one of them makes at least.
  void check(const char* spec, std::uint64_t least, const std::function<Bytes()>& make) {
    const Subjects& on = subjects(std::string(SLUICE_SPECS "/") + spec + ".sluice", "");
    ASSERT_EQ(on.codec->problem, "");
    if (!on.jit_missing.empty()) GTEST_SKIP() << on.jit_missing;
    ASSERT_GE(on.all.size(), 2u);
    std::uint64_t most = 0;
    for (unsigned i = 0; i < 60; ++i) {
      const Bytes whole = make();
      const std::string name = std::string(spec) + " " + std::to_string(i);
      agree_in_pages(on, whole, kRoom, i < 6 ? 900 : 3, name);
      most = std::max(most, decode(*on.all.front(), whole, kRoom, {}, on.codec->element_bytes()).outcome.produced);
      agree_in_pages(on, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(random_() % (whole.size() + 1))), kRoom, 3, name + ", cut");
      Bytes damaged = whole;
      for (auto n = random_() % 4 + 1; n != 0 && !damaged.empty(); --n) damaged[random_() % damaged.size()] = byte();
      agree_in_pages(on, damaged, kRoom, 3, name + ", damaged");
      if (HasFatalFailure()) return;
    }
    EXPECT_GE(most, least) << "hardly any of it is decoded";
  }

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }
  Bytes noise(std::size_t n) {
    Bytes made(n);
    for (std::uint8_t& b : made) b = byte();
    return made;
  }
  std::mt19937 random_{23};
};

// Any tag is right but 62 and 63; most images end before their tokens do, some behind.
TEST_F(Arrays, RecentPixels) {
  check("recent_pixels", 4 * 40 * 30, [&] {
    Bytes made{static_cast<std::uint8_t>(40 + random_() % 80), 0, 30, 0};
    const unsigned kind = below(3);
    for (auto n = random_() % 4000 + 200; n != 0; --n) {
      std::uint8_t tag = byte();
      if (kind == 1) tag |= 0x80;         // no runs
      if (kind == 2) tag &= 0x7f;         // runs, and pixels seen lately
      if (tag == 62 || tag == 63) tag = 60;
      made.push_back(tag);
    }
    return made;
  });
}

// Fields of so many bits, the first one highest.
class Bits {
 public:
  void put(std::uint64_t value, unsigned bits) {
    for (; bits != 0; --bits, ++count_) {
      if (count_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (value >> (bits - 1) & 1) << (7 - count_ % 8));
    }
  }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
  std::size_t count_ = 0;
};

TEST_F(Arrays, XorWindows) {
  check("xor_windows", 500, [&] {
    Bits made;
    const std::uint64_t numbers = random_() % 1000 + 100;
    made.put(numbers, 32);
    unsigned size = 64, shift = 0;
    for (std::uint64_t n = 0; n < numbers; ++n) {
      const bool differs = random_() % 4 != 0, moves = random_() % 3 == 0;
      made.put(differs, 1);
      if (!differs) continue;
      made.put(moves, 1);
      if (moves) {
        size = below(64) + 1;
        shift = below(65 - size);
        made.put(size - 1, 6);
        made.put(shift, 6);
      }
      made.put(random_() | std::uint64_t{random_()} << 32, size);
    }
    return made.take();
  });
}

// Codes of strings that are there; some are of the one that is being learnt.
TEST_F(Arrays, SeenStrings) {
  check("seen_strings", 3000, [&] {
    Bytes made;
    unsigned next = 256;
    for (auto n = random_() % 1500 + 100; n != 0; --n) {
      const unsigned code = below(3) == 0 ? below(256) : below(2) == 0 ? next - 1 : below(next);
      made.push_back(static_cast<std::uint8_t>(code));
      made.push_back(static_cast<std::uint8_t>(code >> 8));
      ++next;
    }
    return made;
  });
}

// Few tokens are longer than registers hold; seldom one has more of the one before it than there is.
TEST_F(Arrays, SharedStarts) {
  check("shared_starts", 3000, [&] {
    const unsigned first = below(16);
    Bytes made = noise(first + 1);
    made[0] = static_cast<std::uint8_t>(below(8) == 0 ? byte() : first * 17 & 31);
    made.resize((made[0] & 15) + 1u);
    for (auto n = random_() % 400 + 20; n != 0; --n) {
      made.push_back(static_cast<std::uint8_t>(below(200) == 0 ? 128 + below(128) : below(below(4) == 0 ? 128 : 40)));
      const unsigned rest = below(9) == 0 ? below(140) : below(30);
      made.push_back(static_cast<std::uint8_t>(rest));
      const Bytes literals = noise(rest);
      made.insert(made.end(), literals.begin(), literals.end());
    }
    return made;
  });
}

// Any fields are right; few sums come to the place that is the last one.
TEST_F(Arrays, KeptSums) {
  check("kept_sums", 500, [&] {
    Bytes made;
    for (auto rounds = random_() % 4 + 1; rounds != 0; --rounds) {
      const unsigned count = below(256), width = below(34), bits = 6 + 32 + 2 * count * std::min(width, 32u);
      made.push_back(static_cast<std::uint8_t>(count));
      made.push_back(static_cast<std::uint8_t>(below(3) == 0 ? 255 : below(256)));
      Bytes fields = noise((bits + 7) / 8);
      fields[0] = static_cast<std::uint8_t>((fields[0] & 0xc0) | width);
      made.insert(made.end(), fields.begin(), fields.end());
    }
    return made;
  });
}

// The first byte picks the loop; where a step needs its stores undone to go on or to be refused as it ought to be.
TEST_F(Arrays, UndoneStores) {
  check("undone_stores", 500, [&] {
    Bytes made = noise(random_() % 1500 + 40);
    made[0] = static_cast<std::uint8_t>(random_() % 3);
    // Fields of few bits set: the loops that skip to a byte boundary and those that repeat little go on for longer.
    if (random_() % 2 == 0)
      for (std::size_t i = 1; i < made.size(); ++i) made[i] = static_cast<std::uint8_t>(made[i] & byte());
    return made;
  });
}

}  // namespace
}  // namespace sluice::test
