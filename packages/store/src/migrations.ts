/**
 * The schema as ordered steps in portable SQL. Each step and its version row commit together,
 * so a process killed in the middle redoes the step as if it had never begun.
 */
import { foldColumns } from './fold-columns.ts'
import { StoreTooNew } from './errors.ts'
import { blobs } from './schema/0000-blobs.ts'
import { collect } from './schema/0001-collect.ts'
import { requests } from './schema/0002-requests.ts'
import { ledger } from './schema/0003-ledger.ts'
import { trust } from './schema/0004-trust.ts'
import { placement } from './schema/0005-placement.ts'
import { accounts } from './schema/0006-accounts.ts'
import { devices } from './schema/0007-devices.ts'
import { audits } from './schema/0008-audits.ts'
import { leaderboard } from './schema/0009-leaderboard.ts'
import { settings } from './schema/0010-settings.ts'
import { abuse } from './schema/0011-abuse.ts'
import { siteOwners } from './schema/0012-site-owners.ts'
import { ownersAndCanaries } from './schema/0013-owners-and-canaries.ts'
import { loadTests } from './schema/0014-load-tests.ts'
import { neutrality } from './schema/0015-neutrality.ts'
import { siteMaximum } from './schema/0016-site-maximum.ts'
import { watches } from './schema/0017-watches.ts'
import { subscriptions } from './schema/0018-subscriptions.ts'
import { archiveAccess } from './schema/0019-archive-access.ts'
import { alerts } from './schema/0020-alerts.ts'
import { toldAndBytes } from './schema/0021-told-and-bytes.ts'
import { federation } from './schema/0022-federation.ts'
import { placeGraphs } from './schema/0023-place-graphs.ts'
import { agentMap } from './schema/0024-agent-map.ts'
import { politeness } from './schema/0025-politeness.ts'
import { filters } from './schema/0026-filters.ts'
import { wiki } from './schema/0027-wiki.ts'
import { takedown } from './schema/0028-takedown.ts'
import { lake } from './schema/0029-lake.ts'
import { queries } from './schema/0030-queries.ts'
import { lakeFeed } from './schema/0031-lake-feed.ts'
import { leader } from './schema/0032-leader.ts'
import { collectionSamples } from './schema/0033-collection-samples.ts'
import { savedQueries } from './schema/0034-saved-queries.ts'
import { eventLog } from './schema/0035-event-log.ts'
import { fleetView } from './schema/0036-fleet-view.ts'
import { watchSeen } from './schema/0037-watch-seen.ts'
import { captureTexts } from './schema/0038-capture-texts.ts'
import { jobs } from './schema/0039-jobs.ts'
import { downloadTickets } from './schema/0040-download-tickets.ts'
import { recordIds } from './schema/0041-record-ids.ts'
import { twinRequests } from './schema/0042-twin-requests.ts'
import { boundedTimes } from './schema/0043-bounded-times.ts'
import { requestRates } from './schema/0044-request-rates.ts'
import { drawnAuditors } from './schema/0045-drawn-auditors.ts'
import { linksDropped } from './schema/0046-links-dropped.ts'
import { visibility } from './schema/0047-visibility.ts'
import { closedWikis } from './schema/0048-closed-wikis.ts'
import { sharedTables } from './schema/0049-shared-tables.ts'
import { keyParents } from './schema/0050-key-parents.ts'
import { sessionConfirmed } from './schema/0051-session-confirmed.ts'
import { foreignCollections } from './schema/0052-foreign-collections.ts'
import { mailboxes } from './schema/0053-mailboxes.ts'
import { accountEmails } from './schema/0055-account-emails.ts'
import { secondFactors } from './schema/0056-second-factors.ts'
import { passkeys } from './schema/0057-passkeys.ts'
import { accountIdentities } from './schema/0058-account-identities.ts'
import { auditLog } from './schema/0059-audit-log.ts'
import type { Dialect, Sql } from './sql.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: readonly string[]
  /** What one engine has its own way of doing; after the others. */
  readonly only?: Readonly<Record<Dialect, readonly string[]>>
}

