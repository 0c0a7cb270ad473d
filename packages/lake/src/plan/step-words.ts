/** A step in a few words, for people who view a plan or wait for it. */
import type { Node } from './nodes.ts'

/** Longer expressions are cut: the plan has them whole. */
const WORDS_MOST = 60

export function wordsOf({ work }: Node): string {
  switch (work.step) {
    case 'scan':
      return `read ${work.input}`
    case 'filter':
      return `keep ${short(work.where.text)}`
    case 'project':
      return `make ${short(work.columns.map(({ name }) => name).join(', '))}`
    case 'first':
      return `first by ${work.by.join(', ')}`
    case 'join':
      return `${work.kind} join on ${work.on.map(([left]) => left).join(', ')} (${work.how})`
    case 'group': {
      const made = work.aggregates.map(({ name, is }) => (name === is ? is : `${name} (${is})`))
      const by = work.by.length > 0 ? ` by ${work.by.join(', ')}` : ''
      return `group${by}: ${short(made.join(', ') || 'keys only')}`
    }
    case 'threshold':
      return `quantile ${Number(work.q) / 1e9} of ${short(work.of.text)}`
    case 'quantile':
      return `keep ${short(work.of.text)} ${work.keep === 'from' ? 'at or above' : 'below'} the quantile`
    case 'top':
      return `top ${work.rows} by ${work.by.map(({ column }) => column).join(', ')}`
    case 'rowFunction':
      return `${work.function}(${short(work.of.map(({ text }) => text).join(', '))})`
  }
}

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/gu, ' ')
  return line.length <= WORDS_MOST ? line : `${line.slice(0, WORDS_MOST - 1)}…`
}
