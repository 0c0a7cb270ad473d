// Goal: archived pages have an origin of their own wherever a station listens, or a sentence why not. Method: real
// coordinators on loopback, some of whose ports others hold.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:net'
import { after, test } from 'node:test'
import type { ReplayOrigin } from '@minga/protocol'
import { temporaryFolder } from '../../../../packages/store/test/contract-engines.ts'
import { startCoordinator, type Coordinator, type CoordinatorSettings } from '../start.ts'

const open: Coordinator[] = []
const held: Server[] = []
after(async () => {
  for (const coordinator of open) await coordinator.close()
  for (const server of held) server.close()
})

const host = '127.0.0.1'

async function start(
  port: number,
  replay?: CoordinatorSettings['replay'],
): Promise<{ station: Coordinator; origin: ReplayOrigin }> {
  const station = await startCoordinator({
    data: temporaryFolder(),
    listen: { host, port },
    allowPrivateAddresses: false,
    ...(replay === undefined ? {} : { replay }),
  })
  open.push(station)
  const answer = await fetch(`${station.url}/api/archive/replay`)
  return { station, origin: (await answer.json()) as ReplayOrigin }
}

/** A port that is taken, or the one after it that is free. */
async function hold(port = 0): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  held.push(server)
  return (server.address() as { port: number }).port
}

test('replay listens next to the station, on any port when its own is taken', async () => {
  const taken = await hold()
  const { origin } = await start(taken - 1, { port: null, playerFolder: null })
  assert.ok(origin.port !== null && origin.port !== taken)
  const raw = await fetch(`http://${host}:${origin.port}/raw/20260101000000/http://a.test/`)
  assert.equal(raw.status, 404)
  assert.match(await raw.text(), /MINGA_NO_SUCH_CAPTURE/)
})

test('a port of replay that was asked for and is taken is named with its option', async () => {
  const port = await hold()
  const data = temporaryFolder()
  const starting = startCoordinator({
    data,
    listen: { host, port: 0 },
    allowPrivateAddresses: false,
    replay: { port, playerFolder: null },
  })
  await assert.rejects(starting, { code: 'MINGA_PORT_TAKEN', message: /--replay-port/ })
})

test('an address of replay that is none, or one for all collections, is refused before anything is opened', async () => {
  for (const url of ['not an address', 'https://replay.example', 'https://*.replay.example/x']) {
    const starting = startCoordinator({
      data: temporaryFolder(),
      listen: { host, port: 0 },
      allowPrivateAddresses: false,
      replay: { port: null, url, playerFolder: null },
    })
    const message = /https:\/\/\*\.replay\.example/
    await assert.rejects(starting, { code: 'MINGA_BAD_HOST', message }, url)
  }
})

test('the names that the operator gives are reported with that of a collection, and without replay there is none', async () => {
  const url = 'https://*.replay.example'
  const { station, origin } = await start(0, { port: 0, url, playerFolder: null })
  assert.equal(origin.url, url)
  const { port } = origin
  const ofThree = await fetch(`${station.url}/api/archive/replay?collectionId=3`)
  assert.deepEqual(await ofThree.json(), {
    url,
    port,
    origin: 'https://c-3.replay.example',
    pass: null,
  })
  assert.deepEqual((await start(0)).origin, { url: null, port: null, origin: null, pass: null })
  const beside = await start(0, { port: 0, playerFolder: null })
  const own = await fetch(`${beside.station.url}/api/archive/replay?collectionId=3`)
  const { origin: ownName } = (await own.json()) as { origin: string }
  assert.equal(ownName, `http://c-3.minga.localhost:${beside.origin.port}`)
})
