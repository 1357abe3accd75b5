// What every planted text for the CPU begins with: the primitives, and a chunk's state as the emitter writes it.
#pragma once
#include "runtime/prim/base.h"
#include "runtime/prim/bits.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/copy.h"
#include "runtime/prim/codes.h"
#include "runtime/prim/varint.h"
#include "runtime/prim/checksum.h"
#include "runtime/prim/stream.h"
#include "runtime/prim/source.h"
#include "runtime/prim/bitbuffer.h"
