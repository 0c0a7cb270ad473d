// Goal: a folder can be read without being changed, whatever state it was left in. Method: folders of real
// stations, closed, open, damaged and locked; every file compared before and after.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { temporaryFolder } from '../../../packages/store/test/contract-engines.ts'
import { openCurrent, openReadOnly } from './read-only-archive.ts'
import { openStation } from '../test/station-fixture.ts'

const station = await openStation()
await station.crawl({ seeds: ['http://a.test/'] }, { 'http://a.test/': { body: 'x' } })
const rows = await station.captures()
const facts = (await station.get('/archive/facts')).body

function contentOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = names
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(
    files.map((file) => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )
}

/** SQLite's rows have no prototype. */
const plain = (rowsRead: unknown): unknown => JSON.parse(JSON.stringify(rowsRead))

/** As a crash would leave it. */
function copyOf(data: string): string {
  const folder = join(temporaryFolder(), 'copy')
  cpSync(data, folder, { recursive: true })
  return folder
}

test('a folder without a database has no archive to read', () => {
  const folder = temporaryFolder()
  assert.equal(openReadOnly(folder), null)
  assert.deepEqual(readdirSync(folder), [])
})

test('a folder as a crash left it, with a journal, is read to the last commit', async () => {
  const archive = openReadOnly(copyOf(station.data))!
  assert.deepEqual(plain(await archive.captures({ limit: 100 })), rows)
  assert.deepEqual(plain(await archive.captures({ limit: 1, url: 'http://a.test/' })), [rows[1]])
  assert.deepEqual(plain(await archive.facts()), facts)
  archive.close()
})

test('a folder that a station uses is named as locked', async () => {
  const locked = { code: 'MINGA_STORE_LOCKED', message: /Another process is using/ }
  await assert.rejects(async () => openReadOnly(station.data)!.facts(), locked)
})

test('a folder that was closed in order is read without a trace', async () => {
  const own = await openStation()
  await own.crawl({ seeds: ['http://b.test/'] }, {})
  const before = await own.captures()
  await own.store.close()
  const files = contentOf(own.data)
  const archive = openReadOnly(own.data)!
  assert.deepEqual(plain(await archive.captures({ limit: 100 })), before)
  archive.close()
  assert.deepEqual(contentOf(own.data), files)
})

test('a database that is none, or of another program, is named as damaged and left alone', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'minga.db')
  writeFileSync(file, 'This is no database. '.repeat(500))
  const files = contentOf(folder)
  const damaged = { code: 'MINGA_STORE_DAMAGED', message: /minga\.db is damaged/ }
  await assert.rejects(async () => openReadOnly(folder)!.facts(), damaged)
  assert.deepEqual(contentOf(folder), files)

  const other = temporaryFolder()
  const db = new DatabaseSync(join(other, 'minga.db'))
  db.exec('CREATE TABLE theirs (a)')
  db.close()
  const archive = openReadOnly(other)!
  await assert.rejects(archive.captures({ limit: 1 }), damaged)
  archive.close()
})

test('a folder that another version of the program wrote is left to a station', async () => {
  const folder = copyOf(station.data)
  const current = (await openCurrent(folder))!
  assert.equal((await current.captures({ limit: 100 })).length, rows.length)
  const { body } = await current.content({ url: 'http://a.test/', at: null })
  assert.deepEqual(body, Buffer.from('x'))
  assert.deepEqual(await current.watches({ before: Number.MAX_SAFE_INTEGER, limit: 10 }), [])
  current.close()
  const db = new DatabaseSync(join(folder, 'minga.db'))
  db.exec(`INSERT INTO takedowns (capture_id, host_id, hash, url, captured_at, kind, digest, file, offset_bytes,
    length_bytes, reason, by_whom, is_blocked, state, asked_at)
    VALUES (1, 1, 1, 'http://a.test/', 1, 'response', '', '', 0, 1, '', '', 0, 'asked', 1)`)
  assert.equal(await openCurrent(folder), null, 'a takedown is to be finished first')
  db.exec('DELETE FROM takedowns')
  db.exec('DELETE FROM schema_version WHERE version = (SELECT max(version) FROM schema_version)')
  db.close()
  assert.equal(await openCurrent(folder), null)
})
