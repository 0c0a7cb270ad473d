/** Where the database holds what only this station may read, and how all of it gets another key. */
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../station-facts.ts'

/** Where the station's own secret was before it had a file of its own. */
const FORMER_SECRET = 'secret'
/** Which key has encrypted everything. */
const KEY_FACT = 'secrets.key'
const SEALED_FACTS = ['federation.keys']
/** `!` is the character after a blank. */
const SEALED_PREFIXES = ['wiki-token ', 'wiki-log-in ']

export interface SecretRows {
  /** By which key they are encrypted; null: by none yet. */
  keyId: string | null
  formerSecret: string | null
  facts: { name: string; value: string }[]
  subscriptions: { token: string; secret: string }[]
  /** Of authenticator apps, by account. */
  factors: { account: string; secret: string }[]
}

/** Everything that is encrypted, or has to be; nothing when `keyId` has encrypted it already. */
export async function listSecretRows(
  sql: Sql,
  args: { keyId: string | null },
): Promise<SecretRows> {
  const keyId = await readFact(sql, { name: KEY_FACT })
  const formerSecret = await readFact(sql, { name: FORMER_SECRET })
  if (keyId !== null && keyId === args.keyId)
    return { keyId, formerSecret, facts: [], subscriptions: [], factors: [] }
  const facts: SecretRows['facts'] = []
  for (const name of SEALED_FACTS) {
    const value = await readFact(sql, { name })
    if (value !== null) facts.push({ name, value })
  }
  for (const prefix of SEALED_PREFIXES) {
    const range = [prefix, prefix.replace(/ $/, '!')]
    const where = 'WHERE name >= ? AND name < ?'
    facts.push(
      ...(await sql.all<SecretRows['facts'][0]>(
        `SELECT name, value FROM station_facts ${where}`,
        range,
      )),
    )
  }
  const subscriptions = await sql.all<SecretRows['subscriptions'][0]>(
    'SELECT token, secret FROM websub_subscriptions',
    [],
  )
  const factors = await sql.all<SecretRows['factors'][0]>(
    'SELECT account_id AS account, secret FROM account_totp',
    [],
  )
  return { keyId, formerSecret, facts, subscriptions, factors }
}

/** The operator's key and the join token of a station that gets new ones: both end when the former secret does. */
export async function retireTokens(
  sql: Sql,
  args: { keyHash: string; joinHash: string; until: number },
): Promise<void> {
  const { keyHash, joinHash, until } = args
  await sql.run('UPDATE api_keys SET expires_at = ? WHERE hash = ?', [until, keyHash])
  await sql.run('UPDATE join_tokens SET expires_at = ? WHERE hash = ?', [until, joinHash])
}

/** All of it under one key, in one transaction; nothing of what it was before stays in the file. */
export async function writeSecretRows(
  sql: Sql,
  args: Pick<SecretRows, 'facts' | 'subscriptions' | 'factors'> & {
    keyId: string
    /** When hubs are asked again, with their new secrets; null: they have the same ones as before. */
    hubsAskedAt: number | null
  },
): Promise<void> {
  await sql.wipe()
  for (const fact of args.facts) await writeFact(sql, fact)
  await sql.updateMany({
    table: 'websub_subscriptions',
    keys: ['token'],
    set: ['secret'],
    rows: args.subscriptions.map(({ token, secret }) => [token, secret]),
  })
  if (args.hubsAskedAt !== null) await askHubsAgain(sql, args.hubsAskedAt)
  await sql.updateMany({
    table: 'account_totp',
    keys: ['account_id'],
    set: ['secret'],
    rows: args.factors.map(({ account, secret }) => [account, secret]),
  })
  await sql.run('DELETE FROM station_facts WHERE name = ?', [FORMER_SECRET])
  await writeFact(sql, { name: KEY_FACT, value: args.keyId })
}

/** Those that have taken a secret, or may be about to; who refused us is left alone. */
async function askHubsAgain(sql: Sql, at: number): Promise<void> {
  await sql.run(
    `UPDATE websub_subscriptions SET tries = 0, next_try_at = ? WHERE state IN ('asked', 'active')`,
    [at],
  )
}
