#pragma once
// What the build generates from the names of codecs/*/encode.cpp.
#include <vector>

#include "runtime/encode/encoder.h"

namespace sluice::encode {

// One call of encoder_NAME() for each codec that has an encoder, in name order.
std::vector<Encoder> registered_encoders();

}  // namespace sluice::encode
