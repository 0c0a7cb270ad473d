/**
 * A data folder as version 40 of the schema left it: revisits refer to the revisit before them, and nothing
 * wrote down the identifiers of records. Pages are of HOST; see `OLD_PAGES`.
 */
import { recordExchange, sha256Label, warcinfoMember, type Exchange } from '@minga/archive'
import { urlHash } from '@minga/frontier'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrate, MIGRATIONS } from '../../../packages/store/src/migrations.ts'
import { SqliteSql } from '../../../packages/store/src/sqlite-sql.ts'

const HOST = 'old.test'
const FILE = 'minga-old.warc.gz'
const LAST_VERSION = 40
const START = Date.UTC(2026, 0, 1, 12, 0, 0, 537)
const MINUTE_MS = 60_000

const SAME = '<!doctype html><title>Same</title><h1>The same words</h1>'
const OTHER = '<!doctype html><title>Other</title><h1>Other words</h1>'

interface Visit {
  path: string
  body: string
  status?: 200 | 304
  /** The visit whose capture its revisit names; none: it is a response. */
  refersTo?: number
}

/** `/same1` came first as a duplicate of `/same2`, was found unchanged, and changed at last. */
const VISITS: readonly Visit[] = [
  { path: '/same2', body: SAME },
  { path: '/same1', body: SAME, refersTo: 0 },
  { path: '/same1', body: SAME, refersTo: 1 },
  { path: '/same1', body: SAME, status: 304, refersTo: 2 },
  { path: '/same2', body: OTHER },
]

export const OLD_PAGES = VISITS.map(({ path, body }, i) => ({
  url: `http://${HOST}${path}`,
  capturedAt: START + i * MINUTE_MS,
  digest: sha256Label([Buffer.from(body)]),
}))

export async function writeOldArchive(data: string): Promise<void> {
  mkdirSync(join(data, 'archive'), { recursive: true })
  const db = new DatabaseSync(join(data, 'minga.db'))
  const sql = new SqliteSql(db, data)
  await migrate(
    (step) => step(sql),
    MIGRATIONS.filter(({ version }) => version <= LAST_VERSION),
  )
  db.prepare('INSERT INTO hosts (id, name) VALUES (1, ?)').run(HOST)
  const pieces = [warcinfo()]
  let offset = pieces[0]!.length
  for (const [i, visit] of VISITS.entries()) {
    const { members } = recordExchange(exchangeOf(visit, i), () => idOf(i, pieces.length))
    insertCapture(db, { visit, i, offset, length: members[0].length })
    pieces.push(...members)
    for (const { length } of members) offset += length
  }
  writeFileSync(join(data, 'archive', FILE), Buffer.concat(pieces))
  db.prepare(`INSERT INTO blob_files VALUES (?, 'archive', 'old', ?, 1)`).run(FILE, offset)
  const { url, capturedAt, digest } = OLD_PAGES[0]!
  db.prepare('INSERT INTO payloads VALUES (?, ?, ?)').run(digest, url, capturedAt)
  db.close()
}

let made = 0
const idOf = (visit: number, piece: number): string =>
  `0000${visit}000-0000-4000-8000-${String(piece * 100 + ++made).padStart(12, '0')}`

function warcinfo(): Buffer {
  const info = { createdAt: START, fileName: FILE, software: 'minga' }
  return warcinfoMember({ id: idOf(9, 0), ...info })
}

function exchangeOf({ path, body, status = 200, refersTo }: Visit, i: number): Exchange {
  return {
    url: `http://${HOST}${path}`,
    capturedAt: OLD_PAGES[i]!.capturedAt,
    address: '127.0.0.1',
    requestMethod: 'GET',
    requestHeaders: [],
    httpVersion: '1.1',
    status,
    statusText: status === 200 ? 'OK' : 'Not Modified',
    rawHeaders: status === 200 ? [['Content-Type', 'text/html']] : [['ETag', '"1"']],
    body: status === 200 ? Buffer.from(body) : Buffer.alloc(0),
    truncated: null,
    fetchMs: 1,
    via: null,
    hops: 0,
    warcinfoId: null,
    previous: refersTo === undefined ? null : { ...OLD_PAGES[refersTo]!, recordId: null },
  }
}

interface Place {
  visit: Visit
  i: number
  offset: number
  length: number
}

function insertCapture(db: DatabaseSync, { visit, i, offset, length }: Place): void {
  const { url, capturedAt, digest } = OLD_PAGES[i]!
  const { status = 200, refersTo, body } = visit
  const kind = refersTo === undefined ? 'response' : 'revisit'
  const mime = status === 200 ? 'text/html' : 'unk'
  db.prepare(
    `INSERT INTO captures (collection_id, host_id, hash, url, captured_at, kind, status, mime,
       digest, payload_bytes, file, offset_bytes, length_bytes)
     VALUES (1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    urlHash(url),
    url,
    capturedAt,
    kind,
    status,
    mime,
    digest,
    status === 200 ? body.length : 0,
    FILE,
    offset,
    length,
  )
}
