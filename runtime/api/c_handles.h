#pragma once
// What the handles of the C interfaces are, and how exceptions and errors become statuses.
#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "runtime/api/sluice.h"
#include "runtime/api/sluice.hpp"

struct sluice_error {
  sluice::Error error;
};

namespace sluice::c_api {

inline constexpr const char* kArraysMissing =
    "a batch needs arrays of inputs, their sizes, produced sizes and error words";
inline constexpr const char* kOutputsMissing = "a batch needs arrays of outputs and capacities";

inline sluice_status status_of(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::Usage: return SLUICE_BAD_ARGUMENT;
    case Error::Kind::Spec: return SLUICE_BAD_SPEC;
    case Error::Kind::NoMemory: return SLUICE_NO_MEMORY;
    case Error::Kind::Environment: break;
  }
  return SLUICE_ENVIRONMENT;
}

inline sluice_status status_of(CallError::Kind kind) {
  switch (kind) {
    case CallError::Kind::None: return SLUICE_OK;
    case CallError::Kind::BadArgument: return SLUICE_BAD_ARGUMENT;
    case CallError::Kind::NotCountable: return SLUICE_NOT_COUNTABLE;
    case CallError::Kind::NoMemory: return SLUICE_NO_MEMORY;
    case CallError::Kind::Cancelled: return SLUICE_CANCELLED;
    case CallError::Kind::Driver: break;
  }
  return SLUICE_ENVIRONMENT;
}

// The sentence for the caller; without memory for it there is none.
inline void tell(sluice_error** error, std::string text) noexcept {
  if (error) *error = new (std::nothrow) sluice_error{{Error::Kind::Usage, std::move(text), {}}};
}

// Runs `body`; what it throws ends here, as a status and a sentence. *error is null unless something is wrong.
template <class Body>
sluice_status guarded(sluice_error** error, Body&& body) noexcept {
  if (error) *error = nullptr;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    tell(error, "out of memory");  // short enough for a string to hold without taking memory
    return SLUICE_NO_MEMORY;
  } catch (const std::length_error&) {  // of a batch so large that a vector can't even count it
    tell(error, "out of memory");
    return SLUICE_NO_MEMORY;
  } catch (const std::exception& exception) {
    try {
      tell(error, exception.what());
    } catch (const std::exception&) {
    }
    return SLUICE_ENVIRONMENT;
  }
}

// A call's error as its status, the sentence handed over.
inline sluice_status status_of(CallError call, sluice_error** error) {
  const sluice_status status = status_of(call.kind);
  if (status != SLUICE_OK) tell(error, std::move(call.text));
  return status;
}

// Statuses to the caller's arrays.
inline sluice_status hand_over(std::span<const Status> statuses, std::size_t* produced, std::uint64_t* errors,
                               std::span<const sluice_further_output> further = {}) {
  sluice_status result = SLUICE_OK;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].error != 0) result = SLUICE_DATA_REJECTED;
    produced[i] = static_cast<std::size_t>(statuses[i].produced);
    errors[i] = statuses[i].error;
    for (std::size_t k = 0; k < further.size(); ++k) further[k].produced[i] = static_cast<std::size_t>(statuses[i].further[k]);
  }
  return result;
}

// Is there an entry for each of the decoder's further outputs, with its arrays? Else what is wrong. Without `outputs` sizes alone.
template <class AnyDecoder>
CallError check_further(const AnyDecoder& decoder, std::span<const sluice_further_output> further, std::size_t count, bool outputs) {
  if (further.size() != decoder.further_outputs().size())
    return CallError::bad_argument(decoder.name() + " has " + std::to_string(decoder.further_outputs().size()) +
                                   " outputs beside its own, and the call brings " + std::to_string(further.size()));
  for (std::size_t k = 0; k < further.size() && count != 0; ++k)
    if (!further[k].produced || (outputs && (!further[k].out || !further[k].capacities)))
      return CallError::bad_argument("an array is missing of the output `" + decoder.further_outputs()[k].name + "`");
  return {};
}

// The calls on host memory, of either kind of decoder.
template <class AnyDecoder>
sluice_status decode_host(const AnyDecoder& decoder, const void* const* in, const std::size_t* in_sizes,
                          void* const* out, const std::size_t* out_capacities, std::size_t* produced,
                          std::uint64_t* errors, std::size_t count, const Batch& batch, sluice_error** error,
                          std::span<const sluice_further_output> further = {}) {
  if (count != 0 && (!in || !in_sizes || !produced || !errors))
    return status_of(CallError::bad_argument(kArraysMissing), error);
  if (count != 0 && (!out || !out_capacities)) return status_of(CallError::bad_argument(kOutputsMissing), error);
  if (CallError wrong = check_further(decoder, further, count, true); !wrong.empty()) return status_of(std::move(wrong), error);
  const std::size_t element = decoder.output_element_bytes();
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  std::vector<Chunk> chunks(count);
  std::vector<std::span<std::uint8_t>> rooms(further.size() * count);
  bool fits = true;
  for (std::size_t i = 0; i < count && fits; ++i) {
    fits = out_capacities[i] <= kMost / element;
    chunks[i] = {{static_cast<const std::uint8_t*>(in[i]), in_sizes[i]},
                 {static_cast<std::uint8_t*>(out[i]), out_capacities[i] * element},
                 std::span(rooms).subspan(i * further.size(), further.size())};
    for (std::size_t k = 0; k < further.size(); ++k) {
      const std::size_t bytes = decoder.further_outputs()[k].element_bytes, capacity = further[k].capacities[i];
      fits = fits && capacity <= kMost / bytes;
      rooms[i * further.size() + k] = {static_cast<std::uint8_t*>(further[k].out[i]), capacity * bytes};
    }
  }
  if (!fits) return status_of(CallError::bad_argument("a capacity is more than memory has addresses"), error);
  std::vector<Status> statuses(count);
  CallError wrong = decoder.decode_batch(chunks, statuses, batch);
  return wrong.empty() ? hand_over(statuses, produced, errors, further) : status_of(std::move(wrong), error);
}

template <class AnyDecoder>
sluice_status sizes_host(const AnyDecoder& decoder, const void* const* in, const std::size_t* in_sizes,
                         std::size_t* produced, std::uint64_t* errors, std::size_t count, const Batch& batch,
                         sluice_error** error, std::span<const sluice_further_output> further = {}) {
  if (count != 0 && (!in || !in_sizes || !produced || !errors))
    return status_of(CallError::bad_argument(kArraysMissing), error);
  if (!further.empty())
    if (CallError wrong = check_further(decoder, further, count, false); !wrong.empty()) return status_of(std::move(wrong), error);
  std::vector<std::span<const std::uint8_t>> inputs(count);
  for (std::size_t i = 0; i < count; ++i) inputs[i] = {static_cast<const std::uint8_t*>(in[i]), in_sizes[i]};
  std::vector<Status> statuses(count);
  CallError wrong = decoder.decoded_sizes(inputs, statuses, batch);
  return wrong.empty() ? hand_over(statuses, produced, errors, further) : status_of(std::move(wrong), error);
}

// A handle from `make()`, a Result; Handle is constructed from what is in it.
template <class Handle, class Make>
sluice_status create(Handle** handle, sluice_error** error, Make&& make) {
  *handle = nullptr;
  return guarded(error, [&] {
    auto made = make();
    if (made) {
      *handle = new Handle{std::move(*made)};
      return SLUICE_OK;
    }
    if (error) *error = new sluice_error{made.error()};
    return status_of(made.error().kind);
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
