// Goal: the key in station.json gives control of the station, even after its key was revoked.
// Method: a real coordinator, started and stopped in one folder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../../../../packages/store/test/contract-engines.ts'
import { startCoordinator, type Coordinator } from '../start.ts'
import { readStationFile } from '../station/station-file.ts'

const data = temporaryFolder()
const LISTEN = { host: '127.0.0.1', port: 0 }

function start(listen: typeof LISTEN | null): Promise<Coordinator> {
  return startCoordinator({ data, listen, allowPrivateAddresses: false })
}

async function call(
  { app }: Coordinator,
  args: { method: 'GET' | 'POST' | 'DELETE'; path: string; key: string; payload?: object },
): Promise<{ status: number; body: unknown }> {
  const headers = { host: '127.0.0.1', authorization: `Bearer ${args.key}` }
  const { method, path, payload } = args
  const body = payload === undefined ? {} : { payload }
  const response = await app.inject({ method, url: `/api${path}`, headers, ...body })
  return { status: response.statusCode, body: response.json() }
}

test('the key of station.json is the operator’s, lasts over a restart, and is replaced when revoked', async () => {
  let station = await start(LISTEN)
  const { apiKey: first } = station.tokens
  const keys = await call(station, { method: 'GET', path: '/keys', key: first })
  const [{ id }] = keys.body as [{ id: string }]
  await station.close()

  station = await start(LISTEN)
  assert.equal(station.tokens.apiKey, first)
  const again = await call(station, { method: 'GET', path: '/keys', key: first })
  assert.deepEqual((again.body as { id: string }[]).length, 1)
  await call(station, { method: 'DELETE', path: `/keys/${id}`, key: first })
  assert.equal((await call(station, { method: 'GET', path: '/keys', key: first })).status, 401)
  await station.close()

  station = await start(LISTEN)
  const { apiKey: second } = station.tokens
  assert.notEqual(second, first)
  assert.equal((await readStationFile(data))!.apiKey, second)
  assert.equal((await call(station, { method: 'GET', path: '/keys', key: second })).status, 200)
  assert.equal((await call(station, { method: 'GET', path: '/keys', key: first })).status, 401)
  await station.close()
})

test('where nothing listens the caller is the operator, and no key is left behind', async () => {
  const station = await start(null)
  const me = await call(station, { method: 'GET', path: '/me', key: 'whatever' })
  assert.deepEqual((me.body as { account: { id: string } }).account.id, 'operator')
  const keys = await call(station, { method: 'GET', path: '/keys', key: 'whatever' })
  assert.equal((keys.body as object[]).length, 2)
  await station.close()
})

test('from another machine reading requires a known caller, and only the operator creates accounts', async () => {
  const register = { method: 'POST', path: '/accounts', payload: { name: 'somebody' } } as const
  const read = { method: 'GET', path: '/collections' } as const
  const station = await start({ ...LISTEN, host: '0.0.0.0' })
  for (const asked of [read, register]) {
    assert.equal((await call(station, { ...asked, key: 'none' })).status, 401)
    assert.equal((await call(station, { ...asked, key: station.tokens.apiKey })).status, 200)
  }
  await station.close()

  const atHome = await start(LISTEN)
  assert.equal((await call(atHome, { ...read, key: 'none' })).status, 200)
  await atHome.close()
})
