// Goal: a file becomes a table once, row by row and in its order, whatever is killed or stands still while it is read,
// and what was left out is named by its number. Method: real commands on files of every kind that is cut into units;
// strikes from printed seeds; the table read from outside. MINGA_LONG=1 makes it many runs.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { endAllProcesses, readProcesses, seededRandom, type Child } from '@minga/testkit'
import { LONG, newFolder } from './crash-fixture.ts'
import { newPostgres, NO_POSTGRES } from './databases.ts'
import { assertNothingLeft } from './lake-leaks.ts'
import { newScene, start, type LakeScene } from './lake-scene.ts'
import { nameOf, OWN_WORKERS, planStrikes, runStruck } from './lake-strikes.ts'

const SEED = Number(process.env['MINGA_SEED'] ?? 74)
const RUNS = Number(process.env['MINGA_RUNS'] ?? (LONG ? 20 : 1))
const STRIKES_MOST = 5
const PATIENCE_MS = 180_000
/** Of a kilobyte each: five units of the least size. */
const ROWS = 20_000
const FILLER_BYTES = 750
/** Every thousandth row, this one first, is one that the rules leave out. */
const BAD_EVERY = 1_000
const BAD_FIRST = 7

const isBad = (place: number): boolean => place % BAD_EVERY === BAD_FIRST
const places = Array.from({ length: ROWS }, (_, place) => place)
const KEPT = places.filter((place) => !isBad(place))
const LEFT_OUT = places.filter(isBad)

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-import-'))

interface Kind {
  file: string
  /** What says which row it is. */
  place: string
  rules: object
}

const FIELDS = { columns: { id: { type: 'integer', onFlaw: 'drop' }, filler: { type: 'text' } } }
const CAPTURES = {
  columns: { url: { type: 'text' }, status: { type: 'integer', onFlaw: 'drop', most: 299 } },
}
const PLACE_IN_URL = `regexp_extract(url, '[0-9]+$')`

const KINDS: readonly Kind[] = [
  { file: 'rows.csv', place: 'id', rules: FIELDS },
  { file: 'rows.parquet', place: 'id', rules: FIELDS },
  { file: 'rows.warc', place: PLACE_IN_URL, rules: CAPTURES },
  { file: 'rows.warc.gz', place: PLACE_IN_URL, rules: CAPTURES },
]

before(async () => {
  const fillers = places.map(() => randomBytes(FILLER_BYTES).toString('base64'))
  const lines = fillers.map((filler, place) => `${isBad(place) ? 'x' : place},"${filler},\n"`)
  fs.writeFileSync(path.join(folder, 'rows.csv'), `id,filler\n${lines.join('\n')}\n`)
  const records = fillers.map((filler, place) => captureOf(place, filler))
  fs.writeFileSync(path.join(folder, 'rows.warc'), Buffer.concat(records))
  fs.writeFileSync(
    path.join(folder, 'rows.warc.gz'),
    Buffer.concat(records.map((one) => gzipSync(one))),
  )
  await writeParquet()
})
after(async () => {
  await endAllProcesses()
  fs.rmSync(folder, { recursive: true, force: true })
})

function captureOf(place: number, body: string): Buffer {
  const http = `HTTP/1.1 ${isBad(place) ? 500 : 200} So\r\nContent-Type: text/plain\r\n\r\n${body}`
  const head = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: 2026-05-06T07:08:09Z\r\nWARC-Target-URI: http://a.example/${place}\r\nContent-Type: application/http\r\nContent-Length: ${http.length}\r\n\r\n`
  return Buffer.from(`${head}${http}\r\n\r\n`)
}

async function writeParquet(): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const from = `SELECT * FROM read_csv('${path.join(folder, 'rows.csv')}', all_varchar = true)`
  const to = path.join(folder, 'rows.parquet')
  await connection.run(
    `COPY (${from}) TO '${to}' (FORMAT parquet, ROW_GROUP_SIZE 2048, COMPRESSION uncompressed)`,
  )
  connection.closeSync()
  instance.closeSync()
}

