/** Opens collections by identity, or continues the one that has it. */
import type {
  CollectionSpec,
  ExistingCollection,
  SettingsDifference,
  Visibility,
} from '@minga/protocol'
import type { Sql } from '@minga/store'
import { CollectionExists } from '../errors.ts'
import { FILTERED } from '../filters/read-filter.ts'
import { lockFilters, recallUnwanted } from '../filters/recall.ts'
import { addSeeds } from '../queue/seeds.ts'
import { nextIds } from '../sequences.ts'
import { discover, type Candidate } from '../queue/discover.ts'
import { shareCollection } from '../federation/shared-collections.ts'
import { collectionStatus, noteState, parseSpec } from './collections.ts'
import { compareSpecs } from './scope-change/compare-specs.ts'
import { isRescope, sweepLater } from './scope-change/still-wanted.ts'

/**
 * What becomes of a collection with the same identity and other settings: it takes the new ones, keeps its own, or is
 * left alone and the caller refused.
 */
export type OpenExisting = 'change' | 'continue' | 'refuse'

/**
 * The same seeds and scope are the same collection: opening it again continues it, with the
 * newest limits, delay and filter unless `existing` says otherwise. A finished or cancelled one runs again when work
 * is left; one that has no page yet tries again what failed.
 */
export async function openCollection(
  sql: Sql,
  args: {
    identity: string
    spec: CollectionSpec
    now: number
    allowPrivateAddresses: boolean
    owner?: string | null
    existing?: OpenExisting
    /** Of a new one; without it all readers of the station see it. */
    visibility?: Visibility
  },
): Promise<OpenedCollection> {
  const { owner = null, visibility = 'shared' } = args
  const old = await findByIdentity(sql, args.identity)
  if (old) return continueCollection(sql, old, { ...args, owner })
  const id = await nextIds(sql, 'collection')
  await sql.run(
    `INSERT INTO collections (id, identity, owner, visibility, spec, state, created_at)
     VALUES (?, ?, ?, ?, ?, 'running', ?)`,
    [id, args.identity, owner, visibility, JSON.stringify(args.spec), args.now],
  )
  await noteState(sql, { id, kind: args.spec.kind, what: 'opened', why: null, now: args.now })
  return { id, isNew: true, recalled: [] }
}

interface KnownCollection {
  id: number
  spec: string
  pages: number
}

function findByIdentity(sql: Sql, identity: string): Promise<KnownCollection | undefined> {
  const text = 'SELECT id, spec, pages FROM collections WHERE identity = ?'
  return sql.get<KnownCollection>(text, [identity])
}

interface Continuation {
  spec: CollectionSpec
  owner: string | null
  now: number
  allowPrivateAddresses: boolean
  existing?: OpenExisting
}

async function continueCollection(
  sql: Sql,
  old: KnownCollection,
  args: Continuation,
): Promise<OpenedCollection> {
  const former = parseSpec(old.spec)
  const changes = settingsChanged(former, args.spec)
  if (args.existing === 'refuse' && Object.keys(changes.after).length > 0) {
    throw new CollectionExists(old.id, changes)
  }
  const wanted = args.existing === 'continue' ? former : args.spec
  const isFilterNew = JSON.stringify(former.filter) !== JSON.stringify(wanted.filter)
  if (isFilterNew) await lockFilters(sql)
  // Seeds adopted from redirects stay in the scope.
  const seeds = addSeeds(args.spec.seeds, former.seeds)
  await sql.run(
    `UPDATE collections SET spec = ?, owner = COALESCE(owner, ?), state = 'running', reason = NULL,
       ended_at = NULL WHERE id = ?`,
    [JSON.stringify({ ...wanted, seeds }), args.owner, old.id],
  )
  // What was asked for elsewhere gives way to what a user of this station wants.
  const isOthers = args.existing === 'continue' || Object.keys(changes.after).length === 0
  if (!isOthers) await sql.run('UPDATE collections SET origin_spec = NULL WHERE id = ?', [old.id])
  // A user may have changed its scope since; the new request decides.
  if (isRescope(former, wanted)) await sweepLater(sql, old.id)
  // Allowing private addresses now includes those that were refused before.
  if (args.allowPrivateAddresses) await reconsiderDenied(sql, old.id, 'MINGA_ADDRESS_REFUSED')
  if (old.pages === 0) await reconsider(sql, { id: old.id, outcome: 'failed', code: null })
  if (!isFilterNew) return { id: old.id, isNew: false, recalled: [] }
  await reconsiderDenied(sql, old.id, FILTERED)
  const recall = { station: null, collectionId: old.id, now: args.now }
  return { id: old.id, isNew: false, recalled: await recallUnwanted(sql, recall) }
}

