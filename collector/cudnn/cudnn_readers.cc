// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_readers.h"

#include <cudnn.h>

#include <algorithm>
#include <iterator>

#include "collector/core/dlsym_hook.h"
#include "collector/process/modules.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace inquest::collector {
namespace {

using Kind = CudnnOperand::Kind;

constexpr int kMaxDims = CudnnContents::kMaxDims;
constexpr int kMaxSpatial = kMaxDims - 2;
static_assert(kMaxDims == CUDNN_DIM_MAX);

constexpr const char* kGetterNames[] = {
    "cudnnGetTensorNdDescriptor",      "cudnnGetFilterNdDescriptor",
    "cudnnGetConvolutionNdDescriptor", "cudnnGetPoolingNdDescriptor",
    "cudnnGetActivationDescriptor",    "cudnnGetLRNDescriptor",
    "cudnnGetRNNDescriptor_v8",        "cudnnGetRNNDataDescriptor",
    "cudnnGetAttnDescriptor",          "cudnnGetSeqDataDescriptor",
    "cudnnGetCTCLossDescriptor",       "cudnnGetReduceTensorDescriptor",
    "cudnnGetOpTensorDescriptor",      "cudnnGetConvolutionGroupCount"};
static_assert(std::size(kGetterNames) == CudnnGetters::kMaxGetters);
constexpr int kGroups = CudnnGetters::kMaxGetters - 1;
char g_missing;  // marks a getter that the library does not have

// One descriptor and the library that can read it.
struct Reader {
  CudnnGetters* getters;
  const void* real;
  void* at;  // the descriptor

  void* Find(int index) const {
    void* found = getters->at[index].load(std::memory_order_relaxed);
    if (found == nullptr) {
      void* library = HandleOf(real);
      found = library == nullptr ? nullptr
                                 : RealDlsym(library, kGetterNames[index]);
      if (found == nullptr || IsOurs(found)) found = &g_missing;
      getters->at[index].store(found, std::memory_order_relaxed);
    }
    return found == &g_missing ? nullptr : found;
  }
  template <typename Function, typename... Arguments>
  cudnnStatus_t Ask(Kind kind, Arguments... arguments) const {
    return AskAt<Function>(static_cast<int>(kind), arguments...);
  }
  template <typename Function, typename... Arguments>
  cudnnStatus_t AskAt(int index, Arguments... arguments) const {
    void* found = Find(index);
    return found == nullptr ? CUDNN_STATUS_NOT_SUPPORTED
                            : reinterpret_cast<Function>(found)(arguments...);
  }
};

template <typename Enum>
Enum* As(int* number) {
  static_assert(sizeof(Enum) == sizeof *number);
  return reinterpret_cast<Enum*>(number);
}

// The getters write lists of int.
struct Lists {
  int at[3][kMaxDims] = {};

