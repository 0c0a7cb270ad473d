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
  const over = new Set<Suspect>()
  for (const suspect of args.urls) {
    const pages = pagesOf.get(suspect.hostId)!
    if (pages < TRAP_STARTS_AT_PAGES) continue
    const place = new PlaceCounts(sql, collectionId, suspect.hostId)
    if (isStructuralTrap(suspect.url) || (await place.isFull(suspect.url, pages))) over.add(suspect)
  }
  return over
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
