// Goal: volunteers get the program from the station itself. Method: a folder with and without it, without a station.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import manifest from '../../../agent/package.json' with { type: 'json' }
import { agentProgramRoute, joinFactsRoute, type JoinFacts } from './agent-program.ts'

const NAME = `minga-agent-${manifest.version}.tgz`
const BODY = Buffer.from('the program')
const SHA256 = createHash('sha256').update(BODY).digest('hex')

let folder: string
let app: FastifyInstance

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'minga-downloads-'))
  app = Fastify()
  agentProgramRoute(app, folder)
  joinFactsRoute(app, { publicUrl: 'https://station.example' }, folder)
})
after(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

const facts = async (): Promise<JoinFacts> => (await app.inject('/join-facts')).json<JoinFacts>()

test('a program that was not built is named as such, with what to do', async () => {
  assert.deepEqual(await facts(), { stationUrl: 'https://station.example', program: null })
  const { statusCode, body } = await app.inject(`/downloads/${NAME}`)
  assert.equal(statusCode, 404)
  assert.match(body, /npm run build:agent/)
})

test('the program is served with its length and its digest, also when it is built later', async () => {
  await writeFile(join(folder, NAME), BODY)
  const { program } = await facts()
  assert.deepEqual(program, { path: `/downloads/${NAME}`, bytes: BODY.length, sha256: SHA256 })
  const { statusCode, headers, rawPayload } = await app.inject(program.path)
  assert.deepEqual([statusCode, headers['content-length']], [200, String(BODY.length)])
  assert.equal(headers['content-type'], 'application/gzip')
  assert.ok(rawPayload.equals(BODY))
})

test('a signed release is served with its manifest and signature, another says that it is not signed', async () => {
  const url = `/downloads/${NAME}.manifest.json`
  const { statusCode, body } = await app.inject(url)
  assert.equal(statusCode, 404)
  assert.match(body, /not signed/)
  await writeFile(join(folder, `${NAME}.manifest.json`), '{}')
  await writeFile(join(folder, `${NAME}.manifest.json.sig`), 'c2ln')
  assert.equal((await app.inject(url)).body, '{}')
  assert.equal((await app.inject(`${url}.sig`)).body, 'c2ln')
})

test('a copy that is still current is not sent again', async () => {
  const url = `/downloads/${NAME}`
  const { headers } = await app.inject(url)
  assert.match(String(headers['cache-control']), /no-cache/)
  const again = { 'if-none-match': String(headers['etag']) }
  const { statusCode, body } = await app.inject({ url, headers: again })
  assert.deepEqual([statusCode, body], [304, ''])
})
