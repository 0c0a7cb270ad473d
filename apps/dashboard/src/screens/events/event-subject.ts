/** Where the page shows what an event happened to. */
import type { LoggedEvent } from '@minga/protocol'

export interface SubjectPlace {
  to: string
  params?: Record<string, string>
  search?: Record<string, string>
}

/** Null when there is no screen of it. */
export function placeOf({ context, subject, details }: SubjectOf): SubjectPlace | null {
  if (context === 'process' && details?.['role'] === 'worker') return { to: '/workers' }
  return subject === '' ? null : (PLACES[context]?.(subject) ?? null)
}

type SubjectOf = Pick<LoggedEvent, 'context' | 'subject' | 'details'>

const PLACES: Partial<Record<LoggedEvent['context'], (subject: string) => SubjectPlace | null>> = {
  collection: (id) => numbered('/collections/$id', id),
  watch: (id) => numbered('/watches/$id', id),
  agent: (id) => ({ to: '/devices/$id', params: { id } }),
  host: (host) => ({ to: '/archive', search: { q: host.replace(/^\*\./, '') } }),
  wiki: (wiki) => ({ to: '/wikis/$wiki', params: { wiki } }),
  query: (id) => ({ to: '/queries/$id', params: { id } }),
  worker: () => ({ to: '/workers' }),
  account: (id) => (id.startsWith('key_') ? { to: '/keys' } : { to: '/accounts' }),
  setting: () => ({ to: '/config' }),
  abuse: () => ({ to: '/abuse' }),
}

/** What is no number was named by another version of the station. */
function numbered(to: string, id: string): SubjectPlace | null {
  return /^\d+$/.test(id) ? { to, params: { id } } : null
}
