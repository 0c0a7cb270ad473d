/**
 * Lines of `Books_rating.csv`: reviews of synthetic and planted books, with the dirt that real ones
 * have.
 */
import type { Random } from '@minga/partition'
import { csvField } from './csv-field.ts'
import { isAdored, type BookMill } from './book-rows.ts'
import { ENTHUSIASM, type Opinion } from './planted.ts'
import { happens, pick } from './text-mill.ts'
import { FIRST_NAMES, LAST_NAMES } from './vocabulary.ts'

export const REVIEWS_HEADER =
  'Id,Title,Price,User_id,profileName,review/helpfulness,review/score,review/time,review/summary,review/text'

export interface ReviewMill extends BookMill {
  titles: readonly string[]
  /** Titles as a careful writer of CSV writes them: made once, written often. */
  fields: readonly string[]
  lineEnd: string
}

const GOOD_SCORES = ['5.0', '5.0', '5.0', '5.0', '5.0', '5.0', '4.0', '4.0', '3.0', '2.0', '1.0']
const BAD_SCORES = [
  '',
  '0.0',
  '6.0',
  'five',
  'NaN',
  '-1',
  '5,0',
  '1e1',
  '0.999999',
  '5.000001',
  '★★★',
]
/** Unusual, but numbers all the same. */
const ODD_SCORES = ['4.5', '5', ' 4.0 ', '3.250', '1.', '+2.0', '4.333333']

/** A record, with the end of its line. */
export function reviewLine(mill: ReviewMill): string {
  const { random, dirt } = mill
  const place = popularPlace(random, mill.titles.length)
  const score = scoreAsWritten(random, dirt)
  const text = textAsWritten(mill, place, score)
  const line = `${front(random)}${titleField(mill, place)}${middle(mill, score)}${text}${mill.lineEnd}`
  return mill.isTorn && happens(random, 20_000 / dirt) ? tornLines(mill, line) : line
}

/** A review of a planted book: title, score and text are given. */
export function opinionLine(mill: ReviewMill, { title, score, text }: Opinion): string {
  const { random, lineEnd } = mill
  const written = random.below(10) === 0 ? ` ${title}\t` : title
  return `${front(random)}${csvField(written)}${middle(mill, csvField(score))}${csvField(text)}${lineEnd}`
}

/** The more popular, the earlier in the list: few titles have most of the reviews. */
function popularPlace(random: Random, count: number): number {
  const chance = random.below(4_294_967_296) / 4_294_967_296
  return Math.floor(chance * chance * Math.sqrt(chance) * count)
}

const front = (random: Random): string => `${1_000_000_000 + random.below(1_000_000_000)},`

function titleField({ random, dirt, titles, fields }: ReviewMill, place: number): string {
  if (happens(random, 300 / dirt))
    return pick(random, ['', ' ', 'A title that no book has', '"\u00a0"'])
  if (random.below(30) === 0 && dirt > 0) {
    return csvField(
      pick(random, [` ${titles[place]}`, `${titles[place]} `, `\u00a0${titles[place]}\u3000`]),
    )
  }
  return fields[place]!
}

function middle({ random, texts }: ReviewMill, score: string): string {
  const who = random.below(1_000_000_000)
  const name = `${pick(random, FIRST_NAMES)} ${pick(random, LAST_NAMES)}`
  const votes = random.below(12)
  const price = random.below(6) === 0 ? `${1 + random.below(60)}.${10 + random.below(90)}` : ''
  const at = 900_000_000 + random.below(460_000_000)
  const summary = csvField(texts.line(random.below(6)))
  return `,${price},A${who},${name},${votes}/${votes + random.below(4)},${score},${at},${summary},`
}

function scoreAsWritten(random: Random, dirt: number): string {
  if (happens(random, 500 / dirt)) return csvField(pick(random, BAD_SCORES))
  if (happens(random, 250 / dirt)) return pick(random, ODD_SCORES)
  return pick(random, GOOD_SCORES)
}

function textAsWritten({ random, texts, dirt }: ReviewMill, place: number, score: string): string {
  if (isAdored(place)) return `"${ENTHUSIASM}"`
  if (happens(random, 400 / dirt)) {
    return pick(random, ['', '""', '" "', `"${texts.lineBreak.repeat(2)}"`, '\u00a0'])
  }
  return `"${texts.review(Number(score[0]) || 0)}"`
}

/** An unclosed quote swallows the next line up to its quote, so that line is part of the tear. */
function tornLines(mill: ReviewMill, line: string): string {
  const { random, lineEnd } = mill
  const closing = `${front(random)}A line that is swallowed${middle(mill, '3.0')}"The rest is read again`
  return pick(random, [
    `${front(random)}"Nobody closes this${middle(mill, '4.0')}plain text${lineEnd}${closing}"${lineEnd}`,
    `${front(random)}"Closed" too early${middle(mill, '4.0')}"Text" behind it${lineEnd}`,
    `${front(random)}An 8" record${middle(mill, '5.0')}with "quotes" inside${lineEnd}`,
    `too,few${lineEnd}`,
    line.replace(lineEnd, `,one,more${lineEnd}`),
    `${front(random)}A lone\rreturn${middle(mill, '2.0')}text${lineEnd}`,
  ])
}