/**
 * Seeds may have been adopted from redirects, so that they differ without anyone having changed
 * them.
 */
function settingsChanged(former: CollectionSpec, wanted: CollectionSpec): SettingsDifference {
  return compareSpecs(former, { ...wanted, seeds: former.seeds })
}

/** Which collection a request would continue, and what it would change of it. */
export async function findExisting(
  sql: Sql,
  args: { identity: string; spec: CollectionSpec },
): Promise<ExistingCollection> {
  const old = await findByIdentity(sql, args.identity)
  if (!old) return { collection: null, changes: { before: {}, after: {} } }
  const [collection] = await collectionStatus(sql, { id: old.id })
  return { collection: collection!, changes: settingsChanged(parseSpec(old.spec), args.spec) }
}

export interface OpenedCollection {
  id: number
  isNew: boolean
  /** Boots that lost what another filter does not want. */
  recalled: string[]
}

const reconsiderDenied = (sql: Sql, id: number, code: string): Promise<void> =>
  reconsider(sql, { id, outcome: 'denied', code })

interface Reconsidered {
  id: number
  outcome: 'denied' | 'failed'
  /** Only what ended by this code; null: whatever the code is. */
  code: string | null
}

/** What ended without a capture is queued again: it may come to something else now. */
async function reconsider(sql: Sql, { id, outcome, code }: Reconsidered): Promise<void> {
  const ofCode = code === null ? '' : 'AND code = ?'
  const where = `collection_id = ? AND outcome = ? ${ofCode}`
  const params = [id, outcome, ...(code === null ? [] : [code])]
  const ended = await sql.all<{ host_id: number; code: string | null; count: number }>(
    `SELECT host_id, code, COUNT(*) AS count FROM urls WHERE ${where} GROUP BY host_id, code`,
    params,
  )
  if (ended.length === 0) return
  await sql.run(
    `UPDATE urls SET outcome = NULL, code = NULL, status = NULL, attempts = 0, not_before = 0
     WHERE ${where}`,
    params,
  )
  let total = 0
  for (const { host_id, count } of ended) {
    total += count
    await sql.run(
      'UPDATE collection_hosts SET queued = queued + ? WHERE collection_id = ? AND host_id = ?',
      [count, id, host_id],
    )
  }
  await sql.run(
    `UPDATE collections SET queued = queued + ?, ${outcome} = ${outcome} - ? WHERE id = ?`,
    [total, total, id],
  )
  for (const met of new Set(ended.map((row) => row.code))) {
    await sql.run('DELETE FROM collection_errors WHERE collection_id = ? AND code = ?', [id, met])
  }
}

/**
 * Opens a collection and queues its seeds in one transaction: between two of them it would have
 * nothing queued, and a cleanup would end it.
 */
export async function startCollection(
  sql: Sql,
  args: {
    identity: string
    spec: CollectionSpec
    seeds: readonly Candidate[]
    allowPrivateAddresses: boolean
    owner?: string | null
    existing?: OpenExisting
    visibility?: Visibility
    now: number
  },
): Promise<Pick<OpenedCollection, 'id' | 'recalled'>> {
  const { seeds, ...opening } = args
  const { id, recalled } = await openCollection(sql, opening)
  await shareCollection(sql, id)
  await discover(sql, { collectionId: id, candidates: seeds, trapBudget: false })
  return { id, recalled }
}
