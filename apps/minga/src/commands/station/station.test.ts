// Goal: operators found, join, watch, promote and leave a federation from the command line, and a registrar that stands
// still stops everybody. Method: the real command line and stations as processes, over https on loopback.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { json } from 'node:stream/consumers'
import { after, test } from 'node:test'
import type { FederationStatus } from '@minga/protocol'
import { endAllProcesses, readProcesses, startProcess, type Child } from '@minga/testkit'
import { MINGA, runMinga, type Ended } from '../../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-station-'))
const [certFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')]
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const dataOf = (name: string): string => path.join(folder, name)

/** Stations here have a self-signed certificate. */
const station = (name: string, ...args: string[]): Promise<Ended> => stationWith({}, name, ...args)
const stationWith = (
  env: Record<string, string>,
  name: string,
  ...args: string[]
): Promise<Ended> =>
  runMinga(['station', ...args, '--data', dataOf(name)], { NODE_EXTRA_CA_CERTS: certFile, ...env })

async function statusOf(name: string): Promise<Extract<FederationStatus, { isFederated: true }>> {
  const { out } = await station(name, 'status', '--json')
  return JSON.parse(out) as Extract<FederationStatus, { isFederated: true }>
}

/** Asked of the station itself: to ask by a command again and again would cost a process each time. */
async function stateOf(name: string): Promise<Extract<FederationStatus, { isFederated: true }>> {
  const file = readFileSync(path.join(dataOf(name), 'station.json'), 'utf8')
  const { url, apiKey } = JSON.parse(file) as { url: string; apiKey: string }
  const headers = { authorization: `Bearer ${apiKey}` }
  const ca = readFileSync(certFile)
  const sent = get(`${url}/api/federation`, { headers, ca, agent: false })
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const status = (await json(response)) as Extract<FederationStatus, { isFederated: true }>
  assert.equal(response.statusCode, 200, JSON.stringify(status))
  return status
}

async function up(name: string): Promise<Child> {
  const tls = ['--tls-cert', certFile, '--tls-key', keyFile]
  const inside = ['--allow-private-addresses']
  const args = ['up', '--no-agent', '--port', '0', ...tls, ...inside, '--data', dataOf(name)]
  const child = await startProcess(process.execPath, [MINGA, ...args])
  await child.waitOutput(/Minga is up/, 60_000)
  return child
}

const nap = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms))

async function until(what: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await what()); tries++) {
    assert.ok(tries < 60, 'it does not come about')
    await nap(500)
  }
}

const coordinatorOf = (name: string): number =>
  readProcesses(dataOf(name)).find(({ role }) => role === 'coordinator')!.pid

/**
 * Stopped, not dead: it can neither renew nor dial. Its supervisor would replace the coordinator after as long
 * as a lease lasts, so that is stopped as well.
 */
async function whileStopped(
  name: string,
  supervisor: Child,
  act: () => Promise<void>,
): Promise<void> {
  const coordinator = coordinatorOf(name)
  supervisor.signal('SIGSTOP')
  process.kill(coordinator, 'SIGSTOP')
  await act()
  process.kill(coordinator, 'SIGCONT')
  supervisor.signal('SIGCONT')
}

/** A former registrar that is back goes on under the other when its operator says so. */
async function confirmsQuito(): Promise<void> {
  await until(async () => (await stateOf('lima')).promotion !== null)
  const waits = /^Quito was promoted to registrar \(term 2\)/m
  assert.match((await station('lima', 'status')).out, waits)
  assert.equal((await statusOf('lima')).mayDial, false)
  const nobody = await station('lima', 'federate', '--reject', 'Cusco')
  assert.match(nobody.err, /MINGA_NO_PROMOTION/)
  const confirmed = await station('lima', 'federate', '--confirm', 'Quito')
  assert.match(confirmed.out, /^member of term/)
  await until(async () => (await stateOf('lima')).term === 2)
}

const noOpenssl = spawnSync('openssl', ['version']).error ? 'openssl is not installed' : false

