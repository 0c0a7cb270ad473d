/** What a search of the archive asks for, as it stands in the address. */
import { SEARCH_KINDS, type Search, type SearchKind } from '../../api/archive.ts'

const DAY_MS = 86_400_000

/** As typed: everything is text, empty when it is not asked for. */
export interface TypedSearch {
  q: string
  by: SearchKind
  collection: string
  host: string
  type: string
  status: string
  /** `2026-01-31`. */
  from: string
  to: string
}

export const NOTHING: TypedSearch = {
  q: '',
  by: 'url',
  collection: '',
  host: '',
  type: '',
  status: '',
  from: '',
  to: '',
}

export function typedIn(search: Record<string, unknown>): TypedSearch {
  const word = (name: keyof TypedSearch): string => {
    const value = search[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const by = SEARCH_KINDS.find((kind) => kind === word('by')) ?? 'url'
  return {
    q: word('q'),
    by,
    collection: /^\d+$/.test(word('collection')) ? word('collection') : '',
    host: word('host'),
    type: word('type'),
    status: /^[1-5]$/.test(word('status')) ? word('status') : '',
    from: dayIn(word('from')),
    to: dayIn(word('to')),
  }
}

const dayIn = (text: string): string => (Number.isNaN(Date.parse(text)) ? '' : text)

/** What is as always is left out of the address. */
export function searchOf(typed: TypedSearch): Record<string, string> {
  const entries = Object.entries(typed) as [keyof TypedSearch, string][]
  return Object.fromEntries(entries.filter(([name, value]) => value !== NOTHING[name]))
}

/** As the station is asked; days are those of UTC, the last one whole. */
export function askedSearch(typed: TypedSearch): Search {
  const { q, by, collection, host, type, status, from, to } = typed
  return {
    text: q,
    by,
    collectionId: collection === '' ? null : Number(collection),
    host: host === '' ? undefined : host,
    type: type === '' ? undefined : type,
    status: status === '' ? undefined : status,
    from: from === '' ? undefined : Date.parse(from),
    to: to === '' ? undefined : Date.parse(to) + DAY_MS - 1,
  }
}
