/**
 * What a thread can do that its process may not (Node 24): one that is started with `execArgv` of its own does not inherit
 * the permissions, and the file of its program is read without asking for them. To be called first in a process or thread
 * that runs under permissions: afterwards nothing in it can start such a thread.
 */
import { syncBuiltinESMExports } from 'node:module'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export function restrictWorkers(): void {
  const { permission } = process
  if (permission === undefined) return
  const mayRead = permission.has.bind(permission, 'fs.read')
  const threads = process.getBuiltinModule('node:worker_threads')
  const Worker = threads.Worker
  const Restricted = new Proxy(Worker, {
    construct(target, [file, options = {}]: [string | URL, object?]) {
      const { execArgv: _flags, env: _variables, ...rest } = options as Record<string, unknown>
      // A copy of what is checked: an object could show another address when it is read again.
      const program = typeof file === 'string' ? file : new URL(file.href)
      requireReadable(program, { options: rest, mayRead })
      return new target(program, rest)
    },
  })
  // Else every thread would lead back to the class as it was.
  Worker.prototype.constructor = Restricted
  threads.Worker = Restricted
  syncBuiltinESMExports()
}

interface Check {
  options: Record<string, unknown>
  mayRead: (path: string) => boolean
}

function requireReadable(program: string | URL, { options, mayRead }: Check): void {
  const isText =
    typeof program === 'string' ? options['eval'] === true : program.protocol === 'data:'
  if (isText) return
  const path = typeof program === 'string' ? resolve(program) : fileURLToPath(program)
  if (mayRead(path)) return
  throw Object.assign(new Error(`A thread may not run ${path}.`), { code: 'ERR_ACCESS_DENIED' })
}
