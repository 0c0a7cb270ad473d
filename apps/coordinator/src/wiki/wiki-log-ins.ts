/**
 * Bot passwords that wikis gave to this station, one for each api.php. Like tokens they are never
 * shown again and are sent only to the station's own agents. A login that the wiki refused pauses
 * here, so that all agents together try it once in that time.
 */
import type { RefusedLogIn, WikiLogIn, WikiLogInState } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { logInFor } from '@minga/wiki/log-in'
import { writeFact } from '../station/station-facts.ts'

/** Stored with other facts that must outlive a restart; `!` is the character after a blank. */
const PREFIX = 'wiki-log-in '
const PREFIX_END = 'wiki-log-in!'

const MINUTE_MS = 60_000
/** Doubled with every refusal, up to a day: wikis count wrong passwords, and lock those who try them. */
const REST_MS = 10 * MINUTE_MS
const REST_MAX_MS = 24 * 60 * MINUTE_MS

interface KeptLogIn extends Pick<WikiLogIn, 'user' | 'password'> {
  refusal: { code: string; message: string; times: number; until: number } | null
}

type LogInOf = KeptLogIn & { api: string }

export type NewLogIn = Pick<WikiLogIn, 'user' | 'password'>

/** Null forgets it. A password that is given again is tried at once. */
export async function putWikiLogIn(
  sql: Sql,
  { api, logIn }: { api: string; logIn: NewLogIn | null },
): Promise<void> {
  if (logIn !== null) return keep(sql, api, { ...logIn, refusal: null })
  await sql.run('DELETE FROM station_facts WHERE name = ?', [PREFIX + api])
}

async function keep(sql: Sql, api: string, kept: KeptLogIn): Promise<void> {
  await writeFact(sql, { name: PREFIX + api, value: JSON.stringify(kept) })
}

async function allLogIns(sql: Sql): Promise<LogInOf[]> {
  const rows = await sql.all<{ name: string; value: string }>(
    'SELECT name, value FROM station_facts WHERE name >= ? AND name < ?',
    [PREFIX, PREFIX_END],
  )
  return rows.map(({ name, value }) => {
    return { api: name.slice(PREFIX.length), ...(JSON.parse(value) as KeptLogIn) }
  })
}

export async function hasLogIn(sql: Sql, url: string): Promise<boolean> {
  return logInFor(url, await allLogIns(sql)) !== null
}

/** Without the password. */
export async function logInStateOf(
  sql: Sql,
  { api, now }: { api: string; now: number },
): Promise<WikiLogInState['bot']> {
  const kept = (await allLogIns(sql)).find((one) => one.api === api)
  if (kept === undefined) return null
  const { user, refusal } = kept
  const isResting = refusal !== null && refusal.until > now
  return {
    user,
    refusedUntil: isResting ? refusal.until : null,
    code: isResting ? refusal.code : null,
  }
}

export type TellLogIns = (urls: readonly string[]) => (WikiLogIn | RefusedLogIn)[]

/** What the station's own agents receive for these addresses. */
export async function logInsNow(sql: Sql, now: number): Promise<TellLogIns> {
  const kept = await allLogIns(sql)
  if (kept.length === 0) return () => []
  return (urls) =>
    [...new Set(urls.map((url) => logInFor(url, kept)).filter((each) => each !== null))].map(
      (each) => toldOf(each, now),
    )
}

function toldOf({ api, user, password, refusal }: LogInOf, now: number): WikiLogIn | RefusedLogIn {
  if (refusal === null || refusal.until <= now) return { api, user, password }
  const { code, message } = refusal
  return { api, refused: { code, message } }
}

const OF_LOG_IN: ReadonlySet<string> = new Set([
  'MINGA_WIKI_LOG_IN_REFUSED',
  'MINGA_WIKI_LOG_IN_FAILED',
  'MINGA_WIKI_LOGGED_OUT',
])

/** Whether a failed request ended before the door of the wiki. */
export function isOfLogIn(code: string): boolean {
  return OF_LOG_IN.has(code)
}

interface Refused {
  url: string
  code: string
  message: string
  now: number
}

/**
 * After a refusal no agent tries it for a while; those that asked in the meantime have received the
 * same refusal.
 */
export async function noteLogInRefused(sql: Sql, refused: Refused): Promise<void> {
  const { url, code, message, now } = refused
  const known = logInFor(url, await allLogIns(sql))
  if (known === null || (known.refusal?.until ?? 0) > now) return
  const { api, user, password, refusal } = known
  // After a day without a refusal the count starts again.
  const isInARow = refusal !== null && now - refusal.until < REST_MAX_MS
  const times = isInARow ? refusal.times + 1 : 1
  const until = now + Math.min(REST_MS * 2 ** Math.min(times - 1, 10), REST_MAX_MS)
  await keep(sql, api, { user, password, refusal: { code, message, times, until } })
}
