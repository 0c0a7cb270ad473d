// Goal: a style check that finds nothing must be right, not blind. Method: each check is run on small
// examples that break its rule and on look-alikes (strings, comments, templates) that do not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ambientFindings } from './ambient.ts'
import { barrelFindings, cycleFindings, folderFindings, layeringFindings } from './imports.ts'
import { fileSizeFindings, functionFindings, nameFindings, syntaxFindings } from './shape.ts'
import { testFindings } from './test-form.ts'
import {
  errorCodesInSource,
  errorFindings,
  errorRows,
  lockfileFindings,
  textFindings,
} from './text.ts'
import { parse, workspaceFiles } from './workspace.ts'

const lines = (count: number): string => 'work()\n'.repeat(count)

test('layering refuses rooms below, strangers and relative paths, and lets tests use testkit', () => {
  const findings = layeringFindings(
    parse({
      'packages/net/src/good.ts': `import { a } from '@minga/protocol'; import 'undici'; import './x.ts'`,
      'packages/net/src/bad.ts': `import type { a } from '@minga/store'`,
      'packages/net/src/lazy.ts': `const later = () => import('@minga/frontier')`,
      'packages/net/src/type.ts': `export type A = import('@minga/lake').B`,
      'packages/net/src/path.ts': `export { a } from '../../protocol/src/clock.ts'`,
      'packages/net/src/text.ts': `// import '@minga/store'\nexport const a = "import '@minga/store'"`,
      'packages/net/src/good.test.ts': `import { fakeWeb } from '@minga/testkit'`,
      'packages/net/src/bad.test.ts': `import { a } from '@minga/frontier'`,
      'packages/cellar/src/a.ts': `import { a } from '@minga/net'`,
    }),
  )
  const broken = [
    'packages/cellar/src/a.ts',
    'packages/net/src/bad.test.ts',
    'packages/net/src/bad.ts',
    'packages/net/src/lazy.ts',
    'packages/net/src/path.ts',
    'packages/net/src/type.ts',
  ]
  assert.deepEqual(new Set(findings.map((finding) => finding.split(':')[0])), new Set(broken))
  assert.equal(findings.length, broken.length)
})

test('a folder may import those before it, and a known exception must still be there', () => {
  const files = parse({
    'apps/a/src/low/one.ts': `import './two.ts'; import '@minga/net'`,
    'apps/a/src/low/bad.ts': `import type { B } from '../high/two.ts'`,
    'apps/a/src/low/known.ts': `import '../start.ts'`,
    'apps/a/src/low/x.test.ts': `import '../start.ts'`,
    'apps/a/src/high/two.ts': `import '../low/one.ts'`,
    'apps/a/src/new/three.ts': `import '../low/one.ts'`,
    'apps/a/src/start.ts': `import './high/two.ts'`,
  })
  const known = ['low/known.ts → start.ts', 'low/gone.ts → start.ts']
  const findings = folderFindings(files, { root: 'apps/a/src', order: ['low', 'high'], known })
  assert.equal(findings.length, 3, findings.join('\n'))
  assert.match(findings[0]!, /low\/bad\.ts may not import high\/two\.ts/)
  assert.match(findings[1]!, /new\/three\.ts.* not in the order/)
  assert.match(findings[2]!, /low\/gone\.ts → start\.ts: remove it/)
})

test('a circle of three rooms is named once and one through a test is not a circle', () => {
  const findings = cycleFindings(
    parse({
      'packages/store/src/a.ts': `import '@minga/net'`,
      'packages/net/src/a.ts': `import '@minga/archive'`,
      'packages/archive/src/a.ts': `import '@minga/store'`,
      'packages/protocol/src/a.test.ts': `import '@minga/store'`,
    }),
  )
  assert.deepEqual(findings, [
    'packages/archive → packages/store → packages/net → packages/archive',
  ])
})

