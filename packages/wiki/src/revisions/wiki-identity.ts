/**
 * Which wiki a user means. A wiki is known by its *key*: its host, with the folder where several
 * wikis share one. The same wiki may come from a dump and later from its API: both give the address
 * of the main page, and by it they are one.
 */
import type { Sql } from '@minga/store'
import { NoSuchWiki } from '../errors.ts'
import type { RevisionSource, SiteInfo } from '../model.ts'

export interface WikiRow {
  wikiId: number
  key: string
  name: string
  dbName: string | null
  apiUrl: string | null
  site: SiteInfo
  source: RevisionSource
  parts: number
  addedAt: number
}

/**
 * Into how many parts histories are cut. Enough for the cores of a machine; more would make small
 * wikis into many tiny files.
 */
const PARTS = 4

const COLUMNS = `id, key, name, db_name, host, root, api_url, site, source, parts, added_at`

interface Stored {
  id: number
  key: string
  name: string
  db_name: string | null
  host: string
  root: string
  api_url: string | null
  site: string
  source: RevisionSource
  parts: number
  added_at: number
}

/** Host with its port, and the folder in which articles are: `/wiki`, or '' at the root. */
export interface WikiPlace {
  host: string
  root: string
}

/** Of the address of a main page. Null for a text that is no address. */
export function placeOf(base: string, articlePath: string | null = null): WikiPlace | null {
  const url = parsed(base)
  if (url === null) return null
  const host = hostOf(url)
  if (articlePath?.includes('$1')) {
    const path = parsed(articlePath, url)?.pathname ?? '/'
    return { host, root: folderOf(path.split('$1')[0]!) }
  }
  return { host, root: folderOf(url.pathname) }
}

/** The pages of a mobile host are those of the wiki itself. */
function hostOf(url: URL): string {
  return url.host.replace(/^(\w[\w-]*)\.m\./, '$1.').replace(/^m\./, '')
}

