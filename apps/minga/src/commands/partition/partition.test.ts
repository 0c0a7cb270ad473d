// Goal: the command keeps its contract with scripts: files, figures and exit codes. Method: the program itself
// on small graphs in a temporary folder.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { runMinga } from '../../../test/commands/minga-fixture.ts'

let folder = ''
const at = (name: string): string => join(folder, name)

/** Two squares, joined by one edge. */
const SQUARES = '8 9\n2 4\n1 3\n2 4\n3 1 5\n4 6 8\n5 7\n6 8\n7 5\n'

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'minga-partition-'))
  await writeFile(at('g.graph'), SQUARES)
  await writeFile(at('g.graph.gz'), gzipSync(SQUARES))
  await writeFile(at('marked.graph'), `\uFEFF${SQUARES}`)
})

after(() => rm(folder, { recursive: true }))

test('a graph is cut into a file of parts, gzip or not, with the same figures', async () => {
  for (const name of ['g.graph', 'g.graph.gz', 'marked.graph']) {
    const ended = await runMinga(['partition', at(name), '-k', '2', '--out', at('parts'), '--json'])
    assert.equal(ended.code, 0, ended.err)
    const { cut, imbalance, balanced, seconds, memoryMb } = JSON.parse(ended.out)
    assert.deepEqual([cut, imbalance, balanced], [1, 0, true])
    assert.ok(seconds.partitioning >= 0 && memoryMb > 0)
    const parts = await readFile(at('parts'), 'utf8')
    assert.match(parts, /^(0\n0\n0\n0\n1\n1\n1\n1|1\n1\n1\n1\n0\n0\n0\n0)\n$/)
  }
})

test('fixed vertices, costs and an earlier partition are read from files', async () => {
  await writeFile(at('fixed'), '-1\n-1\n-1\n1\n-1\n-1\n-1\n0\n')
  await writeFile(at('cost'), '0 0\n'.repeat(8))
  await writeFile(at('previous'), '1\n1\n1\n1\n0\n0\n0\n0\n')
  const files = ['--fixed', at('fixed'), '--cost', at('cost'), '--previous', at('previous')]
  const ended = await runMinga([
    'partition',
    at('g.graph'),
    '-k',
    '2',
    ...files,
    '--out',
    at('parts'),
    '--json',
  ])
  assert.equal(ended.code, 0, ended.err)
  assert.equal(JSON.parse(ended.out).migration, 0)
  assert.equal(await readFile(at('parts'), 'utf8'), '1\n1\n1\n1\n0\n0\n0\n0\n')
})

test('what cannot be met is done as well as can be and said', async () => {
  await writeFile(at('fixed'), '0\n'.repeat(8))
  const ended = await runMinga([
    'partition',
    at('g.graph'),
    '-k',
    '2',
    '--fixed',
    at('fixed'),
    '--json',
  ])
  assert.equal(ended.code, 0)
  assert.equal(JSON.parse(ended.out).balanced, false)
  assert.match(
    ended.err,
    /fixed to part 0 weigh 8, more than the 4\.12 that it holds; this is the best effort/,
  )
})

test('wrong options and broken files end with the code for usage and name the line', async () => {
  await writeFile(at('broken.graph'), '2 1\n2\nx\n')
  await writeFile(at('cut.graph.gz'), gzipSync(SQUARES).subarray(0, 30))
  const cases: [args: string[], reason: RegExp][] = [
    [[at('g.graph')], /-k/],
    [[at('g.graph'), '-k', '0'], /MINGA_BAD_OPTION/],
    [[at('g.graph'), '-k', '2', '--preset', 'best'], /one of fast, default, strong/],
    [[at('nothing.graph'), '-k', '2'], /MINGA_UNREADABLE_FILE/],
    [[at('broken.graph'), '-k', '2'], /line 3: .*MINGA_BAD_GRAPH_FILE/],
    [[at('cut.graph.gz'), '-k', '2'], /MINGA_UNREADABLE_FILE/],
    [[at('g.graph'), '-k', '2', '--capacity', '3'], /--capacity takes 2 numbers/],
    [[at('g.graph'), '-k', '2', '--out', at('none/parts')], /its folder does not exist/],
    [[at('g.graph'), '-k', '2', '--out', '-', '--json'], /--out takes a file with --json/],
    [[at('g.graph'), '-k', '2', '--out', at('g.graph')], /--out takes another file than the graph/],
    [[at('g.graph'), '-k', '2', '--out', folder], /^minga: [^\n]*\(MINGA_UNWRITABLE_FOLDER\)\n$/],
  ]
  for (const [args, reason] of cases) {
    const ended = await runMinga(['partition', ...args])
    assert.equal(ended.code, 2, ended.err)
    assert.match(ended.err, reason)
  }
})

test('parts go to standard output alone, and messages about them to standard error', async () => {
  const { code, out, err } = await runMinga(['partition', at('g.graph'), '-k', '2', '--out', '-'])
  assert.equal(code, 0)
  assert.match(out, /^(?:[01]\n)+$/)
  assert.match(err, /vertices/)
})

test('the help begins with examples', async () => {
  const { out, code } = await runMinga(['partition', '--help'])
  assert.equal(code, 0)
  assert.match(out, /^Examples:\n {2}minga partition /)
})
