/** What has to be known of watched URLs before the bodies of an upload are read. */
import { addressOf } from '@minga/frontier'
import type { Sql } from '@minga/store'
import {
  forecastsAt,
  watchedUrlKeyOf,
  watchesOf,
  type WatchedUrlKey,
} from '../plan/forecast-rows.ts'
import { readFact, writeFact } from '../../station/station-facts.ts'
import { twinsOut, type TwinRequest } from './twin-requests.ts'

/** One watched URL that a fetched document stands for: itself, or one that was redirected to it. */
export interface Root {
  key: WatchedUrlKey
  url: string
  /** Digest of the capture whose content counts; null before the first. */
  digest: string | null
  captureUrl: string | null
  capturedAt: number | null
  /** What the detector remembers of it, encoded. */
  sketch: Uint8Array | null
  /** The visit was queued as a twin: the capture that it is compared with. */
  twin: { captureId: number; digest: string; url: string; capturedAt: number } | null
}

export interface VisitFacts {
  roots: Root[]
  includeSelectors: string[]
  excludeSelectors: string[]
}

/** In the order of the places. */
export async function visitFacts(sql: Sql, args: { keys: WatchedUrlKey[] }): Promise<VisitFacts[]> {
  const watches = await watchesOf(
    sql,
    args.keys.map(({ collectionId }) => collectionId),
  )
  const facts: VisitFacts[] = []
  for (const key of args.keys) {
    const settings = watches.get(key.collectionId)?.settings
    facts.push({
      roots: settings === undefined ? [] : await rootsOf(sql, key),
      includeSelectors: settings?.includeSelectors ?? [],
      excludeSelectors: settings?.excludeSelectors ?? [],
    })
  }
  return facts
}

async function rootsOf(sql: Sql, key: WatchedUrlKey): Promise<Root[]> {
  const keys = await rootKeys(sql, key)
  const rows = await forecastsAt(sql, keys)
  const twins = await twinsOut(sql, keys)
  const roots: Root[] = []
  for (const [i, row] of rows.entries()) {
    if (!row) continue
    const capture = await sql.get<{ digest: string; url: string; captured_at: number }>(
      'SELECT digest, url, captured_at FROM captures WHERE id = ?',
      [row.capture_id],
    )
    const known = await sql.get<{ sketch: Uint8Array }>(
      'SELECT sketch FROM sketches WHERE collection_id = ? AND host_id = ? AND hash = ?',
      [row.collection_id, row.host_id, row.hash],
    )
    roots.push({
      key: watchedUrlKeyOf(row),
      url: addressOf(row.url),
      digest: capture?.digest ?? null,
      captureUrl: capture?.url ?? null,
      capturedAt: capture?.captured_at ?? null,
      sketch: known?.sketch ?? null,
      twin: await twinCapture(sql, twins[i] ?? null),
    })
  }
  return roots
}

async function twinCapture(sql: Sql, twin: TwinRequest | null): Promise<Root['twin']> {
  if (twin === null) return null
  const capture = await sql.get<NonNullable<Root['twin']>>(
    `SELECT id AS "captureId", digest, url, captured_at AS "capturedAt" FROM captures WHERE id = ?`,
    [twin.capture_id],
  )
  return capture ?? null
}

/** The place itself, and those whose redirect led to it. */
export async function rootKeys(sql: Sql, key: WatchedUrlKey): Promise<WatchedUrlKey[]> {
  const { collectionId, hostId, hash } = key
  const chains = await sql.all<{ root_host_id: number; root_hash: number }>(
    `SELECT root_host_id, root_hash FROM visit_chains
     WHERE collection_id = ? AND host_id = ? AND hash = ?`,
    [collectionId, hostId, hash],
  )
  return [
    key,
    ...chains.map((chain) => ({ collectionId, hostId: chain.root_host_id, hash: chain.root_hash })),
  ]
}

const NAME = 'visitRounds'
/** The oldest are forgotten: only the latest visits are explained. */
const ROUNDS_MOST = 200

export interface AskedRound {
  at: number
  /** Whose watches were visited; null: everyone's. */
  owner: string | null
}

/** When everything was asked to be visited: such a round is no plan, and no wish for one watch either. */
export async function askedRounds(sql: Sql): Promise<AskedRound[]> {
  return JSON.parse((await readFact(sql, { name: NAME })) ?? '[]') as AskedRound[]
}

export async function noteRound(sql: Sql, round: AskedRound): Promise<void> {
  const rounds = [...(await askedRounds(sql)), round].slice(-ROUNDS_MOST)
  await writeFact(sql, { name: NAME, value: JSON.stringify(rounds) })
}
