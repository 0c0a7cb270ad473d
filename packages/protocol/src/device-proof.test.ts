// Goal: a proof holds for its own key, purpose and words, and for nothing else. Method: every proof
// checked against every other, keys and signatures of every wrong form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  enrolProof,
  helloProof,
  isProof,
  newDeviceKeys,
  privateKeyOf,
  publicKeyOf,
  signProof,
  uploadProof,
} from './device-proof.ts'

const keys = newDeviceKeys()
const key = privateKeyOf(keys)
const publicKey = publicKeyOf(keys.publicKey)!

test('a proof holds for its own words only', () => {
  const hello = { device: 'dev_1', boot: 'boot-1', nonce: 'n' }
  const proofs = [
    enrolProof(keys.publicKey, 'token'),
    enrolProof(keys.publicKey, 'token2'),
    helloProof(hello),
    helloProof({ ...hello, boot: 'boot-2' }),
    helloProof({ ...hello, nonce: 'm' }),
    helloProof({ ...hello, device: 'dev_2' }),
    uploadProof(Buffer.from('an upload')),
    uploadProof(Buffer.from('an upload.')),
    uploadProof(Buffer.alloc(0)),
  ]
  for (const signed of proofs) {
    const signature = signProof(key, signed)
    for (const proof of proofs) assert.equal(isProof(publicKey, proof, signature), proof === signed)
  }
})

test('the signature of another key does not hold', () => {
  const proof = uploadProof(Buffer.from('x'))
  const signature = signProof(privateKeyOf(newDeviceKeys()), proof)
  assert.equal(isProof(publicKey, proof, signature), false)
})

test('whatever is shown as a signature or a key, the answer is no and never a crash', () => {
  const proof = uploadProof(Buffer.from('x'))
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.base64String(), (text, base64) => {
      assert.equal(isProof(publicKey, proof, text), false)
      assert.equal(isProof(publicKey, proof, base64), false)
      for (const shown of [text, base64]) {
        const other = publicKeyOf(shown)
        assert.ok(other === null || !isProof(other, proof, signProof(key, proof)))
      }
    }),
    { numRuns: 2_000 },
  )
})
