/** Endless spaces: each page leads to ever new ones. A crawl without a trap budget never ends. */

import { pageAnswer, type Answer } from './answer.ts'

export const TRAP_ENTRIES = [
  '/calendar/2026-01',
  '/session?sid=0',
  '/deeper/1/',
  '/repeating/a/b/',
  '/facets?color=0',
]

const FACETS = ['color', 'size', 'sort', 'page', 'brand']

export function trapAnswer(path: string): Answer | undefined {
  const links = trapLinks(path)
  return links && pageAnswer({ title: `Endless: ${path.slice(0, 80)}`, links }, 'maybe')
}

function trapLinks(path: string): string[] | undefined {
  const month = /^\/calendar\/(\d{1,6})-(\d\d)$/.exec(path)
  if (month) return [1, -1].map((step) => calendarPath(Number(month[1]), Number(month[2]) + step))

  // The same two pages for ever, under a new session each time they are asked for.
  const session = /^\/session\?sid=(\d{1,15})$/.exec(path)?.[1]
  if (session !== undefined) {
    return [1, 2].map((n) => `/session?sid=${(Number(session) * 2 + n) % Number.MAX_SAFE_INTEGER}`)
  }

  const depth = /^\/deeper\/(?:\d+\/)*(\d+)\/$/.exec(path)?.[1]
  if (depth !== undefined) return [`${path}${Number(depth) + 1}/`]
  if (/^\/repeating\/(?:[ab]\/)+$/.test(path)) return [`${path}a/b/`]
  return path.startsWith('/facets?') ? facetLinks(path.slice('/facets?'.length)) : undefined
}

function calendarPath(year: number, month: number): string {
  const months = Math.max(0, year * 12 + month - 1)
  return `/calendar/${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`
}

/** Every facet can be added or raised: the number of addresses grows exponentially with clicks. */
function facetLinks(query: string): string[] {
  const values = new URLSearchParams(query)
  return FACETS.map((facet) => {
    const next = new URLSearchParams(values)
    next.set(facet, String(Number(values.get(facet) ?? '-1') + 1))
    return `/facets?${next.toString()}`
  })
}
