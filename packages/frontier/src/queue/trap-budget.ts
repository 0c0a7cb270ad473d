/**
 * Defence against sites that never end: calendars, session ids, ever deeper paths, combinations
 * of filters. It looks at the shape of addresses only and starts when a host has given many
 * pages, so that an ordinary site never meets it. A refused URL is denied with a code, not lost.
 */
import type { Sql } from '@minga/store'

/** Pages of a host before its budget counts at all. */
const TRAP_STARTS_AT_PAGES = 1_000
/** Real sites seldom nest deeper; loops of relative links do within seconds. */
const PATH_DEPTH_MAX = 24
/** `/a/b/a/b/a/b`: a run of segments that comes this many times in a row is a loop. */
const REPEATS_MAX = 3
/** Directories under one first segment: more than this and more than half the host's pages means
 * that nearly every page opens a directory of its own, as calendars and session ids do. */
const DIRECTORIES_MIN = 1_000
/** Addresses of one path and one set of parameter names. One parameter is often an id of real
 * documents; several are usually filters that multiply. */
const ONE_PARAMETER_MAX = 20_000
const MORE_PARAMETERS_MAX = 1_000
/** Addresses below one path that end in a date, be it a month or a day: thirteen years of days. Articles that have a
 * name behind their date are not among them. */
const DATES_MAX = 5_000
/** Of these, such as lie further ahead than an agenda reaches: only a calendar without an end has more than a few. */
const DATES_AHEAD_MAX = 400
const AGENDA_YEARS = 2

export function isStructuralTrap(url: string): boolean {
  const segments = pathOf(url).split('/').filter(Boolean)
  return segments.length > PATH_DEPTH_MAX || hasRepeatedRun(segments)
}

function hasRepeatedRun(segments: readonly string[]): boolean {
  for (let size = 1; size * REPEATS_MAX <= segments.length; size++) {
    let same = 0
    for (let i = size; i < segments.length; i++) {
      same = segments[i] === segments[i - size] ? same + 1 : 0
      if (same >= size * (REPEATS_MAX - 1)) return true
    }
  }
  return false
}

/** The places whose growth is watched for one URL. */
function placesOf(url: string): { directory: string; branch: string; query: string | null } {
  const path = pathOf(url)
  // `/blog/a-title/` is a page of `/blog/`, however many titles there are: blogs end in a slash.
  const directory = path.slice(0, path.replace(/\/$/, '').lastIndexOf('/') + 1)
  const names = [...new URL(url).searchParams.keys()].toSorted()
  return {
    directory: `directory ${directory}`,
    branch: `branch ${directory.split('/')[1] ?? ''}`,
    query: names.length === 0 ? null : `query ${path}?${[...new Set(names)].join('&')}`,
  }
}

interface Numbered {
  /** What stands before the numbers. */
  prefix: string
  /** Null where the numbers are no date: those of a thread and its page, say. */
  year: number | null
}

/** Two or three numbers at the end of a path, divided by slashes or hyphens. */
const NUMBERS = /^(.*?\/)(\d+)[/-](\d+)(?:[/-](\d+))?\/?$/

/** Of `/cal/2026/11/`, `/2026-11-18`, `/18/11/2026/` and `?day=2026-11-18`; null for what ends in anything else. */
function numberedOf(url: string): Numbered | null {
  // Nearly all addresses: they need not be taken apart.
  if (!/\d\/?$/.test(url)) return null
  const { pathname, searchParams } = new URL(url)
  const [only, ...others] = searchParams
  if (others.length > 0) return null
  const path = only === undefined ? pathname : `${pathname}?${only[0]}=/${only[1]}`
  const [, prefix, ...texts] = NUMBERS.exec(path) ?? []
  if (prefix === undefined) return null
  return { prefix, year: yearIn(texts.filter((text) => text !== undefined).map(Number)) }
}

/** Year and week or month, year, month and day, or the other way round. */
function yearIn(numbers: readonly number[]): number | null {
  const ordered = isYear(numbers[0]!) ? numbers : numbers.toReversed()
  const [year, second, third] = ordered as [number, number, number?]
  const isDate = third === undefined ? isUpTo(53, second) : isUpTo(31, second) && isUpTo(31, third)
  return isYear(year) && isDate ? year : null
}

const isYear = (number: number): boolean => number >= 1_000 && number < 3_000
const isUpTo = (most: number, number: number): boolean => number >= 1 && number <= most

function pathOf(url: string): string {
  return new URL(url).pathname
}

interface Suspect {
  hostId: number
  url: string
}

