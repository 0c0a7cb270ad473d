// Goal: signatures that every reader of RFC 9421 understands. Method: the RFC's own Ed25519 vector and
// thumbprint, and a verifier that is fed with requests signed, copied to other hosts and tampered with.
import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { problemOf, type PublishedKey } from '../../test/http/web-bot-auth-fixture.ts'
import {
  createBotSigner,
  directoryBase,
  signatureBase,
  signatureParams,
  signDirectory,
  thumbprintOf,
  type Covered,
} from './web-bot-auth.ts'

/** RFC 9421, B.1.4. */
const RFC_KEY = {
  kty: 'OKP',
  crv: 'Ed25519',
  d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU',
  x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs',
}

test('the Ed25519 vector of RFC 9421, B.2.6, comes out to the byte', () => {
  const covered: Covered[] = [
    ['"date"', 'Tue, 20 Apr 2021 02:07:55 GMT'],
    ['"@method"', 'POST'],
    ['"@path"', '/foo'],
    ['"@authority"', 'example.com'],
    ['"content-type"', 'application/json'],
    ['"content-length"', '18'],
  ]
  const params = signatureParams(covered, [
    ['created', 1_618_884_473],
    ['keyid', 'test-key-ed25519'],
  ])
  assert.equal(
    params,
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
  )
  const base = Buffer.from(signatureBase(covered, params))
  const key = createPrivateKey({ key: RFC_KEY, format: 'jwk' })
  assert.equal(
    sign(null, base, key).toString('base64'),
    'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
  )
})

test('a key is named by its thumbprint (RFC 8037, A.3)', () => {
  assert.equal(
    thumbprintOf('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
    'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  )
})

const NOW_MS = 1_800_000_000_000
const NOW_S = NOW_MS / 1_000
const AGENT = 'https://station.example'

function newSigner() {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' })
  let made = 0
  const newNonce = (): string => `nonce${++made}`
  const bot = { key, publicKey: x, agent: AGENT, nowMs: () => NOW_MS, newNonce }
  const published: PublishedKey = { kty: 'OKP', crv: 'Ed25519', x, kid: thumbprintOf(x) }
  return { bot, published, headersFor: createBotSigner(bot) }
}

test('a signed request holds for its host and its time, and for nothing else', () => {
  const { headersFor, published } = newSigner()
  const headers = Object.fromEntries(headersFor(new URL('https://Site.example:443/a?b#c')))
  assert.equal(headers['signature-agent'], `sig1="${AGENT}"`)
  assert.match(
    headers['signature-input']!,
    /^sig1=\("@authority" "signature-agent";key="sig1"\);created=1800000000;keyid="[\w-]{43}";alg="ed25519";expires=1800000300;nonce="nonce1";tag="web-bot-auth"$/,
  )
  const request = { authority: 'site.example', headers, nowS: NOW_S }
  const keys = [newSigner().published, published]
  assert.equal(problemOf(request, keys), null)
  assert.equal(problemOf({ ...request, nowS: NOW_S + 300 }, keys), null)
  assert.equal(problemOf({ ...request, nowS: NOW_S + 301 }, keys), 'expired')
  assert.equal(problemOf({ ...request, nowS: NOW_S - 60 }, keys), 'from the future')
  assert.equal(problemOf({ ...request, authority: 'other.example' }, keys), 'wrong signature')
  assert.equal(problemOf(request, [newSigner().published]), 'unknown key')
  const moved = { ...headers, 'signature-agent': 'sig1="https://thief.example"' }
  assert.equal(problemOf({ ...request, headers: moved }, keys), 'wrong signature')
  assert.equal(problemOf({ ...request, headers: {} }, keys), 'no Signature-Input')
})

test('a port that is not the usual one is part of the authority, and every nonce is new', () => {
  const { headersFor, published } = newSigner()
  const url = new URL('http://site.example:8080/')
  const [one, two] = [headersFor(url), headersFor(url)].map((list) => Object.fromEntries(list))
  assert.notEqual(one!['signature'], two!['signature'])
  for (const headers of [one!, two!]) {
    const request = { authority: 'site.example:8080', headers, nowS: NOW_S }
    assert.equal(problemOf(request, [published]), null)
  }
})

test('a directory is signed for the authority of its station alone', () => {
  const { bot } = newSigner()
  const { signature, ...times } = signDirectory(bot, {
    agent: 'https://station.example/',
    nowMs: NOW_MS,
    validS: 60,
  })
  assert.deepEqual(times, { createdS: NOW_S, expiresS: NOW_S + 60 })
  const key = createPublicKey(bot.key)
  const holds = (authority: string): boolean => {
    const base = directoryBase({ publicKey: bot.publicKey, authority, ...times })
    return verify(null, base, key, Buffer.from(signature, 'base64'))
  }
  assert.ok(holds('station.example'))
  assert.ok(!holds('other.example'))
})
