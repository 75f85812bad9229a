// What NVML knows and the CUDA driver does not: the driver's version and who
// else holds memory on our GPUs; also memory on a timer, without touching CUDA.
// Drain thread only: on a GPU that has fallen off the bus NVML may hang, and
// then it is not the host that hangs. Found at run time; absence is noted.
#pragma once

namespace inquest::collector {

// Once the devices are known; does nothing the second time.
void StartNvml();
// False while there is nothing to ask.
bool SampleNvml(const char* reason);
// Xid errors that have come since the last look or sample; cheap.
void TakeNvmlEvents();
void ForgetNvml();

}  // namespace inquest::collector
