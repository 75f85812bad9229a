# SPDX-License-Identifier: Apache-2.0
"""A worker of the DataLoader is killed, as the kernel does for lack of room."""

import os
import signal

import torch


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        if index == 20:
            os.kill(os.getpid(), signal.SIGKILL)
        return torch.zeros(4)


if __name__ == "__main__":
    loader = torch.utils.data.DataLoader(Data(), batch_size=4, num_workers=2)
    weights = torch.zeros(4, device="cuda")
    for batch in loader:
        weights += batch.sum(0).cuda()
