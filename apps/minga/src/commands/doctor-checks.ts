/** The verdicts of `minga doctor`: plain facts in, one check out. */
import type { DiskRoom } from '@minga/coordinator'
import { spanText } from '@minga/protocol'
import type { ListedProcess } from '../processes.ts'
import { formatBytes } from '../progress.ts'

export interface CheckResult {
  name: string
  verdict: 'ok' | 'warning' | 'problem'
  finding: string
  /** How to fix it; null when there is nothing to fix. */
  remedy: string | null
}

type Judged = Omit<CheckResult, 'name'>

export const ok = (finding: string): Judged => ({ verdict: 'ok', finding, remedy: null })
export const warning = (finding: string, remedy: string): Judged => ({
  verdict: 'warning',
  finding,
  remedy,
})
export const problem = (finding: string, remedy: string): Judged => ({
  verdict: 'problem',
  finding,
  remedy,
})

/** From here on Node strips types without a flag; bin/minga.mjs asks for the same. */
const NODE_OLDEST = [24, 12] as const

export function nodeCheck(version: string): Judged {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldest, oldestMinor] = NODE_OLDEST
  const isEnough = major > oldest || (major === oldest && minor >= oldestMinor)
  if (isEnough) return ok(`Node ${version}`)
  return problem(`Node ${version} is too old`, `Install Node ${oldest}.${oldestMinor} or newer.`)
}

const GIGABYTE = 1_000_000_000
const ROOM_LEAST = 2 * GIGABYTE
const ROOM_NEEDED = 100_000_000

export function roomCheck(room: DiskRoom | null): Judged {
  if (room === null) return ok('the system does not say how much is free')
  const { freeBytes, wholeBytes } = room
  const finding = `${formatBytes(freeBytes)} of ${formatBytes(wholeBytes)} are free`
  const remedy = 'Make room, or choose a folder on another disk with --data.'
  if (freeBytes < ROOM_NEEDED) return problem(finding, remedy)
  if (freeBytes < ROOM_LEAST || freeBytes < 0.05 * wholeBytes) return warning(finding, remedy)
  return ok(finding)
}

export interface StoreFacts {
  /** Null when nothing says it. */
  version: number | null
  known: number
}

export function storeCheck({ version, known }: StoreFacts): Judged {
  if (version === null) {
    return problem('the store has no schema version', 'Restore minga.db from a backup.')
  }
  if (version > known) {
    const finding = `the store was written by a newer Minga (schema ${version}, this one knows ${known})`
    return problem(finding, 'Install the newer version.')
  }
  const older = version < known ? `; the next start brings it to ${known}` : ''
  return ok(`schema ${version}${older}`)
}

/** The process that has it open lets no other process read it. */
export function storeInUse(isStation: boolean): Judged {
  if (isStation) return ok('the station has it open')
  const remedy = 'Wait until that command has ended; `processes` names it if it is known.'
  return warning('another process has the store open', remedy)
}

export interface HolderFacts {
  processes: readonly ListedProcess[]
  /** Where a station answers; null when none does. */
  url: string | null
}

export function processesCheck({ processes, url }: HolderFacts): Judged {
  const alive = processes.filter(({ isAlive }) => isAlive)
  const named = alive.map(({ role, pid }) => `${role} ${pid}`).join(', ')
  if (url !== null) return ok(`a station answers at ${url}${named && ` (${named})`}`)
  if (alive.length > 0) {
    const finding = `no station answers, but processes of the folder are alive (${named})`
    return warning(finding, 'Wait if a command runs there; else end these processes.')
  }
  if (processes.length > 0) {
    const finding = 'processes.json names processes that are not alive: the last command was killed'
    return warning(finding, 'Nothing is lost; the next `minga up` or `minga crawl` recovers.')
  }
  return ok('no station runs here')
}

export interface PortFacts {
  port: number
  isFree: boolean
  /** Of the folder's own station; null when none answers. */
  ownPort: number | null
}

export function portCheck({ port, isFree, ownPort }: PortFacts): Judged {
  if (isFree) return ok(`port ${port} is free`)
  if (ownPort === port) return ok(`the station of this folder uses port ${port}`)
  const remedy = 'Start the station with another --port, or end that program.'
  return warning(`another program uses port ${port}`, remedy)
}

/** Before this Minga was written no clock can be right. */
const CLOCK_LEAST = Date.UTC(2026, 0, 1)
const CLOCK_SLACK_MS = 60_000

export function clockCheck({ now, newestAt }: { now: number; newestAt: number | null }): Judged {
  const shown = new Date(now).toISOString()
  const remedy = 'Set the clock of the machine, best by NTP.'
  if (now < CLOCK_LEAST) return problem(`the clock says ${shown}`, remedy)
  if (newestAt !== null && newestAt - now > CLOCK_SLACK_MS) {
    const behind = spanText(newestAt - now)
    return problem(`the clock is ${behind} behind the newest capture`, remedy)
  }
  return ok(shown)
}

export function secretsCheck(mode: number | null): Judged {
  if (mode === null) return ok('no station.json yet')
  if ((mode & 0o077) === 0) return ok('station.json can be read by its owner only')
  const shown = (mode & 0o777).toString(8)
  const finding = `station.json has the keys of the station and can be read by others (mode ${shown})`
  return problem(
    finding,
    'Run: chmod 600 station.json, and replace the keys if others use this machine.',
  )
}

export function contactCheck(isKnown: boolean): Judged {
  if (isKnown) return ok('a contact is set')
  const remedy = 'Give --contact with a mail address or a page, or set MINGA_CONTACT.'
  return warning('no contact is set: the owners of sites cannot reach you', remedy)
}

export function verdictText(checks: readonly CheckResult[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.flatMap(({ name, verdict, finding, remedy }) => {
    const line = `${verdict.padEnd(7)}  ${name.padEnd(width)}  ${finding}`
    return remedy === null ? [line] : [line, `${' '.repeat(width + 11)}${remedy}`]
  })
  const problems = checks.filter(({ verdict }) => verdict === 'problem').length
  const many = problems === 1 ? '1 problem' : `${problems} problems`
  const end = problems === 0 ? 'No problem was found.' : `${many} must be fixed.`
  return `${lines.join('\n')}\n\n${end}\n`
}
