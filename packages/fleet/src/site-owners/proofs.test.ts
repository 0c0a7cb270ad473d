// Goal: control of a host is proven by what only its keeper can publish, for a time, and by the holder
// of the secret alone. Method: the texts one by one; the real operations on both databases over
// virtual months.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openDevices, type TestDevices } from '../../test/devices/devices-fixture.ts'
import { isInFile, isInRecords, recordNames, recordOf } from './proof-text.ts'
import type { ProofFile, ProofView } from './proofs.ts'

const DAY_MS = 86_400_000

test('the token counts in a separate line, whatever else is in the file', () => {
  for (const text of ['tok', 'tok\n', '\ufeff\r\ntok\r\n', 'other\rtok', 'a\n  tok  \nb']) {
    assert.ok(isInFile('tok', text), JSON.stringify(text))
  }
  for (const text of ['', 'token', 'xtok', '<p>tok</p>', 'to\nk', 'TOK']) {
    assert.ok(!isInFile('tok', text), JSON.stringify(text))
  }
})

test('a record counts when it is exactly the token with its name', () => {
  assert.equal(recordOf('tok'), 'minga-proof=tok')
  assert.ok(isInRecords('tok', ['v=spf1 -all', ' minga-proof=tok ']))
  assert.ok(!isInRecords('tok', ['tok', 'minga-proof=token', 'x minga-proof=tok']))
  assert.deepEqual(recordNames('a.example.org'), ['_minga-proof.a.example.org', 'a.example.org'])
})

test('no text breaks the look for a token', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uuid(), (text, token) => {
      assert.equal(isInFile(token, `${text}\n${token}\n${text}`), true)
      assert.equal(typeof isInRecords(token, [text]), 'boolean')
    }),
    { numRuns: 2_000 },
  )
})

const KEY = { id: 'proof_1', secretHash: 'the hash' }

function openOne(devices: TestDevices, more: object = {}): Promise<ProofView> {
  const usual = { ...KEY, host: 'a.example.org', purpose: 'owner', token: 'tok' } as const
  return devices.store.call('openProof', { ...usual, now: devices.now, ...more })
}

const view = (devices: TestDevices): Promise<ProofView> =>
  devices.store.call('proofOf', { ...KEY, now: devices.now })
const want = (devices: TestDevices): Promise<ProofView> =>
  devices.store.call('wantFile', { ...KEY, now: devices.now })
const claim = (devices: TestDevices): Promise<ProofFile[]> =>
  devices.store.call('claimFiles', { now: devices.now, outMs: 60_000, limit: 10 })
const file = (devices: TestDevices, text: string | null, note = 'said'): Promise<void> =>
  devices.store.call('noteFile', { id: KEY.id, text, note, now: devices.now })
const dns = (devices: TestDevices, records: string[]): Promise<void> =>
  devices.store.call('noteRecords', { id: KEY.id, records, note: 'none', now: devices.now })
const isProven = (devices: TestDevices, more: object = {}): Promise<boolean> => {
  const asked = { host: 'a.example.org', purpose: 'owner', now: devices.now, ...more } as const
  return devices.store.call('isHostProven', asked)
}

for (const engine of ENGINES) {
  describe(`Proofs of control on ${engine.name}`, { skip: engine.skip }, () => {
    test('a file is wanted, fetched once by one device, and proves its host for ninety days', async () => {
      const devices = await openDevices(engine)
      await openOne(devices)
      assert.deepEqual(await claim(devices), [])
      assert.equal((await want(devices)).isFileWanted, true)
      assert.deepEqual(await claim(devices), [{ id: KEY.id, host: 'a.example.org' }])
      assert.deepEqual(await claim(devices), [])
      assert.equal(await isProven(devices), false)
      await file(devices, 'tok\n')
      const proven = await view(devices)
      assert.equal(proven.provenBy, 'file')
      assert.equal(proven.isFileWanted, false)
      assert.equal(proven.expiresAt, devices.now + 90 * DAY_MS)
      assert.equal(await isProven(devices), true)
      assert.equal(await isProven(devices, { purpose: 'load-test' }), false)
      assert.equal(await isProven(devices, { host: 'b.example.org' }), false)
      devices.now += 90 * DAY_MS
      assert.equal(await isProven(devices), false)
      await assert.rejects(view(devices), { code: 'MINGA_NO_SUCH_PROOF' })
      assert.equal(await devices.store.call('sweepProofs', { now: devices.now }), 1)
    })

    test('both schemes finish before a check is over, and the result of each is reported', async () => {
      const devices = await openDevices(engine)
      await openOne(devices)
      await want(devices)
      await claim(devices)
      await file(devices, null, 'https: HTTP 404')
      assert.equal((await view(devices)).isFileWanted, true)
      await file(devices, 'something else', 'http: without')
      const { isFileWanted, fileNote, provenAt } = await view(devices)
      assert.deepEqual(
        { isFileWanted, fileNote, provenAt },
        { isFileWanted: false, fileNote: 'https: HTTP 404; http: without', provenAt: null },
      )
      await want(devices)
      assert.equal((await claim(devices)).length, 1)
      await file(devices, 'tok')
      assert.equal((await view(devices)).provenBy, 'file')
    })

    test('a file that does not come back is given to another device, for ten minutes', async () => {
      const devices = await openDevices(engine)
      await openOne(devices)
      await want(devices)
      assert.equal((await claim(devices)).length, 1)
      devices.now += 60_000
      assert.equal((await claim(devices)).length, 1)
      devices.now += 600_000
      assert.deepEqual(await claim(devices), [])
      assert.equal((await view(devices)).isFileWanted, false)
    })

    test('DNS proves more than a file and is not replaced by one; a look that fails takes nothing', async () => {
      const devices = await openDevices(engine)
      await openOne(devices)
      await dns(devices, ['minga-proof=other'])
      assert.equal((await view(devices)).dnsNote, 'none')
      await dns(devices, ['minga-proof=tok'])
      assert.equal((await view(devices)).provenBy, 'dns')
      devices.now += DAY_MS
      await file(devices, 'tok')
      await dns(devices, [])
      const again = await view(devices)
      assert.equal(again.provenBy, 'dns')
      assert.equal(again.expiresAt, devices.now + 90 * DAY_MS)
    })

    test('an unproven one ends after a week, and none can be used without its secret', async () => {
      const devices = await openDevices(engine)
      await openOne(devices)
      const { store, now } = devices
      for (const key of [
        { ...KEY, secretHash: 'guessed' },
        { ...KEY, id: 'proof_2' },
      ]) {
        const refusal = { code: 'MINGA_NO_SUCH_PROOF' }
        await assert.rejects(store.call('proofOf', { ...key, now }), refusal)
        await assert.rejects(store.call('wantFile', { ...key, now }), refusal)
      }
      const proven = { ...KEY, now }
      await assert.rejects(store.call('provenProof', { ...proven, purpose: 'owner' }), {
        code: 'MINGA_PROOF_MISSING',
      })
      await file(devices, 'tok')
      await assert.rejects(store.call('provenProof', { ...proven, purpose: 'load-test' }), {
        code: 'MINGA_NO_SUCH_PROOF',
      })
      await openOne(devices, { id: 'proof_3' })
      devices.now += 7 * DAY_MS
      assert.equal(await store.call('sweepProofs', { now: devices.now }), 1)
      assert.equal((await view(devices)).id, KEY.id)
    })
  })
}
