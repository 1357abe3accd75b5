// What every planted kernel begins with.
#pragma once
#define SLUICE_WORKERS 32
#define SLUICE_WARPS 1
#include "runtime/prim/cuda/base.h"
#include "runtime/prim/cuda/warp.h"
#include "runtime/prim/cuda/input.h"
#include "runtime/prim/cuda/copy.h"
#include "runtime/prim/cuda/codes.h"
#include "runtime/prim/turned.h"
#include "runtime/prim/cuda/stream.h"
#include "runtime/prim/cuda/bitbuffer.h"
#include "runtime/prim/cuda/units.h"
#include "runtime/prim/cuda/packed.h"
