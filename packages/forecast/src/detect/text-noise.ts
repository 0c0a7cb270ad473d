/**
 * What in a text changes by itself: relative times, clocks, counters, copyright years, identifiers of
 * a request or build. Each is replaced by a mark, so that its presence counts but its value does not.
 * The worse mistake is to hide what people edit: a price, a result, an hour or a date in a sentence, a
 * table or a box of its own stays as it is; only the frame of a page (head and foot) may tell the time.
 */
import * as pattern from './text-patterns.ts'

/** Where a text stands, as far as that says what it is. */
export interface TextPlace {
  /** Its element says that it shows when something was seen, as class `timestamp` does. */
  isTime: boolean
  isCounter: boolean
  /** Head, foot or navigation of the page, or before its first heading. */
  isEdge: boolean
}

const TIME = '‹time›'
const COUNT = '‹count›'
const ID = '‹id›'
const YEAR = '‹year›'

/** Words parted by single spaces, without what cannot be seen. */
export function plainText(text: string): string {
  let plain = UNSEEN.test(text) ? text.replace(UNSEEN_ALL, '') : text
  if (UNEVEN.test(plain)) plain = plain.replace(/\s+/g, ' ').trim()
  return /[\u0300-\u036f]/.test(plain) ? plain.normalize('NFC') : plain
}

const UNSEEN = /[\u00ad\u200b-\u200f\u2060\ufeff]/
const UNSEEN_ALL = new RegExp(UNSEEN, 'g')
/** White space other than single spaces between words. */
const UNEVEN = /\s\s|[^\S ]|^\s|\s$/

/** Longer texts without a digit hold no noise that we know. */
const SHORT = 64

/** `text` is plain. */
export function withoutNoise(text: string, place: TextPlace): string {
  if (!/\d/.test(text)) {
    if (text.length > SHORT) return text
    return pattern.JUST_NOW.test(text) ? TIME : text.replace(pattern.RELATIVE, TIME)
  }
  if (place.isCounter && pattern.WHOLE_NUMBER.test(text)) return COUNT
  return withoutIds(withoutCounters(withoutTimes(text, place)), place)
}

function withoutTimes(text: string, { isTime, isEdge }: TextPlace): string {
  const exact = text
    .replace(pattern.STAMP, TIME)
    .replace(pattern.RELATIVE, TIME)
    .replace(pattern.SECONDS_CLOCK, TIME)
  if ((isTime || isEdge) && pattern.WHOLE_MOMENT.test(exact)) return TIME
  const label = isTime || isEdge ? pattern.LABELLED_MOMENT_AT_EDGE : pattern.LABELLED_MOMENT
  return exact.replace(label, `$1${TIME}`)
}

function withoutCounters(text: string): string {
  const alone = pattern.COUNTER_ALONE.exec(text)
  if (alone !== null) return `${COUNT} ${alone[1] ?? alone[2]}`
  const counted = text
    .replace(pattern.UNREAD, '')
    .replace(pattern.COUNTER, `${COUNT} $1`)
    .replace(pattern.COUNTER_AFTER, `$1$2${COUNT}`)
    .replace(pattern.SHARED, `${COUNT} $1`)
    .replace(pattern.COUNTED_TIMES, `$1${COUNT}$2`)
  const last = counted.length <= SHORT ? withoutShortCounters(counted) : counted
  return pattern.IS_ONLINE.test(last) ? last.replace(pattern.PEOPLE_ONLINE, `$2${COUNT}$1`) : last
}

function withoutShortCounters(text: string): string {
  return text.replace(pattern.COUNTED_LAST, `$1${COUNT}`).replace(pattern.RIDDLE, ID)
}

/** Identifiers are in short lines; a paragraph that contains one was written by a person. */
const LONGEST_LINE = 400

function withoutIds(text: string, place: TextPlace): string {
  const dated = /©|\(c\)|copy/i.test(text) ? text.replace(pattern.COPYRIGHT, `$1${YEAR}`) : text
  if (dated.length > LONGEST_LINE) return dated
  const named = dated
    .replace(pattern.TOOK, `$1${TIME}`)
    .replace(pattern.QUERIES, `${COUNT} $1`)
    .replace(pattern.UUID, ID)
    .replace(pattern.LABELLED_ID, `$1${ID}`)
  return place.isEdge ? named.replace(pattern.LABELLED_ID_AT_EDGE, `$1${ID}`) : named
}
