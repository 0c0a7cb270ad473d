// Goal: codes are those that authenticator apps show. Method: the vectors of RFC 6238 and RFC 4648, and times around a step.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTotpStep, newTotpSecret, toBase32, totpCode, totpUri } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')
const SECOND_MS = 1_000
const STEP_MS = 30 * SECOND_MS

test('codes are those of RFC 6238, appendix B', () => {
  const vectors: [seconds: number, code: string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of vectors) {
    assert.equal(totpCode(SECRET, Math.floor(seconds / 30)), code)
    assert.equal(findTotpStep(SECRET, code, seconds * SECOND_MS), Math.floor(seconds / 30))
  }
})

test('a code is accepted one step early or late, and nothing else is', () => {
  const secret = newTotpSecret()
  const step = 50_000_000
  const code = totpCode(secret, step)
  const at = (steps: number): number | null => findTotpStep(secret, code, (step + steps) * STEP_MS)
  assert.deepEqual([at(-2), at(-1), at(0), at(1), at(2)], [null, step, step, step, null])
  for (const typed of ['', code.slice(1), `${code}0`, ` ${code}`, 'abcdef', '１２３４５６']) {
    assert.equal(findTotpStep(secret, typed, step * STEP_MS), null)
  }
})

test('secrets are written in base32 (RFC 4648, section 10) and as the link that apps read', () => {
  const written = ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) =>
    toBase32(Buffer.from(text)),
  )
  assert.deepEqual(written, ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'])
  assert.equal(
    totpUri(SECRET, { issuer: 'Minga at a.test', name: 'ana' }),
    'otpauth://totp/Minga%20at%20a.test%3Aana?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Minga%20at%20a.test',
  )
})
