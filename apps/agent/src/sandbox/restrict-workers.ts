/**
 * A thread that is started with `execArgv` of its own does not inherit the permissions of its process (Node 24). To be
 * called first in a process or thread that runs under them: afterwards nothing in it can start such a thread.
 */
import { syncBuiltinESMExports } from 'node:module'

export function restrictWorkers(): void {
  if (process.permission === undefined) return
  const threads = process.getBuiltinModule('node:worker_threads')
  const Worker = threads.Worker
  const Restricted = new Proxy(Worker, {
    construct(target, [file, options = {}]: [string | URL, object?]) {
      const { execArgv: _flags, env: _variables, ...rest } = options as Record<string, unknown>
      return new target(file, rest)
    },
  })
  // Else every thread would lead back to the class as it was.
  Worker.prototype.constructor = Restricted
  threads.Worker = Restricted
  syncBuiltinESMExports()
}