/** In order; a released step never changes, new ones are added at the end. */
export const MIGRATIONS: readonly Migration[] = [
  blobs,
  collect,
  requests,
  ledger,
  trust,
  placement,
  accounts,
  devices,
  audits,
  leaderboard,
  settings,
  abuse,
  siteOwners,
  ownersAndCanaries,
  loadTests,
  neutrality,
  siteMaximum,
  watches,
  subscriptions,
  archiveAccess,
  alerts,
  toldAndBytes,
  federation,
  placeGraphs,
  agentMap,
  politeness,
  filters,
  wiki,
  takedown,
  lake,
  queries,
  lakeFeed,
  leader,
  collectionSamples,
  savedQueries,
  eventLog,
  fleetView,
  watchSeen,
  captureTexts,
  jobs,
  downloadTickets,
  recordIds,
  twinRequests,
  boundedTimes,
  requestRates,
  drawnAuditors,
  linksDropped,
  visibility,
  closedWikis,
  sharedTables,
  keyParents,
  sessionConfirmed,
  foreignCollections,
  mailboxes,
  accountEmails,
  secondFactors,
  passkeys,
  accountIdentities,
  auditLog,
]

/** What a store that this program opened has. */
export const SCHEMA_VERSION = MIGRATIONS.at(-1)!.version

const TOKENS: Record<Dialect, Readonly<Record<string, string>>> = {
  sqlite: {
    bytes: 'BLOB',
    int: 'INTEGER',
    real: 'REAL',
    id: 'INTEGER PRIMARY KEY',
    now: `CAST(strftime('%s', 'now') AS INTEGER) * 1000`,
    without_rowid: 'WITHOUT ROWID',
  },
  postgres: {
    bytes: 'BYTEA',
    int: 'BIGINT',
    real: 'DOUBLE PRECISION',
    id: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
    now: 'CAST(EXTRACT(EPOCH FROM now()) AS BIGINT) * 1000',
    without_rowid: '',
  },
}

/** Turns portable SQL into a dialect's. */
export function portable(statement: string, dialect: Dialect): string {
  const rendered = statement.replace(/\{\{(\w+)\}\}/g, (token, name: string) => {
    const text = TOKENS[dialect][name]
    if (text === undefined) throw new TypeError(`Unknown token ${token} in a migration.`)
    return text
  })
  // Text sorts by bytes in SQLite; without this it would sort by the server's language here.
  const creates = dialect === 'postgres' && /^\s*CREATE TABLE/i.test(rendered)
  return creates ? rendered.replace(/\bTEXT\b/g, 'TEXT COLLATE "C"') : rendered
}

/** Runs `step` in a transaction of its own. */
export type Transact = <R>(step: (sql: Sql) => Promise<R>) => Promise<R>

/**
 * Resolves to whether the database was empty before. An empty one gets all steps in one
 * transaction: each commit is a sync, and a new store would spend most of its start on them.
 */
export async function migrate(
  transact: Transact,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<{ wasEmpty: boolean }> {
  const found = await transact(async (sql) => {
    const version = await currentVersion(sql)
    if (version >= 0) return version
    const steps = sql.dialect === 'sqlite' ? foldColumns(migrations) : migrations
    for (const migration of steps) await apply(sql, migration)
    return version
  })
  const known = migrations.at(-1)?.version ?? -1
  if (found > known) throw StoreTooNew.version(found, known)
  if (found < 0) return { wasEmpty: true }
  for (const migration of migrations) {
    if (migration.version > found) await transact((sql) => apply(sql, migration))
  }
  return { wasEmpty: false }
}

async function currentVersion(sql: Sql): Promise<number> {
  const table = `CREATE TABLE IF NOT EXISTS schema_version (version {{int}} PRIMARY KEY, name TEXT NOT NULL)`
  await sql.run(portable(table, sql.dialect))
  const row = await sql.get<{ version: number | null }>(
    'SELECT max(version) AS version FROM schema_version',
  )
  return row?.version ?? -1
}

async function apply(sql: Sql, migration: Migration): Promise<void> {
  const { statements, only } = migration
  for (const statement of [...statements, ...(only?.[sql.dialect] ?? [])]) {
    await sql.run(portable(statement, sql.dialect))
  }
  await sql.run('INSERT INTO schema_version (version, name) VALUES (?, ?)', [
    migration.version,
    migration.name,
  ])
}
