/**
 * Watches over virtual time: pages with noise, edited at all distances from a visit, from a tenth of a
 * second to days, visited and fetched twice as a station does. Counted is what the visits said of it.
 */
import { seededRandom, type SeededRandom } from '@minga/testkit'
import { firstVisit, judgeVisit, learnTwin, type PageMemory } from '../../src/detect/judge-visit.ts'
import { TWIN_WITHIN_MS } from '../../src/detect/learn-noise.ts'
import { NoisyPage, NOISES, type Noise } from './noisy-page.ts'
import type { PageBody } from '../../src/detect/page-body.ts'
import { htmlPage } from './page-pairs-fixture.ts'
import { sketchOf } from '../../src/detect/sketch.ts'
import { twinEvidence } from '../../src/detect/twin-evidence.ts'

export interface SimulatedWatches {
  /** Visits before which the page was edited, and those of them that said so. */
  edited: number
  found: number
  /** Visits before which the page was not edited, and the number of them that reported a change. */
  quiet: number
  falseAlarms: number
  /** Of quiet visits to noisy pages, those that said "only noise". */
  onlyNoise: number
  twins: number
  missed: string[]
}

const WHOLE = { include: [], exclude: [] }
const MINUTE_MS = 60_000
/** Twins of one visit follow each other for so long. */
const TWINS_MS = 15_000
const DAY_MS = 86_400_000

export function simulateWatches(seed: number, visits: number): SimulatedWatches {
  const sum = { edited: 0, found: 0, quiet: 0, falseAlarms: 0, onlyNoise: 0, twins: 0 }
  const all: SimulatedWatches = { ...sum, missed: [] }
  for (const [index, noise] of NOISES.entries()) {
    simulateWatch(noise, { random: seededRandom(seed * 100 + index), visits }, all)
  }
  return all
}

interface Simulating {
  random: SeededRandom
  visits: number
}

/** A moment between two, as likely in each magnitude of time. */
function spread(random: SeededRandom, least: number, most: number): number {
  return least * (most / least) ** random.next()
}

function simulateWatch(
  noise: Noise,
  { random, visits }: Simulating,
  counts: SimulatedWatches,
): void {
  const page = new NoisyPage(noise, random)
  const web = new EditedWeb(page)
  let now = 1_700_000_000_000
  let memory: PageMemory | null = null
  let changes = 0
  for (let visit = 0; visit < visits; visit++) {
    const { body, edits } = web.fetch(now)
    const gapMs = Math.round(spread(random, 10 * MINUTE_MS, 3 * DAY_MS))
    // Whatever is edited is edited between this visit and the next one, very often right after this one.
    if (random.chance(0.6)) web.editAt(now + Math.round(spread(random, 100, gapMs)))
    if (random.chance(0.2)) web.editAt(now + Math.round(spread(random, 100, gapMs)))
    const sketch = sketchOf(body, WHOLE)
    let wantsTwin = true
    if (memory === null) memory = firstVisit(sketch)
    else {
      const judged = judgeVisit(memory, sketch, { at: now, threshold: 0, changes })
      memory = judged.memory
      wantsTwin = judged.wantsTwin
      if (judged.outcome === 'changed') changes += 1
      countVisit(counts, { outcome: judged.outcome, edits, what: `${noise}, visit ${visit}` })
    }
    memory = fetchTwins({ web, random, counts }, { memory, body, now, wantsTwin })
    now += gapMs
  }
}

function countVisit(
  counts: SimulatedWatches,
  { outcome, edits, what }: { outcome: string; edits: string[]; what: string },
): void {
  const isFound = outcome === 'changed'
  if (edits.length > 0) {
    counts.edited += 1
    counts.found += Number(isFound)
    if (!isFound) counts.missed.push(`${what}: ${edits.join(', ')} was ${outcome}`)
  } else {
    counts.quiet += 1
    counts.falseAlarms += Number(isFound)
    counts.onlyNoise += Number(outcome === 'noise')
  }
}

interface Visited {
  memory: PageMemory
  body: PageBody
  now: number
  wantsTwin: boolean
}

/** As on a station that is busy now and then: a twin that comes too late teaches nothing, and is the last. */
function fetchTwins(
  { web, random, counts }: { web: EditedWeb; random: SeededRandom; counts: SimulatedWatches },
  visited: Visited,
): PageMemory {
  let { memory, wantsTwin, body: last } = visited
  let at = visited.now
  while (wantsTwin) {
    const gapMs = 1_000 + random.integer(5_000)
    at += gapMs
    if (gapMs > TWIN_WITHIN_MS || at > visited.now + TWINS_MS) break
    const { body } = web.fetch(at, { isTwin: true })
    const evidence = twinEvidence(last, body, WHOLE)!
    ;({ memory, wantsTwin } = learnTwin(memory, evidence, at))
    counts.twins += 1
    last = body
  }
  return memory
}

/** Edits happen when their time has come; what a visit has not seen yet is new to it. */
class EditedWeb {
  readonly #page: NoisyPage
  #planned: number[] = []
  #unseen: string[] = []

  constructor(page: NoisyPage) {
    this.#page = page
  }

  editAt(at: number): void {
    this.#planned.push(at)
  }

  fetch(now: number, { isTwin = false } = {}): { body: PageBody; edits: string[] } {
    const due = this.#planned.filter((at) => at <= now)
    this.#planned = this.#planned.filter((at) => at > now)
    for (const _ of due) this.#unseen.push(this.#page.edit())
    const edits = this.#unseen
    if (!isTwin) this.#unseen = []
    return { body: htmlPage(this.#page.html(now)), edits }
  }
}
