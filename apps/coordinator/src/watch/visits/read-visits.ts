/**
 * Step 8, first half: what the pages of an upload look like, read before the transaction, because
 * reading a page costs milliseconds and the store has one thread. A page whose digest is known is
 * not read at all.
 */
import { STILL_TWIN, type PageBody, type Selectors, type TwinEvidence } from '@minga/forecast'
import { isMingaError, type CapturedResult, type Result } from '@minga/protocol'
import type { CollectionView } from '../../collect/found-links.ts'
import { PageTooSlow, TOO_SLOW_CODE } from '../../archive/pages/errors.ts'
import { pageWorker } from '../../archive/pages/page-worker.ts'
import type { WatchedUrlKey } from '../plan/forecast-rows.ts'
import { archivedPage, pageOf } from '../../archive/read-page.ts'
import type { Root, VisitFacts } from './visit-facts.ts'
import type { Station } from '../../station/station.ts'

/** What a visit saw. */
export interface Reading {
  /** Encoded; null when there is nothing to compare. */
  sketch: Uint8Array | null
  /** Why the page must not be compared, if so (an error page that says 200, a cut body). */
  reason: string | null
  /** Sketches of what counted before, for roots that have lost theirs. */
  former: { hostId: number; hash: number; sketch: Uint8Array }[]
  /** Of roots whose visit is a twin: what it shows, compared with that capture. */
  twins: { hostId: number; hash: number; captureId: number; evidence: TwinEvidence }[]
}

interface VisitItem {
  result: Result
  members: readonly Uint8Array[]
  visit?: Reading
}

interface Sent {
  items: readonly VisitItem[]
  views: ReadonlyMap<number, CollectionView>
}

/** Each visit gets its reading. */
export async function readVisits(station: Station, sent: Sent): Promise<void> {
  const visits = visitsIn(sent)
  if (visits.length === 0) return
  const keys = visits.map(({ result }) => placeOfResult(result))
  const facts = await station.store.call('visitFacts', { keys })
  for (const [i, visit] of visits.entries()) {
    const reading = await readOrGiveUp(station, visit, facts[i]!)
    if (reading !== null) visit.item.visit = reading
  }
}

interface Visit {
  item: VisitItem
  result: CapturedResult
  member: Uint8Array
}

function visitsIn({ items, views }: Sent): Visit[] {
  const visits: Visit[] = []
  for (const item of items) {
    const { result, members } = item
    if (result.type !== 'captured' || result.kind !== 'document') continue
    const isWatched = views.get(result.collectionId)?.spec.kind === 'watch'
    if (isWatched) visits.push({ item, result, member: members[0]! })
  }
  return visits
}

const placeOfResult = ({ collectionId, hostId, hash }: CapturedResult): WatchedUrlKey => ({
  collectionId,
  hostId,
  hash,
})

const UNREADABLE: Reading = { sketch: null, reason: 'unreadable', former: [], twins: [] }
const TOO_SLOW: Reading = { ...UNREADABLE, reason: TOO_SLOW_CODE }

/** One page that cannot be read must not hold up the others of its upload. */
async function readOrGiveUp(
  station: Station,
  visit: Visit,
  facts: VisitFacts,
): Promise<Reading | null> {
  try {
    return await readVisit(station, visit, facts)
  } catch (error) {
    if (error instanceof PageTooSlow) return TOO_SLOW
    if (isMingaError(error)) return UNREADABLE
    throw error
  }
}

async function readVisit(
  station: Station,
  visit: Visit,
  facts: VisitFacts,
): Promise<Reading | null> {
  const { result } = visit
  const isPage = result.status === 200 || result.status === 304
  const news = facts.roots.filter((root) => root.digest !== result.digest || root.sketch === null)
  const twins = facts.roots.filter(({ twin }) => twin !== null)
  if (!isPage || (news.length === 0 && twins.length === 0)) return null
  const selectors = { include: facts.includeSelectors, exclude: facts.excludeSelectors }
  const page = await pageOf(station, visit)
  if (page === null) return UNREADABLE
  const before = news.find((root) => root.sketch !== null)?.sketch ?? null
  const { sketch, reason } = await pageWorker.run('visit', { page, selectors, before })
  const former = await formerSketches(station, news, selectors)
  const { digest } = result
  const twinsSeen =
    reason === null ? await readTwins(station, twins, { page, digest, selectors }) : []
  return { sketch, reason, former, twins: twinsSeen }
}

async function readTwins(
  station: Station,
  roots: readonly Root[],
  { page, digest, selectors }: { page: PageBody; digest: string; selectors: Selectors },
): Promise<Reading['twins']> {
  const twins: Reading['twins'] = []
  for (const { key, twin } of roots) {
    if (twin === null) continue
    const isSame = twin.digest === digest
    const first = isSame ? null : await archivedPage(station, twin.url, twin.capturedAt)
    const evidence = isSame
      ? STILL_TWIN
      : first && (await pageWorker.run('twin', { first, page, selectors }))
    const { hostId, hash } = key
    if (evidence !== null) twins.push({ hostId, hash, captureId: twin.captureId, evidence })
  }
  return twins
}

/** After other selectors were set, what counted before has to be compared through them, too. */
async function formerSketches(
  station: Station,
  roots: readonly Root[],
  selectors: Selectors,
): Promise<Reading['former']> {
  const former: Reading['former'] = []
  for (const { key, sketch, captureUrl, capturedAt } of roots) {
    if (sketch !== null || captureUrl === null) continue
    const page = await archivedPage(station, captureUrl, capturedAt)
    if (page === null) continue
    const { hostId, hash } = key
    former.push({ hostId, hash, sketch: await pageWorker.run('sketch', { page, selectors }) })
  }
  return former
}