test('a barrel is allowed at the root of a package and nowhere else', () => {
  const findings = barrelFindings(
    parse({
      'packages/net/src/index.ts': `export { a } from './a.ts'`,
      'packages/net/src/a.ts': `export { b } from './b.ts'\nexport const a = 1`,
      'packages/net/src/deep/all.ts': `export * from '../a.ts'\nexport { b } from '../b.ts'`,
      'packages/net/src/deep/index.ts': `export const a = 1`,
    }),
  )
  assert.deepEqual(findings, [
    'packages/net/src/deep/all.ts:1 only re-exports',
    'packages/net/src/deep/index.ts:1 index.ts below the package root',
  ])
})

test('a long file is found unless it is a test or exempt', () => {
  const long = [
    { path: 'packages/net/src/long.ts', text: lines(501) },
    { path: 'packages/net/src/just.ts', text: lines(500) },
    { path: 'packages/net/src/long.test.ts', text: lines(501) },
    { path: 'packages/net/src/table.ts', text: lines(501) },
  ]
  const findings = fileSizeFindings(long, { 'packages/net/src/table.ts': 'generated' })
  assert.deepEqual(findings, ['packages/net/src/long.ts:1 501 lines, at most 500'])
})

test('long functions and long parameter lists are found in every form of function', () => {
  const findings = functionFindings(
    parse({
      'a.ts': `export function just() {\n${lines(68)}}`,
      'b.ts': `export const over = () => {\n${lines(69)}}`,
      'c.ts': `class A { method() {\n${lines(69)}} }`,
      'd.ts': `export function five(a: 1, b: 2, c: 3, d: 4, e: 5) {}`,
      'e.ts': `export function four(this: A, a: 1, b: 2, c: 3, d: 4) {}`,
      'f.ts': 'export const text = `function fake() {\n' + lines(99) + '}`',
      'g.ts': `export function suite() {\n  test('one', () => {\n${lines(50)}})\n  test('two', () => {\n${lines(50)}})\n}`,
      'h.ts': `test('a', () => {\n${lines(80)}})`,
    }),
  )
  assert.deepEqual(
    findings.map((finding) => finding.split(', at most')[0]),
    [
      'b.ts:1 over has 71 lines',
      'c.ts:1 method has 71 lines',
      'd.ts:1 five takes 5 parameters',
      'h.ts:1 a function without a name has 82 lines',
    ],
  )
})

test('default exports, enums and namespaces are found, descriptions of globals are not', () => {
  const findings = syntaxFindings(
    parse({
      'a.ts': `export default 1`,
      'b.ts': `export default function b() {}`,
      'c.ts': `const c = 1\nexport { c as default }`,
      'd.ts': `enum D { A }`,
      'e.ts': `namespace E { export const a = 1 }`,
      'f.ts': `export default class F {}`,
      'ok.ts': `declare global { interface A {} }\nexport const text = 'export default enum'`,
    }),
  )
  assert.deepEqual(
    findings.map((finding) => finding.split(':')[0]),
    ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts'],
  )
})

test('names that are not in kebab-case or say nothing are found', () => {
  const good = ['README.md', 'packages/net/src/url-key.test.ts', 'docs/adr/0001-a.md', '.ci/run']
  const bad = [
    'packages/net/src/urlKey.ts',
    'packages/net/src/utils.ts',
    'packages/net/helpers/a.ts',
  ]
  assert.deepEqual(
    nameFindings([...good, ...bad]).map((finding) => finding.split(':')[0]),
    bad,
  )
})

test('reaching for clock, randomness, timers or files is found outside adapters', () => {
  const files = parse({
    'packages/net/src/bad.ts': `import fs from 'node:fs'\nDate.now()\nMath.random()\nsetTimeout(f, 1)\nnew Date()\nglobalThis.setInterval(f)`,
    'packages/net/src/good.ts': `import type { Stats } from 'node:fs'\n// Date.now()\nnew Date(5)\nsocket.setTimeout(9)\nexport const a = 'Math.random()'`,
    'packages/net/src/adapter.ts': `import { open } from 'node:fs/promises'`,
    'packages/net/src/free.test.ts': `Date.now()`,
  })
  const adapters = { 'packages/net/src/adapter.ts': { fs: 'its job', clock: 'no reason' } }
  const findings = ambientFindings(files, adapters)
  assert.deepEqual(
    findings.map((finding) => finding.split(': take')[0]),
    [
      'packages/net/src/bad.ts:1 node:fs',
      'packages/net/src/bad.ts:2 Date.now',
      'packages/net/src/bad.ts:3 Math.random',
      'packages/net/src/bad.ts:4 setTimeout',
      'packages/net/src/bad.ts:5 new Date()',
      'packages/net/src/bad.ts:6 setInterval',
      'packages/net/src/adapter.ts is listed as an adapter for clock but does not use it',
    ],
  )
})

