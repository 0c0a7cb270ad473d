/** How a child process is stopped by its parent. */

/** Aborts when the parent says so; a second time, or when the parent is gone, the process ends at once. */
export function stopWithParent(): AbortSignal {
  const stop = new AbortController()
  const stopNow = (): void => {
    // The first time finishes or gives back what is in flight; the second does not wait.
    if (stop.signal.aborted) process.exit(1)
    stop.abort()
  }
  // Ctrl-C, timeout and systemd reach the whole group; a child waits for its parent's word instead.
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.on(signal, () => (process.send ? undefined : stopNow()))
  process.on('message', (message) => (message === 'stop' ? stopNow() : undefined))
  process.on('disconnect', () => process.exit(1))
  return stop.signal
}
