// Goal: the schema grows step by step and a step is never half there. Method: migrations of a
// test's own on a real SQLite in memory, with steps that fail in the middle.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { migrate, MIGRATIONS, portable, type Migration, type Transact } from './migrations.ts'
import { SqliteSql } from './sqlite-sql.ts'

function memory(): { db: DatabaseSync; transact: Transact } {
  const db = new DatabaseSync(':memory:')
  const sql = new SqliteSql(db, 'memory')
  const transact: Transact = async (step) => {
    db.exec('BEGIN')
    try {
      const result = await step(sql)
      db.exec('COMMIT')
      return result
    } catch (error) {
      db.exec('ROLLBACK')
      throw error
    }
  }
  return { db, transact }
}

const tables = (db: DatabaseSync): string[] =>
  db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .all()
    .map((row) => row['name'] as string)

const first: Migration = { version: 0, name: 'first', statements: ['CREATE TABLE a (x {{int}})'] }
const second: Migration = {
  version: 1,
  name: 'second',
  statements: ['CREATE TABLE b (x {{int}})', 'INSERT INTO b VALUES (1)'],
}

test('migrations run once each and only those that are missing', async () => {
  const { db, transact } = memory()
  assert.deepEqual(await migrate(transact, [first]), { wasEmpty: true })
  assert.deepEqual(await migrate(transact, [first, second]), { wasEmpty: false })
  await migrate(transact, [first, second])
  assert.deepEqual(tables(db), ['a', 'b', 'schema_version'])
  assert.equal(db.prepare('SELECT count(*) AS n FROM b').get()?.['n'], 1)
})

test('a step that breaks off leaves nothing of itself and is done again', async () => {
  const { db, transact } = memory()
  const broken = { ...second, statements: [...second.statements, 'CREATE TABLE a (y {{int}})'] }
  await migrate(transact, [first])
  await assert.rejects(migrate(transact, [first, broken]), /already exists/)
  assert.deepEqual(tables(db), ['a', 'schema_version'])
  await migrate(transact, [first, second])
  assert.deepEqual(tables(db), ['a', 'b', 'schema_version'])
})

test('an empty database gets all steps in one transaction, or none of them', async () => {
  const { db, transact } = memory()
  let transactions = 0
  const counted: Transact = (step) => {
    transactions++
    return transact(step)
  }
  const broken = { ...second, statements: ['CREATE TABLE a (y {{int}})'] }
  await assert.rejects(migrate(counted, [first, broken]), /already exists/)
  assert.deepEqual(tables(db), [])
  assert.deepEqual(await migrate(counted, [first, second]), { wasEmpty: true })
  assert.equal(transactions, 2)
})

/** Columns, keys, indexes and rows of every table, whatever words made them; the index of words cannot be listed. */
function contents(db: DatabaseSync): unknown[] {
  const names = tables(db).filter((name) => !name.startsWith('text_words'))
  return names.map((name) => [
    name,
    db.prepare(`PRAGMA table_list(${name})`).all(),
    db.prepare(`PRAGMA table_xinfo(${name})`).all(),
    db
      .prepare('SELECT name, sql FROM sqlite_schema WHERE tbl_name = ? AND type <> ?')
      .all(name, 'table'),
    db.prepare(`SELECT * FROM ${name}`).all(),
  ])
}

test('an empty database becomes what one is that took each step by itself', async () => {
  const atOnce = memory()
  await migrate(atOnce.transact)
  const stepByStep = memory()
  await migrate(stepByStep.transact, MIGRATIONS.slice(0, 1))
  await migrate(stepByStep.transact)
  assert.deepEqual(contents(atOnce.db), contents(stepByStep.db))
})

test('columns of later steps come after the others and before the keys of the table', async () => {
  const { db, transact } = memory()
  const creates =
    'CREATE TABLE a (x {{int}} CHECK (x IN (1, 2)), y TEXT, PRIMARY KEY (x, y)) {{without_rowid}}'
  await migrate(transact, [
    { version: 0, name: 'first', statements: [creates, 'ALTER TABLE a ADD COLUMN z TEXT'] },
    {
      version: 1,
      name: 'second',
      statements: ['ALTER TABLE a ADD COLUMN n {{int}} NOT NULL DEFAULT 7'],
    },
  ])
  db.exec(`INSERT INTO a (x, y) VALUES (1, 'b')`)
  assert.deepEqual({ ...db.prepare('SELECT * FROM a').get() }, { x: 1, y: 'b', z: null, n: 7 })
})

