#pragma once
// What the handles of the C interfaces are, and how exceptions and errors become statuses.
#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "runtime/api/sluice.h"
#include "runtime/api/sluice.hpp"

struct sluice_error {
  sluice::Error error;
};

namespace sluice::c_api {

inline sluice_status status_of(Error::Kind kind) {
  return kind == Error::Kind::Environment ? SLUICE_ENVIRONMENT : SLUICE_BAD_SPEC;
}

// Runs `body`; what it throws (no memory) ends here.
template <class Body>
sluice_status guarded(Body&& body) {
  try {
    return body();
  } catch (const std::exception&) {
    return SLUICE_ENVIRONMENT;
  }
}

// A handle from `make()`, a Result; Handle is constructed from what is in it.
template <class Handle, class Make>
sluice_status create(Handle** handle, sluice_error** error, Make&& make) {
  *handle = nullptr;
  if (error) *error = nullptr;
  return guarded([&] {
    auto made = make();
    if (made) {
      *handle = new Handle{std::move(*made)};
      return SLUICE_OK;
    }
    const sluice_status status = status_of(made.error().kind);
    if (error) *error = new sluice_error{made.error()};
    return status;
  });
}

// The convention for texts: at most `size` bytes with a terminating zero; returns the length it needs without it.
inline std::size_t copy_text(const std::string& from, char* text, std::size_t size) {
  if (size > 0) {
    const std::size_t n = std::min(from.size(), size - 1);
    std::memcpy(text, from.data(), n);
    text[n] = 0;
  }
  return from.size();
}

}  // namespace sluice::c_api
