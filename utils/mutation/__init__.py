# SPDX-License-Identifier: GPL-2.0-only
"""What utils/mutation-check is made of."""