/** Which of these new URLs are over their host's budget; the others are counted into it. */
export async function overTrapBudget(
  sql: Sql,
  args: { collectionId: number; urls: readonly Suspect[] },
): Promise<Set<Suspect>> {
  const { collectionId } = args
  const hostIds = [...new Set(args.urls.map((url) => url.hostId))]
  const hosts = await sql.selectMany<{ pages: number }>({
    table: 'collection_hosts',
    keys: ['collection_id', 'host_id'],
    rows: hostIds.map((id) => [collectionId, id]),
    columns: ['pages'],
  })
  const pagesOf = new Map(hostIds.map((id, i) => [id, hosts[i]?.pages ?? 0]))
  await noteNumbers(sql, args)
  const over = new Set<Suspect>()
  if (![...pagesOf.values()].some((pages) => pages >= TRAP_STARTS_AT_PAGES)) return over
  const yearMax = (await yearOf(sql, collectionId)) + AGENDA_YEARS
  for (const suspect of args.urls) {
    const pages = pagesOf.get(suspect.hostId)!
    if (pages < TRAP_STARTS_AT_PAGES) continue
    const place = new PlaceCounts(sql, collectionId, suspect.hostId)
    const numbered = numberedOf(suspect.url)
    const isOver =
      isStructuralTrap(suspect.url) ||
      (numbered !== null && (await place.areDatesFull(numbered, yearMax))) ||
      (await place.isFull(suspect.url, pages))
    if (isOver) over.add(suspect)
  }
  return over
}

/** From the first page on: when budgets begin to count, it must be known which numbers are no dates. */
async function noteNumbers(
  sql: Sql,
  { collectionId, urls }: { collectionId: number; urls: readonly Suspect[] },
): Promise<void> {
  const noted = new Set<string>()
  for (const { hostId, url } of urls) {
    const numbered = numberedOf(url)
    if (numbered === null || numbered.year !== null) continue
    const key = `${hostId} ${numbered.prefix}`
    if (noted.has(key)) continue
    noted.add(key)
    await new PlaceCounts(sql, collectionId, hostId).noteNumbers(numbered.prefix)
  }
}

/** The year in which the collection was last at work; a watch may be many years old. */
async function yearOf(sql: Sql, collectionId: number): Promise<number> {
  const row = await sql.get<{ at: number }>(
    `SELECT CASE WHEN leased_at > created_at THEN leased_at ELSE created_at END AS at
     FROM collections WHERE id = ?`,
    [collectionId],
  )
  return new Date(row?.at ?? 0).getUTCFullYear()
}

/** The counters behind one host's budget. */
class PlaceCounts {
  readonly #sql: Sql
  readonly #key: [number, number]

  constructor(sql: Sql, collectionId: number, hostId: number) {
    this.#sql = sql
    this.#key = [collectionId, hostId]
  }

  async isFull(url: string, pages: number): Promise<boolean> {
    const { directory, branch, query } = placesOf(url)
    if (query !== null) {
      const parameters = query.split('&').length
      const most = parameters === 1 ? ONE_PARAMETER_MAX : MORE_PARAMETERS_MAX
      if ((await this.#members(query)) >= most) return true
      await this.#add(query)
    }
    if ((await this.#members(directory)) > 0) return false
    if ((await this.#members(branch)) >= Math.max(DIRECTORIES_MIN, pages / 2)) return true
    await this.#add(directory)
    await this.#add(branch)
    return false
  }

  /**
   * Days and months of one calendar share a budget, whatever it shows of them. Where other numbers than dates follow the
   * same path, years are numbers like others and nothing is counted.
   */
  async areDatesFull({ prefix, year }: Numbered, yearMax: number): Promise<boolean> {
    if (year === null || (await this.#members(`numbers ${prefix}`)) > 0) return false
    const isAhead = year > yearMax
    const [all, ahead] = [`dates ${prefix}`, `ahead ${prefix}`]
    if ((await this.#members(all)) >= DATES_MAX) return true
    if (isAhead && (await this.#members(ahead)) >= DATES_AHEAD_MAX) return true
    await this.#add(all)
    if (isAhead) await this.#add(ahead)
    return false
  }

  async noteNumbers(prefix: string): Promise<void> {
    const place = `numbers ${prefix}`
    if ((await this.#members(place)) === 0) await this.#add(place)
  }

  async #members(place: string): Promise<number> {
    const row = await this.#sql.get<{ members: number }>(
      'SELECT members FROM trap_places WHERE collection_id = ? AND host_id = ? AND place = ?',
      [...this.#key, place],
    )
    return row?.members ?? 0
  }

  async #add(place: string): Promise<void> {
    await this.#sql.run(
      `INSERT INTO trap_places (collection_id, host_id, place, members) VALUES (?, ?, ?, 1)
       ON CONFLICT (collection_id, host_id, place) DO UPDATE SET members = trap_places.members + 1`,
      [...this.#key, place],
    )
  }
}
