/** Step 7: what accepted results lead to goes back to the frontier. */
import {
  canonicalUrl,
  compileScope,
  guardUrl,
  hostKeyOf,
  type GuardPolicy,
  type ScopeTest,
} from '@minga/net'
import {
  awaitRobots,
  discover,
  growScope,
  FILTERED,
  filterIn,
  filterOfSpec,
  isHostWanted,
  nextRedirect,
  isRobots,
  noteRobots,
  robotsOwner,
  type Accepted,
  type Candidate,
  type QueuedUrl,
} from '@minga/frontier'
import type { CollectionSpec, Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { findRefusal } from '../station/admission.ts'
import type { FoundLinks } from './found-links.ts'

interface Extracting {
  accepted: readonly (Accepted & { found?: FoundLinks })[]
  refusals: Readonly<Record<string, string>>
  guard: GuardPolicy
  isHeld: (result: Accepted['result']) => boolean
  /** JSON of the station's filter, if it has one. */
  filter?: string
  now: number
}

export interface Extracted {
  /** The results all of whose links the seen-set knows now. */
  learnt: Result[]
  /** Collections whose scope grew. */
  grown: number[]
}

export async function extract(sql: Sql, args: Extracting): Promise<Extracted> {
  const candidates = new Map<number, { spec: CollectionSpec; list: Candidate[] }>()
  const adopted = new Map<number, string[]>()
  const learnt: Result[] = []
  const filtered = new Map<number, number>()
  const dropped = new Map<number, number>()
  for (const item of args.accepted) {
    const id = item.lease.collection_id
    const into = candidates.get(id) ?? { spec: item.spec, list: [] }
    candidates.set(id, into)
    // The requester of a second opinion gets it there; a stranger's robots.txt waits for one.
    if (item.spec.kind === 'audits' && item.url !== null) continue
    if (isRobots(item) && args.isHeld(item.result)) {
      const owner = ownerOfRobots(item)
      if (owner !== null) await awaitRobots(sql, { ...owner, now: args.now })
      continue
    }
    if (isRobots(item)) {
      const { list, left } = wantedOf(await fromRobots(sql, item, args.now), item.spec, args.filter)
      into.list.push(...list)
      addTo(filtered, id, left)
      continue
    }
    // Clients and visits wait for one document, not for what it links to.
    if (item.url?.kind === 'document' || item.spec.kind === 'requests') continue
    const { found } = item
    if (found === undefined || item.url === null || item.decision.type !== 'captured') continue
    const { list, adopt } = fromPage(item, item.url, found)
    into.list.push(...list)
    addTo(filtered, id, found.filtered ?? 0)
    addTo(dropped, id, found.linksDropped ?? 0)
    if (mayLeadOn(item.spec, item.url)) learnt.push(item.result)
    if (adopt !== null) adopted.set(id, [...(adopted.get(id) ?? []), adopt])
  }
  for (const [collectionId, { spec, list }] of candidates) {
    for (const candidate of list) candidate.refusal = refusalOf(candidate, args)
    await discover(sql, { collectionId, candidates: list, trapBudget: spec.trapBudget })
  }
  for (const [collectionId, seeds] of adopted) await growScope(sql, { collectionId, seeds })
  await addToColumn(sql, 'filtered', filtered)
  await addToColumn(sql, 'links_dropped', dropped)
  return { learnt, grown: [...adopted.keys()] }
}

function addTo(counts: Map<number, number>, id: number, count: number): void {
  if (count > 0) counts.set(id, (counts.get(id) ?? 0) + count)
}

async function addToColumn(
  sql: Sql,
  column: 'filtered' | 'links_dropped',
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  for (const [id, count] of counts) {
    await sql.run(`UPDATE collections SET ${column} = ${column} + ? WHERE id = ?`, [count, id])
  }
}

/** What a robots.txt leads to as far as filters want it: sitemaps are left out, and where the file
 * itself went on to is denied, for its host waits for it. */
function wantedOf(
  list: readonly Candidate[],
  spec: CollectionSpec,
  station: string | undefined,
): { list: Candidate[]; left: number } {
  const filters = [filterIn(station ?? null), filterOfSpec(spec)].filter((one) => one !== null)
  if (filters.length === 0) return { list: [...list], left: 0 }
  const judged = list.map((candidate) =>
    isHostWanted(filters, hostKeyOf(candidate.url))
      ? candidate
      : { ...candidate, refusal: FILTERED },
  )
  const kept = judged.filter(({ kind, refusal }) => kind === 'robots' || refusal === null)
  return { list: kept, left: judged.length - kept.length }
}

/** Links were judged before they came here; what a robots.txt leads to is judged here. */
function refusalOf(
  { url, kind, refusal }: Candidate,
  { refusals, guard }: Pick<Extracting, 'refusals' | 'guard'>,
): string | null {
  if (refusal !== null) return refusal
  // The queue's key of a redirected robots.txt carries a fragment; its address does not.
  if (kind === 'robots') return guardUrl(url.replace(/#.*$/s, ''), guard)?.code ?? null
  if (kind !== 'sitemap') return refusals[url] ?? null
  return refusals[url] ?? findRefusal(url, 'sitemap', { guard })?.code ?? null
}

/** What a page at the greatest depth links to may yet be found nearer to a seed. */
function mayLeadOn({ maxDepth }: CollectionSpec, page: { depth: number }): boolean {
  return maxDepth === null || page.depth < maxDepth
}

function fromPage(
  { spec, result }: Accepted,
  page: NonNullable<Accepted['url']>,
  found: FoundLinks,
): { list: Candidate[]; adopt: string | null } {
  const candidate = (
    url: string,
    kind: Candidate['kind'],
    more: Partial<Candidate>,
  ): Candidate => ({
    url,
    kind,
    depth: page.depth,
    hops: page.hops,
    via: page.url,
    refusal: null,
    ...more,
  })
  const list: Candidate[] = []
  if (mayLeadOn(spec, page)) {
    // A sitemap is on the level of the seeds: what it lists is as deep as what a seed links to.
    for (const url of found.links)
      list.push(candidate(url, 'page', { depth: page.depth + 1, hops: 0 }))
  }
  // What a page is shown with belongs to it, whatever the greatest depth is.
  for (const url of found.embeds)
    list.push(candidate(url, 'page', { depth: page.depth + 1, hops: 0 }))
  for (const url of found.sitemaps) list.push(candidate(url, 'sitemap', { hops: 0 }))
  const { redirect } = found
  // Whether its target may be asked is judged with all candidates.
  const step = nextRedirect(result, page.hops, {})
  if (redirect === null || step.type !== 'follow') return { list, adopt: null }
  // A seed that only says where it moved to is still what the collector asked for.
  const adopt =
    !redirect.isInScope && page.depth === 0 && page.kind === 'page' ? redirect.url : null
  if (redirect.isInScope || adopt !== null) {
    list.push(candidate(redirect.url, page.kind, { hops: step.hops }))
  }
  return { list, adopt }
}

/** A robots.txt that was fetched as a second opinion, for the host whose it is. */
export async function learnRobots(
  sql: Sql,
  args: {
    item: Accepted
    hostId: number
    collectionId: number
    /** What another host's robots.txt redirected to; null for a host's own. */
    url: QueuedUrl | null
    guard: GuardPolicy
    filter?: string
    now: number
  },
): Promise<void> {
  const { item, hostId, collectionId, url, guard, now } = args
  const lease = { ...item.lease, host_id: hostId, collection_id: collectionId }
  const found = await fromRobots(sql, { ...item, lease, url }, now)
  const { list } = wantedOf(found, item.spec, args.filter)
  for (const candidate of list) candidate.refusal = refusalOf(candidate, { refusals: {}, guard })
  await discover(sql, { collectionId, candidates: list, trapBudget: item.spec.trapBudget })
}

async function fromRobots(sql: Sql, item: Accepted, now: number): Promise<Candidate[]> {
  const { result, lease, url, spec } = item
  if (result.type === 'returned') return []
  const asked = result.url
  const owner = ownerOfRobots(item)
  if (owner === null) return []
  const collectionId = lease.collection_id
  const hops = url?.hops ?? 0
  const news = await noteRobots(sql, { collectionId, ...owner, url: asked, hops, result, now })
  const common = { depth: 0, via: asked, refusal: null }
  const list: Candidate[] = []
  if (news.redirect !== null) list.push({ ...news.redirect, kind: 'robots', ...common })
  if (!spec.sitemaps || spec.scope === 'page') return list
  const isInScope = scopeOf(spec)
  for (const declared of news.sitemaps) {
    const sitemap = canonicalUrl(declared, asked)
    if (sitemap === null) continue
    const isOwn = hostKeyOf(sitemap) === hostKeyOf(asked)
    if (isOwn || isInScope(sitemap))
      list.push({ url: sitemap, kind: 'sitemap', hops: 0, ...common })
  }
  return list
}

/** Whose rules it is: those of its own host, or of the one that redirected there. */
function ownerOfRobots({
  result,
  lease,
  url,
}: Accepted): { hostId: number; scheme: string } | null {
  if (url !== null) return robotsOwner(url.url)
  if (result.type === 'returned') return null
  return { hostId: lease.host_id, scheme: result.url.startsWith('https:') ? 'https' : 'http' }
}

const scopes = new WeakMap<CollectionSpec, ScopeTest>()

function scopeOf(spec: CollectionSpec): ScopeTest {
  const known = scopes.get(spec)
  if (known) return known
  const scope = compileScope({ ...spec, kind: spec.scope })
  scopes.set(spec, scope)
  return scope
}
