// Goal: a change runs every test that can see it, and says so when that is all of them. Method: a made-up workspace.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTests } from './choose-changed.ts'
import { importsOf } from './import-graph.ts'

const EXPORTS = new Map([
  ['@minga/store', 'packages/store/src/index.ts'],
  ['@minga/coordinator/main', 'apps/coordinator/src/main.ts'],
])
const SOURCES: Record<string, string> = {
  'packages/store/src/index.ts': `export { open } from './open.ts'`,
  'packages/store/src/open.ts': '',
  'packages/store/src/open.test.ts': `import { open } from './open.ts'`,
  'packages/net/src/url/url.ts': '',
  'packages/net/src/url/url.test.ts': `import { normal } from './url.ts'`,
  'apps/coordinator/src/main.ts': `import { open } from '@minga/store'`,
  'apps/coordinator/src/lake.ts': `new Worker(new URL('./lake-thread.ts', import.meta.url))`,
  'apps/coordinator/src/lake-thread.ts': '',
  'apps/coordinator/src/lake.test.ts': `import { lake } from './lake.ts'`,
  'apps/minga/bin/minga.mjs': `import('../src/main.ts')`,
  'apps/minga/src/main.ts': `import.meta.resolve('@minga/coordinator/main')`,
  'apps/dashboard/build.ts': '',
  'apps/dashboard/src/page.tsx': '',
  'tests/e2e/run-minga.ts': `join(ROOT, 'apps/minga/bin/minga.mjs')`,
  'tests/e2e/archive.test.ts': `import { run } from './run-minga.ts'`,
  'tests/e2e/page.test.ts': `spawn(join(ROOT, 'apps/dashboard/build.ts'))`,
  'tests/style/style.test.ts': '',
}
const STYLE = 'tests/style/style.test.ts'

function chosen(...changed: string[]): string[] {
  const imports = new Map(
    Object.entries(SOURCES).map(([file, text]) => [file, importsOf(file, text, EXPORTS)]),
  )
  const tests = Object.keys(SOURCES).filter((file) => file.endsWith('.test.ts'))
  return chooseTests(changed, { imports, tests }).tests
}

test('a file reaches the tests that import it, and tests that start the program it is part of', () => {
  assert.deepEqual(chosen('packages/net/src/url/url.ts'), [
    'packages/net/src/url/url.test.ts',
    STYLE,
  ])
  assert.deepEqual(chosen('packages/store/src/open.ts'), [
    'packages/store/src/open.test.ts',
    'tests/e2e/archive.test.ts',
    STYLE,
  ])
})

test('a thread is part of what starts it', () => {
  assert.deepEqual(chosen('apps/coordinator/src/lake-thread.ts'), [
    'apps/coordinator/src/lake.test.ts',
    STYLE,
  ])
})

test('a changed test is chosen itself, and one that is gone is not', () => {
  assert.deepEqual(chosen('packages/net/src/url/url.test.ts', 'packages/net/src/gone.test.ts'), [
    'packages/net/src/url/url.test.ts',
    STYLE,
  ])
})

test('every part of the page reaches the tests that build it', () => {
  for (const file of ['src/page.tsx', 'src/locales/en/common.json', 'public/icon.svg']) {
    assert.deepEqual(chosen(`apps/dashboard/${file}`), ['tests/e2e/page.test.ts', STYLE])
  }
})

test('what is no program counts as a change of its whole workspace, and documents are for the style tests', () => {
  assert.ok(chosen('packages/net/words.txt').includes('packages/net/src/url/url.test.ts'))
  assert.deepEqual(chosen('docs/watch.md'), [STYLE])
})

test('scripts, the testkit and the settings of the repository reach everything, and are named', () => {
  for (const file of ['scripts/commands.ts', 'packages/testkit/src/random.ts', 'package.json']) {
    const { tests, because } = chooseTests([file], { imports: new Map(), tests: ['a.test.ts'] })
    assert.deepEqual({ tests, because }, { tests: ['a.test.ts'], because: file })
  }
  const own = chooseTests(['scripts/a.test.ts'], {
    imports: new Map(),
    tests: ['scripts/a.test.ts'],
  })
  assert.equal(own.because, undefined)
})
