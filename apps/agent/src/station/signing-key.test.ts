// Goal: a device signs with a key of its own that it made itself, keeps for a month and shows in its
// public half only. Method: a temporary folder, virtual months, and the verifier of a strict site.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
import { thumbprintOf } from '@minga/net'
import { problemOf } from '../../../../packages/net/test/http/web-bot-auth-fixture.ts'
import { openSigningKey, shownKey, signingHeaders } from './signing-key.ts'

const DAY_MS = 86_400_000
const AGENT = 'https://minga.example'
const data = await mkdtemp(join(tmpdir(), 'minga-signing-'))
after(() => rm(data, { recursive: true, force: true }))

test('the key is made once a month, readable by its owner only, and its private half stays', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 4, 6))
  const first = await openSigningKey(data, clock)
  const file = join(data, 'signing-key.json')
  if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.equal((await openSigningKey(data, clock)).publicKey, first.publicKey)
  const shown = shownKey(first, AGENT, clock)
  assert.ok(!JSON.stringify(shown).includes(first.privateKey))
  assert.equal(shown.createdS, clock.now() / 1_000)
  await clock.advance(30 * DAY_MS)
  assert.notEqual((await openSigningKey(data, clock)).publicKey, first.publicKey)
  for (const text of [
    '',
    '{',
    'null',
    '{"madeAt":1}',
    (await readFile(file, 'utf8')).slice(0, 50),
  ]) {
    await writeFile(file, text)
    assert.equal((await openSigningKey(data, clock)).publicKey.length, 43)
  }
})

test('what it signs holds for the host that is asked, with a new nonce each time', async () => {
  const clock = createVirtualClock(Date.UTC(2026, 4, 6))
  const keys = await openSigningKey(data, clock)
  const headersFor = signingHeaders(keys, AGENT, clock)
  const published = {
    kty: 'OKP',
    crv: 'Ed25519',
    x: keys.publicKey,
    kid: thumbprintOf(keys.publicKey),
  }
  const nonces = new Set<string>()
  for (let requests = 0; requests < 20; requests++) {
    const headers = Object.fromEntries(headersFor(new URL('https://site.example/x')))
    const nowS = clock.now() / 1_000
    assert.equal(problemOf({ authority: 'site.example', headers, nowS }, [published]), null)
    nonces.add(/nonce="([^"]+)"/.exec(headers['signature-input']!)![1]!)
  }
  assert.equal(nonces.size, 20)
})
