/** Milliseconds that this thread kept a processor busy: unlike a clock, it stands while others have theirs. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
