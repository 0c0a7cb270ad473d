/** The databases that the store's tests run on, each as something that opens fresh stores. */
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { MIGRATIONS } from './migrations.ts'
import { openStoreHere } from './open-store-fixture.ts'
import { openStore, type StoreOptions } from './open-store.ts'
import type { Store } from './sql.ts'

export const OPERATIONS = new URL('./contract-operations.ts', import.meta.url).href

/** A place where a store lives; it can be opened again after a stop. */
export interface Home {
  readonly options: StoreOptions
  open(change?: Partial<StoreOptions>): Promise<Store>
  /** In the test's own thread. */
  openHere(change?: Partial<StoreOptions>): Promise<Store>
}

export interface TestEngine {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** Why this engine is not tested here; false when it is. */
  readonly skip: string | false
  /** With today's tables in it, unless it is to be bare. */
  home(options?: { isBare?: boolean }): Promise<Home>
}

export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-store-'))
  after(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

function homeAt(options: StoreOptions): Home {
  return {
    options,
    open: (change) => openStore({ ...options, ...change }),
    openHere: (change) => openStoreHere({ ...options, ...change }),
  }
}

const common = { operations: OPERATIONS, writer: 'w1' }

const sqlite: TestEngine = {
  name: 'SQLite',
  skip: false,
  home: async () => homeAt({ ...common, data: temporaryFolder() }),
}

const postgresUrl = process.env['MINGA_TEST_POSTGRES']

const postgres: TestEngine = {
  name: 'PostgreSQL',
  skip: postgresUrl ? false : 'no PostgreSQL: MINGA_TEST_POSTGRES is not set to a URL',
  home: async ({ isBare = false } = {}) => {
    const template = isBare ? 'template1' : await templateOn(postgresUrl!)
    const url = await newDatabase(postgresUrl!, template)
    return homeAt({ ...common, data: temporaryFolder(), postgresUrl: url })
  },
}

export const ENGINES: readonly TestEngine[] = [sqlite, postgres]

/** Makes test bodies: each gets a new store with the tables of the contract, closed at its end. */
export function withStoreOn(
  engine: TestEngine,
): (run: (store: Store, home: Home) => Promise<void>) => () => Promise<void> {
  return (run) => async () => {
    const home = await engine.home()
    const store = await home.open()
    try {
      await store.call('setUp', undefined)
      await run(store, home)
    } finally {
      await store.close()
    }
  }
}

async function newDatabase(url: string, template: string): Promise<string> {
  const name = `minga_test_${randomBytes(6).toString('hex')}`
  await administer(url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  after(() => administer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return databaseOn(url, name)
}

function databaseOn(url: string, name: string): string {
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)
}

/** Test files run side by side, and the first makes it for all: any number will do. */
const TEMPLATE_LOCK = 716_253

/** A database with all tables, to be copied: making them takes longer than most tests. One per server
 * and schema: whoever edits a migration gets another. */
async function templateOn(url: string): Promise<string> {
  const schema = createHash('sha256').update(JSON.stringify(MIGRATIONS)).digest('hex')
  const name = `minga_template_${schema.slice(0, 12)}`
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const known = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
    if (known.rowCount === 0) await makeTemplate(url, name)
  } finally {
    await client.end()
  }
  return name
}

/** It has its name only when it is whole. */
async function makeTemplate(url: string, name: string): Promise<void> {
  const unfinished = `${name}_${randomBytes(4).toString('hex')}`
  await administer(url, `CREATE DATABASE ${unfinished}`)
  const ours = databaseOn(url, unfinished)
  const store = await openStore({ ...common, data: temporaryFolder(), postgresUrl: ours })
  await store.close()
  // What it noted of its own files is nobody else's.
  await administer(ours, 'TRUNCATE blob_files')
  await administer(url, `ALTER DATABASE ${unfinished} RENAME TO ${name}`)
}

export async function administer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
