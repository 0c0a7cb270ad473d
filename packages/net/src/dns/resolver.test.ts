// Goal: names are asked once, remembered for their time and never mixed up. Method: a counted look-up and a clock moved by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from '@minga/protocol'
import type { Clock } from '@minga/protocol'
import * as fc from 'fast-check'
import { createResolver, parseOverrides } from './resolver.ts'
import type { ResolverOptions } from './resolver.ts'

function setUp(more: Partial<ResolverOptions> = {}) {
  let nowMs = 0
  const clock: Clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: () => Promise.resolve(),
  }
  const asked: string[] = []
  const lookup = async (name: string): Promise<string[]> => {
    asked.push(name)
    await Promise.resolve()
    if (name.startsWith('missing')) throw Object.assign(new Error('no'), { code: 'ENOTFOUND' })
    if (name.startsWith('broken')) throw Object.assign(new Error('again'), { code: 'EAI_AGAIN' })
    return name.startsWith('empty') ? [] : ['192.0.2.1', '2001:db8::1', '192.0.2.1']
  }
  const pass = (ms: number): void => void (nowMs += ms)
  return { resolver: createResolver({ clock, lookup, ...more }), asked, pass }
}

test('a name is asked once, also by many at the same time, whatever its case or root dot', async () => {
  const { resolver, asked } = setUp()
  const found = await Promise.all(
    ['a.test', 'A.test', 'a.TEST.'].map((name) => resolver.resolve(name)),
  )
  for (const one of found)
    assert.deepEqual(one, { ok: true, addresses: ['192.0.2.1', '2001:db8::1'] })
  await resolver.resolve('a.test')
  assert.deepEqual(asked, ['a.test'])
})

test('an answer is kept five minutes, a failure half a minute', async () => {
  const { resolver, asked, pass } = setUp()
  for (const name of ['a.test', 'missing.test', 'broken.test']) await resolver.resolve(name)
  pass(29_999)
  for (const name of ['a.test', 'missing.test', 'broken.test']) await resolver.resolve(name)
  assert.equal(asked.length, 3)
  pass(1)
  for (const name of ['a.test', 'missing.test', 'broken.test']) await resolver.resolve(name)
  assert.deepEqual(asked.slice(3), ['missing.test', 'broken.test'])
  pass(300_000)
  await resolver.resolve('a.test')
  assert.equal(asked.filter((name) => name === 'a.test').length, 2)
})

test('a fresh answer is asked for whatever is remembered, and remembered for the others', async () => {
  const { resolver, asked } = setUp()
  for (const isFresh of [false, true, false])
    await resolver.resolve('a.test', undefined, { isFresh })
  assert.deepEqual(asked, ['a.test', 'a.test'])
})

test('a missing name and a failing server are distinguished', async () => {
  const { resolver } = setUp()
  const codes = []
  for (const name of ['missing.test', 'empty.test', 'broken.test', '', 'x'.repeat(300)]) {
    const found = await resolver.resolve(name)
    codes.push(found.ok ? 'ok' : found.code)
  }
  const missing = 'MINGA_DNS_NOT_FOUND'
  assert.deepEqual(codes, [missing, missing, 'MINGA_DNS_FAILED', missing, missing])
})

test('IP literals answer themselves', async () => {
  const { resolver, asked } = setUp()
  assert.deepEqual(await resolver.resolve('192.0.2.7'), { ok: true, addresses: ['192.0.2.7'] })
  assert.deepEqual(await resolver.resolve('[2001:DB8::7]'), {
    ok: true,
    addresses: ['2001:db8::7'],
  })
  assert.deepEqual(asked, [])
})

test('beyond the limit the name used longest ago is forgotten', async () => {
  const { resolver, asked } = setUp({ maxEntries: 2 })
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await resolver.resolve(name)
  assert.deepEqual(asked, ['a', 'b', 'c', 'b'])
})

test('a caller that gives up does not disturb the others', async () => {
  const { resolver, asked } = setUp()
  const stop = new AbortController()
  const given = resolver.resolve('a.test', stop.signal)
  const kept = resolver.resolve('a.test')
  stop.abort()
  const up = await given
  assert.ok(!up.ok && up.code === 'MINGA_DNS_FAILED')
  assert.ok((await kept).ok)
  assert.ok(!(await resolver.resolve('b.test', stop.signal)).ok)
  assert.deepEqual(asked, ['a.test', 'b.test'])
})

test('changing a returned list does not change what others get', async () => {
  const { resolver } = setUp()
  const first = await resolver.resolve('a.test')
  if (first.ok) first.addresses.length = 0
  assert.deepEqual(await resolver.resolve('a.test'), {
    ok: true,
    addresses: ['192.0.2.1', '2001:db8::1'],
  })
})

test('overrides win over look-ups: exact names first, then the longest wildcard', async () => {
  const overrides = ['*.fake.test=127.0.9.1', 'a.fake.test=::1', '*.b.fake.test=127.0.9.2,[::2]']
  const { resolver, asked } = setUp({ overrides })
  const found = []
  for (const name of ['x.fake.test', 'X.Y.Fake.Test.', 'a.fake.test', 'c.b.fake.test']) {
    const one = await resolver.resolve(name)
    found.push(one.ok && one.addresses.join())
  }
  assert.deepEqual(found, ['127.0.9.1', '127.0.9.1', '::1', '127.0.9.2,::2'])
  await resolver.resolve('fake.test')
  await resolver.resolve('xfake.test')
  assert.deepEqual(asked, ['fake.test', 'xfake.test'])
})

test('a bad override is refused with a sentence that quotes it', () => {
  for (const bad of [
    '',
    'a.test',
    '=1.2.3.4',
    'a.test=',
    'a.test=b.test',
    'a.*.test=::1',
    '*=::1',
    'a b=::1',
    'a=1.2.3.4,',
  ]) {
    assert.throws(
      () => parseOverrides([bad]),
      { code: 'MINGA_INVALID_RESOLVE_OVERRIDE', message: /NAME=ADDRESS/ },
      bad,
    )
  }
})

test('any text as an override is either used or refused by its own error', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (left, right) => {
      try {
        parseOverrides([`${left}=${right}`, right])
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'MINGA_INVALID_RESOLVE_OVERRIDE')
      }
    }),
    { numRuns: 5000 },
  )
})

test('the system resolver knows localhost', async () => {
  const found = await createResolver({ clock: systemClock }).resolve('localhost')
  assert.ok(found.ok)
  assert.ok(found.addresses.some((address) => address === '127.0.0.1' || address === '::1'))
})
