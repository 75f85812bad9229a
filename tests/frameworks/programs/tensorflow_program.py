# SPDX-License-Identifier: Apache-2.0
"""TensorFlow without a GPU: says its versions, has its own stub of cuDNN load
the library, and dies of the missing device."""

import ctypes
import os

import tensorflow as tf

folder = os.path.dirname(tf.__file__)
print("version", tf.__version__)
# Exported by TensorFlow: looks for libcudnn.so.9 and calls what it finds there.
library = ctypes.CDLL(os.path.join(folder, "libtensorflow_framework.so.2"))
library.cudnnGetVersion.restype = ctypes.c_size_t
print("cudnn", library.cudnnGetVersion())
print("device", bool(tf.config.list_physical_devices("GPU")), flush=True)
tf.config.set_soft_device_placement(False)
with tf.device("/GPU:0"):
    tf.ones((2, 2))
