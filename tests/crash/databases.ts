/** The databases that a crawl's state may be in: fresh ones, and their tables read from outside. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
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
  after(async () => void (await query(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))
  return databaseAt(url, name)
}

/** The same, with all that it stores on the file system of that folder. What a full disk does there is seen; the log
 * of the server itself is elsewhere, so that it goes on for the other tests. */
export async function postgresWithin(
  folder: string,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const url = POSTGRES!
  const [server] = await query<{ data_directory: string }>(url, 'SHOW data_directory')
  const { uid, gid } = fs.statSync(server!.data_directory)
  fs.chownSync(folder, uid, gid)
  const name = `minga_crash_${randomBytes(6).toString('hex')}`
  await query(url, `CREATE TABLESPACE ${name} LOCATION '${folder}'`)
  await query(url, `CREATE DATABASE ${name} TABLESPACE ${name}`)
  const drop = async (): Promise<void> => {
    await query(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await query(url, `DROP TABLESPACE ${name}`)
  }
  return { url: databaseAt(url, name), drop }
}

const databaseAt = (url: string, name: string): string =>
  url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)

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

async function query<R>(url: string, statement: string): Promise<R[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows as R[]
  } finally {
    await client.end()
  }
}
