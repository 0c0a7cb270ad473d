// Goal: `minga simulate revisit` answers as its contract says. Method: the real command as a process of its own
// on a tiny trace.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runMinga, type Ended } from '../../../test/commands/minga-fixture.ts'

let folder = ''
let trace = ''

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'minga-revisit-test-'))
  trace = join(folder, 'trace.jsonl')
  const line = { url: 'https://a.example/', changes: [100_000], start: 0, end: 864_000 }
  await writeFile(trace, `${JSON.stringify(line)}\n`)
})
after(() => rm(folder, { recursive: true }))

const revisit = (...args: string[]): Promise<Ended> => runMinga(['simulate', 'revisit', ...args])

test('Simulator + console: every policy of the contract has its row with the figures it names', async () => {
  const names =
    'fixed:24,random,uniform,proportional,simple,notification,history,day-type,exponential-gap,nutch,cho,azar,lambda-crawl,minga,minga:freshness,oracle'
  const args = ['--trace', trace, '--budget', '1', '--policy', names, '--seed', '3', '--json']
  const { code, out } = await revisit(...args)
  assert.equal(code, 0)
  const { policies } = JSON.parse(out) as { policies: Record<string, unknown>[] }
  assert.deepEqual(
    policies.map(({ name }) => name),
    names.split(','),
  )
  for (const row of policies) {
    for (const figure of [
      'crawls',
      'changes',
      'caught',
      'lost',
      'versions',
      'weightedVersions',
      'freshness',
      'meanAgeHours',
      'redundant',
      'oracleRatio',
    ]) {
      assert.equal(typeof row[figure], 'number', `${String(row['name'])} ${figure}`)
    }
  }
})

test('Simulator + console: without --json it is a table, with --plot also a drawing', async () => {
  const plot = join(folder, 'plot.svg')
  const args = ['--regime', 'steady', '--urls', '10', '--days', '10', '--policy', 'uniform,minga']
  const { code, out } = await revisit(...args, '--plot', plot)
  assert.equal(code, 0)
  assert.match(out, /^steady: 10 URLs.*\npolicy +crawls/)
  assert.match(await readFile(plot, 'utf8'), /^<svg /)
})

test('a trace, regime, budget or policy that cannot be is refused in a sentence', async () => {
  const torn = join(folder, 'torn.jsonl')
  await writeFile(torn, '{"url": "a"}\n')
  for (const [args, message] of [
    [['--trace', torn], /Line 1 of the trace.*MINGA_BAD_TRACE/],
    [['--trace', join(folder, 'none')], /MINGA_BAD_OPTION/],
    [['--regime', 'calm'], /one of steady/],
    [['--regime', 'steady', '--trace', trace], /MINGA_BAD_OPTION/],
    [['--budget', '0'], /a number above 0/],
    [['--budget', '1e9'], /at most 86400/],
    [['--trace', trace, '--plot', join(folder, 'none', 'plot.svg')], /its folder does not exist/],
    [['--policy', 'mingo'], /There is no policy "mingo".*MINGA_UNKNOWN_POLICY/],
  ] as const) {
    const { code, err } = await revisit(...args)
    assert.equal(code, 2, err)
    assert.match(err, message)
  }
})
