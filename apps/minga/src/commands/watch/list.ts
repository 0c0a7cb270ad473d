/** `minga watch list`, `forecast`, `show` and `metrics`: what is watched and what is known of it. */
import {
  learningText,
  PAGE_ROLES,
  systemClock,
  type ActivityView,
  type ForecastView,
  type PlanView,
  type TrailView,
  type VisitView,
  type WatchDetail,
  type WatchGroupsView,
  type WatchGroupView,
  type WatchView,
} from '@minga/protocol'
import type { Api } from '../../api.ts'
import { EXIT } from '../../exit-codes.ts'
import { openReader, type Reader } from '../../open-reader.ts'
import { formatBytes } from '../../progress.ts'
import { requireArchive } from '../archive/folder.ts'
import { throughApi, type WatchOptions } from './station.ts'
import {
  durationText,
  forecastLine,
  nextVisitText,
  perDay,
  print,
  printJson,
  sparkline,
  tableText,
  timeText,
} from './text.ts'

export interface ListOptions extends WatchOptions {
  search?: string
  category?: string
  state?: string
  subject?: string
  owner?: string
  by?: 'category' | 'owner' | 'subject' | 'behaviour'
  limit: number
}

const PAGE = 1_000

const FILTERS = ['search', 'category', 'state', 'subject', 'owner'] as const

export async function list(options: ListOptions): Promise<number> {
  const isWhole = [...FILTERS, 'by', 'station'].every((name) => !(name in options))
  if (isWhole) return listAll(options)
  return throughApi(options, async (api) => {
    if (options.by === 'behaviour') return behaviours(api, options)
    if (options.by !== undefined) return groups(api, options)
    const query = filtersOf(options)
    const read: ReadPage = ({ before, limit }) => {
      const page = new URLSearchParams({ ...query, before: String(before), limit: String(limit) })
      return api.get<WatchView[]>(`/watches?${page.toString()}`)
    }
    printWatches(await readPages(read, options.limit), options)
  })
}

/** The common question, answered without a station where none runs. */
async function listAll(options: ListOptions): Promise<number> {
  const reader = await openReader(requireArchive(options.data))
  try {
    printWatches(await readPages(reader.watches, options.limit), options)
    return EXIT.ok
  } finally {
    await reader.close()
  }
}

function printWatches(watches: readonly WatchView[], { json }: ListOptions): void {
  if (json) return printJson({ watches })
  if (watches.length === 0) return void process.stderr.write('minga: no watches\n')
  print(tableText([TITLES, ...watches.map(lineOf)]))
}

async function groups(api: Api, { by, json }: ListOptions): Promise<void> {
  const found = await api.get<WatchGroupView[]>(`/watches/groups?by=${by}`)
  if (json) return printJson({ groups: found })
  const rows = found.map(({ key, name, watches, active, captures, bytes }) => [
    key ?? '-',
    String(watches),
    String(active),
    String(captures),
    formatBytes(bytes),
    name ?? '-',
  ])
  print(tableText([['GROUP', 'WATCHES', 'ACTIVE', 'CAPTURES', 'SIZE', 'NAME'], ...rows]))
}

/** High, medium and low frequency of change: shares of days with a change. */
async function behaviours(api: Api, { json }: ListOptions): Promise<void> {
  const { watches, unobserved } = await api.get<WatchGroupsView>('/watch-groups')
  if (json) return printJson({ watches, unobserved })
  const rows = watches.map(({ id, name, frequency, group }) => [
    String(id),
    group,
    frequency.toFixed(3),
    name,
  ])
  print(tableText([['ID', 'GROUP', 'FREQUENCY', 'NAME'], ...rows]))
  if (unobserved > 0) process.stderr.write(`minga: ${unobserved} have not been observed for long\n`)
}

type ReadPage = Reader['watches']

