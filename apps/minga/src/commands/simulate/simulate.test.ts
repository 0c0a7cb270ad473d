// Goal: `minga simulate fleet` prints a table or one JSON object, writes its figures, and refuses bad input
// with exit code 2. Method: the real command as a process of its own, with a tiny scenario.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runMinga, type Ended } from '../../../test/commands/minga-fixture.ts'

let folder = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'minga-simulate-test-'))
})
after(() => rm(folder, { recursive: true }))

async function scenarioFile(name: string, text: string): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

const simulate = (...args: string[]): Promise<Ended> => runMinga(['simulate', 'fleet', ...args])

const TINY = '{"experiments": ["agents"], "dataSets": ["D2"], "agents": [0, 1], "urls": {"D2": 20}}'

test('the report is one JSON object and its figures are files', async () => {
  const scenario = await scenarioFile('tiny.json', TINY)
  const out = join(folder, 'figures')
  const { code, out: text } = await simulate('--scenario', scenario, '--json', '--out', out)
  assert.equal(code, 0)
  const report = JSON.parse(text) as { rows: unknown[]; seeds: number[] }
  assert.deepEqual([report.rows.length, report.seeds.length], [2, 5])
  assert.deepEqual(await readdir(out), ['agents-d2-most.svg', 'agents-d2.svg', 'fleet.csv'])
})

test('a scenario or scale that cannot be run is refused in a sentence', async () => {
  const bad = await scenarioFile('bad.json', '{"agents": [99]}')
  const torn = await scenarioFile('torn.json', '{')
  for (const [args, message] of [
    [['--scenario', bad], /agents must be at most 7.*MINGA_BAD_SCENARIO/],
    [['--scenario', torn], /text must be JSON.*MINGA_BAD_SCENARIO/],
    [['--scenario', join(folder, 'none.json')], /MINGA_BAD_OPTION/],
    [['--scale', '2'], /--scale takes a number above 0, at most 1, not "2"/],
  ] as const) {
    const { code, err } = await simulate(...args)
    assert.equal(code, 2)
    assert.match(err, message)
  }
})
