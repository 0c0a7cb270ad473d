/** The lake on another machine: what a task reads is fetched from the station, what it writes is sent there. */
import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '@minga/protocol'
import { InputChanged, StationAway, TaskFileMissing } from '../errors.ts'
import { filePrefix, type Depot, type TaskFiles, type WrittenFile } from '../kernel/depot.ts'
import type { FileRef, Task } from '../model.ts'
import { FileCache } from './file-cache.ts'
import { Backoff, WORKER_BACKOFF } from '@minga/protocol/backoff'
import { callStation, type StationAddress } from './station-calls.ts'
import { leaseOf } from './station.ts'

export interface StationDepotSettings {
  address: StationAddress
  /** On this machine, of this worker alone: copies of the station's files, and the task's own. */
  folder: string
  cacheBytes: number
  clock: Clock
  random: () => number
}

/** Lost on a bad line, a part costs a second or so. */
const PART_BYTES = 4 * 1024 * 1024
/** Longer is not worth it: the station sweeps what no task committed. */
const DISCARD_MS = 5_000
/** Half a minute without a byte: the line is not bad but gone. The task fails and is tried later. */
const VAIN_TRIES = 9

export function stationDepot(settings: StationDepotSettings): Depot {
  const { address, folder, cacheBytes } = settings
  const cache = new FileCache(path.join(folder, 'cache'), cacheBytes)
  return {
    open: async (task, signal) => {
      const lines = { ...settings, task, signal }
      await fs.mkdir(folder, { recursive: true })
      await removeLeftWork(folder)
      const work = path.join(folder, `${WORK}${filePrefix(task)}files`)
      await fs.mkdir(work)
      return {
        folder: work,
        fetch: (file) => cache.path(file, () => bytesOf(lines, file, { from: 0, to: file.bytes })),
        range: (file, bounds) => bytesOf(lines, file, bounds),
        keep: (written) => sendAll(lines, written),
        close: () => fs.rm(work, { recursive: true, force: true }),
      } satisfies TaskFiles
    },
    discard: async (task, names) => {
      const signal = AbortSignal.timeout(DISCARD_MS)
      for (const name of names) {
        const file = { at: 'lake' as const, name, bytes: 0 }
        await callStation(address, { method: 'DELETE', path: filePath(file, task) }, signal)
      }
    },
  }
}

const WORK = 'work-'

/** A worker has one task at a time: what there is of others was left by a process that was killed. */
async function removeLeftWork(folder: string): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    if (name.startsWith(WORK)) await fs.rm(path.join(folder, name), { recursive: true })
  }
}

interface Lines extends Pick<StationDepotSettings, 'address' | 'clock' | 'random'> {
  task: Task
  signal: AbortSignal
}

/** The station serves files for a task in hand only: every call names its lease. */
function queryOf(values: Record<string, string | number>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) params.set(name, String(value))
  return params.toString()
}

function filePath(file: FileRef, task: Task): string {
  if (file.at === 'outside') {
    return `/worker/outside?${queryOf({ path: file.name, ...leaseOf(task) })}`
  }
  return `/worker/files/${encoded(file.name)}?${queryOf({ ...leaseOf(task) })}`
}

const encoded = (name: string): string => name.split('/').map(encodeURIComponent).join('/')

/** Goes on where a broken connection left off. */
async function* bytesOf(
  lines: Lines,
  file: FileRef,
  { from, to }: { from: number; to: number },
): AsyncGenerator<Buffer> {
  const { signal, clock } = lines
  const backoff = new Backoff(WORKER_BACKOFF, lines.random)
  let at = from
  for (let vain = 0; at < to; vain++) {
    if (vain > 0) await clock.sleep(backoff.nextMs(), signal)
    const before = at
    try {
      for await (const chunk of await openRange(lines, file, {
        from: at,
        to,
      })) {
        at += chunk.length
        yield Buffer.from(chunk)
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof StationAway || error instanceof TypeError)) throw error
      if (at === before && vain >= VAIN_TRIES) throw StationAway.at(lines.address.url, error)
    }
    if (at > before) {
      vain = 0
      backoff.reset()
    } else if (vain >= VAIN_TRIES) throw TaskFileMissing.named(file.name)
  }
}

const PARTIAL_CONTENT = 206
const GONE = [404, 410]
const CONFLICT = 409

async function openRange(
  { address, task, signal }: Lines,
  file: FileRef,
  { from, to }: { from: number; to: number },
): Promise<AsyncIterable<Uint8Array>> {
  const headers = { range: `bytes=${from}-${to - 1}` }
  const call = { method: 'GET' as const, path: filePath(file, task), headers }
  const expects = [...GONE, CONFLICT]
  const response = await callStation(address, { ...call, expects }, signal)
  if (response.status === CONFLICT) throw InputChanged.at(file.name)
  const isWhole = from === 0 && response.status === 200
  if ((response.status !== PARTIAL_CONTENT && !isWhole) || !response.body) {
    throw TaskFileMissing.named(file.name)
  }
  return response.body
}

async function sendAll(lines: Lines, written: readonly WrittenFile[]): Promise<void> {
  for (const file of written) await sendFile(lines, file)
}

/** Part after part; the station says how much it has, so nothing is sent twice but what was cut off. */
async function sendFile(lines: Lines, file: WrittenFile): Promise<void> {
  const handle = await fs.open(file.path, 'r')
  try {
    const { size } = await handle.stat()
    const part = Buffer.alloc(Math.min(PART_BYTES, size))
    let sent = 0
    let vain = 0
    const backoff = new Backoff(WORKER_BACKOFF, lines.random)
    do {
      if (vain > 0) await lines.clock.sleep(backoff.nextMs(), lines.signal)
      const { bytesRead } = await handle.read(part, 0, part.length, sent)
      const reached = await sendPart(lines, file.name, {
        offset: sent,
        total: size,
        bytes: part.subarray(0, bytesRead),
      })
      vain = reached > sent ? 0 : vain + 1
      if (vain > VAIN_TRIES) throw StationAway.at(lines.address.url, 'no part arrives')
      sent = reached
    } while (sent < size)
  } finally {
    await handle.close()
  }
}

interface Part {
  offset: number
  total: number
  bytes: Buffer<ArrayBuffer>
}

/** How many bytes of the file the station has after this. */
async function sendPart(
  { address, task, signal }: Lines,
  name: string,
  { offset, total, bytes }: Part,
): Promise<number> {
  const where = queryOf({ ...leaseOf(task), offset, total })
  try {
    const response = await callStation(
      address,
      {
        method: 'PUT',
        path: `/worker/files/${encoded(name)}?${where}`,
        headers: {
          'content-type': 'application/octet-stream',
          'x-minga-digest': `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
        },
        body: bytes,
        expects: [CONFLICT],
      },
      signal,
    )
    return ((await response.json()) as { received: number }).received
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StationAway || error instanceof TypeError) return offset
    throw error
  }
}