async function readPages(read: ReadPage, most: number): Promise<WatchView[]> {
  const watches: WatchView[] = []
  let before = Number.MAX_SAFE_INTEGER
  while (watches.length < most) {
    const limit = Math.min(PAGE, most - watches.length)
    const page = await read({ before, limit })
    watches.push(...page)
    if (page.length < limit) break
    before = page.at(-1)!.id
  }
  return watches
}

function filtersOf(options: ListOptions): Record<string, string> {
  const given = FILTERS.flatMap((name) => {
    const value = options[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(given)
}

const TITLES = [
  'ID',
  'WHAT',
  'CATEGORY',
  'PACE',
  'VISITS',
  'CHANGES',
  'FEED CHECKS',
  'RATE',
  'NEXT VISIT',
  'NAME',
]

function lineOf(watch: WatchView): string[] {
  return [
    String(watch.id),
    watch.urls > 1 ? `${watch.subject} (${watch.urls})` : watch.subject,
    watch.category === null ? '-' : String(watch.category),
    paceOf(watch),
    String(watch.visits),
    String(watch.changes),
    String(watch.feedChecks),
    watchRate(watch),
    nextVisitText(watch, systemClock.now()),
    watch.name,
  ]
}

/** Before three visits the change rate is unknown. */
function watchRate({ learning, ratePerDay }: WatchView): string {
  if (learning !== null) return learningText(learning)
  return ratePerDay === null ? '-' : `${perDay(ratePerDay)}/day`
}

/** A star marks what a user set manually. */
function paceOf({ periodMs, policy }: WatchView): string {
  if (periodMs !== null) return `${durationText(periodMs)} *`
  return policy === null ? 'auto' : `${policy} *`
}

export interface ForecastOptions extends WatchOptions {
  limit: number
}

export function forecast(id: string | undefined, options: ForecastOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const of = id === undefined ? '' : `/${Number(id)}`
    const visits = await api.get<(ForecastView & { watchId: number })[]>(
      `/watches${of}/forecast?limit=${options.limit}`,
    )
    if (options.json) return printJson({ visits })
    const moment = { now: systemClock.now(), isStation: api.url !== null }
    for (const visit of visits) {
      const { when, why } = forecastLine(visit, moment)
      const kind = isPage(visit.role) ? '' : `  (${visit.role})`
      print(`${when}  ${visit.watchId}  ${visit.url}${kind}`)
      print(`                  ${why}`)
    }
  })
}

const isPage = (role: string): boolean => PAGE_ROLES.some((page) => page === role)

export function show(id: string, options: WatchOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const watch = await api.get<WatchDetail>(`/watches/${Number(id)}`)
    const trail = await api.get<TrailView[]>(`/watches/${watch.id}/trail?limit=20`)
    const next = await api.get<ForecastView[]>(`/watches/${watch.id}/forecast?limit=1`)
    if (options.json) return printJson({ ...watch, trail })
    print(tableText(factsOf(watch, next[0]?.plan ?? null)))
    if (trail.length > 0) print('\nManual changes, newest first (a line in brackets was undone):')
    for (const entry of trail) print(trailLine(entry))
  })
}

function factsOf(watch: WatchDetail, plan: PlanView | null): string[][] {
  const byHand = watch.byHand.map(({ setting, by, at }) => `${setting} by ${by}, ${timeText(at)}`)
  return [
    ['watch', `${watch.id}  ${watch.name}`],
    ['what', `${watch.subject}, ${watch.urls} ${watch.urls === 1 ? 'address' : 'addresses'}`],
    ['address', watch.url],
    ['feeds', watch.feeds.join(' ') || '-'],
    ['sitemaps', watch.sitemaps.join(' ') || '-'],
    ['category', String(watch.category ?? '-')],
    ['observations', watch.observations || '-'],
    ['owner', watch.owner ?? '-'],
    ['state', watch.isActive ? 'active' : 'paused'],
    ['pace', paceOf(watch)],
    ['policy', plan === null ? '-' : [plan.policy, plan.because].filter(Boolean).join(': ')],
    ['set manually', byHand.join('; ') || '-'],
    ['importance', String(watch.importance)],
    ['visits', `${watch.visits}, ${watch.changes} found a change`],
    ['ignored', ignoredText(watch)],
    ['feed checks', String(watch.feedChecks)],
    ['rate', watchRate(watch)],
    ['last visit', timeText(watch.lastVisitAt)],
    ['last change', timeText(watch.lastChangeAt)],
    ['next visit', nextVisitText(watch, systemClock.now())],
  ]
}

