// The vectors of codecs/<codec>/vectors, and the policies of codecs/<codec>/policies.tsv.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/files.h"
#include "tests/support/versions.h"

namespace sluice::test {

struct Vector {
  std::string codec;
  std::string name;   // file name without its ending
  std::string set;    // compile-time parameters, or empty
  Bytes in;
  Bytes dictionary;
  std::optional<Bytes> out;  // expected output; without one, `error` is expected
  std::vector<Bytes> further;  // expected of each further output, in order of declaration: NAME.out.OUTPUT
  std::string error;         // "reason position", or "reason position of the dictionary"
};

// Every vector of every codec, in codec and name order.
std::vector<Vector> all_vectors();

// A named difference between our decoder and a control library.
struct Policy {
  std::string name;
  std::string control;      // "zlib", "libdeflate", ...
  VersionRange versions;    // of the control; with others there is no such difference
  std::string who;          // "we_refuse": the control accepts; "we_accept": the control refuses
  std::string evidence;     // we_refuse: name of our refusing site, or "NAME with_dictionary"; we_accept: name of a predicate in judge.cpp
  std::string explanation;
};

// Rows of codecs/<codec>/policies.tsv; empty when there is none: then every byte string must be judged alike.
// A row that can't be read is a policy whose name says so: one that nothing uses, so that the tests fail.
std::vector<Policy> policies(const std::string& codec);
// Those of the codecs whose modules the codec uses, and of theirs: what deflate differs in, gzip may.
std::vector<Policy> policies_of_modules(const std::string& codec);

}  // namespace sluice::test
