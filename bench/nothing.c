// SPDX-License-Identifier: Apache-2.0
/* An empty library: the least that LD_PRELOAD costs. */
