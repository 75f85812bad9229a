// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/stacks/places.h"

#include <re2/re2.h>

#include <memory>
#include <vector>

namespace inquest::hangs {
namespace {

// The first that fits decides. An empty expression fits anything. Functions are
// matched whole, files anywhere.
struct Entry {
  Place place;
  const char* function;
  const char* file;
};

constexpr const char* kCalls =
    "all_?reduce\\w*|all_?gather\\w*|all_?to_?all\\w*|barrier|monitored_"
    "barrier|"
    "broadcast\\w*|reduce_scatter\\w*|reduce|scatter\\w*|gather\\w*";
constexpr const char* kPeers =
    "i?(?:send|recv)\\w*|batch_isend_irecv|(?:send|recv)_\\w+|_p2p_ops|"
    "_communicate";
constexpr const char* kComm =
    "(?:torch/distributed|deepspeed/comm|megatron/.*p2p_communication|deepspeed"
    "/runtime/pipe/p2p|colossalai/.*comm|distributed/(?:parallel_state|"
    "communication_op|device_communicators/(?:cuda|base|py|hpu)\\w*)|pynccl|"
    "torch/_ops|nccl|mpi4py|horovod|torch_xla/.*xla_model)";

constexpr Entry kPython[] = {
    {Place::kDumper,
     "pyspy_dump\\w*|dump_traceback\\w*|_event_listener|_?watchdog_(?:thread|"
     "once)|_dump_\\w*stacks?\\w*",
     ""},
    {Place::kTeardown, "destroy_process_group|abort_process_group|_abort_\\w+",
     "torch/distributed/"},
    {Place::kSetup,
     "init_process_group|_new_process_group_helper|_store_based_barrier|"
     "rendezvous|_create_c10d_store|new_group|_tcp_rendezvous_handler|"
     "_env_rendezvous_handler|init_device_mesh",
     "torch/distributed/"},
    {Place::kSetup, "initialize|__init__|connect",
     "(?:jax/_src/distributed|pynccl\\.py|cupy/.*nccl)"},
    {Place::kCollective, kCalls, kComm},
    {Place::kPeer, kPeers, kComm},
    {Place::kCollective, "synchronize|wait_and_clear|poll", "horovod/"},
    {Place::kCollective,
     "sync_global_devices|broadcast_one_to_all|process_allgather|"
     "assert_equal|_psum\\w*|wait_at_barrier",
     "(?:jax/|multihost_utils|experimental/)"},
    {Place::kCollective, "(?:All|I|Bar|Bc|Red|Gath|Scat|all|b)\\w*", "mpi4py/"},
    {Place::kLoader,
     "_try_get_data|_get_data|_next_data|_process_next_batch|__next__|fetch|"
     "_worker_loop",
     "torch/utils/data/"},
    {Place::kLoader, "\\w*next\\w*|__iter__|_?(?:fetch|get)\\w*|read\\w*",
     "(?:webdataset/|streaming/base|grain/|nvidia/dali|ffcv/|data/ops/iterator_"
     "ops|datasets/iterable_dataset|megatron/.*(?:data_loader|datasets)/|"
     "litdata/)"},
    {Place::kEngine,
     "get_response|_wait_for_response|acquire_read|wait_for_\\w*response|"
     "collective_rpc|_get_response",
     "vllm/"},
    {Place::kEngine, "get|get_objects|wait",
     "(?:^|/)ray/(?:_private/)?worker\\.py"},
    {Place::kIdle,
     "worker_busy_loop|_get_next_task_from_local_scheduler|main_loop|"
     "recv_requests|run_busy_loop|_process_input_queue|process_input_sockets|"
     "serve_forever|run_forever|_run_once|_periodically_flush\\w*|"
     "_monitor_workers|_invoke_run|_run_module_as_main_loop|"
     "wait_for_engine_startup|get_output_async",
     ""},
    {Place::kIdle, "run", "tqdm/_monitor|asyncio/(?:runners|base_events)"},
    {Place::kIdle, "_worker", "concurrent/futures/(?:thread|process)"},
    {Place::kIdle, "poll|wait", "multiprocessing/popen_fork"},
    {Place::kDevice,
     "synchronize|block_until_ready|_value|_single_device_array_to_np_array\\w*"
     "|"
     "_check_cuda_sync",
     "(?:torch/(?:cuda|xpu|npu|hip|mtia)|torch_npu/|jax/|cupy/)"},
    {Place::kLaunch, "__call__", "torch/_ops\\.py"},
    {Place::kLaunch, "run|__call__|launcher",
     "triton/(?:runtime|backends)|_inductor/runtime|jit/"},
    {Place::kBackward, "_engine_run_backward|backward|grad",
     "torch/autograd/(?:graph|__init__)\\.py"},
    {Place::kStorage,
     "(?:save|load)\\w*|_(?:save|load|legacy_load)|persistent_"
     "\\w+|read\\w*|write\\w*|copyfileobj|copy\\w*",
     "(?:torch/serialization|torch/distributed/checkpoint|safetensors|orbax|"
     "tensorstore|shutil\\.py|zipfile\\.py|tarfile\\.py|h5py/)"},
    {Place::kStorage, "\\w+",
     "(?:fsspec/|s3fs/|gcsfs/|boto3?/|botocore/|s3transfer/|smart_open/|minio/|"
     "aistore/|google/cloud/storage|huggingface_hub/file_download|orbax/"
     "checkpoint)"},
    {Place::kStorage, "read|readinto|recv_into|send", "(?:^|/)ssl\\.py"},
    {Place::kLock, "acquire|_acquire|wait|__enter__",
     "(?:filelock/|file_baton\\.py|fasteners/|portalocker/)"},
    {Place::kLock, "acquire|__enter__", "threading\\.py"},
    {Place::kCompile, "\\w+",
     "(?:torch/_inductor/(?:compile|codecache|async_compile|scheduler|graph)|"
     "torch/_dynamo/(?:convert_frame|symbolic|output_graph|backends)|triton/"
     "compiler|torch/utils/cpp_extension|numba/core|jax/_src/compil|tvm/"
     "(?:driver|relay))"},
    {Place::kTeardown, "_exit_function|_shutdown|_python_exit|_exithandler",
     ""},
};

constexpr Entry kNative[] = {
    {Place::kAbort,
     ".*(?:WorkNCCL::(?:handleNCCLGuard|handleException)|ProcessGroup\\w+::"
     "(?:terminateProcess|HeartbeatMonitor::\\w+))",
     ""},
    {Place::kDumper,
     ".*ProcessGroup\\w+::(?:\\w*[wW]atchdog\\w*|workCleanupLoop|"
     "heartbeatMonitor|Watchdog::\\w+)",
     ""},
    {Place::kNetwork,
     "(?:nccl|rccl)ProxyProgress|persistentThread|proxyProgress", ""},
    {Place::kBackground,
     "ncclProxy\\w+|ncclIb\\w*[aA]syncThread\\w*|ras\\w*Thread\\w*|ncclRas\\w+|"
     "ibv_get_async_event|wrap_ibv_get_async_event|.*libevent.*|event_base_"
     "loop|"
     "opal_libevent\\w*|pmix\\w*|progress_engine|ncclGdr\\w+",
     ""},
    {Place::kTeardown,
     "p?(?:nccl|rccl)Comm(?:Destroy|Abort|Finalize|Free)\\w*|commFree|"
     "c10d::ProcessGroup\\w*::(?:destroy|abort|shutdown|~\\w+)|"
     ".*(?:Comm|Nccl)\\w*(?:Destroy|Abort)|__run_exit_handlers|PMPI_Finalize|"
     "MPI_Finalize|ompi_mpi_finalize",
     ""},
    {Place::kSetup,
     "p?(?:nccl|rccl)CommInit\\w*|p?ncclCommSplit\\w*|(?:nccl|rccl)\\w*Init"
     "(?:Rank|Transports)\\w*|initTransportsRank|bootstrap[A-Z]\\w*|"
     "c10d::(?:TCPStore|FileStore|PrefixStore|Store)::\\w+|PMPI_Init\\w*|"
     "MPI_Init\\w*|ncclTransport\\w+|MPI_Comm_(?:create|split|dup)\\w*",
     ""},
    {Place::kPeer,
     "(?:c10d::|gloo::).*(?:Recv|Send|waitRecv|waitSend)\\w*(?:::\\w+)?|"
     "p?nccl(?:Send|Recv)|P?MPI_(?:I?Recv|I?Send|Probe|Sendrecv)\\w*",
     ""},
    {Place::kCollective,
     "c10d::ProcessGroup.*Work\\w*::(?:wait|synchronize)\\w*|gloo::\\w+.*|"
     "p?(?:nccl|rccl|hccl)(?:All|Reduce|Broadcast|Bcast|GroupEnd|Gather|"
     "Scatter)"
     "\\w*|(?:nccl)?(?:doLaunches|groupLaunch)\\w*|"
     "P?MPI_(?:All|Bcast|Reduce|Barrier|Gather|Scatter|Wait)\\w*|"
     "mca_coll_\\w+|ompi_coll_\\w+|horovod::.*",
     ""},
    {Place::kDevice,
     "(?:cuda|hip)(?:Stream|Device|Event|Thread)Synchronize\\w*|"
     "cu(?:Stream|Ctx|Event)Synchronize\\w*|(?:cuda|hip)Memcpy\\w*|cuMemcpy\\w*"
     "|"
     "at::.*_local_scalar_dense\\w*|.*::_local_scalar_dense\\w*|"
     "at::(?:_ops::)?item\\w*(?:::\\w+)?|L0::.*[sS]ynchronize.*|piEventsWait|"
     "ze\\w+Synchronize|ur(?:EventWait|QueueFinish)|cl(?:WaitForEvents|Finish)|"
     "(?:cl::)?sycl::.*event::wait.*|hsa_signal_wait\\w*|aclrtSynchronize\\w*",
     ""},
    {Place::kLock,
     "(?:cuda|hip)(?:SetDevice|Malloc\\w*|Free\\w*|EventDestroy|EventCreate\\w*"
     "|"
     "EventQuery|StreamCreate\\w*|HostAlloc|FreeHost|GetDevice|HostRegister)|"
     "cu(?:Mem\\w+|CtxSetCurrent|ModuleLoad\\w*|ModuleUnload)|take_gil|"
     "PyGILState_Ensure|PyEval_RestoreThread|PyEval_AcquireThread",
     ""},
    {Place::kLaunch, "(?:cuda|hip)LaunchKernel\\w*|cuLaunchKernel\\w*", ""},
    {Place::kBackward, "torch::autograd::Engine::execute\\w*", ""},
    {Place::kStorage,
     "(?:__)?(?:libc_)?f(?:data)?sync|(?:__)?(?:libc_)?(?:open64|statx|"
     "fstatat64)",
     "libc|sysdeps|fsync"},
    {Place::kSleep,
     "(?:__)?(?:GI_)?_*(?:clock_)?nanosleep(?:64)?|usleep|sleep|"
     "pysleep|time_sleep",
     ""},
};

struct Compiled {
  Place place;
  std::unique_ptr<RE2> function, file;
};

template <size_t n>
std::vector<Compiled> Compile(const Entry (&entries)[n]) {
  std::vector<Compiled> all;
  for (const Entry& entry : entries) {
    all.push_back({entry.place, std::make_unique<RE2>(entry.function),
                   std::make_unique<RE2>(entry.file)});
  }
  return all;
}

bool IsPythonFile(std::string_view file) {
  return file.ends_with(".py") || file.ends_with(".pyx") ||
         file.starts_with('<');
}

re2::StringPiece AsPiece(std::string_view text) {
  return {text.data(), text.size()};
}

Place Find(const std::vector<Compiled>& entries, std::string_view function,
           std::string_view file) {
  for (const Compiled& one : entries) {
    if (RE2::FullMatch(AsPiece(function), *one.function) &&
        RE2::PartialMatch(AsPiece(file), *one.file)) {
      return one.place;
    }
  }
  return Place::kNone;
}

// A list of top frames has no files. A rank's main thread that waits in Python
// itself waits for the queue of its loader.
Place PlaceOfTop(std::string_view function) {
  static const auto* calls =
      new RE2(std::string(kCalls) + "|sync_global_devices");
  static const auto* peer = new RE2("i?(?:send|recv)(?:_\\w+)?");
  static const auto* queue =
      new RE2("wait|get|select|poll|_try_get_data|_next_data|__next__");
  if (RE2::FullMatch(AsPiece(function), *calls)) return Place::kCollective;
  if (RE2::FullMatch(AsPiece(function), *peer)) return Place::kPeer;
  if (RE2::FullMatch(AsPiece(function), *queue)) return Place::kLoader;
  return function == "synchronize" ? Place::kDevice : Place::kUser;
}

}  // namespace

Place PlaceOf(std::string_view function, std::string_view file) {
  static const auto* python = new std::vector<Compiled>(Compile(kPython));
  static const auto* native = new std::vector<Compiled>(Compile(kNative));
  if (file == kTopFrame) return PlaceOfTop(function);
  if (IsPythonFile(file)) {
    const Place place = Find(*python, function, file);
    if (place != Place::kNone) return place;
    const Site site{std::string(function), std::string(file), 0};
    return IsPlumbing(site) ? Place::kNone : Place::kUser;
  }
  const Place place = Find(*native, function, file);
  if (place == Place::kNone && file.find("libnccl") != file.npos) {
    return Place::kBackground;
  }
  return place;
}

}  // namespace inquest::hangs
