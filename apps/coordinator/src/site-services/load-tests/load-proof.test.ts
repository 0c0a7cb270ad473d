// Goal: a load test needs the proof file on the very machine that is tested, before the first visitor
// and every minute until its end. Method: a whole station on virtual time, a site of our own on
// loopback that is really asked, and names that the owner leads elsewhere.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { openPeople } from '../../../test/accounts/people-fixture.ts'
import type { LoadOrder } from '@minga/protocol'
import { TOKENS, type Web } from '../../../test/station-fixture.ts'
import type { LoadTestView } from './load-test-views.ts'

const [OWN, VICTIM] = ['127.0.83.11', '127.0.83.12']

/** A machine with one file, whatever name it is asked under. */
class Machine {
  readonly asked: { path: string; host: string; atMs: number; status: number }[] = []
  status = 200
  file = ''
  readonly #server: Server

  constructor() {
    this.#server = createServer(({ url = '', headers }, response) => {
      const { status } = this
      this.asked.push({ path: url, host: headers.host ?? '', atMs: station.clock.now(), status })
      response.writeHead(this.status).end(this.file)
    })
    after(() => this.#server.close())
  }

  async open(address: string, port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, address, resolve))
    return (this.#server.address() as AddressInfo).port
  }
}

const own = new Machine()
const victim = new Machine()
const port = await own.open(OWN)
await victim.open(VICTIM, port)
const addresses = new Map<string, string>()
const people = await openPeople({
  allowPrivateAddresses: true,
  addressesOf: (name) => [addresses.get(name) ?? OWN],
})
const { station } = people
await station.hello()
const web: Web = {}

/** A test of this name, its file published where the station's agent looks before the start. */
async function made(name: string): Promise<LoadTestView & { file: string }> {
  const host = `${name}.example.org:${port}`
  const body = { urls: [`http://${host}/shop`], stepS: 300, visitorsMax: 2 }
  const view = await people.ok<LoadTestView>(TOKENS.apiKey, 'POST', '/load-tests', body)
  const { path, content } = view.proof!.file
  web[`http://${host}${path}`] = { body: content, type: 'text/plain' }
  own.file = content
  own.status = 200
  return { ...view, file: content }
}

const seen = (id: string): Promise<LoadTestView> =>
  people.ok(TOKENS.apiKey, 'GET', `/load-tests/${id}`)

async function start(id: string): Promise<void> {
  const starting = people.call(TOKENS.apiKey, 'POST', `/load-tests/${id}/start`)
  const isOver = starting.then(() => true)
  while (!(await Promise.race([isOver, turn()]))) {
    await beat()
    const { block } = await station.device.ask(station.clock)
    if (block) await station.send(station.fetch(block, web))
  }
  assert.equal((await starting).status, 200)
}

const beat = (): Promise<unknown> =>
  station.agent('beat', { progress: station.clock.now(), fences: [] })
const turn = (): Promise<false> => new Promise((resolve) => setTimeout(() => resolve(false), 5))

/** Ticks without time passing, since files are read in real time, until it has come to that. */
async function until(id: string, isSo: (view: LoadTestView) => boolean): Promise<LoadTestView> {
  for (;;) {
    await station.tick()
    const view = await seen(id)
    if (isSo(view)) return view
    await turn()
  }
}

const isOver = ({ state }: LoadTestView): boolean => state === 'aborted' || state === 'finished'

/** The station's one agent takes part, and reports so once a second; it simulates no visitor. */
class Player {
  readonly id: string
  #no = 0

  constructor(id: string) {
    this.id = id
  }

  async join(): Promise<void> {
    await beat()
    const { load } = await station.device.ask(station.clock)
    assert.equal(load?.test, this.id)
    await this.report()
  }

  async report(hasStopped = false): Promise<boolean> {
    const nothing = { requests: 0, bytes: 0, errors: {}, latencies: [], reason: null }
    const report = { no: ++this.#no, step: 1, ...nothing, hasStopped }
    const { body } = await station.agent(`load-tests/${this.id}/figures`, report)
    return (body as LoadOrder).goOn
  }

  /** So many seconds in which the test runs. Whenever the file is due, no time passes until it is read. */
  async play(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await this.#second()
      const { atMs, status } = own.asked.at(-1)!
      const dueAtMs = atMs + (status === 200 ? 60_000 : 5_000)
      while (station.clock.now() >= dueAtMs && own.asked.at(-1)!.atMs < dueAtMs) await tickAndTurn()
    }
  }

  async #second(): Promise<void> {
    await station.clock.advance(1_000)
    await beat()
    assert.ok(await this.report(), 'it continues')
    await station.tick()
  }

  /** The next second, and then no more of them until the test has ended; answers why. */
  async playToEnd(): Promise<string | null> {
    await this.#second()
    while (await this.report()) await tickAndTurn()
    await this.report(true)
    return (await until(this.id, isOver)).reason
  }
}

async function tickAndTurn(): Promise<void> {
  await station.tick()
  await turn()
}

async function running(name: string): Promise<Player> {
  const { id } = await made(name)
  await start(id)
  await until(id, ({ state }) => state === 'running')
  const player = new Player(id)
  await player.join()
  return player
}

test('Verified load test: a name that leads to another machine after its proof brings no visitor there', async () => {
  const { id, host } = await made('evil')
  await start(id)
  // The file was where the name led until now. The address is looked up again at the start.
  const before = own.asked.length
  addresses.set('evil.example.org', VICTIM)
  const { state, reason, live } = await until(id, isOver)
  assert.deepEqual([state, live], ['aborted', null])
  assert.equal(reason, `${host} leads to ${VICTIM} now, not to ${OWN} as at the start.`)
  assert.deepEqual([own.asked.length - before, victim.asked], [0, []])
})

test('Verified load test: the file of another machine under the same name does not count', async () => {
  addresses.set('pointed.example.org', VICTIM)
  const { id, host } = await made('pointed')
  victim.status = 404
  await start(id)
  const { state, reason } = await until(id, isOver)
  const url = `http://${host}/.well-known/minga-proof.txt`
  assert.deepEqual(
    [state, reason],
    ['aborted', `The proof file ${url} is not at ${VICTIM}: HTTP 404.`],
  )
  const asked = victim.asked.map(({ path, host: name }) => ({ path, host: name }))
  assert.deepEqual(asked, [{ path: '/.well-known/minga-proof.txt', host }])
})

test('Verified load test: the file is read again every minute, and the test ends when it is gone', async () => {
  const player = await running('minutes')
  const before = own.asked.length
  await player.play(125)
  const [first, second] = own.asked.slice(before)
  assert.deepEqual([own.asked.length - before, second!.atMs - first!.atMs], [2, 60_000])
  await player.play(54)
  own.file = 'something else'
  const reason = await player.playToEnd()
  assert.match(
    reason!,
    /^The proof file .* is not at 127\.0\.83\.11: HTTP 200, without the token\.$/,
  )
})

test('Verified load test: the test ends when the name leads elsewhere, though the file is still there', async () => {
  const player = await running('moved')
  await player.play(59)
  addresses.set('moved.example.org', VICTIM)
  assert.match((await player.playToEnd())!, /leads to 127\.0\.83\.12 now, not to 127\.0\.83\.11/)
})

test('Verified load test: a site that fails to answer under load is asked again for half a minute', async () => {
  const player = await running('strained')
  own.status = 503
  await player.play(70)
  own.status = 200
  await player.play(30)
  own.status = 503
  await player.play(64)
  assert.match((await player.playToEnd())!, /is not at 127\.0\.83\.11: HTTP 503\.$/)
})
