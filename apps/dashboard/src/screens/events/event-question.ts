/** What a reader of the log asked for, as the station is asked: from the words in the address. */
import type { EventContext, EventLevel } from '@minga/protocol'
import type { Span } from '../../components/list/list-match.ts'

/** As the station knows them; the least first. */
export const LEVELS = ['info', 'notice', 'warning', 'error'] as const satisfies EventLevel[]
export const CONTEXTS = [
  'station',
  'process',
  'collection',
  'agent',
  'host',
  'watch',
  'wiki',
  'query',
  'worker',
  'federation',
  'account',
  'setting',
  'takedown',
  'abuse',
] as const satisfies EventContext[]

export interface EventQuestion {
  level: string | null
  context: string | null
  text: string | null
  from: number | null
  to: number | null
  subject: string | null
  agent: string | null
}

interface Asked {
  text: string
  filters: Readonly<Record<string, string>>
  spans: Readonly<Record<string, Span>>
}

/** What is not there, or is none of the words the station knows, does not narrow. */
export function questionOf({ text, filters, spans }: Asked): EventQuestion {
  const { level, context, subject, agent } = filters
  return {
    level: LEVELS.find((one) => one === level) ?? null,
    context: CONTEXTS.find((one) => one === context) ?? null,
    text: wordIn(text),
    from: spans['at']?.fromMs ?? null,
    to: spans['at']?.toMs ?? null,
    subject: wordIn(subject),
    agent: wordIn(agent),
  }
}

function wordIn(text: string | undefined): string | null {
  const word = text?.trim() ?? ''
  return word === '' ? null : word
}
