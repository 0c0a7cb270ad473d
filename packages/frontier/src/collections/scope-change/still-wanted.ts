/** Whether a queued URL belongs to a collection whose scope was changed after it was found. */
import { compileScope, type ScopeTest } from '@minga/net'
import type { CollectionSpec, RequestKind } from '@minga/protocol'
import type { Sql } from '@minga/store'

/** Why a URL that fell out of scope ends. */
export const OUT_OF_SCOPE = 'MINGA_OUT_OF_SCOPE'

/** What says how far a collection goes. */
const SCOPE_FIELDS = ['scope', 'include', 'exclude', 'maxDepth'] as const

export function isRescope(before: CollectionSpec, after: CollectionSpec): boolean {
  return SCOPE_FIELDS.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
}

interface QueuedUrl {
  url: string
  kind: RequestKind
  depth: number
  hops: number
  via: string | null
}

interface Tests {
  isInScope: ScopeTest
  isNotExcluded: ScopeTest
}

const compiled = new WeakMap<CollectionSpec, Tests>()

function testsOf(spec: CollectionSpec): Tests {
  const known = compiled.get(spec)
  if (known) return known
  const { exclude } = spec
  const tests = {
    isInScope: compileScope({ ...spec, kind: spec.scope }),
    isNotExcluded: compileScope({ kind: 'any', seeds: [], exclude }),
  }
  compiled.set(spec, tests)
  return tests
}

/**
 * Seeds and sitemaps are what a collection begins with: they need not match `include`, as they need not when it
 * starts, but what is excluded is not fetched. A robots.txt is always wanted: its host waits for it.
 */
export function isStillWanted(spec: CollectionSpec, row: QueuedUrl): boolean {
  if (row.kind === 'robots') return true
  const { isInScope, isNotExcluded } = testsOf(spec)
  const isBeginning = row.kind === 'sitemap' || (row.depth === 0 && row.via === null)
  if (isBeginning) return isNotExcluded(row.url)
  return isInScope(row.url) && (spec.maxDepth === null || row.depth <= spec.maxDepth)
}

/**
 * From now on what goes out is checked first, and the whole queue is gone through from its
 * beginning.
 */
export async function sweepLater(sql: Sql, collectionId: number): Promise<void> {
  await sql.run('UPDATE collections SET rescoped = 1 WHERE id = ?', [collectionId])
  await sql.insertMany({
    table: 'collection_sweeps',
    columns: ['collection_id', 'step', 'host_id', 'priority', 'hash'],
    rows: [[collectionId, 'back', 0, BEFORE_ALL, BEFORE_ALL]],
    onConflict: { keys: ['collection_id'], update: ['step', 'host_id', 'priority', 'hash'] },
  })
}

/** Smaller than any priority and any hash. */
export const BEFORE_ALL = -1
