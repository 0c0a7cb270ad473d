/** A coordinator as a process of its own: started, called as a client does, watched from outside. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock, type BatchView, type ResultLine } from '@minga/protocol'
import { readProcesses, startProcess, type Child } from '@minga/testkit'

export interface BenchStation {
  url: string
  joinToken: string
  folder: string
  get<T>(path: string): Promise<T>
  submit(urls: readonly string[]): Promise<BatchView>
  /** Waits until nothing of the batch is open. */
  ended(id: string): Promise<BatchView>
  results(id: string): Promise<ResultLine[]>
  /** Of the coordinator's process, all threads. */
  cpuSeconds(): number
  rssBytes(): number
  stop(): Promise<void>
}

const DOOR = fileURLToPath(new URL('../apps/minga/bin/minga.mjs', import.meta.url))
const START_MS = 60_000
const STOP_MS = 90_000
/** Rare enough not to be the load, often enough not to lengthen a run. */
const POLL_MS = 100
/** USER_HZ, which Linux fixes for /proc at 100 on all its usual machines. */
const TICKS_PER_SECOND = 100
const PAGE_BYTES = 4096
/** Fields of /proc/PID/stat, counted from the one after the program's name; see proc(5). */
const FIELD = { utime: 11, stime: 12, rss: 21 }

export function startMinga(args: readonly string[]): Promise<Child> {
  return startProcess(process.execPath, [DOOR, ...args])
}

export async function startStation(delayMs: number): Promise<BenchStation> {
  const folder = mkdtempSync(join(tmpdir(), 'minga-bench-fleet-'))
  const data = join(folder, 'station')
  const place = ['--data', data, '--port', '0', '--delay', String(delayMs)]
  const up = await startMinga(['up', '--no-agent', ...place, '--allow-private-addresses'])
  await up.waitOutput(/Minga is up/, START_MS)
  const file = readFileSync(join(data, 'station.json'), 'utf8')
  const { url, joinToken, apiKey } = JSON.parse(file) as Record<string, string>
  const coordinator = readProcesses(data).find(({ role }) => role === 'coordinator')
  if (coordinator === undefined) throw new Error('The station lists no coordinator process.')
  const call = apiCalls(url!, apiKey!)
  const { pid } = coordinator
  return {
    url: url!,
    joinToken: joinToken!,
    folder,
    ...call,
    ended: (id) => batchEnded(call.get, id),
    cpuSeconds: () =>
      (statField(pid, FIELD.utime) + statField(pid, FIELD.stime)) / TICKS_PER_SECOND,
    rssBytes: () => statField(pid, FIELD.rss) * PAGE_BYTES,
    stop: async () => {
      up.signal('SIGTERM')
      await up.waitExit(STOP_MS)
      up.killTree()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function apiCalls(url: string, key: string): Pick<BenchStation, 'get' | 'submit' | 'results'> {
  const said = async (path: string, body?: unknown): Promise<Response> => {
    const response = await fetch(`${url}/api${path}`, {
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })
    if (response.ok) return response
    throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  }
  return {
    get: async <T>(path: string) => (await (await said(path)).json()) as T,
    // Never from the archive: a fetch is what is measured.
    submit: async (urls) =>
      (await (await said('/batches', { urls, maxAgeS: 0 })).json()) as BatchView,
    results: async (id) => {
      const text = await (await said(`/batches/${id}/results`)).text()
      const lines = text.trimEnd().split('\n')
      return lines.map((line) => JSON.parse(line) as ResultLine)
    },
  }
}

async function batchEnded(get: BenchStation['get'], id: string): Promise<BatchView> {
  for (;;) {
    const batch = await get<BatchView>(`/batches/${id}`)
    if (batch.open === 0 && batch.state !== 'filling') return batch
    await systemClock.sleep(POLL_MS)
  }
}

function statField(pid: number, field: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name before the last parenthesis may contain anything.
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[field])
}

/** A figure of requests that were not all answered would be a lie. */
export function requireCaptured(results: readonly ResultLine[], count: number): void {
  const captured = results.filter(({ outcome }) => outcome === 'captured').length
  if (captured === count) return
  const odd = results.find(({ outcome }) => outcome !== 'captured')
  throw new Error(`Of ${count} requests ${captured} were captured, and ${JSON.stringify(odd)}.`)
}
