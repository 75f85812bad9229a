# SPDX-License-Identifier: Apache-2.0
"""The Trainer of transformers trains a small model with random weights: an
ordinary run that ends well."""

import tempfile

import torch
import transformers


class Words(torch.utils.data.Dataset):
    def __len__(self):
        return 256

    def __getitem__(self, index):
        tokens = (torch.arange(64) * (index + 1)) % 1000
        return {"input_ids": tokens, "labels": tokens}


model = transformers.GPT2LMHeadModel(transformers.GPT2Config(
    vocab_size=1000, n_positions=64, n_embd=256, n_layer=4, n_head=4))
with tempfile.TemporaryDirectory() as folder:
    transformers.Trainer(
        model=model, train_dataset=Words(),
        args=transformers.TrainingArguments(
            folder, max_steps=40, per_device_train_batch_size=8,
            logging_steps=10, save_strategy="no", report_to=[],
            dataloader_num_workers=2)).train()
