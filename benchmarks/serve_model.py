"""Serve a model file with OpenAI's API on 127.0.0.1; run by small_model, in its environment."""

import os
import sys
import time

import xllamacpp

# Tokens: more than a request of the cases and its answer have; and the longest answer.
CONTEXT, ANSWER = 16_384, 256


def serve(path: str, port: int, threads: int) -> None:
    """Serve until the process is ended, with a low priority."""
    os.nice(10)
    options = xllamacpp.CommonParams()
    options.model.path = path
    options.n_ctx, options.n_predict = CONTEXT, ANSWER
    # One request at a time, so that the next one finds the instructions in the cache.
    options.n_parallel = 1
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = threads
    options.use_jinja, options.warmup = True, False
    options.hostnames, options.port = ["127.0.0.1"], port
    server = xllamacpp.Server(options)
    print(server.listening_address, flush=True)
    while os.getppid() != 1:  # its starter may have been killed
        time.sleep(1)


if __name__ == "__main__":
    serve(sys.argv[1], *map(int, sys.argv[2:]))
