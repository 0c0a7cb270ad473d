/** The databases that a crawl's state may be in: fresh ones, and their tables read from outside. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import { Client } from 'pg'

const POSTGRES = process.env['MINGA_TEST_POSTGRES']
export const NO_POSTGRES = POSTGRES
  ? false
  : 'no PostgreSQL: MINGA_TEST_POSTGRES is not set to a URL'

/** A new database on the tests' server, gone after the test. */
export async function newPostgres(): Promise<string> {
  const url = POSTGRES!
  const name = `minga_crash_${randomBytes(6).toString('hex')}`
  await query(url, `CREATE DATABASE ${name}`)
  after(() => query(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}

export interface Tables {
  all<R>(text: string): Promise<R[]>
  close(): Promise<void>
}

export async function openTables(at: { data: string; postgres?: string }): Promise<Tables> {
  if (at.postgres === undefined) return sqliteTables(at.data)
  const client = new Client({ connectionString: at.postgres })
  await client.connect()
  return {
    all: async <R>(text: string) => (await client.query(text)).rows.map(withNumbers) as R[],
    close: () => client.end(),
  }
}

function sqliteTables(data: string): Tables {
  const database = new DatabaseSync(path.join(data, 'minga.db'), { readOnly: true })
  return {
    // Without a prototype they would equal no object that a test writes down.
    all: async <R>(text: string) =>
      database
        .prepare(text)
        .all()
        .map((row) => ({ ...row })) as R[],
    close: async () => database.close(),
  }
}

/** Counts and sums are larger there than a JavaScript number, and so they come as text. */
function withNumbers(row: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value,
  ])
  return Object.fromEntries(entries) as Record<string, unknown>
}

async function query(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
