// Goal: a region where a site is censored, and one where another certificate is shown, are
// found and distinguished from what sites do by themselves. Method: a coordinator with a file of
// places and eight agents as processes, each with an address (and so a country) of its own; a site
// that answers by where its visitors come from.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createServer as createSecure, type Server as Secure } from 'node:https'
import { createServer, type Server, type Socket } from 'node:net'
import type { IncomingMessage, ServerResponse } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mmdbPlace, writeMmdb } from '@minga/net'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { FORGED, HONEST, type TestIdentity } from './neutral-certificates.ts'
import { MINGA } from './run-minga.ts'

const AGENT = fileURLToPath(new URL('../../apps/agent/src/main.ts', import.meta.url))
const SITE_ADDRESS = '127.0.84.1'
const NAME = 'news.neutral.test'
const COUNTRIES = { AR: 1, CL: 2, XX: 3, YY: 4 }
const NO_SUCH_COUNTRY = '?'

/** Two machines in each country: 127.0.85.11 and 12 in the first, 21 and 22 in the second … */
const MACHINES = Object.entries(COUNTRIES).flatMap(([country, nth]) =>
  [1, 2].map((device) => ({ country, address: `127.0.85.${nth}${device}` })),
)

function countryOf(address: string | undefined): string {
  const plain = (address ?? '').replace(/^::ffff:/, '')
  return MACHINES.find((machine) => machine.address === plain)?.country ?? NO_SUCH_COUNTRY
}

/** Answers by country: one is kept out, one gets its own language, one meets another certificate. */
class Site {
  readonly asked: { country: string; path: string; headers: string }[] = []
  readonly #servers: Record<'honest' | 'forged', Secure>
  readonly #door: Server

  constructor() {
    const secure = ({ cert, key }: TestIdentity): Secure =>
      createSecure({ cert, key }, (request, response) => this.#answer(request, response))
    this.#servers = { honest: secure(HONEST), forged: secure(FORGED) }
    this.#door = createServer((socket: Socket) => {
      const which = countryOf(socket.remoteAddress) === 'YY' ? 'forged' : 'honest'
      this.#servers[which].emit('connection', socket)
    })
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#door.listen(0, SITE_ADDRESS, resolve))
  }

  close(): void {
    this.#door.close()
    for (const server of Object.values(this.#servers)) server.closeAllConnections()
  }

  get origin(): string {
    return `https://${NAME}:${(this.#door.address() as { port: number }).port}`
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const country = countryOf(request.socket.remoteAddress)
    const { url = '' } = request
    this.asked.push({ country, path: url, headers: JSON.stringify(request.headers) })
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (url === '/robots.txt') return void response.writeHead(404).end()
    if (country === 'XX' && url === '/news') {
      return void response.writeHead(403).end('<p>Not available in your region.</p>')
    }
    const language = country === 'CL' && url === '/welcome' ? 'es' : 'en'
    const words = language === 'es' ? 'Bienvenidos' : 'Welcome'
    response.end(`<html lang="${language}"><p>${words} at ${Date.now()}: ${url}</p></html>`)
  }
}

interface Station {
  url: string
  joinToken: string
  apiKey: string
}

interface Report {
  run: { no: number; endedAt: number } | null
  flags: { url: string; place: string; kind: string; isConfirmed: boolean; says: string }[]
  findings: { url: string; verdict: string; places: number }[]
  sightings: { url: string; place: string; device: string; status: number | null }[]
}

describe('a site seen from several countries', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-neutral-'))
  const site = new Site()
  let station: Station
  let id = ''
  let report: Report

  before(async () => {
    await site.open()
    station = await startStation(folder)
    await Promise.all(MACHINES.map(({ address }) => join(station, folder, address)))
    const connected = async (): Promise<boolean> => {
      const devices = await call<{ country: string; isConnected: boolean }[]>(station, '/devices')
      return devices.filter(({ country, isConnected }) => country && isConnected).length >= 8
    }
    await until(connected)
    const urls = ['/news', '/welcome', '/about'].map((page) => `${site.origin}${page}`)
    const monitor = { name: 'Press', urls, by: 'country', devicesPerPlace: 2 }
    id = (await call<{ id: string }>(station, '/neutrality', monitor)).id
    await until(async () => {
      report = await call(station, `/neutrality/${id}/report?details=true`)
      return report.run !== null
    })
  })

  after(async () => {
    await endAllProcesses()
    site.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const flagged = (): string[] =>
    report.flags
      .map(({ url, place, kind, isConfirmed }) =>
        [place, kind, new URL(url).pathname, isConfirmed ? 'confirmed' : 'unconfirmed'].join(' '),
      )
      .toSorted()

  test('Neutrality monitor: the simulated censored region is flagged, and no other region for it', () => {
    assert.deepEqual(
      flagged().filter((flag) => flag.includes('blocked')),
      ['XX blocked /news confirmed'],
    )
  })

  test('Neutrality monitor: another certificate is flagged by its issuer, for every address', () => {
    assert.deepEqual(
      flagged().filter((flag) => flag.includes('certificate')),
      ['/about', '/news', '/welcome'].map((page) => `YY certificate ${page} confirmed`),
    )
    const { says } = report.flags.find(({ kind }) => kind === 'certificate')!
    assert.match(says, /by “CN=State Test CA”, elsewhere by “CN=Good Test CA”/)
  })

  test('Neutrality monitor: a page in the language of its visitors is a variant, not a block', () => {
    const others = flagged().filter((flag) => !/blocked|certificate/.test(flag))
    assert.deepEqual(others, ['CL variant /welcome confirmed'])
  })

  test('Neutrality monitor: every address was looked at once by every device, as by anybody', () => {
    for (const page of ['/news', '/welcome', '/about']) {
      const looks = site.asked.filter((hit) => hit.path === page)
      assert.equal(looks.length, MACHINES.length)
      assert.equal(new Set(looks.map(({ headers }) => headers)).size, 1)
    }
    assert.deepEqual(
      report.findings.map(({ places }) => places),
      [4, 4, 4],
    )
  })

  test('Neutrality monitor: the client learns places and pseudonyms, and no device', async () => {
    assert.equal(report.sightings.length, 3 * MACHINES.length)
    assert.equal(new Set(report.sightings.map(({ device }) => device)).size, MACHINES.length)
    const devices = await call<{ id: string }[]>(station, '/devices')
    const text = JSON.stringify(report)
    for (const { id: device } of devices) assert.ok(!text.includes(device))
    for (const { address } of MACHINES) assert.ok(!text.includes(address))
  })

  test('Neutrality monitor: its report can be read as text and as a table', async () => {
    const text = await asked(station, `/neutrality/${id}/report?as=text`)
    assert.match(await text.text(), /confirmed {4}XX {2}blocked: HTTP 403 {2}https:\S+\/news/)
    const csv = await asked(station, `/neutrality/${id}/report?as=csv`)
    assert.match(csv.headers.get('content-type')!, /^text\/csv/)
    assert.equal((await csv.text()).trim().split('\r\n').length, 1 + report.flags.length)
  })
})

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 300; looks++) {
    if (await isSo()) return
    await sleep(200)
  }
  assert.fail('it did not come to that within a minute')
}