for (const { name, skip, postgres } of [
  { name: 'SQLite', skip: false, postgres: async () => undefined },
  {
    name: 'PostgreSQL',
    skip: NO_POSTGRES || (!LONG && 'only with MINGA_LONG=1'),
    postgres: newPostgres,
  },
] as const) {
  test(
    `Kill anything at any time: every file becomes a table once, and what was left out keeps its number (${name})`,
    { skip },
    async () => {
      const scene = newScene(newFolder(), await postgres())
      let dealt = 0
      for (let seed = SEED; seed < SEED + RUNS; seed++) {
        for (const [place, kind] of KINDS.entries()) {
          dealt += await importStruck(scene, kind, seed + place * RUNS)
        }
      }
      assert.ok(dealt >= RUNS * KINDS.length, `only ${dealt} strikes fell`)
      await assertNothingLeft(scene)
    },
  )
}

test('Kill anything at any time: a command that is killed after printing its figures adds no row when it is run again', async () => {
  const scene = newScene(newFolder())
  const kind = KINDS[0]!
  const ask = (): Promise<Child> => startImport(scene, 'told', kind)
  const killed = await ask()
  await killed.waitOutput(/rows read/, PATIENCE_MS)
  killed.signal('SIGKILL')
  assert.equal((await killed.waitExit(PATIENCE_MS)).signal, 'SIGKILL')
  assert.equal((await (await ask()).waitExit(PATIENCE_MS)).code, 0)
  await assertWhole(scene, 'told', kind)
})

function startImport(scene: LakeScene, table: string, kind: Kind): Promise<Child> {
  const rules = path.join(scene.data, '..', 'rules.json')
  fs.writeFileSync(rules, JSON.stringify(kind.rules))
  const what = [path.join(folder, kind.file), '--as', table, '--rules', rules]
  return start(scene, ['table', 'import', ...what, '--workers', String(OWN_WORKERS)])
}

async function importStruck(scene: LakeScene, kind: Kind, seed: number): Promise<number> {
  const random = seededRandom(seed)
  const targets = ['worker', 'worker', 'coordinator', 'command', 'sleepers'] as const
  const plan = planStrikes(random, { strikes: 1 + random.integer(STRIKES_MOST), targets })
  process.stderr.write(`${kind.file}, seed ${seed}: ${plan.map(nameOf).join(' ')}\n`)
  const table = `t${seed}`
  const ask = (): Promise<Child> => startImport(scene, table, kind)
  const hasBegun = (): boolean => readProcesses(scene.data).some(({ role }) => role === 'worker')
  const { dealt } = await runStruck({ scene, station: null, random, ask, hasBegun }, plan)
  process.stderr.write(`  ${dealt} of ${plan.length} fell\n`)
  await assertWhole(scene, table, kind)
  return dealt
}

/** The rows of the table in its order, and the numbers of the rejected ones. */
async function assertWhole(scene: LakeScene, table: string, { place }: Kind): Promise<void> {
  const select = `SELECT ${place}::BIGINT AS place, true AS is_kept FROM ${table}
    UNION ALL SELECT row, false FROM ${table}_rejects`
  const file = path.join(scene.data, '..', 'answer.csv')
  const command = await start(scene, ['sql', select, '--csv', file, '--limit', String(2 * ROWS)])
  const { code } = await command.waitExit(PATIENCE_MS)
  assert.equal(code, 0, command.stderr())
  const [header, ...lines] = fs.readFileSync(file, 'utf8').trimEnd().split('\n')
  assert.equal(header, 'place,is_kept')
  const [kept, leftOut] = ['true', 'false'].map((isKept) =>
    lines.map((line) => line.split(',')).flatMap(([at, is]) => (is === isKept ? [Number(at)] : [])),
  )
  assert.deepEqual(kept, KEPT)
  assert.deepEqual(
    leftOut!.toSorted((a, b) => a - b),
    LEFT_OUT,
  )
}
