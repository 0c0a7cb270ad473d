/** Two stations as real processes that collect one fake web together, and how to tell them apart. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { zstdDecompressSync } from 'node:zlib'
import { readProcesses, type Child, type FakeWebProcess, type Hit } from '@minga/testkit'
import { newFolder, startMinga } from './crash-fixture.ts'
import { openTables } from './databases.ts'

export const NO_OPENSSL = spawnSync('openssl', ['version']).error
  ? 'openssl is not installed'
  : false

const START_MS = 60_000

/** For this machine alone, signed by itself. */
export function newCertificate(): { cert: string; key: string } {
  const folder = newFolder()
  const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
  const options =
    '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost'.split(
      ' ',
    )
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', ['req', ...options, ...names, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  return { cert, key }
}

interface StationFile {
  url: string
  joinToken: string
}

export class RealStation {
  readonly name: string
  readonly data: string
  readonly #env: Record<string, string>
  readonly #processes: Child[] = []

  private constructor(args: { name: string; data: string; env: Record<string, string> }) {
    this.name = args.name
    this.data = args.data
    this.#env = args.env
  }

  /** With two agents: one that the station starts itself and one that joins it. */
  static async start(
    name: string,
    tls: { cert: string; key: string },
    env: Record<string, string> = {},
  ): Promise<RealStation> {
    const folder = newFolder()
    const trust = { NODE_EXTRA_CA_CERTS: tls.cert }
    const station = new RealStation({ name, data: path.join(folder, 'station'), env: trust })
    const listen = ['--port', '0', '--workers', '0', '--tls-cert', tls.cert, '--tls-key', tls.key]
    // By their contact the web tells whose agents they are.
    const who = ['--contact', `${name}@example.org`, '--allow-private-addresses']
    const up = await startMinga(['up', '--data', station.data, ...listen, ...who], {
      ...trust,
      ...env,
    })
    station.#processes.push(up)
    await up.waitOutput(/Minga is up/, START_MS)
    const { url, joinToken } = station.#file()
    const join = ['agent', 'join', url, '--token', joinToken, '--data', path.join(folder, 'agent')]
    station.#processes.push(await startMinga([...join, '--allow-private-addresses'], trust))
    return station
  }

  #file(): StationFile {
    return JSON.parse(fs.readFileSync(path.join(this.data, 'station.json'), 'utf8')) as StationFile
  }

  get url(): string {
    return this.#file().url
  }

  async minga(...args: string[]): Promise<string> {
    const child = await this.begin(...args)
    const exit = await child.waitExit(START_MS)
    assert.equal(exit.code, 0, `${args.join(' ')}\n${child.stderr()}`)
    return child.stdout()
  }

  begin(...args: string[]): Promise<Child> {
    return startMinga([...args, '--data', this.data], this.#env)
  }

  stderr(): string {
    return this.#processes.map((child) => child.stderr()).join('')
  }

  /** Every process of it, the agent that joined it too. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    const pids = [
      ...this.#processes.map(({ pid }) => pid),
      ...readProcesses(this.data).map(({ pid }) => pid),
      ...this.#joined(),
    ]
    for (const pid of new Set(pids)) {
      try {
        process.kill(pid, signal)
      } catch (error) {
        if ((error as { code?: string }).code !== 'ESRCH') throw error
      }
    }
  }

  /** The joined agent keeps its own folder. */
  #joined(): number[] {
    const folder = path.join(path.dirname(this.data), 'agent')
    return fs.existsSync(path.join(folder, 'processes.json'))
      ? readProcesses(folder).map(({ pid }) => pid)
      : []
  }

  isVisitor({ userAgent }: Hit): boolean {
    return userAgent.includes(`${this.name}@example.org`)
  }

  /** Its tables as they are in this moment: no other process may open them while it runs, so they are
   * copied while it stands still, as a kill would leave them. */
  async #query<R>(text: string): Promise<R[]> {
    const copy = newFolder()
    const coordinators = readProcesses(this.data).filter(({ role }) => role === 'coordinator')
    for (const { pid } of coordinators) process.kill(pid, 'SIGSTOP')
    for (const name of fs.readdirSync(this.data).filter((file) => file.startsWith('minga.db'))) {
      fs.copyFileSync(path.join(this.data, name), path.join(copy, name))
    }
    for (const { pid } of coordinators) process.kill(pid, 'SIGCONT')
    const tables = await openTables({ data: copy })
    try {
      return await tables.all<R>(text)
    } finally {
      await tables.close()
    }
  }

  /** Pages that others have announced to this station as done, as long as it keeps their journals. */
  async announced(): Promise<Set<string>> {
    const rows = await this.#query<{ payload: Uint8Array }>('SELECT payload FROM kept_batches')
    return new Set(
      rows.flatMap(({ payload }) => {
        const text = zstdDecompressSync(payload).toString()
        return (JSON.parse(text) as { done: string[] }).done
      }),
    )
  }
}

/** The first founds it, the others are invited. */
export async function federate(stations: readonly RealStation[], cert: string): Promise<void> {
  const [first, ...others] = stations
  await first!.minga('station', 'federate', '--found', '--name', first!.name)
  for (const other of others) {
    const text = await first!.minga('station', 'federate', '--invite', '--json')
    const { token } = JSON.parse(text) as { token: string }
    const invited = ['--token', token, '--name', other.name, '--ca', cert]
    await other.minga('station', 'federate', first!.url, ...invited)
  }
}

const isPage = (hit: Hit): boolean => hit.path !== '/robots.txt'

/** Until so many pages were asked for, and everybody had a part in it. */
export async function reached(
  web: FakeWebProcess,
  args: { pages: number; stations: readonly RealStation[] },
): Promise<void> {
  for (let looks = 0; looks < 1_200; looks++) {
    const hits = web.hits().filter(isPage)
    const isEverybody = args.stations.every((station) => hits.some((hit) => station.isVisitor(hit)))
    if (hits.length >= args.pages && isEverybody) return
    await sleep(100)
  }
  assert.fail(`only ${web.hits().length} requests were made`)
}

export function assertClocksKept(web: FakeWebProcess, delayMs: number): void {
  for (const per of ['host', 'address'] as const) {
    const early = web.violations({ delayMs, per })
    assert.deepEqual(early.slice(0, 3), [], `${early.length} contacts before the ${per}'s clock`)
    assert.equal(web.concurrencyMax(per), 1, `requests at a time per ${per}`)
  }
}

export function assertWhole(web: FakeWebProcess): void {
  const asked = new Set(web.hitsByUrl().keys())
  const missing = web.expectedUrls({ onlyPages: true }).filter((url) => !asked.has(url))
  assert.deepEqual(missing, [], 'every page was fetched')
}