async function startStation(folder: string): Promise<Station> {
  const data = path.join(folder, 'station')
  const places = MACHINES.map(({ address, country }) => ({
    network: `${address}/32`,
    record: mmdbPlace(country),
  }))
  const geoip = path.join(folder, 'places.mmdb')
  fs.writeFileSync(geoip, writeMmdb(places))
  const own = ['up', '--data', data, '--port', '0', '--no-agent', '--allow-private-addresses']
  const web = [
    '--workers',
    '0',
    '--geoip',
    geoip,
    '--delay',
    '50',
    '--resolve',
    `${NAME}=${SITE_ADDRESS}`,
  ]
  const up = await startProcess(process.execPath, [MINGA, ...own, ...web])
  await up.waitOutput(/Minga is up/, 30_000)
  return JSON.parse(fs.readFileSync(path.join(data, 'station.json'), 'utf8')) as Station
}

/** A machine somewhere: it comes to the station, and dials sites, from an address of its own. */
async function join(station: Station, folder: string, address: string): Promise<void> {
  const authorities = path.join(folder, 'authorities.pem')
  fs.writeFileSync(authorities, HONEST.authority + FORGED.authority)
  const here = path.join(folder, `from-${address}.mjs`)
  const agent = `new http.Agent({ keepAlive: true, localAddress: '${address}' })`
  fs.writeFileSync(here, `import http from 'node:http'\nhttp.globalAgent = ${agent}\n`)
  const settings = {
    stationUrl: station.url,
    token: station.joinToken,
    data: path.join(folder, `agent-${address}`),
    allowPrivateAddresses: true,
    localAddress: address,
  }
  await startProcess(process.execPath, ['--import', here, AGENT], {
    env: { MINGA_AGENT: JSON.stringify(settings), NODE_EXTRA_CA_CERTS: authorities },
  })
}

function asked({ url, apiKey }: Station, route: string, body?: object): Promise<Response> {
  return fetch(`${url}/api${route}`, {
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
}

async function call<T>(station: Station, route: string, body?: object): Promise<T> {
  const response = await asked(station, route, body)
  const answer = (await response.json()) as T
  assert.ok(response.ok, JSON.stringify(answer))
  return answer
}
