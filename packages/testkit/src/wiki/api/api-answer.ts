/** What api.php says: in the newer of its two formats, from which the older one is made. */

export type Json = Record<string, unknown>

export interface ApiAnswer {
  json: Json
  headers: string[]
}

/** A refusal in MediaWiki's own form: HTTP 200, with the code in a header. */
export class ApiRefusal extends Error {
  readonly refusal: { code: string; data: Json; headers: string[] }

  constructor(code: string, info: string, more: { data?: Json; headers?: string[] } = {}) {
    super(info)
    this.refusal = { code, data: more.data ?? {}, headers: more.headers ?? [] }
  }
}

export function refusalAnswer(refusal: ApiRefusal, apiUrl: string): ApiAnswer {
  const { code, data, headers } = refusal.refusal
  const docref = `See ${apiUrl} for API usage. Subscribe to the mediawiki-api-announce mailing list at &lt;https://lists.wikimedia.org/postorius/lists/mediawiki-api-announce.lists.wikimedia.org/&gt; for notice of API deprecations and breaking changes.`
  return {
    json: { error: { code, info: refusal.message, ...data, docref } },
    headers: ['mediawiki-api-error', code, ...headers],
  }
}

/** Names that the older format calls `*`, by what they are in. */
const STARRED: Record<string, string> = {
  error: 'docref',
  slots: 'content',
  revisions: 'content',
  namespaces: 'name',
  namespacealiases: 'alias',
  warnings: 'warnings',
}
/** Lists that the older format writes as an object by id. */
const BY_ID: Record<string, string> = { pages: 'pageid' }
/** Parts that say `false` in words also in the older format. */
const WORDS = new Set(['readonly'])

/** The older format: a flag is there, empty, or it is not; pages are an object by their ids. */
export function inFormatVersion1(json: Json): Json {
  const older = olderValue(json, '', '')
  return typeof older === 'object' && older !== null ? { ...older } : {}
}

function olderValue(value: unknown, name: string, within: string): unknown {
  if (value === true) return ''
  if (Array.isArray(value)) {
    const items: unknown[] = value.map((item) => olderValue(item, '', name))
    const key = BY_ID[name]
    return key === undefined ? items : byId(items, key)
  }
  if (typeof value !== 'object' || value === null) return value
  const stars = [STARRED[name], STARRED[within]]
  const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
    if (item === false && !WORDS.has(key)) return []
    const isStarred = stars.includes(key) && typeof item === 'string'
    return [[isStarred ? '*' : key, olderValue(item, key, name)]]
  })
  return Object.fromEntries(entries)
}

/** Pages that do not exist count downwards from −1. */
function byId(items: unknown[], key: string): Json {
  let missing = 0
  const entries = items.map((item): [string, unknown] => {
    const id: unknown =
      typeof item === 'object' && item !== null
        ? Object.entries(item).find(([k]) => k === key)?.[1]
        : 0
    return [String(typeof id === 'number' ? id : (missing -= 1)), item]
  })
  return Object.fromEntries(entries)
}
