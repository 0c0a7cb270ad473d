/** Step 6, before anything else: how much of an upload is believed, by who sent it. */
import { isDrawn, type TrustView } from '@minga/fleet'
import type { CapturedResult, Result } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { CollectionView } from '../found-links.ts'
import { checkResults, type CheckedResults } from './check-results.ts'

interface Checking {
  results: Result[]
  members: Buffer
  device: string
  auditFloor: number
  views: ReadonlyMap<number, CollectionView>
}

/** Of whom nothing is known, nothing is believed. */
const UNKNOWN = { isTrusted: false, isProven: false, auditProbability: 1 }

/** What a stranger says is read again from the bytes; our own devices are believed. */
export async function checkUpload(
  { store, secret }: { store: Store; secret: string },
  { results, members, device, auditFloor, views }: Checking,
): Promise<Pick<CheckedResults, 'results' | 'members' | 'pages'>> {
  const isAudit = ({ collectionId }: Result): boolean =>
    views.get(collectionId)?.spec.kind === 'audits'
  const trust = await store.call<TrustView | null>('trustOf', { device, auditFloor })
  const { isTrusted: isOurs, isProven, auditProbability } = trust ?? UNKNOWN
  if (isOurs && !results.some(isAudit)) return { results, members, pages: new Map() }
  const isDrawnHere = (result: CapturedResult): boolean =>
    !isOurs &&
    ((result.kind === 'robots' && !isProven) || isDrawn(secret, result, auditProbability))
  return checkResults(results, members, {
    isProven: isOurs || isProven,
    wantsPage: (result) => isAudit(result) || isDrawnHere(result),
  })
}
