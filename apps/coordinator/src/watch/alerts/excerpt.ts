/** A few lines of what changed between two captures, for a message. */
import { diffAsText } from '@minga/forecast'
import { pageOf } from '../../archive/compare/capture-diff.ts'
import { compareBodies } from '../../archive/compare/compare-bodies.ts'
import { PLAINLY, readWatchDiffOptions } from '../../archive/compare/watch-diff-options.ts'
import { readArchived } from '../../archive/captures/capture-content.ts'
import type { AlertCapture } from './match-visits.ts'
import type { Station } from '../../station/station.ts'

interface Compared {
  url: string
  /** As this watch sees it: what it takes for noise is nothing to tell. */
  watchId: number
  before: AlertCapture
  after: AlertCapture
}

const LINES_MAX = 20
const LINE_CHARS_MAX = 200
/**
 * A longer page is compared by its beginning: many are compared, and others wait in the meantime.
 */
const BYTES_MAX = 1024 * 1024

/** Empty when there is nothing to show. */
export async function excerptOf(
  parts: Pick<Station, 'store' | 'data'>,
  { url, watchId, before, after }: Compared,
): Promise<string> {
  try {
    const old = pageOf(await readArchived(parts, before, BYTES_MAX))
    const fresh = pageOf(await readArchived(parts, after, BYTES_MAX))
    const diffOptions = await readWatchDiffOptions(parts, { url, watchId, at: after.at })
    const options =
      diffOptions === null
        ? PLAINLY
        : { selectors: diffOptions.selectors, mask: diffOptions.mask ?? null }
    const diff = await compareBodies({
      before: { ...old, body: old.body.subarray(0, BYTES_MAX) },
      after: { ...fresh, body: fresh.body.subarray(0, BYTES_MAX) },
      options,
    })
    return shortened(diffAsText(diff))
  } catch {
    // Missing or damaged captures are reported by `archive verify`. The alert is sent without an
    // excerpt, or one broken page would hold up all others for ever.
    return ''
  }
}

/** Only what is new, gone or moved; without its first line, which says how much in numbers. */
function shortened(text: string): string {
  const lines = text
    .split('\n')
    .slice(1)
    .filter((line) => /^[-+>] /.test(line))
  const shown = lines.slice(0, LINES_MAX).map(cut)
  if (lines.length > LINES_MAX) shown.push(`… ${lines.length - LINES_MAX}`)
  return shown.join('\n').replaceAll('\0', '')
}

function cut(line: string): string {
  if (line.length <= LINE_CHARS_MAX) return line
  return `${line.slice(0, LINE_CHARS_MAX).toWellFormed()}…`
}