test(
  'stations federate from the command line, stop with their registrar, and go on under another',
  { skip: noOpenssl },
  async () => {
    const options = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const names = ['-subj', '/CN=lima', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '30']
    const files = ['-keyout', keyFile, '-out', certFile]
    execFileSync('openssl', ['req', ...options, ...names, ...files], { stdio: 'ignore' })
    const absent = await station('lima', 'federate', '--found')
    assert.deepEqual([absent.code, absent.out], [4, ''])
    assert.match(absent.err, /start it with `minga up`.*\(MINGA_STATION_NOT_RUNNING\)/)
    const lima = await up('lima')
    await up('quito')
    assert.match((await station('lima', 'status')).out, /collects alone/)
    const unknown = await station('lima', 'reset-host', 'nowhere.test', '--json')
    assert.match(unknown.err, /no host "nowhere.test".*\(MINGA_NO_SUCH_HOST\)/)
    const unsaid = await station('lima', 'federate')
    assert.deepEqual([unsaid.code, unsaid.out], [2, ''])
    const misplaced = await station('lima', 'federate', '--found', '--branch', 'pe//lima')
    assert.deepEqual([misplaced.code, misplaced.out], [2, ''])
    assert.match(misplaced.err, /branch is invalid: "pe\/\/lima".*\(MINGA_BAD_BRANCH\)/)
    const founded = await station('lima', 'federate', '--found', '--name', 'Lima')
    assert.match(founded.out, /^registrar of term 1.*may dial for/)
    const [, , , url, , token] = (await station('lima', 'federate', '--invite')).out
      .trim()
      .split(' ')
    const join = ['federate', url!, '--name', 'Quito', '--capacity', '2']
    const distrusted = await station('quito', ...join, '--token', token!)
    assert.deepEqual([distrusted.code, distrusted.out], [8, ''])
    const trusting = [...join, '--ca', certFile, '--branch', 'ec/quito']
    const joined = await stationWith({ MINGA_TOKEN: token! }, 'quito', ...trusting)
    assert.equal(joined.code, 0, joined.err)
    await until(async () => (await stateOf('quito')).mayDial)
    const { stations } = await statusOf('lima')
    assert.deepEqual(
      stations.map(({ name, state, capacity }) => `${name} ${state} ${capacity}`).toSorted(),
      ['Lima active 0', 'Quito active 2'],
    )
    const moved = await station('quito', 'federate', '--branch', 'EC')
    assert.match(moved.out, /^ {2}Quito .* \(in ec, this station/m)
    assert.match((await station('lima', 'status')).out, /^ {2}Quito .* \(in ec/m)

    const nobodys = await station('quito', 'status', '--host', 'https://Example.org/x')
    assert.match(
      nobodys.out,
      /^example\.org has no owner yet; by the hash of its name, .*Quito \(https:/,
    )
    const told = JSON.parse((await station('lima', 'status', '--host', 'a.test', '--json')).out)
    assert.deepEqual([told.rule, told.owner.name, told.branches], ['hash', 'Quito', ['ec']])
    const misspelt = await station('lima', 'status', '--host', 'http://')
    assert.deepEqual([misspelt.code, misspelt.out], [2, ''])

    await whileStopped('lima', lima, () => until(async () => !(await stateOf('quito')).mayDial))
    await until(async () => (await stateOf('quito')).mayDial)
    const resumed = await statusOf('lima')
    assert.deepEqual(
      resumed.stations.map(({ state }) => state),
      ['active', 'active'],
    )

    const early = await station('quito', 'federate', '--promote')
    assert.deepEqual([early.code, early.out], [1, ''])
    assert.match(early.err, /The registrar Lima answers/)
    lima.signal('SIGTERM')
    await lima.waitExit(20_000)
    const crawl = await runMinga(['crawl', 'http://a.test/', '--data', dataOf('lima')])
    assert.equal(crawl.code, 4)
    assert.match(crawl.err, /MINGA_FEDERATED_STATION/)
    const promoted = await station('quito', 'federate', '--promote')
    assert.match(promoted.out, /^registrar of term 2/)
    await up('lima')
    await confirmsQuito()
  },
)
