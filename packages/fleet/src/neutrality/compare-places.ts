/**
 * Is an address the same from everywhere? Places are compared with what most of them see. A place
 * deviates for certain only when two of its devices see the same deviation: one alone may lie, or
 * have a broken line.
 *
 * What this cannot know: a site may itself answer otherwise somewhere (a shop that does not serve a
 * country answers 403 as a censor does); names are resolved by the station, so that tampering with
 * DNS on the spot stays unseen; and pages change between two fetches.
 */
import { answerWord, contentWord, issuerWord, type PlacedObservation } from './observation.ts'

/** With two places it is impossible to know which of them is right. */
const PLACES_MIN = 3

export type DeviationKind =
  | 'blocked'
  | 'status'
  | 'redirect'
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'garbled'
  | 'tls'
  | 'certificate'
  | 'content'
  | 'variant'

export interface Deviation {
  place: string
  kind: DeviationKind
  /** Two devices of the place saw it, and none saw otherwise. */
  isConfirmed: boolean
  says: string
}

export type Verdict =
  /** As far as was seen, the same everywhere. */
  | 'same'
  | 'differs'
  /** No majority: other by place or by fetch, so that nothing stands out. */
  | 'varies'
  /** Fewer places than can be compared. */
  | 'too-few'

export interface UrlFinding {
  url: string
  verdict: Verdict
  /** What most places see. */
  consensus: string | null
  places: number
  deviations: Deviation[]
}

interface PlaceView {
  place: string
  seen: readonly PlacedObservation[]
}

type Word = (observation: PlacedObservation) => string | null

export function comparePlaces(url: string, observations: readonly PlacedObservation[]): UrlFinding {
  const telling = observations.filter((observation) => answerWord(observation) !== null)
  const views = [...Map.groupBy(telling, ({ place }) => place)]
    .map(([place, seen]): PlaceView => ({ place, seen }))
    .toSorted((a, b) => (a.place < b.place ? -1 : 1))
  const places = views.length
  if (places < PLACES_MIN) {
    return { url, verdict: 'too-few', consensus: null, places, deviations: [] }
  }
  const consensus = consensusOf(views, answerWord)
  if (consensus === null) {
    return { url, verdict: 'varies', consensus: null, places, deviations: [] }
  }
  const answers = deviationsFrom(views, answerWord, consensus)
  const alike = views.filter((view) => wordAt(view, answerWord) === consensus)
  const contents =
    consensus === 'ok' ? compareContents(alike) : { deviations: [], isVarying: false }
  const deviations = [
    ...answers.map(({ view, word, isConfirmed }) => answerDeviation(view, word, isConfirmed)),
    ...compareIssuers(views),
    ...contents.deviations,
  ]
  const verdict = deviations.length > 0 ? 'differs' : contents.isVarying ? 'varies' : 'same'
  return { url, verdict, consensus, places, deviations }
}

/** What more than half of the places see. */
function consensusOf(views: readonly PlaceView[], word: Word): string | null {
  const counts = new Map<string, number>()
  for (const view of views) {
    const said = wordAt(view, word)
    if (said !== null) counts.set(said, (counts.get(said) ?? 0) + 1)
  }
  const most = [...counts].toSorted(([, a], [, b]) => b - a)[0]
  return most !== undefined && most[1] * 2 > views.length ? most[0] : null
}

/** What most devices of a place see; of two that differ, the first. */
function wordAt({ seen }: PlaceView, word: Word): string | null {
  const counts = new Map<string, number>()
  for (const observation of seen) {
    const said = word(observation)
    if (said !== null) counts.set(said, (counts.get(said) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

interface Other {
  view: PlaceView
  word: string
  isConfirmed: boolean
}

/**
 * Places with a different view, confirmed when all devices there agree and they are at least two.
 */
function deviationsFrom(views: readonly PlaceView[], word: Word, consensus: string): Other[] {
  return views.flatMap((view): Other[] => {
    const words = view.seen.map(word).filter((said) => said !== null)
    const others = words.filter((said) => said !== consensus)
    if (others.length === 0) return []
    const isConfirmed = others.length >= 2 && new Set(words).size === 1
    return [{ view, word: others[0]!, isConfirmed }]
  })
}

const BLOCKING = /^status (401|403|407|451|511)$/
const FAILURES: Record<string, string> = {
  refused: 'no connection could be made',
  timeout: 'no answer came in time',
  reset: 'the connection was cut',
  garbled: 'the answer was not valid HTTP',
  tls: 'no trusted TLS connection could be made, perhaps for another certificate',
}

function answerDeviation({ place }: PlaceView, word: string, isConfirmed: boolean): Deviation {
  const [what = '', ...rest] = word.split(' ')
  const detail = rest.join(' ')
  if (what === 'failed') {
    return { place, kind: detail as DeviationKind, isConfirmed, says: FAILURES[detail]! }
  }
  if (BLOCKING.test(word)) return { place, kind: 'blocked', isConfirmed, says: `HTTP ${detail}` }
  if (what === 'redirect') {
    return { place, kind: 'redirect', isConfirmed, says: `it leads to ${detail}` }
  }
  const says = what === 'ok' ? 'it is answered, unlike elsewhere' : `HTTP ${detail}`
  return { place, kind: 'status', isConfirmed, says }
}

function compareIssuers(views: readonly PlaceView[]): Deviation[] {
  const shown = views.filter((view) => wordAt(view, issuerWord) !== null)
  if (shown.length < PLACES_MIN) return []
  const consensus = consensusOf(shown, issuerWord)
  if (consensus === null) return []
  return deviationsFrom(shown, issuerWord, consensus).map(({ view, word, isConfirmed }) => ({
    place: view.place,
    kind: 'certificate',
    isConfirmed,
    says: `its certificate is by “${word}”, elsewhere by “${consensus}”`,
  }))
}

/**
 * A page that two devices of one place see differently is never the same, so its text is not
 * compared there. A text in another language is normal for sites with localised pages; it is
 * reported as a variant.
 */
function compareContents(views: readonly PlaceView[]): {
  deviations: Deviation[]
  isVarying: boolean
} {
  const pairs = views.filter(({ seen }) => seen.length >= 2)
  const restless = pairs.filter(({ seen }) => new Set(seen.map(contentWord)).size > 1)
  if (views.length < PLACES_MIN || restless.length * 2 > pairs.length) {
    return { deviations: [], isVarying: restless.length > 0 }
  }
  const consensus = consensusOf(views, contentWord)
  if (consensus === null) return { deviations: [], isVarying: true }
  const usual = languageOf(views.filter((view) => wordAt(view, contentWord) === consensus))
  const deviations = deviationsFrom(views, contentWord, consensus).map(
    ({ view, isConfirmed }): Deviation => {
      const language = languageOf([view])
      const isVariant = language !== null && usual !== null && language !== usual
      return {
        place: view.place,
        kind: isVariant ? 'variant' : 'content',
        isConfirmed,
        says: isVariant
          ? `the page is in “${language}”, elsewhere in “${usual}”`
          : 'the page has another text',
      }
    },
  )
  return { deviations, isVarying: false }
}

function languageOf(views: readonly PlaceView[]): string | null {
  return wordAt({ place: '', seen: views.flatMap(({ seen }) => seen) }, ({ language }) => language)
}
