/** Figures of histories as the screens share them: edits by day, by hour of the week, by editor. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { askHistory, type WikiScope } from '../../api/wikis.ts'
import type { DayCount } from './edit-series.ts'

/** Days of 27 years; a wiki with more is shown by its busiest days. */
const DAYS_MOST = 10_000
const HOURS_MOST = 7 * 24
const EDITORS_MOST = 1_000

const EDITS = { edits: { count: true } }

export function useDays(wiki: string, scope: WikiScope): UseQueryResult<DayCount[]> {
  return useQuery({
    queryKey: ['wiki-days', wiki, scope],
    queryFn: async () => {
      const rows = await askHistory(wiki, scope, {
        by: ['day'],
        measure: EDITS,
        sort: ['-edits'],
        limit: DAYS_MOST,
      })
      return rows.map((row) => ({ day: String(row['day']), edits: Number(row['edits']) }))
    },
  })
}

/** Of several pages, by their numbers. */
export function useDaysOfPages(
  wiki: string,
  pageIds: readonly number[],
): UseQueryResult<Map<number, DayCount[]>> {
  return useQuery({
    queryKey: ['wiki-days', wiki, pageIds],
    enabled: pageIds.length > 0,
    queryFn: async () => {
      const rows = await askHistory(
        wiki,
        { pageIds },
        { by: ['pageid', 'day'], measure: EDITS, sort: ['-edits'], limit: DAYS_MOST },
      )
      const days = new Map<number, DayCount[]>(pageIds.map((id) => [id, []]))
      for (const row of rows) {
        days
          .get(Number(row['pageid']))
          ?.push({ day: String(row['day']), edits: Number(row['edits']) })
      }
      return days
    },
  })
}

/** Edits by weekday (0 is Monday) and hour. */
export function useHours(wiki: string, scope: WikiScope): UseQueryResult<number[][]> {
  return useQuery({
    queryKey: ['wiki-hours', wiki, scope],
    queryFn: async () => {
      const rows = await askHistory(wiki, scope, {
        by: ['weekday', 'hour'],
        measure: EDITS,
        limit: HOURS_MOST,
      })
      const hours = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0))
      for (const row of rows) {
        hours[Number(row['weekday']) - 1]![Number(row['hour'])] = Number(row['edits'])
      }
      return hours
    },
  })
}

export interface EditorCount {
  user: string
  edits: number
  pages: number
  firstAt: number
  lastAt: number
}

/** Most edits first. */
export function useEditors(wiki: string, scope: WikiScope): UseQueryResult<EditorCount[]> {
  return useQuery({
    queryKey: ['wiki-editors', wiki, scope],
    queryFn: async () => {
      const rows = await askHistory(wiki, scope, {
        by: ['user'],
        measure: {
          ...EDITS,
          pages: { distinct: 'pageid' },
          first: { min: 'timestamp' },
          last: { max: 'timestamp' },
        },
        having: { user: { ne: null } },
        sort: ['-edits', 'user'],
        limit: EDITORS_MOST,
      })
      return rows.map((row) => ({
        user: String(row['user']),
        edits: Number(row['edits']),
        pages: Number(row['pages']),
        firstAt: Date.parse(String(row['first'])),
        lastAt: Date.parse(String(row['last'])),
      }))
    },
  })
}
