/**
 * The mood of reviews: how many a core reads in a second, against the two scorers of npm, and how far they agree.
 *   npm run bench:sentiment [-- --reviews 20000 --rounds 5 --write]
 * One process and one thread, the same texts for all, round about; counted in processor time, so that whatever else
 * the machine does is not in it. A minute.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { scorerOf, writeBooks } from '@minga/lake'
import {
  figure,
  machineFacts,
  markdownTable,
  median,
  medianWithSpread,
  writePart,
} from './report.ts'

interface Vader {
  SentimentIntensityAnalyzer: { polarity_scores(text: string): { compound: number } }
}
type Wink = (text: string) => { normalizedScore: number }

/** In ten-thousandths where it is VADER's; wink has a scale of its own. */
type Score = (text: string) => number

const require = createRequire(import.meta.url)
const { SentimentIntensityAnalyzer: vader } = require('vader-sentiment') as Vader
const wink = require('wink-sentiment') as Wink

const MINGA = '**Minga**'
const WINK = 'wink-sentiment'
const VADER = 'vader-sentiment'
const SCORERS: Record<string, Score> = {
  [MINGA]: scorerOf('en'),
  [WINK]: (text) => wink(text).normalizedScore,
  [VADER]: (text) => Math.round(vader.polarity_scores(text).compound * 10_000),
}

/** The slow ones get fewer texts of the same kind: what counts is how many in a second. */
const SHARE: Record<string, number> = { [MINGA]: 1, [WINK]: 0.2, [VADER]: 0.1 }

/** Generated texts are as long as the public ones: some hundred characters, a few of them thousands. */
async function textsOf(reviews: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'minga-bench-sentiment-'))
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const { reviewsPath } = await writeBooks({
      folder,
      seed: 7,
      reviews: reviews * 2,
      popular: 5,
      isTorn: false,
    })
    const read = await connection.runAndReadAll(
      `SELECT "review/text" FROM read_csv('${reviewsPath}', all_varchar = true, quote = '"', escape = '"')
       WHERE "review/text" <> '' LIMIT ${reviews}`,
    )
    return read.getRows().map(([text]) => String(text))
  } finally {
    connection.closeSync()
    instance.closeSync()
    rmSync(folder, { recursive: true, force: true })
  }
}

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** Reviews in a second of a core, for each round; one before them is for the compiler. */
function measure(texts: readonly string[], rounds: number): Record<string, number[]> {
  const paces: Record<string, number[]> = { [MINGA]: [], [WINK]: [], [VADER]: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, score] of Object.entries(SCORERS)) {
      const some = texts.slice(0, Math.ceil(texts.length * SHARE[name]!))
      const seconds = cpuSeconds(() => {
        for (const text of some) score(text)
      })
      if (round > 0) paces[name]!.push(some.length / seconds)
    }
  }
  return paces
}

function agreement(texts: readonly string[]): string {
  const differences = texts.map((text) => Math.abs(SCORERS[MINGA]!(text) - SCORERS[VADER]!(text)))
  const within = differences.filter((difference) => difference <= 100).length
  const worst = differences.reduce((most, one) => Math.max(most, one), 0)
  return (
    `Agreement with ${VADER} on ${figure(texts.length)} reviews: ` +
    `${((100 * within) / texts.length).toFixed(2)} % within 0.01, the worst differs by ${worst / 10_000}.`
  )
}

function report(texts: readonly string[], paces: Record<string, number[]>): string {
  const pace = (name: string): number => median(paces[name]!)
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const targets: [string, string, boolean][] = [
    ['50,000 reviews/s of a core', figure(pace(MINGA)), pace(MINGA) >= 50_000],
    [`7× ${WINK}`, `${figure(pace(MINGA) / pace(WINK))}×`, pace(MINGA) >= 7 * pace(WINK)],
  ]
  return [
    `${figure(texts.length)} generated reviews, ${figure(characters / texts.length)} characters in the mean:`,
    markdownTable(
      Object.entries(paces).map(([name, all]) => ({
        scorer: name,
        'reviews/s of a core': medianWithSpread(all),
        'MB/s of a core': figure((pace(name) * characters) / texts.length / 1e6),
        'Minga is': `${figure(pace(MINGA) / pace(name))}×`,
      })),
    ),
    agreement(texts),
    markdownTable(
      targets.map(([target, measured, isMet]) => ({
        target,
        measured,
        '': isMet ? 'met' : 'missed',
      })),
    ),
  ].join('\n\n')
}

const { values } = parseArgs({
  options: {
    reviews: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false },
  },
})
const facts = machineFacts(new Date())
const texts = await textsOf(Number(values.reviews))
const text = `${facts}\n\n${report(texts, measure(texts, Number(values.rounds)))}`
console.log(text)
if (values.write) writePart('sentiment', text)
