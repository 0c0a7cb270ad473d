import type { Sql } from '@minga/store'

/** Any number that other locks of the database do not use. */
const SCHEDULING = 7_700_401

/**
 * Several coordinators of one PostgreSQL tick in parallel. What is due, lost or to be harvested is
 * looked for by one of them at a time, until it commits: the next sees what is left. SQLite runs
 * one operation at a time anyway.
 */
export async function lockVisitScheduling(sql: Sql): Promise<void> {
  if (sql.dialect === 'postgres') await sql.all('SELECT pg_advisory_xact_lock(?)', [SCHEDULING])
}
