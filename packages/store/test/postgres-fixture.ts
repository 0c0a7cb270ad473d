/**
 * Databases on the tests' PostgreSQL. One with all tables serves test after test with the same
 * connections: a new database takes longer than most tests, and so do the first plans of a new
 * connection. Before the next test it is made as it was; one whose tables a test changed is dropped.
 */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openStoreHere } from './open-store-fixture.ts'
import type { StoreOptions } from '../src/open-store.ts'
import { PostgresConnections } from '../src/postgres-engine.ts'
import type { OperationTable, Store } from '../src/sql.ts'

/** The server forgets the connections of a closed store within moments. */
const SESSIONS_PATIENCE_MS = 100
const SESSIONS_POLL_MS = 5
const END_PATIENCE_MS = 2_000

/**
 * For the template when it is whole: every copy has these functions too, in a schema that
 * statements do not see. There are no references between tables. Rows are deleted rather than
 * truncated as long as there are few of them: truncating throws away the plans of all connections.
 * Triggers that keep rows from being deleted do not fire in the meantime.
 */
export const FRESHNESS = `
  CREATE SCHEMA fresh;
  CREATE FUNCTION fresh.shape() RETURNS text LANGUAGE sql AS $$
    SELECT concat_ws(' ', count(*), sum(relnatts), max(oid::bigint)) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace
  $$;
  CREATE FUNCTION fresh.filled() RETURNS TABLE (name name, bytes bigint) LANGUAGE sql AS $$
    SELECT relname, pg_relation_size(oid) FROM pg_class WHERE relkind = 'r'
      AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0
  $$;
  DO $$ DECLARE kept record; BEGIN
    FOR kept IN SELECT * FROM fresh.filled() LOOP
      EXECUTE format('CREATE TABLE fresh.%I AS TABLE public.%I', kept.name, kept.name);
    END LOOP;
    EXECUTE format('CREATE VIEW fresh.made AS SELECT %L AS shape', fresh.shape());
  END $$;
  CREATE FUNCTION fresh.empty() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica AS $$
  DECLARE kept record; written record;
  BEGIN
    FOR written IN SELECT * FROM fresh.filled() LOOP
      IF written.bytes <= 65536 THEN EXECUTE format('DELETE FROM public.%I', written.name);
      ELSE EXECUTE format('TRUNCATE public.%I', written.name);
      END IF;
    END LOOP;
    FOR kept IN SELECT relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'fresh'::regnamespace
    LOOP
      EXECUTE format('INSERT INTO public.%I OVERRIDING SYSTEM VALUE TABLE fresh.%I', kept.name, kept.name);
    END LOOP;
    PERFORM setval(format('%I.%I', schemaname, sequencename), start_value, false)
      FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL;
  END $$;
  CREATE FUNCTION fresh.renew(sessions_kept integer) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) > sessions_kept
      THEN RETURN 'used';
    END IF;
    IF fresh.shape() <> (SELECT shape FROM fresh.made) THEN RETURN 'changed'; END IF;
    PERFORM fresh.empty();
    RETURN 'fresh';
  END $$;`

type Renewal = 'used' | 'changed' | 'fresh'

export class TestDatabase {
  readonly name: string
  readonly url: string
  readonly connections: PostgresConnections
  readonly #stores: Pick<Store<OperationTable>, 'close'>[] = []
  #isLent = false

  constructor(server: string, name: string) {
    this.name = name
    this.url = databaseOn(server, name)
    // What is idle keeps no process from ending.
    const options = { idleTimeoutMillis: 0, allowExitOnIdle: true }
    this.connections = new PostgresConnections(this.url, options)
  }

  /** With the connections of the database, unless another store has them or it is another database. */
  async open<Ops extends OperationTable>(options: StoreOptions): Promise<Store<Ops>> {
    const isLending = !this.#isLent && options.postgresUrl === this.url
    if (isLending) this.#isLent = true
    const giveBack = (): void => {
      if (isLending) this.#isLent = false
    }
    const opening = openStoreHere<Ops>(options, isLending ? this.connections : undefined)
    const store = await opening.catch((error: unknown) => {
      giveBack()
      throw error
    })
    const lent: Store<Ops> = {
      call: (name, args, transfer) => store.call(name, args, transfer),
      close: () => store.close().finally(giveBack),
    }
    this.#stores.push(lent)
    return lent
  }

  /** Most tests leave this to the end of their file. */
  async closeStores(): Promise<void> {
    await Promise.all(this.#stores.splice(0).map((store) => store.close()))
  }
}

/** Those whose test has ended. */
const free = new Set<TestDatabase>()
const all = new Set<TestDatabase>()
/** Before the process ends; within a test this would be at the end of that test. */
after(async () => {
  for (const database of all) await drop(database)
})

/** For the rest of the test or suite that asks. */
export async function databaseFrom(server: string, template: string): Promise<TestDatabase> {
  const database = (await takeFree()) ?? (await make(server, template))
  after(async () => {
    await database.closeStores()
    free.add(database)
  })
  return database
}

async function takeFree(): Promise<TestDatabase | undefined> {
  for (const database of free.values().toArray()) {
    // No other test may take it in the meantime.
    if (!free.delete(database)) continue
    const renewal = await renew(database)
    if (renewal === 'fresh') return database
    if (renewal === 'used') free.add(database)
    else await drop(database)
  }
  return undefined
}

async function renew({ connections: { pool } }: TestDatabase): Promise<Renewal> {
  for (let waitedMs = 0; ; waitedMs += SESSIONS_POLL_MS) {
    const { rows } = await pool.query<{ renewal: Renewal }>({
      name: 'renew',
      text: 'SELECT fresh.renew($1) AS renewal',
      values: [Math.max(1, pool.totalCount)],
    })
    const { renewal } = rows[0]!
    if (renewal !== 'used' || waitedMs >= SESSIONS_PATIENCE_MS) return renewal
    await sleep(SESSIONS_POLL_MS)
  }
}

async function make(server: string, template: string): Promise<TestDatabase> {
  const database = new TestDatabase(server, await createDatabase(server, template))
  all.add(database)
  return database
}

async function drop(database: TestDatabase): Promise<void> {
  all.delete(database)
  // A test that failed may have left a connection in the middle of something, which the server ends below.
  await Promise.race([database.connections.pool.end(), sleep(END_PATIENCE_MS)])
  await dropDatabase(database.url, database.name)
}

/** Without any tables, for the rest of the test or suite that asks. */
export async function bareDatabase(server: string): Promise<string> {
  const name = await createDatabase(server, 'template1')
  const url = databaseOn(server, name)
  after(() => dropDatabase(url, name))
  return url
}

async function createDatabase(server: string, template: string): Promise<string> {
  const name = `minga_test_${randomBytes(6).toString('hex')}`
  await administer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`)
  return name
}

/** From another database of the server: none is dropped from within. */
async function dropDatabase(url: string, name: string): Promise<void> {
  await administer(databaseOn(url, 'postgres'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

export function databaseOn(url: string, name: string): string {
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
