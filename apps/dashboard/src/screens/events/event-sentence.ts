/**
 * What an event says in the reader's language: the sentence of its code, with what the station tells of it in its
 * holes. Of a code that the page does not know, and of lines from before details were kept, there is none; then the
 * station's own sentence is shown, in English.
 */
import type { LoggedEvent } from '@minga/protocol'
import type { Format } from '../../format.ts'

export interface Words {
  /** The text of a key with its holes open, in the form for so many; null when there is none. */
  text: (key: string, count?: number) => string | null
  format: Pick<Format, 'count' | 'delay' | 'bytes'>
}

type Told = Pick<LoggedEvent, 'code' | 'subject' | 'details'>

const HOLE = /\{\{(\w+)\}\}/g

export function sentenceOf({ code, subject, details }: Told, words: Words): string | null {
  if (details === null) return null
  const text = words.text(keyFor(code, details, words), countIn(details))
  if (text === null) return null
  const told: NonNullable<Told['details']> = { subject, ...details }
  const holes = [...text.matchAll(HOLE)].map(([, name]) => name!)
  if (holes.some((name) => told[name] === undefined)) return null
  return text.replaceAll(HOLE, (_, name: string) => spoken(name, told[name]!, words))
}

/** Details that are not always present have their own sentences: `host-closed-with-others-with-reason`. */
function keyFor(code: string, details: NonNullable<Told['details']>, { text }: Words): string {
  const base = `events.sentence.${code.replace(':', '-')}`
  return Object.keys(details)
    .toSorted()
    .reduce((key, name) => {
      const longer = `${key}-with-${name}`
      return text(longer, countIn(details)) === null ? key : longer
    }, base)
}

function countIn({ count }: NonNullable<Told['details']>): number | undefined {
  return typeof count === 'number' ? count : undefined
}

/** Numbers that name something are not counted. */
const NAMES: ReadonlySet<string> = new Set(['pid', 'former', 'task', 'fence'])

function spoken(name: string, value: string | number, { text, format }: Words): string {
  if (typeof value === 'string') {
    if (!/^[a-z-]+$/.test(value) || name === 'subject') return value
    return (
      (name === 'why' ? text(`reason.${value}`) : null) ?? text(`events.word.${value}`) ?? value
    )
  }
  if (NAMES.has(name)) return String(value)
  if (name.endsWith('Ms')) return format.delay(value)
  return name.endsWith('Bytes') ? format.bytes(value) : format.count(value)
}
