// Goal: `minga simulate partition` prints a report or one JSON object, writes its figures, and refuses bad input
// with exit code 2. Method: the real command as a process of its own, with a tiny scenario.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runMinga, type Ended } from '../../../test/commands/minga-fixture.ts'

let folder = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'minga-partition-test-'))
})
after(() => rm(folder, { recursive: true }))

async function scenarioFile(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

const simulate = (...args: string[]): Promise<Ended> => runMinga(['simulate', 'partition', ...args])

const TINY = JSON.stringify({
  scale: 0.01,
  seeds: 2,
  k: [2, 3],
  allocators: ['hash-host', 'minga'],
  politeness: ['adjusted'],
  weathers: [],
  trends: [],
})

test('DES simulator: the command prints one JSON object and its figures are files', async () => {
  const scenario = await scenarioFile('tiny.json', TINY)
  const out = join(folder, 'figures')
  const { code, out: text } = await simulate('--scenario', scenario, '--json', '--out', out)
  assert.equal(code, 0)
  const report = JSON.parse(text) as { rows: unknown[]; seeds: number[] }
  assert.deepEqual([report.rows.length, report.seeds], [4, [1, 2]])
  assert.deepEqual(await readdir(out), [
    'exchange.svg',
    'makespan-adjusted.svg',
    'partition.csv',
    'placements.csv',
  ])
})

test('a scenario of placements that cannot be run is refused in a sentence', async () => {
  const bad = await scenarioFile('bad.json', '{"k": [1000]}')
  const torn = await scenarioFile('torn.json', '{')
  for (const [args, message] of [
    [['--scenario', bad], /k must be a list of whole numbers from 2 to 99.*MINGA_BAD_SCENARIO/],
    [['--scenario', torn], /text must be JSON.*MINGA_BAD_SCENARIO/],
    [['--scenario', join(folder, 'none.json')], /MINGA_BAD_OPTION/],
    [['--seed', 'x'], /--seed/],
  ] as const) {
    const { code, err } = await simulate(...args)
    assert.equal(code, 2)
    assert.match(err, message)
  }
})
