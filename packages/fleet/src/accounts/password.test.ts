// Goal: a password opens and nothing else does, whatever is stored. Method: real scrypt at a small
// cost, damaged hashes, and passwords that people and programs come up with.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { checkPassword, hashPassword, isOutdated, isPassword, PASSWORD_COST } from './password.ts'

const CHEAP = { logN: 4, r: 8, p: 1 }
const RUNS = { numRuns: process.env['MINGA_LONG'] === '1' ? 2_000 : 100 }

test('a password opens its own hash and no other password does', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(text, text, async (password, other) => {
      const stored = await hashPassword(password, CHEAP)
      assert.equal(await isPassword(password, stored), true)
      const isSame = other.normalize('NFKC') === password.normalize('NFKC')
      assert.equal(await isPassword(other, stored), isSame)
    }),
    RUNS,
  )
})

test('passwords that differ only in control characters are different passwords', async () => {
  const stored = await hashPassword('a password', CHEAP)
  for (const end of ['\0', '\0\0', '\u0001', '\u0001\u0001'])
    assert.equal(await isPassword(`a password${end}`, stored), false)
  const withNul = await hashPassword('a password\0', CHEAP)
  assert.equal(await isPassword('a password\0', withNul), true)
  assert.equal(await isPassword('a password\u0001\u0001', withNul), false)
})

test('the same password has another hash each time and keeps its parameters in it', async () => {
  const [one, two] = [await hashPassword('the same', CHEAP), await hashPassword('the same', CHEAP)]
  assert.notEqual(one, two)
  assert.match(one, /^scrypt\$ln=4,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/)
  const dear = await hashPassword('the same')
  assert.match(dear, /^scrypt\$ln=15,r=8,p=3\$/)
  assert.equal(await isPassword('the same', dear), true)
  assert.deepEqual(
    [isOutdated(one), isOutdated(one, CHEAP), isOutdated(dear)],
    [true, false, false],
  )
  assert.deepEqual(PASSWORD_COST, { logN: 15, r: 8, p: 3 })
})

test('composed and decomposed accents are the same password', async () => {
  const stored = await hashPassword('contraseña'.normalize('NFD'), CHEAP)
  assert.equal(await isPassword('contraseña'.normalize('NFC'), stored), true)
})

test('a damaged or foreign hash opens nothing and breaks nothing', async () => {
  const stored = await hashPassword('a password', CHEAP)
  const damaged = ['', 'a password', '$2b$10$abcdefghijklmnopqrstuv', stored.slice(0, -1)]
  damaged.push(stored.replace('scrypt', 'crypts'), `${stored}A`, stored.replace('ln=4', 'ln=5'))
  damaged.push(stored.replace('ln=4', 'ln=60'))
  for (const hash of damaged) assert.equal(await isPassword('a password', hash), false, hash)
})

test('short, long, repeated, common and self-naming passwords are refused with the reason', () => {
  const common = new Set(['password', 'liverpool'])
  const rules = { name: 'ana.torres', common }
  const bad: [password: string, reason: RegExp][] = [
    ['', /shorter than 10/],
    ['123456789', /shorter than 10/],
    ['🐑🐑🐑🐑🐑', /shorter than 10/],
    ['x'.repeat(257), /longer than 256/],
    ['aaaaaaaaaaaaaaaa', /same few characters/],
    ['abababababab', /same few characters/],
    ['Password123', /first that anyone would try/],
    ['liverpool2024', /first that anyone would try/],
    ['passwordpassword', /first that anyone would try/],
    ['abcdefghij', /first that anyone would try/],
    ['Ana.Torres12', /little more than the account's name/],
  ]
  for (const [password, message] of bad) {
    assert.throws(() => checkPassword(password, rules), {
      code: 'MINGA_WEAK_PASSWORD',
      retry: 'never',
      message,
    })
  }
  checkPassword('minga llama quinoa', rules)
  checkPassword('ana.torres walks to the market', rules)
  checkPassword('liverpool20245', rules)
})
