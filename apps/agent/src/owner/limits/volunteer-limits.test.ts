// Goal: a change of the limits is taken whole or refused with a sentence that names the field, and
// what is written down is read again. Method: every field with good and bad values; files in a folder.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as fc from 'fast-check'
import { isMingaError } from '@minga/protocol'
import { readUsage, readOwnerSettings, writeUsage, writeOwnerSettings } from './limits-file.ts'
import { changedLimits, neverHostTest, USUAL_LIMITS } from './volunteer-limits.ts'

const GOOD: Record<string, unknown[]> = {
  requestsPerSecond: [null, 0.1, 10_000],
  bytesPerSecond: [null, 1_000, 1e9],
  bytesPerMonth: [null, 0, 1e12],
  diskBytes: [1_048_576, 1e12],
  cpuShare: [null, 0.01, 4],
  concurrencyMax: [1, 1_000],
  hours: [null, '22:00-06:30', '8:00-9:00,12:00-13:00'],
  pauseOnBattery: [true, false],
  pauseOnMetered: [true, false],
  neverHosts: [
    [],
    ['example.org', '*.example.org', '192.0.2.1', '[2001:db8::1]', 'bücher.example'],
  ],
}
const BAD: Record<string, unknown[]> = {
  requestsPerSecond: [0, -1, NaN, Infinity, '5', 10_001, undefined],
  bytesPerSecond: [0, 999, '1000'],
  bytesPerMonth: [-1, 0.5, 1e300],
  diskBytes: [null, 0, 1_000, 1.5e6 + 0.5],
  cpuShare: [0, -1, 2_000],
  concurrencyMax: [null, 0, 1.5, 1_001],
  hours: ['', 'always', '10:00-10:00', 5],
  pauseOnBattery: [null, 1, 'true'],
  pauseOnMetered: [null, 'yes'],
  neverHosts: [null, 'example.org', [''], ['http://example.org/'], ['*'], ['a b'], [5]],
}

for (const name of Object.keys(USUAL_LIMITS)) {
  test(`the limit ${name} takes what makes sense and names itself when it does not`, () => {
    for (const value of GOOD[name]!) {
      assert.deepEqual(changedLimits(USUAL_LIMITS, { [name]: value }), {
        ...USUAL_LIMITS,
        [name]: value,
      })
    }
    for (const value of BAD[name]!) {
      assert.throws(
        () => changedLimits(USUAL_LIMITS, { hours: null, [name]: value }),
        (error) => {
          assert.ok(isMingaError(error) && error.code === 'MINGA_BAD_LIMITS')
          assert.match(
            error.message,
            new RegExp(`^The limit ${name} must be .*; nothing was changed\\.$`),
          )
          return true
        },
      )
    }
  })
}

test('whatever is sent as a change, it is taken or refused with the code for it', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...Object.keys(GOOD)), fc.anything())),
      (change) => {
        try {
          changedLimits(USUAL_LIMITS, change)
        } catch (error) {
          assert.ok(isMingaError(error) && error.code === 'MINGA_BAD_LIMITS')
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('hosts that are never to be asked are known by name, by what is below it, in any writing', () => {
  const isNever = neverHostTest(['Example.org', '*.news.example', 'bücher.example', '2001:db8::1'])
  for (const url of [
    'http://example.org/',
    'https://EXAMPLE.org:8080/a',
    'http://news.example/',
    'http://a.b.news.example/',
    'http://xn--bcher-kva.example/',
    'http://[2001:db8::1]/',
  ]) {
    assert.ok(isNever(url), url)
  }
  for (const url of [
    'http://www.example.org/',
    'http://anews.example/',
    'http://example.org.test/',
  ]) {
    assert.ok(!isNever(url), url)
  }
})

function folder(t: TestContext): string {
  const data = mkdtempSync(join(tmpdir(), 'minga-limits-'))
  t.after(() => rmSync(data, { recursive: true }))
  return data
}

test('settings and counts are read again as they were written, and only their owner can read them', async (t) => {
  const data = folder(t)
  assert.deepEqual(await readOwnerSettings(data), { limits: USUAL_LIMITS, isPaused: false })
  assert.equal(await readUsage(data), null)
  const ownerSettings = { limits: { ...USUAL_LIMITS, cpuShare: 0.5 }, isPaused: true }
  await writeOwnerSettings(data, ownerSettings)
  await writeUsage(data, { month: '2026-02', bytes: 12 })
  assert.deepEqual(await readOwnerSettings(data), ownerSettings)
  assert.deepEqual(await readUsage(data), { month: '2026-02', bytes: 12 })
  assert.deepEqual(readdirSync(data).toSorted(), ['limits.json', 'usage.json'])
  if (process.platform !== 'win32') {
    assert.equal(statSync(join(data, 'limits.json')).mode & 0o777, 0o600)
  }
})

test('a file of limits that cannot be used is named, left alone and not guessed at', async (t) => {
  const data = folder(t)
  const file = join(data, 'limits.json')
  for (const text of ['', '{"cpuShare":', '[]', 'null', '{"cpuShare": 0}', '{"cpuShar": 1}']) {
    writeFileSync(file, text)
    await assert.rejects(readOwnerSettings(data), {
      code: 'MINGA_BAD_LIMITS',
      message: /limits\.json/,
    })
    assert.equal(readFileSync(file, 'utf8'), text)
  }
  writeFileSync(file, '{"concurrencyMax": 4}')
  assert.deepEqual((await readOwnerSettings(data)).limits, { ...USUAL_LIMITS, concurrencyMax: 4 })
})

test('an unreadable count starts again at zero', async (t) => {
  const data = folder(t)
  for (const text of ['', '{}', '[]', 'null', '{"month":"2026-02","bytes":"many"}']) {
    writeFileSync(join(data, 'usage.json'), text)
    assert.equal(await readUsage(data), null)
  }
})
