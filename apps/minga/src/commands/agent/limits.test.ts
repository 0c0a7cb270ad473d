// Goal: every limit can be given as an option or in a file, and what is not one is refused by its name.
// Method: the options are parsed by the real parser; the amounts are checked one by one.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Command } from 'commander'
import { addLimitOptions, amount, limitsIn, type LimitOptions } from './limits.ts'

const folder = mkdtempSync(join(tmpdir(), 'minga-limits-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function given(...args: string[]): LimitOptions {
  const command = addLimitOptions(new Command('join')).exitOverride()
  return command.parse(args, { from: 'user' }).opts()
}

test('amounts are read with decimal and binary units, and nothing else is an amount', () => {
  const read = amount('--monthly')
  const amounts: [string, number][] = [
    ['1', 1],
    ['500kB', 500_000],
    ['1MB', 1_000_000],
    ['1.5 gb', 1_500_000_000],
    ['20G', 20_000_000_000],
    ['1KiB', 1_024],
    ['200MiB', 209_715_200],
  ]
  for (const [text, bytes] of amounts) assert.equal(read(text), bytes, text)
  for (const text of [
    '',
    '0',
    '-1',
    'lots',
    '1XB',
    '1e9',
    '1,5GB',
    'MB',
    '99999999TB',
    'Infinity',
  ]) {
    assert.throws(() => read(text), { code: 'MINGA_BAD_OPTION' }, text)
  }
})

test('each option sets its limit and only that one', async () => {
  const options: [args: string[], limits: object][] = [
    [[], {}],
    [['--requests-per-second', '2.5'], { requestsPerSecond: 2.5 }],
    [['--bandwidth', '1MB'], { bytesPerSecond: 1_000_000 }],
    [['--monthly', '20GB'], { bytesPerMonth: 20_000_000_000 }],
    [['--disk', '100MB'], { diskBytes: 100_000_000 }],
    [['--cpu', '0.5'], { cpuShare: 0.5 }],
    [['--hours', '22:00-07:00'], { hours: '22:00-07:00' }],
    [['--concurrency-max', '8'], { concurrencyMax: 8 }],
    [['--pause-on-battery'], { pauseOnBattery: true }],
    [['--no-pause-on-battery'], { pauseOnBattery: false }],
    [['--no-pause-on-metered'], { pauseOnMetered: false }],
    [
      ['--never-host', 'a.test', '--never-host', '*.b.test'],
      { neverHosts: ['a.test', '*.b.test'] },
    ],
    [
      ['--monthly', 'none', '--bandwidth', 'none', '--cpu', 'none', '--hours', 'always'],
      { bytesPerMonth: null, bytesPerSecond: null, cpuShare: null, hours: null },
    ],
  ]
  for (const [args, limits] of options) assert.deepEqual(await limitsIn(given(...args)), limits)
})

test('a file gives limits, an option in addition to it wins, and a bad file is named', async () => {
  const file = join(folder, 'limits.json')
  writeFileSync(file, '{"hours":"01:00-02:00","cpuShare":0.25}')
  const limits = await limitsIn(given('--limits', file, '--cpu', '2'))
  assert.deepEqual(limits, { hours: '01:00-02:00', cpuShare: 2 })
  for (const text of ['', '[]', '7', '{']) {
    writeFileSync(file, text)
    const bad = { code: 'MINGA_BAD_LIMITS', message: /limits\.json cannot be read/ }
    await assert.rejects(limitsIn(given('--limits', file)), bad, text)
  }
  const lost = given('--limits', join(folder, 'nowhere.json'))
  await assert.rejects(limitsIn(lost), { code: 'MINGA_BAD_LIMITS' })
})