function ignoredText({ ignoredRegions: ignored, noiseWarnings, id }: WatchDetail): string {
  if (ignored === 0) return 'nothing'
  const regions = `${ignored} ${ignored === 1 ? 'region' : 'regions'} as noise`
  const warning = noiseWarnings === 0 ? '' : `; WARNING: ${noiseWarnings} may hide real changes`
  return `${regions}${warning} (minga watch noise ${id})`
}

function trailLine({ at, by, kind, before, after, undoneAt, undoneBy }: TrailView): string {
  const changes = Object.entries(after).map(([name, value]) =>
    kind === 'edited'
      ? `${name}: ${JSON.stringify(before[name])} → ${JSON.stringify(value)}`
      : `${name}: ${JSON.stringify(value)}`,
  )
  const line = `${timeText(at)}  ${by}  ${kind}  ${changes.join(', ')}`
  return undoneAt === null ? line : `[${line}] undone by ${undoneBy}, ${timeText(undoneAt)}`
}

export interface MetricsOptions extends WatchOptions {
  days: number
}

export function metrics(id: string, options: MetricsOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const at = `/watches/${Number(id)}`
    const watch = await api.get<WatchDetail>(at)
    const activity = await api.get<ActivityView[]>(`${at}/activity?days=${options.days}`)
    const visits = await api.get<VisitView[]>(`${at}/visits?limit=10&of=pages`)
    const urls = await api.get<ForecastView[]>(`${at}/urls?limit=5`)
    if (options.json) return printJson({ watch, activity, visits, urls })
    print(metricsText({ watch, activity, visits, urls }))
  })
}

interface Metrics {
  watch: WatchDetail
  activity: ActivityView[]
  visits: VisitView[]
  urls: ForecastView[]
}

function metricsText({ watch, activity, visits, urls }: Metrics): string {
  const sum = (of: (day: ActivityView) => number): number =>
    activity.reduce((total, day) => total + of(day), 0)
  const [first, last] = [activity[0]?.day, activity.at(-1)?.day]
  const facts = [
    ['visits', `${watch.visits} in all, ${sum((day) => day.visits)} since ${first}`],
    ['changes', `${watch.changes} caught in all, ${sum((day) => day.changes)} since ${first}`],
    ['failures', `${sum((day) => day.failures)} since ${first}`],
    ['feed checks', `${watch.feedChecks} in all, ${sum((day) => day.feedChecks)} since ${first}`],
    ['captures', `${watch.captures}, ${formatBytes(watch.bytes)}`],
    ...urls.map((url) => ['rate', `${rateText(url)}  ${url.url}`]),
    ['changes/day', `${sparkline(activity.map((day) => day.changes))}  ${first} … ${last}`],
  ]
  const lines = visits.map(({ at, outcome, cause, magnitude, code, url }) => [
    timeText(at),
    outcome,
    cause,
    outcome === 'changed' ? magnitude.toFixed(3) : (code ?? '-'),
    url,
  ])
  const recent = lines.length === 0 ? '' : `\nLast visits:\n${tableText(lines)}`
  return `${watch.id}  ${watch.name}\n${tableText(facts)}${recent}`
}

function rateText({ plan, learning }: ForecastView): string {
  if (learning !== null) return learningText(learning)
  if (plan === null || plan.ratePerDay === null) return 'not known yet'
  const { ratePerDay, rateLow, rateHigh } = plan
  const interval =
    rateLow === null || rateHigh === null ? '' : ` [${perDay(rateLow)}–${perDay(rateHigh)}]`
  return `${perDay(ratePerDay)}/day${interval}`
}
