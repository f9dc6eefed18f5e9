"""Serves a GGUF file by llama.cpp until it is killed, and prints the address."""
import os
import signal
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.chat_template = sys.argv[2]
params.api_keys = [sys.argv[3]]
params.port = 0
params.n_parallel = 4
params.n_ctx = 4 * 8192
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.warmup = False
params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
server = xllamacpp.Server(params)
address = server.listening_address.removeprefix("http://")
# In one piece, which print does not promise: llama.cpp's log goes the same way.
os.write(1, f"address {address}\n".encode())
signal.pause()
