/** A station without agents of its own, a web to collect, and a volunteer who joins: all real processes. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  endAllProcesses,
  startFakeWeb,
  startProcess,
  type Behaviour,
  type Child,
  type FakeWeb,
} from '@minga/testkit'
import { MINGA } from './run-minga.ts'

/** Only a test that fails waits so long. */
export const WAIT_MS = 60_000

export interface Volunteering {
  web: FakeWeb
  /** Starts to collect the whole web. */
  collect(): Promise<void>
  /** `minga agent join`, or the same of another program, with the token. */
  join(program: readonly string[], ...options: string[]): Promise<JoinedAgent>
  /** Asks the station's API as its operator. */
  ask<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>
  stationUrl: string
  end(): Promise<void>
}

export interface JoinedAgent {
  child: Child
  data: string
  /** Of its page, as printed. */
  url: string
}

interface StationFile {
  url: string
  joinToken: string
  apiKey: string
}

export const MINGA_AGENT: readonly string[] = [process.execPath, MINGA, 'agent']

/** Twenty hosts, two requests a second to each: work for minutes, and cores that idle. */
const HOSTS = 20
const DELAY_MS = 500
/** On loopback a request is over before anything can show that it is in flight. */
const SLOW_HOST: Behaviour = { on: [1], kind: 'slow', firstByteMs: 1_000 }

export async function startVolunteering(): Promise<Volunteering> {
  const folder = mkdtempSync(join(tmpdir(), 'minga-volunteer-'))
  const web = await startFakeWeb({
    hosts: HOSTS,
    pagesPerHost: 2_000,
    linksPerPage: 20,
    behaviours: [SLOW_HOST],
  })
  const stationData = join(folder, 'station')
  const bare = ['--no-agent', '--workers', '0', '--allow-private-addresses']
  const up = ['up', ...bare, '--port', '0', '--data', stationData]
  const end = async (): Promise<void> => {
    await endAllProcesses()
    await web.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const coordinator = await startProcess(process.execPath, [MINGA, ...up])
  const station = await until(() => {
    if (coordinator.exit() !== undefined) throw new Error(coordinator.stderr())
    return stationFile(stationData)
  }, 'the station').catch(async (error: unknown) => {
    await end()
    throw error
  })
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${station.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${station.apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    assert.ok(response.ok, text)
    return JSON.parse(text) as T
  }
  return {
    web,
    end,
    ask,
    stationUrl: station.url,
    collect: async () => {
      const seeds = Array.from({ length: HOSTS }, (_, host) => `${web.origin(host)}/p/0`)
      await ask('POST', '/collections', { seeds, delayMs: DELAY_MS })
    },
    join: async ([program, ...first], ...options) => {
      const data = join(folder, 'agent')
      const own = ['--data', data, '--name', 'the attic', '--page-port', '0']
      const token = ['--token', station.joinToken, '--allow-private-addresses']
      const args = [...first, 'join', station.url, ...own, ...token, ...options]
      const child = await startProcess(program!, args)
      const [, url] = await child.waitOutput(/(http:\/\/127\.0\.0\.1:\d+)\/\n/, WAIT_MS)
      return { child, data, url: url! }
    },
  }
}

function stationFile(data: string): StationFile | null {
  try {
    return JSON.parse(readFileSync(join(data, 'station.json'), 'utf8')) as StationFile
  } catch {
    return null
  }
}

export async function until<T>(look: () => Promise<T | null> | T | null, what: string): Promise<T> {
  const deadline = performance.now() + WAIT_MS
  for (;;) {
    const seen = await look()
    if (seen !== null) return seen
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}.`)
    await pause(50)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** How many requests the web saw in so long a time from now. */
export async function hitsWithin(web: FakeWeb, ms: number): Promise<number> {
  const before = web.hits().length
  await pause(ms)
  return web.hits().length - before
}
