// Goal: a copy of the database shows no secret, of a new station or of one that an older version left in the open; what
// was secret still works, and a rotation loses nothing. Method: real stations in a folder, and the bytes of its files.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { systemClock } from '@minga/protocol'
import { openStore, type Store } from '@minga/store'
import { alertPath, isAlertToken } from '../../watch/alerts/alert-tokens.ts'
import { PageTokens } from '../../accounts/page-tokens.ts'
import { readStationFile, STOPPED_PID, writeStationFile } from '../station-file.ts'
import { startCoordinator, type Coordinator } from '../../start.ts'
import { openSecrets, rotateSecrets } from '../../open-secrets.ts'
import { acceptedHubSecrets, currentHubSecret } from '../../watch/signals/websub-rows.ts'
import { rotateStation } from '../../rotate-station.ts'
import { readSecretsFile } from './secrets-file.ts'
import { StationSecrets } from './station-secrets.ts'
import type { Operations } from '../station-operations.ts'

const home = mkdtempSync(join(tmpdir(), 'minga-secrets-'))
after(() => rmSync(home, { recursive: true }))

const data = join(home, 'data')
const place = { data, credentials: undefined }
const API = 'https://wiki.test/w/api.php'
const FORMER = '5ec2e7'.repeat(10)
const OLD = {
  token: 'an-oauth-token',
  password: 'a-bot-password',
  hub: 'a-hub-secret',
  key: 'pk-pk-pk',
}

const openFolder = (): Promise<Store<Operations>> => {
  const operations = new URL('../../operations.ts', import.meta.url).href
  return openStore<Operations>({ data, writer: 'main', operations })
}
const openStation = (credentials?: string): Promise<Coordinator> =>
  startCoordinator({ data, listen: null, allowPrivateAddresses: true, credentials })

const readSecrets = async (): Promise<StationSecrets> =>
  new StationSecrets((await readSecretsFile(place))!)

/** Whatever is in the database, its journal included. */
function found(texts: readonly string[]): string[] {
  const files = ['minga.db', 'minga.db-wal'].map((name) => {
    const file = join(data, name)
    return statSync(file, { throwIfNoEntry: false }) ? readFileSync(file) : Buffer.alloc(0)
  })
  return texts.filter((text) => files.some((bytes) => bytes.includes(text)))
}

/** Of all subscriptions, as they are kept. */
async function hubSecrets(store: Store<Operations>) {
  const { subscriptions } = await store.call('listSecretRows', { keyId: null })
  return subscriptions
}

/** When the hub of the only subscription is asked again; to be read while nothing else has the folder. */
function nextTryAt(): unknown {
  const database = new DatabaseSync(join(data, 'minga.db'), { readOnly: true })
  const row = database.prepare('SELECT next_try_at AS at FROM websub_subscriptions').get()
  database.close()
  return row?.['at']
}

/** What the rows say to those who have the key. */
async function opened(store: Store<Operations>, secrets: StationSecrets): Promise<string[]> {
  const { facts, subscriptions } = await store.call('listSecretRows', { keyId: null })
  const texts = facts.map(({ value }) =>
    value.startsWith('{') ? (JSON.parse(value) as { password: string }).password : value,
  )
  const all = [...texts, ...subscriptions.map(({ secret }) => secret)]
  return all.map((text) => secrets.open(text)).toSorted()
}