test('what only one engine can do is done there, and in the same step', async () => {
  const { db, transact } = memory()
  const only = {
    sqlite: [`CREATE VIRTUAL TABLE words USING fts5 (text, content='')`],
    postgres: ['ALTER TABLE a ADD COLUMN words TSVECTOR'],
  }
  await migrate(transact, [{ ...first, only }])
  assert.ok(tables(db).includes('words'))
  const broken = { ...second, only: { ...only, sqlite: ['CREATE TABLE a (y {{int}})'] } }
  await assert.rejects(migrate(transact, [first, broken]), /already exists/)
  assert.equal(tables(db).includes('b'), false)
})

test('noise that was learnt before twins were requested is dropped, and the rest of a page stays known', async () => {
  const { db, transact } = memory()
  const step = MIGRATIONS.findIndex(({ name }) => name === 'twin-requests')
  const before = MIGRATIONS.slice(0, step)
  await migrate(transact, before)
  db.exec(`INSERT INTO sketches (collection_id, host_id, hash, sketch, states, noise, twin_until)
    VALUES (1, 2, 3, x'01', '["a"]', '{"version":1}', 7), (1, 2, 4, x'02', '["b"]', NULL, NULL)`)
  await migrate(transact)
  const rows = db.prepare('SELECT hash, states, noise, noise_regions FROM sketches ORDER BY hash')
  assert.deepEqual(
    rows.all().map((row) => Object.values(row)),
    [
      [3, '[]', null, 0],
      [4, '["b"]', null, 0],
    ],
  )
})

test('portable SQL becomes the dialect of each database', () => {
  const statement = `CREATE TABLE t (a {{int}}, b {{bytes}}, c {{real}}, d TEXT) {{without_rowid}}`
  assert.equal(
    portable(statement, 'sqlite'),
    'CREATE TABLE t (a INTEGER, b BLOB, c REAL, d TEXT) WITHOUT ROWID',
  )
  assert.equal(
    portable(statement, 'postgres'),
    'CREATE TABLE t (a BIGINT, b BYTEA, c DOUBLE PRECISION, d TEXT COLLATE "C") ',
  )
  assert.throws(() => portable('CREATE TABLE t (a {{integer}})', 'sqlite'), /\{\{integer\}\}/)
})

test('captures of impossible times and pauses without an end are repaired, and nothing else is touched', async () => {
  const { db, transact } = memory()
  const step = MIGRATIONS.findIndex(({ name }) => name === 'bounded-times')
  await migrate(transact, MIGRATIONS.slice(0, step))
  const captured = [9e15, 32_503_680_000_000, -1, 1_700_000_000_000]
  for (const [id, at] of captured.entries()) {
    db.exec(`INSERT INTO captures (id, collection_id, host_id, hash, url, captured_at, kind, status, mime, digest,
      payload_bytes, file, offset_bytes, length_bytes)
      VALUES (${id}, 1, 1, ${id}, 'http://a.test/', ${at}, 'response', 200, '', '', 0, '', 0, 0)`)
  }
  db.exec(`INSERT INTO station_facts (name, value) VALUES ('indexed', '4/4')`)
  db.exec(`INSERT INTO hosts (id, name, next_allowed_at, backoff_ms, latency_ms)
    VALUES (1, 'frozen.test', 9e15, 1e15, 1e14), (2, 'calm.test', 7, 2000, 90)`)
  await migrate(transact)
  const now = Date.now()
  const times = db.prepare('SELECT captured_at AS at FROM captures ORDER BY id').all()
  const [forged, future, negative, honest] = times.map((row) => Number(row['at']))
  for (const at of [forged!, future!]) assert.ok(at <= now && at > now - 60_000)
  assert.deepEqual([negative, honest], [0, 1_700_000_000_000])
  assert.equal(db.prepare('SELECT COUNT(*) AS n FROM station_facts').get()!['n'], 0)
  const hosts = db.prepare('SELECT next_allowed_at, backoff_ms, latency_ms FROM hosts ORDER BY id')
  const [frozen, calm] = hosts.all().map((row) => Object.values(row).map(Number))
  assert.ok(frozen![0]! <= now)
  assert.deepEqual(frozen!.slice(1), [600_000, 3_600_000])
  assert.deepEqual(calm, [7, 2_000, 90])
})