  void To(CudnnContents* to) const {
    for (int i = 0; i < 3; ++i) {
      std::copy(at[i], at[i] + kMaxDims, to->lists[i]);
    }
  }
};

cudnnStatus_t Tensor(const Reader& reader, CudnnContents* to) {
  Lists lists;
  const cudnnStatus_t status =
      reader.Ask<decltype(&cudnnGetTensorNdDescriptor)>(
          Kind::kTensor, static_cast<cudnnTensorDescriptor_t>(reader.at),
          kMaxDims, As<cudnnDataType_t>(&to->type), &to->count, lists.at[0],
          lists.at[1]);
  lists.To(to);
  return status;
}

cudnnStatus_t Filter(const Reader& reader, CudnnContents* to) {
  Lists lists;
  const cudnnStatus_t status =
      reader.Ask<decltype(&cudnnGetFilterNdDescriptor)>(
          Kind::kFilter, static_cast<cudnnFilterDescriptor_t>(reader.at),
          kMaxDims, As<cudnnDataType_t>(&to->type),
          As<cudnnTensorFormat_t>(&to->form), &to->count, lists.at[0]);
  lists.To(to);
  return status;
}

// Pads, strides, dilations; the number is that of the groups.
cudnnStatus_t Convolution(const Reader& reader, CudnnContents* to) {
  const auto convolution = static_cast<cudnnConvolutionDescriptor_t>(reader.at);
  Lists lists;
  const cudnnStatus_t status =
      reader.Ask<decltype(&cudnnGetConvolutionNdDescriptor)>(
          Kind::kConvolution, convolution, kMaxSpatial, &to->count, lists.at[0],
          lists.at[1], lists.at[2], As<cudnnConvolutionMode_t>(&to->form),
          As<cudnnDataType_t>(&to->type));
  lists.To(to);
  if (status != CUDNN_STATUS_SUCCESS) return status;
  to->number_count = 1;
  return reader.AskAt<decltype(&cudnnGetConvolutionGroupCount)>(
      kGroups, convolution, &to->numbers[0]);
}

// Window, pads, strides.
cudnnStatus_t Pooling(const Reader& reader, CudnnContents* to) {
  Lists lists;
  cudnnNanPropagation_t nan;
  const cudnnStatus_t status =
      reader.Ask<decltype(&cudnnGetPoolingNdDescriptor)>(
          Kind::kPooling, static_cast<cudnnPoolingDescriptor_t>(reader.at),
          kMaxSpatial, As<cudnnPoolingMode_t>(&to->form), &nan, &to->count,
          lists.at[0], lists.at[1], lists.at[2]);
  lists.To(to);
  return status;
}

cudnnStatus_t Activation(const Reader& reader, CudnnContents* to) {
  cudnnNanPropagation_t nan;
  double coefficient = 0;
  return reader.Ask<decltype(&cudnnGetActivationDescriptor)>(
      Kind::kActivation, static_cast<cudnnActivationDescriptor_t>(reader.at),
      As<cudnnActivationMode_t>(&to->form), &nan, &coefficient);
}

cudnnStatus_t NormWindow(const Reader& reader, CudnnContents* to) {
  double alpha = 0, beta = 0, k = 0;
  unsigned window = 0;
  const cudnnStatus_t status = reader.Ask<decltype(&cudnnGetLRNDescriptor)>(
      Kind::kNormWindow, static_cast<cudnnLRNDescriptor_t>(reader.at), &window,
      &alpha, &beta, &k);
  to->number_count = 1;
  to->numbers[0] = static_cast<int>(window);
  return status;
}

// Mode; algorithm, bias, direction, input mode, type of the arithmetic, sizes
// of input, hidden state and projection, layers.
cudnnStatus_t Rnn(const Reader& reader, CudnnContents* to) {
  int* n = to->numbers;
  cudnnMathType_t math;
  cudnnDropoutDescriptor_t dropout;
  uint32_t flags = 0;
  to->number_count = 9;
  return reader.Ask<decltype(&cudnnGetRNNDescriptor_v8)>(
      Kind::kRnn, static_cast<cudnnRNNDescriptor_t>(reader.at),
      As<cudnnRNNAlgo_t>(&n[0]), As<cudnnRNNMode_t>(&to->form),
      As<cudnnRNNBiasMode_t>(&n[1]), As<cudnnDirectionMode_t>(&n[2]),
      As<cudnnRNNInputMode_t>(&n[3]), As<cudnnDataType_t>(&to->type),
      As<cudnnDataType_t>(&n[4]), &math, &n[5], &n[6], &n[7], &n[8], &dropout,
      &flags);
}

// Longest sequence, batch, vector. The lengths themselves differ from batch to
// batch and are not read.
cudnnStatus_t RnnData(const Reader& reader, CudnnContents* to) {
  int longest = 0, batch = 0, vector = 0, lengths[1] = {};
  double padding = 0;
  const cudnnStatus_t status = reader.Ask<decltype(&cudnnGetRNNDataDescriptor)>(
      Kind::kRnnData, static_cast<cudnnRNNDataDescriptor_t>(reader.at),
      As<cudnnDataType_t>(&to->type), As<cudnnRNNDataLayout_t>(&to->form),
      &longest, &batch, &vector, 0, lengths, &padding);
  to->count = 3;
  to->lists[0][0] = longest;
  to->lists[0][1] = batch;
  to->lists[0][2] = vector;
  return status;
}

// Heads, type of the arithmetic, sizes of q, k, v, their projections and that
// of o, longest q and kv, batch, beam.
cudnnStatus_t Attention(const Reader& reader, CudnnContents* to) {
  int* n = to->numbers;
  double scale = 0;
  cudnnMathType_t math;
  cudnnDropoutDescriptor_t dropout, after;
  to->number_count = 13;
  return reader.Ask<decltype(&cudnnGetAttnDescriptor)>(
      Kind::kAttention, static_cast<cudnnAttnDescriptor_t>(reader.at),
      As<unsigned>(&to->form), &n[0], &scale, As<cudnnDataType_t>(&to->type),
      As<cudnnDataType_t>(&n[1]), &math, &dropout, &after, &n[2], &n[3], &n[4],
      &n[5], &n[6], &n[7], &n[8], &n[9], &n[10], &n[11], &n[12]);
}

// Dimensions (time, batch, beam, vector) and their order in memory.
cudnnStatus_t Sequence(const Reader& reader, CudnnContents* to) {
  Lists lists;
  size_t length_count = 0;
  int lengths[1] = {};
  double padding = 0;
  const cudnnStatus_t status = reader.Ask<decltype(&cudnnGetSeqDataDescriptor)>(
      Kind::kSequence, static_cast<cudnnSeqDataDescriptor_t>(reader.at),
      As<cudnnDataType_t>(&to->type), &to->count, CUDNN_SEQDATA_DIM_COUNT,
      lists.at[0], As<cudnnSeqDataAxis_t>(lists.at[1]), &length_count,
      size_t{0}, lengths, &padding);
  lists.To(to);
  return status;
}

cudnnStatus_t Loss(const Reader& reader, CudnnContents* to) {
  return reader.Ask<decltype(&cudnnGetCTCLossDescriptor)>(
      Kind::kLoss, static_cast<cudnnCTCLossDescriptor_t>(reader.at),
      As<cudnnDataType_t>(&to->type));
}

cudnnStatus_t Reduction(const Reader& reader, CudnnContents* to) {
  cudnnNanPropagation_t nan;
  cudnnReduceTensorIndices_t indices;
  cudnnIndicesType_t type;
  return reader.Ask<decltype(&cudnnGetReduceTensorDescriptor)>(
      Kind::kReduction, static_cast<cudnnReduceTensorDescriptor_t>(reader.at),
      As<cudnnReduceTensorOp_t>(&to->form), As<cudnnDataType_t>(&to->type),
      &nan, &indices, &type);
}

cudnnStatus_t Elementwise(const Reader& reader, CudnnContents* to) {
  cudnnNanPropagation_t nan;
  return reader.Ask<decltype(&cudnnGetOpTensorDescriptor)>(
      Kind::kElementwise, static_cast<cudnnOpTensorDescriptor_t>(reader.at),
      As<cudnnOpTensorOp_t>(&to->form), As<cudnnDataType_t>(&to->type), &nan);
}

// In the order of the kinds.
constexpr cudnnStatus_t (*kReaders[])(const Reader&, CudnnContents*) = {
    Tensor,  Filter,    Convolution, Pooling, Activation, NormWindow, Rnn,
    RnnData, Attention, Sequence,    Loss,    Reduction,  Elementwise};
static_assert(std::size(kReaders) == static_cast<size_t>(Kind::kCount));

}  // namespace

bool AskCudnn(CudnnGetters* getters, const void* real, Kind kind,
              const void* descriptor, CudnnContents* to) {
  const Reader reader{getters, real, const_cast<void*>(descriptor)};
  return kReaders[static_cast<size_t>(kind)](reader, to) ==
         CUDNN_STATUS_SUCCESS;
}

}  // namespace inquest::collector