/** `/w/index.php/Main_Page` → `/w`, `/wiki/Main_Page` → `/wiki`. */
function folderOf(path: string): string {
  const script = /^(.*?)\/(?:index|api)\.php\b/.exec(path)
  return script ? script[1]! : path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function parsed(text: string, base?: URL): URL | null {
  const absolute = text.startsWith('//') ? `https:${text}` : text
  const url = URL.parse(absolute, base?.href)
  return url?.host ? url : null
}

export interface RegisterWiki {
  site: SiteInfo
  source: RevisionSource
  now: number
}

/** The wiki that tells this of itself: an old acquaintance, or a new row. */
export async function registerWiki(
  sql: Sql,
  { site, source, now }: RegisterWiki,
): Promise<{ wikiId: number; key: string; isNew: boolean }> {
  const place = placeOf(site.base, site.articlePath) ?? { host: site.dbName ?? site.name, root: '' }
  const neighbours = await sql.all<Stored>(`SELECT ${COLUMNS} FROM wikis WHERE host = ?`, [
    place.host,
  ])
  const known = neighbours.find((row) => isSame(row, site, place))
  if (known !== undefined) {
    await refresh(sql, known, { site, source, now })
    return { wikiId: known.id, key: known.key, isNew: false }
  }
  const key = freeKey(place, neighbours)
  const row = await sql.get<{ id: number }>(
    `INSERT INTO wikis (key, name, db_name, host, root, api_url, site, source, parts, added_at, site_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    [
      key,
      site.name,
      site.dbName,
      place.host,
      place.root,
      site.apiUrl,
      JSON.stringify(site),
      source,
      PARTS,
      now,
      now,
    ],
  )
  return { wikiId: row!.id, key, isNew: true }
}

function isSame(row: Stored, site: SiteInfo, place: WikiPlace): boolean {
  if (row.root === place.root) return true
  if (row.api_url !== null && site.apiUrl !== null) {
    return parsed(row.api_url)?.pathname === parsed(site.apiUrl)?.pathname
  }
  // A dump tells no path of articles: the folder of its main page may be a part of its title.
  return row.db_name !== null && row.db_name === site.dbName && row.name === site.name
}

/** What an API tells is more than what a dump does, and never gives way to it. */
async function refresh(sql: Sql, row: Stored, { site, source, now }: RegisterWiki): Promise<void> {
  if (source !== 'api' && row.source === 'api') return
  const place = placeOf(site.base, site.articlePath)
  const apiUrl = site.apiUrl ?? row.api_url
  await sql.run(
    `UPDATE wikis SET name = ?, db_name = ?, api_url = ?, root = ?, site = ?, source = ?, site_at = ?
     WHERE id = ?`,
    [
      site.name,
      site.dbName ?? row.db_name,
      apiUrl,
      place?.root ?? row.root,
      JSON.stringify({
        ...site,
        apiUrl,
      }),
      source,
      now,
      row.id,
    ],
  )
}

function freeKey({ host, root }: WikiPlace, neighbours: readonly Stored[]): string {
  const taken = new Set(neighbours.map(({ key }) => key))
  if (!taken.has(host)) return host
  const named = `${host}${root}`
  for (let number = 2; ; number++) {
    const key = taken.has(named) ? `${named}~${number}` : named
    if (!taken.has(key)) return key
  }
}

export async function listWikis(sql: Sql): Promise<WikiRow[]> {
  const rows = await sql.all<Stored>(`SELECT ${COLUMNS} FROM wikis ORDER BY key`)
  return rows.map(viewOf)
}

export async function wikiById(sql: Sql, { wikiId }: { wikiId: number }): Promise<WikiRow | null> {
  const row = await sql.get<Stored>(`SELECT ${COLUMNS} FROM wikis WHERE id = ?`, [wikiId])
  return row ? viewOf(row) : null
}

/** By its key, by the name of its database if only one has it, by its api.php or by any of its pages. */
export async function findWiki(sql: Sql, { wiki }: { wiki: string }): Promise<WikiRow> {
  const rows = await sql.all<Stored>(`SELECT ${COLUMNS} FROM wikis ORDER BY key`)
  const found = chosen(rows, wiki.trim())
  if (found === null) throw NoSuchWiki.named(wiki, nearest(rows, wiki))
  return viewOf(found)
}

function chosen(rows: readonly Stored[], text: string): Stored | null {
  const lower = text.toLowerCase()
  const byKey = rows.find(({ key }) => key === text || key === lower)
  if (byKey) return byKey
  const byDatabase = rows.filter((row) => row.db_name === text)
  if (byDatabase.length === 1) return byDatabase[0]!
  const byName = rows.filter(({ name }) => name.toLowerCase() === lower)
  if (byName.length === 1) return byName[0]!
  return /^(https?:)?\/\//.test(text) ? byAddress(rows, text) : null
}

function byAddress(rows: readonly Stored[], text: string): Stored | null {
  const url = parsed(text)
  if (url === null) return null
  const address = `${url.origin}${url.pathname}`
  const byApi = rows.find((row) => row.api_url === address)
  if (byApi) return byApi
  const here = rows.filter(({ host }) => host === hostOf(url))
  if (here.length < 2) return here[0] ?? null
  // The longest folder that the page is in; api.php may stand in another than the articles.
  const folders = (row: Stored): string[] => {
    const api = row.api_url === null ? null : parsed(row.api_url)
    return [row.root, ...(api ? [folderOf(api.pathname)] : [])]
  }
  const depth = (row: Stored): number =>
    Math.max(-1, ...folders(row).map((folder) => depthIn(url.pathname, folder)))
  const inside = here.filter((row) => depth(row) >= 0)
  return inside.toSorted((a, b) => depth(b) - depth(a))[0] ?? null
}

const depthIn = (path: string, folder: string): number =>
  path === folder || path.startsWith(`${folder}/`) ? folder.length : -1

const NEAR_MOST = 5

/** Those that share a part of their names with what was asked for; all when they are few. */
function nearest(rows: readonly Stored[], text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\d]{2,}/gu) ?? []
  const likeness = ({ key, name, db_name: database }: Stored): number => {
    const own = `${key} ${name} ${database ?? ''}`.toLowerCase()
    return words.filter((word) => own.includes(word)).length
  }
  const ranked = rows.toSorted((a, b) => likeness(b) - likeness(a))
  const near = ranked.filter((row) => likeness(row) > 0)
  return (near.length > 0 ? near : ranked).slice(0, NEAR_MOST).map(({ key }) => key)
}

function viewOf(row: Stored): WikiRow {
  return {
    wikiId: row.id,
    key: row.key,
    name: row.name,
    dbName: row.db_name,
    apiUrl: row.api_url,
    site: JSON.parse(row.site) as SiteInfo,
    source: row.source,
    parts: row.parts,
    addedAt: row.added_at,
  }
}
