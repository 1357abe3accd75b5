// Why a file is not read. Thrown anywhere in this program, caught in main.
#pragma once
#include <stdexcept>

namespace parquet_column {

class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace parquet_column
