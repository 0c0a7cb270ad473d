/** `minga watch list`, `forecast`, `show` and `metrics`: what is watched and what is known of it. */
import type {
  ActivityView,
  ForecastView,
  PlanView,
  TrailView,
  VisitView,
  WatchDetail,
  WatchGroupsView,
  WatchGroupView,
  WatchView,
} from '@minga/protocol'
import type { Api } from '../api.ts'
import { formatBytes } from '../progress.ts'
import { throughApi, type WatchOptions } from './watch-station.ts'
import {
  durationText,
  perDay,
  print,
  printJson,
  sparkline,
  tableText,
  timeText,
} from './watch-text.ts'

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

export function list(options: ListOptions): Promise<number> {
  return throughApi(options, async (api) => {
    if (options.by === 'behaviour') return behaviours(api, options)
    if (options.by !== undefined) return groups(api, options)
    const watches = await pagesOf(api, options)
    if (options.json) return printJson({ watches })
    if (watches.length === 0) return void process.stderr.write('minga: no watches\n')
    print(tableText([TITLES, ...watches.map(lineOf)]))
  })
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

async function pagesOf(api: Api, options: ListOptions): Promise<WatchView[]> {
  const query = new URLSearchParams()
  for (const name of ['search', 'category', 'state', 'subject', 'owner'] as const) {
    const value = options[name]
    if (value !== undefined) query.set(name, value)
  }
  const watches: WatchView[] = []
  while (watches.length < options.limit) {
    const step = Math.min(PAGE, options.limit - watches.length)
    query.set('limit', String(step))
    const page = await api.get<WatchView[]>(`/watches?${String(query)}`)
    watches.push(...page)
    if (page.length < step) break
    query.set('before', String(page.at(-1)!.id))
  }
  return watches
}

const TITLES = ['ID', 'WHAT', 'CATEGORY', 'PACE', 'VISITS', 'CHANGES', 'NEXT VISIT', 'NAME']

function lineOf(watch: WatchView): string[] {
  return [
    String(watch.id),
    watch.urls > 1 ? `${watch.subject} (${watch.urls})` : watch.subject,
    watch.category === null ? '-' : String(watch.category),
    paceOf(watch),
    String(watch.visits),
    String(watch.changes),
    watch.isActive ? timeText(watch.nextVisitAt) : 'paused',
    watch.name,
  ]
}

/** A star marks what somebody set by hand. */
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
    for (const { watchId, url, nextVisitAt, outSince, plan } of visits) {
      print(`${timeText(nextVisitAt ?? outSince)}  ${watchId}  ${url}`)
      const why = outSince === null ? (plan?.text ?? 'not visited yet') : 'is being visited'
      print(`                  ${why}`)
    }
  })
}

export function show(id: string, options: WatchOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const watch = await api.get<WatchDetail>(`/watches/${Number(id)}`)
    const trail = await api.get<TrailView[]>(`/watches/${watch.id}/trail?limit=20`)
    const next = await api.get<ForecastView[]>(`/watches/${watch.id}/forecast?limit=1`)
    if (options.json) return printJson({ ...watch, trail })
    print(tableText(factsOf(watch, next[0]?.plan ?? null)))
    if (trail.length > 0) print('\nChanges by hand, newest first (a line in brackets was undone):')
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
    ['set by hand', byHand.join('; ') || '-'],
    ['importance', String(watch.importance)],
    ['visits', `${watch.visits}, ${watch.changes} found a change`],
    ['last visit', timeText(watch.lastVisitAt)],
    ['last change', timeText(watch.lastChangeAt)],
    ['next visit', timeText(watch.nextVisitAt)],
  ]
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
    const visits = await api.get<VisitView[]>(`${at}/visits?limit=10`)
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
    ['captures', `${watch.captures}, ${formatBytes(watch.bytes)}`],
    ...urls.map((url) => ['rate', `${rateText(url)}  ${url.url}`]),
    ['changes/day', `${sparkline(activity.map((day) => day.changes))}  ${first} … ${last}`],
  ]
  const lines = visits.map(({ at, outcome, magnitude, code, url }) => [
    timeText(at),
    outcome,
    outcome === 'changed' ? magnitude.toFixed(3) : (code ?? '-'),
    url,
  ])
  const recent = lines.length === 0 ? '' : `\nLast visits:\n${tableText(lines)}`
  return `${watch.id}  ${watch.name}\n${tableText(facts)}${recent}`
}

function rateText({ plan }: ForecastView): string {
  if (plan === null || plan.ratePerDay === null) return 'not known yet'
  const { ratePerDay, rateLow, rateHigh } = plan
  const interval =
    rateLow === null || rateHigh === null ? '' : ` [${perDay(rateLow)}–${perDay(rateHigh)}]`
  return `${perDay(ratePerDay)}/day${interval}`
}