test('the catalogue of errors and the source are compared in both directions', () => {
  const files = parse({
    'packages/net/src/errors.ts': `class A { code = 'MINGA_A' as const }\nenv['MINGA_DATA']\nconst names = ['MINGA_PORT']`,
    'packages/net/src/a.test.ts': `const code = 'MINGA_ONLY_IN_TEST'`,
  })
  const rows = errorRows('| `MINGA_C` | it broke | fix it |\n| `MINGA_B` | | fix it |\n')
  assert.deepEqual(errorFindings(errorCodesInSource(files, ['MINGA_PORT']), rows), [
    'packages/net/src/errors.ts:1 MINGA_A has no row in docs/reference/errors.md',
    'docs/reference/errors.md documents MINGA_C, which no source raises',
    'docs/reference/errors.md documents MINGA_B, which no source raises',
    'docs/reference/errors.md: MINGA_B needs what happened and what to do',
    'docs/reference/errors.md: MINGA_B is out of order or there twice',
  ])
})

test('unfinished work, paths of one machine and registries are found, addresses are not', () => {
  // Broken apart: the rule reads this file too.
  const [slash, unfinished, registry] = [
    '/',
    ['TO', 'DO'].join(''),
    ['registry', 'npmjs'].join('.'),
  ]
  const bad = [
    `// ${unfinished}: later`,
    `const dir = '${slash}tmp/minga'`,
    `cd ${slash}root/minga`,
    `https://${registry}.org`,
  ]
  const good = [`http://a.example/tmp/x`, 'Disallow: /tmp/x', 'packages/work/file', 'the todo list']
  const text = [...bad, ...good].join('\n')
  const findings = textFindings([{ path: 'a.md', text }])
  assert.deepEqual(
    findings.map((finding) => finding.split(' ')[0]),
    ['a.md:1', 'a.md:2', 'a.md:3', 'a.md:4'],
  )
  const resolved = '"resolved": "packages/net"\n"resolved": "http://somewhere:4873/a.tgz"'
  assert.equal(lockfileFindings({ path: 'package-lock.json', text: resolved }).length, 1)
})

test('tests without a goal, a sentence or a run are found, conditional skips are not', () => {
  const head = `// Goal\nimport { it, test } from 'node:test'\n`
  const findings = testFindings(
    parse({
      'packages/net/src/a.test.ts': `import { test } from 'node:test'\ntest('works', () => {})`,
      'packages/net/src/b.test.ts': `${head}test('one two three four', f)\ntest('one two three four', f)`,
      'packages/net/src/c.test.ts': `${head}it.only('one two three four', f)\ntest('a b c d', { skip: true }, f)`,
      'packages/net/src/d.test.ts': `${head}test('a b c d', { skip: noDatabase }, f)\nregex.test('ab')\ntest(\`a b \${c} d\`, f)`,
      'packages/net/src/e.test.ts': `// Goal\nconst it = (url: string) => url\nit('not a name')`,
    }),
  )
  assert.deepEqual(
    findings.map((finding) => finding.split(' ')[0]),
    [
      'packages/net/src/a.test.ts:1',
      'packages/net/src/a.test.ts:2',
      'packages/net/src/b.test.ts:4',
      'packages/net/src/c.test.ts:3',
      'packages/net/src/c.test.ts:4',
    ],
  )
})

test('the files under test include code, documents and hidden settings but no libraries', () => {
  const paths = workspaceFiles().map(({ path }) => path)
  for (const path of [
    '.ci/run',
    '.npmrc',
    'LICENSE',
    'package.json',
    'tests/style/checks.test.ts',
  ]) {
    assert.ok(paths.includes(path), `${path} is not looked at`)
  }
  assert.ok(!paths.some((path) => path.includes('node_modules')))
})
