// Goal: nothing but the signed file is accepted as a release: no other key, no changed byte, no
// version that was withdrawn, no manifest of another form. Method: real keys and signatures; each
// test changes one thing.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { RELEASE_FORMAT } from '@minga/protocol/agent-release'
import {
  compareVersions,
  verifyRelease,
  type Release,
  type ReleaseTrust,
} from './verify-release.ts'

const FILE = Buffer.from('the bytes of a tarball')
const ours = generateKeyPairSync('ed25519')
const theirs = generateKeyPairSync('ed25519')
const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()
const TRUST: ReleaseTrust = { keys: [pem(ours.publicKey)], minimumVersion: '0.1.0' }

const MANIFEST = {
  format: RELEASE_FORMAT,
  version: '1.2.3',
  file: 'minga-agent-1.2.3.tgz',
  bytes: FILE.length,
  sha256: createHash('sha256').update(FILE).digest('hex'),
  minimumVersion: '1.0.0',
}

function released(changes: object = {}, key = ours.privateKey, file: Buffer = FILE): Release {
  return signed(JSON.stringify({ ...MANIFEST, ...changes }), key, file)
}

function signed(text: string, key = ours.privateKey, file: Buffer = FILE): Release {
  const manifest = Buffer.from(text)
  return { manifest, signature: sign(null, manifest, key).toString('base64'), file }
}

const refusal = (why: RegExp) => (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'MINGA_BAD_RELEASE' &&
  why.test(error.message)

const refused = (release: Release, why: RegExp, trust = TRUST): void =>
  assert.throws(() => verifyRelease(release, trust), refusal(why))

test('a release that one of the trusted keys signed is accepted', () => {
  assert.deepEqual(verifyRelease(released(), TRUST), MANIFEST)
  const keys = [pem(theirs.publicKey), ...TRUST.keys]
  assert.equal(verifyRelease(released(), { ...TRUST, keys }).version, '1.2.3')
})

test('a signature of another key, of another text or of no form is refused', () => {
  refused(released({}, theirs.privateKey), /not of a key that is trusted/)
  refused({ ...released(), signature: released({ version: '1.2.4' }).signature }, /not of a key/)
  for (const signature of ['', 'AAAA', `${released().signature} `, 'x'.repeat(88)]) {
    refused({ ...released(), signature }, /signature cannot be read/)
  }
  refused(released(), /not of a key/, { ...TRUST, keys: [] })
})

test('a key that is none, or of another kind, is named as such', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  for (const key of ['no key', pem(rsa.publicKey)]) {
    refused(released(), /no Ed25519 key/, { ...TRUST, keys: [key] })
  }
})

test('a file that is changed, longer or shorter is refused', () => {
  const changed = Buffer.from(FILE)
  changed[3]! ^= 1
  refused(released({}, ours.privateKey, changed), /not the one that was signed/)
  refused(released({}, ours.privateKey, FILE.subarray(1)), /bytes instead of/)
  refused(released({}, ours.privateKey, Buffer.concat([FILE, FILE])), /bytes instead of/)
})

test('no way leads back below a minimum, its own or one that was seen before', () => {
  refused(released({ version: '0.9.9' }), /older than the minimum 1\.0\.0/)
  refused(released(), /older than the minimum 1\.2\.10/, { ...TRUST, minimumVersion: '1.2.10' })
  const back = released({ version: '1.2.0' })
  assert.equal(verifyRelease(back, { ...TRUST, minimumVersion: '1.1.9' }).version, '1.2.0')
  refused(released(), /no version/, { ...TRUST, minimumVersion: 'newest' })
})

test('manifests of another form are refused, also when they are signed', () => {
  for (const changes of [
    { format: 'minga-agent-release-2' },
    { version: '1.2' },
    { version: '1.2.3-beta' },
    { version: '01.2.3' },
    { file: '../minga-agent.tgz' },
    { bytes: -1 },
    { bytes: '22' },
    { sha256: MANIFEST.sha256.toUpperCase() },
    { minimumVersion: undefined },
    { more: true },
  ]) {
    refused(released(changes), /manifest cannot be read/)
  }
  for (const text of ['', 'null', '[]', '{', '"text"']) refused(signed(text), /cannot be read/)
  refused(signed(`"${'x'.repeat(70_000)}"`), /too long/)
})

test('versions are compared as numbers', () => {
  const sorted = ['0.9.10', '0.10.0', '1.0.0', '1.0.10', '1.2.0', '10.0.0']
  assert.deepEqual(sorted.toReversed().toSorted(compareVersions), sorted)
  assert.equal(compareVersions('1.2.3', '1.2.3'), 0)
})
