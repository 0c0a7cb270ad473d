/** The databases that the store's tests run on, each as something that opens fresh stores. */
import { createHash, randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import { Client } from 'pg'
import { MIGRATIONS } from '../src/migrations.ts'
import { openStoreHere } from './open-store-fixture.ts'
import { openStore, type StoreOptions } from '../src/open-store.ts'
import {
  FRESHNESS,
  administer,
  bareDatabase,
  databaseFrom,
  databaseOn,
} from './postgres-fixture.ts'
import type { ContractOperations } from './contract-operations.ts'
import type { Calls, OperationTable, Store } from '../src/sql.ts'

export const OPERATIONS = new URL('./contract-operations.ts', import.meta.url).href

/** A place where a store lives; it can be opened again after a stop. */
export interface Home {
  readonly options: StoreOptions
  open<Ops extends OperationTable>(change?: Partial<StoreOptions>): Promise<Store<Ops>>
  /** In the test's own thread. */
  openHere<Ops extends OperationTable>(change?: Partial<StoreOptions>): Promise<Store<Ops>>
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

/** As the store names it within its folder. */
const DATABASE = 'minga.db'
const common = { operations: OPERATIONS, writer: 'w1' }

const sqlite: TestEngine = {
  name: 'SQLite',
  skip: false,
  home: async ({ isBare = false } = {}) => {
    const data = temporaryFolder()
    if (!isBare) fs.copyFileSync(await templateFile(), path.join(data, DATABASE))
    return homeAt({ ...common, data })
  },
}

const postgresUrl = process.env['MINGA_TEST_POSTGRES']
/**
 * A name, not a promise of one: node:test treats a waiting test as part of the suite that created
 * the promise, and would drop its database with that suite.
 */
let copied: string | undefined

const postgres: TestEngine = {
  name: 'PostgreSQL',
  skip: postgresUrl ? false : 'no PostgreSQL: MINGA_TEST_POSTGRES is not set to a URL',
  home: async ({ isBare = false } = {}) => {
    copied ??= await templateOn(postgresUrl!)
    const data = temporaryFolder()
    if (isBare) return homeAt({ ...common, data, postgresUrl: await bareDatabase(postgresUrl!) })
    const database = await databaseFrom(postgresUrl!, copied)
    const options = { ...common, data, postgresUrl: database.url }
    return {
      ...homeAt(options),
      openHere: (change) => database.open({ ...options, ...change }),
    }
  },
}

export const ENGINES: readonly TestEngine[] = [sqlite, postgres]

/**
 * Why a test that repeats what others do leaves this engine out; false when it does not. Tests that let virtual weeks
 * pass, or kill processes at one named point after the other, run operations that shorter tests run on both engines,
 * and a round trip for each statement makes them several times as long on PostgreSQL.
 */
export function skipRepeats({ name, skip }: TestEngine): string | false {
  const isSampled = name === 'PostgreSQL' && process.env['MINGA_LONG'] !== '1'
  return skip || (isSampled && 'on PostgreSQL only with MINGA_LONG=1')
}

/** Makes test bodies: each gets a new store with the tables of the contract, closed at its end. */
export function withStoreOn(
  engine: TestEngine,
): (run: (store: Store<ContractOperations>, home: Home) => Promise<void>) => () => Promise<void> {
  return (run) => async () => {
    const home = await engine.home()
    const store = await home.open<ContractOperations>()
    try {
      await store.call('setUp', undefined)
      await run(store, home)
    } finally {
      await store.close()
    }
  }
}

/** As `Sql.all`: the author of the statement knows what its rows are. */
export async function readRows<R>(
  store: Calls<Pick<ContractOperations, 'all'>>,
  sql: string,
): Promise<R[]> {
  return (await store.call('all', { sql })) as R[]
}

/**
 * Databases with all tables are copied: creating these takes longer than most tests. A change of a
 * migration gives other names.
 */
function templateName(): string {
  const made = JSON.stringify([MIGRATIONS, FRESHNESS])
  const schema = createHash('sha256').update(made).digest('hex')
  return `minga_template_${schema.slice(0, 12)}`
}

/** One per folder of temporary files. Two that make it at once make the same. */
async function templateFile(): Promise<string> {
  const file = path.join(os.tmpdir(), `${templateName()}.db`)
  if (fs.existsSync(file)) return file
  const data = temporaryFolder()
  const store = await openStoreHere({ ...common, data })
  await store.close()
  const whole = path.join(data, DATABASE)
  const database = new DatabaseSync(whole)
  database.exec(FORGET_FILES)
  database.close()
  const beside = `${file}-${randomBytes(4).toString('hex')}`
  fs.copyFileSync(whole, beside)
  fs.renameSync(beside, file)
  return file
}

/** A store's record of its own files must not be copied to another. */
const FORGET_FILES = 'DELETE FROM blob_files'
/** Test files run in parallel, and the first makes it for all: any number will do. */
const TEMPLATE_LOCK = 716_253

/** One per server. */
async function templateOn(url: string): Promise<string> {
  const name = templateName()
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
  await administer(ours, FORGET_FILES)
  await administer(ours, FRESHNESS)
  await administer(url, `ALTER DATABASE ${unfinished} RENAME TO ${name}`)
}
