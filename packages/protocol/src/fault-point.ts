/**
 * Named points where a test may kill, pause or delay this very process, to prove that nothing is
 * lost there. Without MINGA_FAULTS, which is read once, a point is an empty function.
 *
 *   MINGA_FAULTS='kill@ingest:after-append#3,agent/pause@agent:before-dial#10,delay:200@lease:after-commit'
 *   = [role/]action@point[#n]: at the n-th passage in one process (default the first), and only in
 *   processes whose MINGA_ROLE is that role.
 *   MINGA_FAULTS_DIR: a folder through which processes agree that each listed fault happens once,
 *   restarts included. Without it, it happens once per process.
 */

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'

import { PermanentError } from './errors.ts'

class BadFault extends PermanentError {
  readonly code = 'MINGA_BAD_FAULT' as const
  constructor(text: string) {
    super(
      `"${text}" in MINGA_FAULTS is not [role/]kill|pause|delay:MS@point[#n]; correct or unset it.`,
    )
  }
}

interface Fault {
  text: string
  /** Its place in the list: the same fault listed twice may happen twice. */
  place: number
  role: string | undefined
  action: string
  delayMs: number
  passage: number
}

// Above its first use, which is while this module loads.
const FAULT = /^(?:([\w-]+)\/)?(?:(kill|pause)|(delay):(\d+))@([^@#/]+)(?:#(\d+))?$/

/** Marks a point. The names in use are listed in `packages/testkit/src/faults.ts`. */
export const faultPoint: (name: string) => void = armed(process.env['MINGA_FAULTS'])

function armed(list: string | undefined): (name: string) => void {
  if (!list) return () => {}
  const role = process.env['MINGA_ROLE']
  const faults = Map.groupBy(
    list
      .split(',')
      .map(parsed)
      .filter(({ fault }) => fault.role === undefined || fault.role === role),
    ({ point }) => point,
  )
  const passages = new Map<string, number>()
  return (name) => {
    const here = faults.get(name)
    if (!here) return
    const passage = (passages.get(name) ?? 0) + 1
    passages.set(name, passage)
    for (const { fault } of here) {
      if (fault.passage === passage && isFirstToClaim(fault)) happen(fault)
    }
  }
}

function parsed(text: string, place: number): { point: string; fault: Fault } {
  const [, role, deadly, delay, delayMs = '0', point, passage = '1'] = FAULT.exec(text.trim()) ?? []
  const action = deadly ?? delay
  // A misspelt fault that never happens would let a test pass for nothing.
  if (action === undefined || point === undefined) throw new BadFault(text)
  return {
    point,
    fault: {
      text: text.trim(),
      place,
      role,
      action,
      delayMs: Number(delayMs),
      passage: Number(passage),
    },
  }
}

/** Creating a file that must not exist is atomic, so of many processes exactly one succeeds. */
function isFirstToClaim({ text, place }: Fault): boolean {
  const folder = process.env['MINGA_FAULTS_DIR']
  if (!folder) return true
  try {
    mkdirSync(folder, { recursive: true })
    closeSync(openSync(join(folder, `${place}-${encodeURIComponent(text)}`), 'wx'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function happen({ text, action, delayMs }: Fault): void {
  // Synchronous: after a kill there is no later moment to write it.
  writeSync(2, `fault: ${text} in process ${process.pid}\n`)
  if (action === 'kill') process.kill(process.pid, 'SIGKILL')
  else if (action === 'pause') process.kill(process.pid, 'SIGSTOP')
  // Blocks the whole thread, as a stalled disk or a long collection of garbage would.
  else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs)
}
