/** The measures of a page as figures in a fixed order, so that pages can stand side by side. */
import type { WikiMeasures } from '../../api/wikis.ts'
import type { Format } from '../../format.ts'

export const PAGE_MEASURES = [
  'split',
  'inequality',
  'gaps',
  'sessions',
  'sizes',
  'reverts',
  'wars',
  'bursts',
] as const

export type PageMeasured = Pick<WikiMeasures, (typeof PAGE_MEASURES)[number] | 'revisions'>

const NAMES = [
  'minor',
  'bots',
  'anonymous',
  'gini',
  'topTenth',
  'gapMedian',
  'gapLongest',
  'sessions',
  'sessionMedian',
  'added',
  'removed',
  'reverts',
  'undone',
  'fighters',
  'controversy',
  'bursts',
] as const

interface MeasureFigure {
  name: (typeof NAMES)[number]
  /** Null when there is nothing to say. */
  value: string | null
}

export function measureFigures(measures: PageMeasured, format: Format): MeasureFigure[] {
  const { split, inequality, gaps, sessions, sizes, reverts, wars, bursts, revisions } = measures
  const shareOf = (count: number): string | null =>
    revisions === 0 ? null : format.percent(count / revisions)
  const [war] = wars
  const values: Record<MeasureFigure['name'], string | null> = {
    minor: shareOf(split.minor),
    bots: shareOf(split.kinds.bot),
    anonymous: shareOf(split.kinds.anonymous),
    gini: hundredths(inequality.gini, format),
    topTenth: format.percent(inequality.topTenth),
    gapMedian: gaps.ms && format.span(gaps.ms.median),
    gapLongest: gaps.ms && format.span(gaps.ms.longest),
    sessions: format.count(sessions.sessions),
    sessionMedian: sessions.ms && format.span(sessions.ms.median),
    added: format.bytes(sizes.addedBytes),
    removed: format.bytes(sizes.removedBytes),
    reverts: format.count(reverts.reverts),
    undone: format.count(reverts.undone),
    fighters: format.count(war?.editors ?? 0),
    controversy: format.count(war?.controversy ?? 0),
    bursts: format.count(bursts.length),
  }
  return NAMES.map((name) => ({ name, value: values[name] }))
}

/** A coefficient between 0 and 1, in the digits of the reader's language. */
function hundredths(value: number, format: Format): string {
  return format.count(Math.round(value * 100) / 100)
}
