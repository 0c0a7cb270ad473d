/**
 * Is a result genuine? Two fetches that agree settle it. Two that differ prove nothing: pages
 * differ by place and time. A third, trusted fetch decides, and where it agrees with neither, a
 * fourth distinguishes a page that is never the same from two colluding forgers.
 */
import { isFailure, isUnfetched } from './selection.ts'

/** What the coordinator computed itself from the bytes of a capture. */
export interface PageFacts {
  readonly status: number
  readonly digest: string
  /** As `contentFingerprint` says. */
  readonly fingerprint: string | null
  readonly location: string | null
  /** As `headersFingerprint` says; null where there is nothing to compare, also in audits of older versions. */
  readonly headers?: string | null
  /** The answer's Last-Modified, ms since the epoch. */
  readonly modifiedAt?: number | null
  /** As the page or its server says, lower case, without a region. */
  readonly language?: string | null
}

/** What a device reports that could not fetch the page at all. */
export const NO_PAGE: PageFacts = { status: 0, digest: '', fingerprint: null, location: null }

export type Comparison = 'agree' | 'differ'

const CLIENT_ERRORS = 400

export function compare(one: PageFacts, other: PageFacts): Comparison {
  if (Math.floor(one.status / 100) !== Math.floor(other.status / 100)) return 'differ'
  if (!haveSameHeaders(one, other) || maskedLocation(one) !== maskedLocation(other)) return 'differ'
  if (isRedirect(one) || isRedirect(other)) return 'agree'
  if (one.status >= CLIENT_ERRORS && one.status !== other.status) return 'differ'
  if (one.digest === other.digest) return 'agree'
  const isSameText = one.fingerprint !== null && one.fingerprint === other.fingerprint
  return isSameText ? 'agree' : 'differ'
}

function haveSameHeaders(
  { headers: one = null }: PageFacts,
  { headers: other = null }: PageFacts,
): boolean {
  return one === null || other === null || one === other
}

function isRedirect({ status }: PageFacts): boolean {
  return status >= 300 && status < CLIENT_ERRORS && status !== 304
}

/** Targets often carry a session or a time in their query; where they lead stays visible. */
function maskedLocation({ location }: PageFacts): string | null {
  return location?.replace(/(?<=[?&][^=&#]*=)[^&#]*\d[^&#]*/g, '#') ?? null
}

export interface Testimony {
  readonly subject: PageFacts
  /** When the coordinator received the subject's result. */
  readonly receivedAt: number
  readonly auditor: PageFacts
  readonly judge?: PageFacts | null
  /** The trusted device's second fetch. */
  readonly again?: PageFacts | null
  /** The version that the archive held before, from another owner's device. */
  readonly earlier?: PageFacts | null
  /** The auditor's page is older than the subject's: it was known before the subject was asked. */
  readonly isCanary?: boolean
  /** Two that agree are not believed without a judge. */
  readonly isRechecked?: boolean
}

export type Verdict =
  | { readonly type: 'agree' }
  | { readonly type: 'open'; readonly needs: 'judge' | 'again' }
  | { readonly type: 'lie'; readonly liars: readonly ('subject' | 'auditor')[] }
  | { readonly type: 'none'; readonly reason: NoVerdict }

type NoVerdict = 'dynamic' | 'changed' | 'older-version' | 'refused' | 'refuted'

export function verdictOf(testimony: Testimony): Verdict {
  const { subject, auditor, judge, again } = testimony
  const areEqual = compare(subject, auditor) === 'agree'
  if (areEqual && !judge && !testimony.isRechecked) return { type: 'agree' }
  // Another owner's device was let in: that the site answers is known, and the subject is not accused.
  if (isContradicted(subject, auditor) && !testimony.isCanary) {
    return { type: 'none', reason: 'refused' }
  }
  if (!judge) return { type: 'open', needs: 'judge' }
  // The auditor is not blamed: it may have seen another place's variant.
  if (compare(subject, judge) === 'agree') return { type: 'agree' }
  if (!areEqual && compare(auditor, judge) === 'agree')
    return against(testimony, judge, ['subject'])
  if (!again) return { type: 'open', needs: 'again' }
  if (compare(subject, again) === 'agree') return { type: 'agree' }
  if (compare(judge, again) === 'differ') return { type: 'none', reason: 'dynamic' }
  // What was known is no longer there: the page changed, before or after the subject saw it.
  if (testimony.isCanary) return { type: 'none', reason: 'changed' }
  // The page holds still, and neither of the two volunteers saw it.
  const verdict = against(testimony, judge, ['subject', 'auditor'])
  // Where they saw the same, the page may be another one where they are: that proves no lie.
  return verdict.type === 'lie' && areEqual ? { type: 'none', reason: 'refuted' } : verdict
}

/** A result may have been fetched this long before it was received. By our clock: the device's own
 * time of capture would let it excuse every lie. */
const UNDER_WAY_MS = 300_000

/**
 * Many sites turn single addresses or whole countries away, each with a status that it likes, and
 * servers are in trouble for a moment: a device that tells of it may well have met it. Its result
 * is never called verified, but it is no lie. That a page does not exist is said of the page, to
 * everyone.
 */
const GONE: ReadonlySet<number> = new Set([404, 410])

const isTurnedAway = ({ status }: PageFacts): boolean => isFailure(status) && !GONE.has(status)

/** Who had no answer at all is contradicted by any, also by a 404. */
function isContradicted(subject: PageFacts, auditor: PageFacts): boolean {
  if (!isTurnedAway(subject)) return false
  return isAnswered(auditor) || (isUnfetched(subject.status) && !isTurnedAway(auditor))
}

const isAnswered = ({ status }: PageFacts): boolean => status >= 200 && status < CLIENT_ERRORS

/**
 * A page that changed after the subject saw it makes an honest device look like a forger: where the
 * site's headers or the archive make that possible, no device is accused.
 */
function against(
  { subject, receivedAt, earlier }: Testimony,
  judge: PageFacts,
  liars: readonly ('subject' | 'auditor')[],
): Verdict {
  if (isTurnedAway(subject)) return { type: 'none', reason: 'refused' }
  if (judge.modifiedAt != null && judge.modifiedAt > receivedAt - UNDER_WAY_MS) {
    return { type: 'none', reason: 'changed' }
  }
  if (earlier && compare(subject, earlier) === 'agree') {
    return { type: 'none', reason: 'older-version' }
  }
  return { type: 'lie', liars }
}
