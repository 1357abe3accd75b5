#pragma once
// Included between the texts of kernels and those of CPU decoders, which define the same macros.
#undef SLUICE_LIKELY
#undef SLUICE_UNLIKELY
#undef SLUICE_INLINE
#undef SLUICE_METHOD
#undef SLUICE_COLD
#undef SLUICE_TABLE
#undef SLUICE_ALIKE_TABLE
#undef SLUICE_ROLLED
#undef SLUICE_UNROLLED
