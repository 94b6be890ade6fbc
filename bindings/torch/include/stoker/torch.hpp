#pragma once

// All of stoker's LibTorch binding (target stoker::torch), and of stoker.

#include <stoker/stoker.hpp>
#include <stoker/torch/batches.hpp>
#include <stoker/torch/data_loader.hpp>
#include <stoker/torch/data_loader_options.hpp>
#include <stoker/torch/device.hpp>
#include <stoker/torch/make_data_loader.hpp>
#include <stoker/torch/samplers.hpp>
#include <stoker/torch/state.hpp>
#ifdef USE_DISTRIBUTED  // by LibTorch's targets, where it has c10d
#include <stoker/torch/c10d.hpp>
#endif
