/**
 * Tokens that wikis gave to this station (OAuth 2). They are never shown again, and are sent only
 * to the station's own agents, for requests of wiki collections to that very origin: a token for
 * https is never sent over http.
 */
import { parseSpec } from '@minga/frontier'
import { classifyAddress, originOf } from '@minga/net'
import type { Block, RefusedLogIn, WikiLogIn, WikiLogInState } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { StationSecrets } from '../station/secrets/station-secrets.ts'
import { logInsNow, logInStateOf } from './wiki-log-ins.ts'
import { writeFact } from '../station/station-facts.ts'

/** Stored with other facts that must outlive a restart; `!` is the character after a blank. */
const PREFIX = 'wiki-token '
const PREFIX_END = 'wiki-token!'

interface Token {
  name: string
  value: string
}

/** Null forgets it. */
export async function putWikiToken(
  sql: Sql,
  { api, token }: { api: string; token: string | null },
): Promise<void> {
  const name = `${PREFIX}${originOf(api)}`
  if (token === null) {
    await sql.run('DELETE FROM station_facts WHERE name = ?', [name])
    return
  }
  await writeFact(sql, { name, value: token })
}

/** What the station has for a wiki; the secrets stay where they are. */
export async function wikiLogInState(
  sql: Sql,
  { api, now }: { api: string; now: number },
): Promise<WikiLogInState> {
  const names = (await allTokens(sql)).map(({ name }) => name)
  return {
    hasToken: names.includes(`${PREFIX}${originOf(api)}`),
    bot: await logInStateOf(sql, { api, now }),
  }
}

export async function hasToken(sql: Sql, url: string): Promise<boolean> {
  const name = `${PREFIX}${originOf(url)}`
  return (await allTokens(sql)).some((token) => token.name === name)
}

function allTokens(sql: Sql): Promise<Token[]> {
  return sql.all('SELECT name, value FROM station_facts WHERE name >= ? AND name < ?', [
    PREFIX,
    PREFIX_END,
  ])
}

/** Their secrets are still encrypted: what opens them never enters the store. */
export function openLogIns(block: Block, secrets: StationSecrets): Block {
  const hosts = block.hosts.map((host) => {
    const { authorization: token, logIns } = host
    return {
      ...host,
      ...(token === undefined ? {} : { authorization: `Bearer ${secrets.open(token)}` }),
      ...(logIns === undefined ? {} : { logIns: logIns.map((each) => openLogIn(each, secrets)) }),
    }
  })
  return { ...block, hosts }
}

function openLogIn(
  logIn: WikiLogIn | RefusedLogIn,
  secrets: StationSecrets,
): WikiLogIn | RefusedLogIn {
  return 'password' in logIn ? { ...logIn, password: secrets.open(logIn.password) } : logIn
}

/** For the station's own agents only. Where a wiki gave both, the token is used: it needs no session. */
export async function withTokens(
  sql: Sql,
  { block, now }: { block: Block; now: number },
): Promise<Block> {
  const tokens = new Map((await allTokens(sql)).map(({ name, value }) => [name, value]))
  const logInsOf = await logInsNow(sql, now)
  const hosts = block.hosts.map(async (host) => {
    const urls = host.requests.map(({ url }) => url)
    const [origin, ...others] = new Set(urls.map(originOf))
    if (others.length > 0 || isOverheard(origin, host.address)) return host
    const token = tokens.get(`${PREFIX}${origin}`)
    const logIns = logInsOf(urls)
    if (token === undefined && logIns.length === 0) return host
    if (!(await isOfWiki(sql, host.collectionId))) return host
    return token === undefined ? { ...host, logIns } : { ...host, authorization: token }
  })
  return { ...block, hosts: await Promise.all(hosts) }
}

/** Secrets go over http within our own network alone; names may be pointed elsewhere at any time. */
function isOverheard(origin: string | undefined, address: string): boolean {
  return origin?.startsWith('https:') !== true && classifyAddress(address) === 'public'
}

async function isOfWiki(sql: Sql, collectionId: number): Promise<boolean> {
  const row = await sql.get<{ spec: string }>('SELECT spec FROM collections WHERE id = ?', [
    collectionId,
  ])
  return row !== undefined && parseSpec(row.spec).kind === 'wiki'
}