test('what an older version left in the open is moved out of the database or encrypted', async () => {
  const store = await openFolder()
  await store.call('writeFact', { name: 'secret', value: FORMER })
  await store.call('writeFact', { name: 'federation.keys', value: OLD.key })
  await store.call('putWikiToken', { api: API, token: OLD.token, now: 1 })
  const logIn = { user: 'ana', password: OLD.password }
  await store.call('putWikiLogIn', { api: API, logIn, now: 1 })
  const topic = { collectionId: 1, topic: 'https://a.test/feed', hub: 'https://hub.test/' }
  await store.call('wantSubscription', { ...topic, token: 't', secret: OLD.hub, now: 1 })
  await store.close()
  assert.equal(found([FORMER, ...Object.values(OLD)]).length, 5, 'the older folder shows them')

  await (await openStation()).close()
  assert.deepEqual(found([FORMER, ...Object.values(OLD)]), [])
  const file = join(data, 'secrets.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.ok(readFileSync(file, 'utf8').includes(FORMER), 'names made with it hold')

  const again = await openFolder()
  const secrets = await openSecrets(again, place, 1)
  assert.equal(secrets.current, FORMER)
  assert.deepEqual(await opened(again, secrets), Object.values(OLD).toSorted())
  await again.close()
})

test('a rotation changes secret and key, accepts the former secret for a while and loses nothing', async () => {
  const before = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as {
    database: string[]
  }
  const store = await openFolder()
  const ana = { id: 'acct_ana', name: 'ana', passwordHash: null, roles: [], now: 1 }
  await store.call('registerAccount', ana)
  const sealed = (await readSecrets()).seal('the secret of an app')
  await store.call('saveTotp', { accountId: ana.id, secret: sealed })
  const [known] = await hubSecrets(store)
  await store.call('noteVerified', { token: known!.token, leaseMs: 864_000_000, now: 1 })
  const { secrets, until } = await rotateSecrets(store, place, { now: 1_000, graceMs: 500 })
  assert.equal(until, 1_500)
  assert.notEqual(secrets.current, FORMER)
  assert.deepEqual(secrets.accepted(1_499), [secrets.current, FORMER])
  assert.deepEqual(secrets.accepted(1_500), [secrets.current])
  const kept = await openSecrets(store, place, 1)
  const [row] = await hubSecrets(store)
  const hub = kept.open(row!.secret)
  const others = Object.values(OLD).filter((text) => text !== OLD.hub)
  assert.deepEqual(await opened(store, kept), [...others, hub].toSorted())
  const fresh = currentHubSecret(hub)
  assert.notEqual(fresh, OLD.hub)
  assert.deepEqual(acceptedHubSecrets(hub, 1_499), [fresh, OLD.hub])
  assert.deepEqual(acceptedHubSecrets(hub, 1_500), [fresh])
  const audited = await store.call('readAudit', { after: 0, limit: 1_000 })
  const { act, subject } = audited.at(-1)!
  assert.deepEqual([act, subject], ['secrets:rotated', kept.keyId])
  for (const secret of [secrets.current, FORMER, ...Object.values(OLD)]) {
    assert.ok(!JSON.stringify(audited).includes(secret))
  }
  const totp = await store.call('readTotp', { accountId: ana.id })
  assert.equal(kept.open(totp!.secret), 'the secret of an app')
  await store.close()
  assert.equal(nextTryAt(), 1_000, 'the hub is asked again at once')
  assert.ok(!readFileSync(join(data, 'secrets.json'), 'utf8').includes(before.database[0]!))
})

test('the command gives new keys, and what others were given before holds until the grace is over', async () => {
  const tokens = { joinToken: 'a-join-token', apiKey: 'an-operator-key', workerToken: 'a-worker' }
  await writeStationFile(data, { url: 'http://127.0.0.1:1', pid: STOPPED_PID, ...tokens })
  const before = await openStation()
  const tokenOf = { secrets: await readSecrets(), clock: systemClock }
  const shown = new PageTokens(tokenOf).of('a session')
  await before.close()

  const graceMs = 60_000
  const { hasNewKeys } = await rotateStation({ ...place, clock: systemClock, graceMs })
  assert.equal(hasNewKeys, true)
  const file = await readStationFile(data)
  for (const former of Object.values(tokens)) assert.ok(!JSON.stringify(file).includes(former))
  const secrets = await readSecrets()
  const now = systemClock.now()
  const later = { ...systemClock, now: () => now + graceMs }
  assert.ok(new PageTokens({ secrets, clock: systemClock }).isOf('a session', shown))
  assert.ok(!new PageTokens({ secrets, clock: later }).isOf('a session', shown))
  const token = alertPath(tokenOf.secrets.current, 'feed', 'r').split('/').at(-1)!
  const asFeed = { use: 'feed' as const, ruleId: 'r', token }
  assert.ok(isAlertToken(secrets.accepted(now), asFeed), 'a feed is read at its former address')
  assert.ok(!isAlertToken(secrets.accepted(now + graceMs), asFeed))
  assert.equal(secrets.givenAt(now - 1_000_000, now), tokenOf.secrets.current)
  assert.equal(secrets.givenAt(now + 1_000, now), secrets.current)
  assert.equal(secrets.givenAt(now - 1_000_000, now + graceMs), secrets.current)
  await (await openStation()).close()
})

test('secrets may come as a credential, and without them a station says what is missing', async () => {
  const credentials = join(home, 'credentials')
  mkdirSync(credentials)
  renameSync(join(data, 'secrets.json'), join(credentials, 'minga-secrets'))
  await assert.rejects(openStation(), { code: 'MINGA_SECRETS_MISSING' })
  await (await openStation(credentials)).close()
  const store = await openFolder()
  const rotating = rotateSecrets(store, { data, credentials }, { now: 1, graceMs: 1 })
  await assert.rejects(rotating, { code: 'MINGA_SECRETS_READ_ONLY' })
  await store.close()
})
