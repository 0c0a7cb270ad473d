/** What changed between two captures of a URL. */
import { cdxjTimestamp, endOfTime, writableDate } from '@minga/archive'
import {
  diffAsHtml,
  diffAsText,
  diffSideBySide,
  type DiffOptions,
  type PageBody,
  type PageDiff,
} from '@minga/forecast'
import { canonicalUrl } from '@minga/net'
import {
  isMingaError,
  type CaptureDiff,
  type CaptureRow,
  type DiffSide,
  type DiffWatch,
} from '@minga/protocol'
import type { Calls } from '@minga/store'
import {
  readArchived,
  type ArchivedAnswer,
  type ContentOperations,
} from '../captures/capture-content.ts'
import { BadArchiveTime, BadArchiveUrl, DiffTooLong, NoSuchCapture } from '../errors.ts'
import { valueOf } from '../archived-view.ts'
import type { Operations } from '../../station/station-operations.ts'
import { pageWorker } from '../pages/page-worker.ts'
import { PLAINLY, readWatchDiffOptions } from './watch-diff-options.ts'

/** Of a longer page only the beginning is compared, because the caller waits for the answer. */
export const BYTES_MOST = 8 * 1024 * 1024

export interface DiffQuery {
  url: string
  /** A time (the newest capture not after it), `latest`, or `previous`: the one before the other. */
  before: string
  after: string
  /** The watch by whose selectors and masks they are compared, instead of the one that has the URL. */
  watchId?: number | null
  /** Ignores the options of every watch: everything counts. */
  raw?: boolean
}

export interface DiffParts {
  store: Calls<ContentOperations & Pick<Operations, 'watchDiffOptions'>>
  data: string
}

export async function diffCaptures(parts: DiffParts, query: DiffQuery): Promise<CaptureDiff> {
  const url = canonicalUrl(query.url)
  if (url === null) throw new BadArchiveUrl(query.url)
  const [before, after] = await bothTimes(parts, { ...query, url })
  const [old, fresh] = [
    await readArchived(parts, { url, at: before }, BYTES_MOST + 1),
    await readArchived(parts, { url, at: after }, BYTES_MOST + 1),
  ]
  const isCut = Math.max(old.body.length, fresh.body.length) > BYTES_MOST
  const { watchId = null, raw = false } = query
  const diffOptions = raw
    ? null
    : await readWatchDiffOptions(parts, { url, watchId, at: fresh.capture.capturedAt })
  const options =
    diffOptions === null
      ? PLAINLY
      : { selectors: diffOptions.selectors, mask: diffOptions.mask ?? null }
  const diff = await compareBodies({ before: pageOf(old), after: pageOf(fresh), options })
  return {
    url,
    before: sideOf(old),
    after: sideOf(fresh),
    ...diff,
    watch: diffOptions?.watch ?? null,
    ...(isCut ? { comparedBytes: BYTES_MOST } : {}),
  }
}

const LATEST = 'latest'
const PREVIOUS = 'previous'

/** Null: the newest. `previous` is found from the other side, which must be said. */
async function bothTimes(
  parts: DiffParts,
  { url, before, after }: DiffQuery,
): Promise<[number | null, number | null]> {
  const other = before === PREVIOUS ? after : before
  const known = other === PREVIOUS ? null : timeOf(other)
  if (before !== PREVIOUS && after !== PREVIOUS) return [timeOf(before), timeOf(after)]
  const previous = await timeBefore(parts, url, known)
  return before === PREVIOUS ? [previous, known] : [known, previous]
}

function timeOf(text: string): number | null {
  if (text === LATEST) return null
  const at = endOfTime(text)
  if (at === null) throw BadArchiveTime.ofDiff(text)
  return at
}

async function timeBefore(parts: DiffParts, url: string, at: number | null): Promise<number> {
  const found = await captureAt(parts, url, at)
  const former = found === null ? null : await captureAt(parts, url, found.capturedAt - 1)
  if (former === null) throw new NoSuchCapture(url, 'there are not two captures to compare')
  return former.capturedAt
}

async function captureAt(
  { store }: DiffParts,
  url: string,
  at: number | null,
): Promise<CaptureRow | null> {
  const place = await store.call('captureContent', { url, at })
  return place?.capture ?? null
}

export function pageOf({ capture, status, headers, body }: ArchivedAnswer): PageBody {
  const type = valueOf(headers, 'content-type') ?? capture.mime
  return {
    url: capture.url,
    mime: type.split(';', 1)[0]!.trim(),
    status,
    body: body.subarray(0, BYTES_MOST),
    charset: /charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? null,
    isTruncated: body.length > BYTES_MOST,
  }
}

function sideOf({ capture, status }: ArchivedAnswer): DiffSide {
  const { capturedAt, mime, digest } = capture
  return { timestamp: cdxjTimestamp(capturedAt), capturedAt, status, mime, digest }
}

export const DIFF_FORMS = ['json', 'text', 'html', 'side-by-side'] as const
type DiffForm = (typeof DIFF_FORMS)[number]

/** For people; `json` is the diff itself. */
export function diffIn(form: Exclude<DiffForm, 'json'>, diff: CaptureDiff): string {
  const title = diff.watch === null ? diff.url : `${diff.url}, ${asSeenBy(diff.watch)}`
  const options = { title, before: momentOf(diff.before), after: momentOf(diff.after) }
  if (form === 'text') {
    const seen = diff.watch === null ? '' : `# ${asSeenBy(diff.watch)}\n`
    return `--- ${diff.url} ${options.before}\n+++ ${diff.url} ${options.after}\n${seen}${diffAsText(diff)}`
  }
  return form === 'html' ? diffAsHtml(diff, options) : diffSideBySide(diff, options)
}

function asSeenBy({ id, name }: DiffWatch): string {
  return `as watch ${id} (${name}) sees it`
}

function momentOf({ capturedAt }: DiffSide): string {
  return `${writableDate(capturedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

interface Compared {
  before: PageBody
  after: PageBody
  options: DiffOptions
}

/**
 * Comparing two bodies without holding up the station: large pages take seconds, and agents whose
 * beats are not heard for ten lose their leases.
 */
export async function compareBodies({ before, after, options }: Compared): Promise<PageDiff> {
  const { selectors, mask = null } = options
  try {
    return await pageWorker.run('diff', { page: after, first: before, selectors, mask })
  } catch (cause) {
    if (isMingaError(cause)) throw new DiffTooLong({ cause })
    throw cause
  }
}
