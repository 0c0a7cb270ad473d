/** The databases that the store's tests run on, each as something that opens fresh stores. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { openStore, type StoreOptions } from './open-store.ts'
import type { Store } from './sql.ts'

export const OPERATIONS = new URL('./contract-operations.ts', import.meta.url).href

/** A place where a store lives; it can be opened again after a stop. */
export interface Home {
  readonly options: StoreOptions
  open(change?: Partial<StoreOptions>): Promise<Store>
}

export interface TestEngine {
  readonly name: 'SQLite' | 'PostgreSQL'
  /** Why this engine is not tested here; false when it is. */
  readonly skip: string | false
  home(): Promise<Home>
}

export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-store-'))
  after(() => fs.rmSync(folder, { recursive: true, force: true }))
  return folder
}

function homeAt(options: StoreOptions): Home {
  return { options, open: (change) => openStore({ ...options, ...change }) }
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
  home: async () =>
    homeAt({ ...common, data: temporaryFolder(), postgresUrl: await newDatabase(postgresUrl!) }),
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

async function newDatabase(url: string): Promise<string> {
  const name = `minga_test_${randomBytes(6).toString('hex')}`
  await administer(url, `CREATE DATABASE ${name}`)
  after(() => administer(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
  return url.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, `$1${name}`)
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