test('alerts by e-mail of an older version are asked about once, and who stopped them is on the list', async () => {
  const { db, transact } = memory()
  const step = MIGRATIONS.findIndex(({ name }) => name === 'mailboxes')
  await migrate(transact, MIGRATIONS.slice(0, step))
  const rules = [
    ['ana', 'email', 'Eva@example.org', 1, 'NULL'],
    ['ana', 'email', 'eva@example.org', 1, 'NULL'],
    ['bob', 'email', 'eva@example.org', 1, 'NULL'],
    ['bob', 'email', 'Off@example.org', 0, 'NULL'],
    ['bob', 'email', 'Stop@example.org', 0, '7'],
    ['ana', 'email', 'stop@example.org', 1, 'NULL'],
    ['ana', 'webhook', 'https://h.test/', 1, 'NULL'],
  ]
  for (const [i, [account, channel, target, isActive, unsubscribedAt]] of rules.entries()) {
    db.exec(`INSERT INTO alert_rules (id, account, channel, target, settings, is_active, unsubscribed_at,
      after_visit_id, created_at)
      VALUES ('r${i}', '${account}', '${channel}', '${target}', '{}', ${isActive}, ${unsubscribedAt}, 0, 1)`)
  }
  await migrate(transact)
  const read = (text: string): unknown[][] =>
    db
      .prepare(text)
      .all()
      .map((row) => Object.values(row))
  assert.deepEqual(
    read('SELECT address, account, try_at FROM mail_confirmations ORDER BY address, account'),
    [
      ['eva@example.org', 'ana', 0],
      ['eva@example.org', 'bob', 0],
    ],
  )
  assert.deepEqual(read('SELECT address, suppressed_at FROM mail_suppressions'), [
    ['stop@example.org', 7],
  ])
  assert.deepEqual(read('SELECT address FROM mail_consents'), [])
})

test('wikis that the station reads with a secret are closed with their tasks, and requests of clients are private', async () => {
  const { db, transact } = memory()
  const step = MIGRATIONS.findIndex(({ name }) => name === 'visibility')
  await migrate(transact, MIGRATIONS.slice(0, step))
  const hosts = ['bot', 'token', 'open']
  for (const [id, host] of hosts.entries()) {
    db.exec(`INSERT INTO wikis (id, key, name, host, root, api_url, site, source, parts, added_at, site_at)
      VALUES (${id}, '${host}', '', '${host}', '', 'https://${host}.test/api.php', '{}', 'api', 1, 0, 0)`)
    db.exec(`INSERT INTO collections (id, identity, spec, state, owner, created_at)
      VALUES (${id}, 'wiki task ${id} run 1', '{}', 'finished', 'acct_${host}', 0)`)
    db.exec(`INSERT INTO wiki_tasks (id, wiki_id, kind, arguments, state, limits, progress, collection_id, created_at)
      VALUES (${id}, ${id}, 'extract', '{}', 'done', '{}', '{}', ${id}, 0)`)
  }
  for (const [id, identity] of ['requests', 'audits', 'wiki feed 1', 'wiki feed 2'].entries()) {
    db.exec(`INSERT INTO collections (id, identity, spec, state, created_at)
      VALUES (${id + 10}, '${identity}', '{}', 'running', 0)`)
  }
  db.exec(`INSERT INTO station_facts (name, value) VALUES
    ('wiki-log-in https://bot.test/api.php', ''), ('wiki-token https://token.test', '')`)
  await migrate(transact)
  const wikis = db.prepare('SELECT visibility, owner FROM wikis ORDER BY id').all()
  assert.deepEqual(
    wikis.map(({ visibility, owner }) => [visibility, owner]),
    [
      ['private', 'acct_bot'],
      ['private', 'acct_token'],
      ['shared', null],
    ],
  )
  const shared = db.prepare(`SELECT id FROM collections WHERE visibility = 'shared' ORDER BY id`)
  assert.deepEqual(
    shared.all().map(({ id }) => id),
    [2, 13],
  )
})
