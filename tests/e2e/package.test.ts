// Goal: what `npm run pack` makes is all that is needed: the command, the library and its types, on a machine without
// the sources. Method: packed twice, unpacked where npm would put it, with its one dependency and no network;
// a hook notes every module that any of its processes and threads loads.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { startFakeWeb, type FakeWeb } from '@minga/testkit'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
/** Only a test that fails waits so long. */
const WAIT_MS = 120_000

/** Notes the address of each module in a file. */
const noteModules = (file: string): string => `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(${JSON.stringify(file)}, url + '\\n')
    return next(url, context)
  },
})
`

/** Every answer is checked before it is used, as the types ask for. */
const TYPED_PROGRAM = `
import { crawl, NodeTooOld, openStation, type CrawlSummary, type Station } from 'minga'

const summary: CrawlSummary = await crawl(['https://example.org/'], {
  scope: 'prefix',
  signal: AbortSignal.timeout(1_000),
  onProgress: ({ pages }) => console.log(pages.toFixed()),
})
const outcome: 'complete' | 'with-errors' | 'at-limit' | 'failed' | 'stopped' = summary.outcome
const station: Station = await openStation({ port: 0, agents: 2 })
const answer: unknown = await station.call('GET', '/collections')
// @ts-expect-error: the type of the answer is still unknown.
answer.length
// @ts-expect-error: there is no such method.
await station.call('FETCH', '/collections')
console.log(outcome, new NodeTooOld('22.0.0').code === 'MINGA_NODE_TOO_OLD')
`

describe('the package of Minga', () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'minga-package-')))
  const prefix = join(home, 'prefix')
  const installed = join(prefix, 'node_modules', 'minga')
  const noted = join(home, 'modules.txt')
  const env = {
    PATH: process.env['PATH'],
    HOME: join(home, 'user'),
    NODE_OPTIONS: `--import=${pathToFileURL(join(home, 'note-modules.mjs')).href}`,
  }
  let web: FakeWeb
  let seed = ''

  before(async () => {
    web = await startFakeWeb({ hosts: 1, pagesPerHost: 3, linksPerPage: 3 })
    seed = `${web.origin(0)}/p/0`
    for (const folder of ['user', 'work']) mkdirSync(join(home, folder))
    writeFileSync(join(home, 'note-modules.mjs'), noteModules(noted))
  })
  after(async () => {
    await web?.close()
    rmSync(home, { recursive: true, force: true })
  })

  const pack = async (): Promise<string> =>
    (await run(process.execPath, [join(ROOT, 'scripts/pack.ts')])).stdout.trim()

  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: join(home, 'work'), env, timeout: WAIT_MS })

  const minga = (...args: string[]) => node(join(installed, 'bin', 'minga.mjs'), ...args)

  test('the same sources give the same bytes, with all that it reads', async () => {
    const first = readFileSync(await pack())
    const tarball = await pack()
    assert.ok(first.equals(readFileSync(tarball)))
    mkdirSync(installed, { recursive: true })
    await run('tar', ['-xzf', tarball, '--strip-components', '1', '-C', installed])
    cpSync(join(ROOT, 'node_modules/@duckdb'), join(prefix, 'node_modules/@duckdb'), {
      recursive: true,
      dereference: true,
    })
    for (const name of ['SECURITY.md', 'THIRD-PARTY-LICENSES', 'sbom.cdx.json']) {
      assert.ok(existsSync(join(installed, name)), name)
    }
    for (const name of ['dashboard/index.html', 'openapi.json', 'replay/index.html', 'queries']) {
      assert.ok(existsSync(join(installed, 'lib', name)), name)
    }
    assert.match(String(readdirSync(join(installed, 'lib/downloads'))), /^minga-agent-.*\.tgz$/)
  })

  test('it says which version and which commit it is', async () => {
    const { stdout: commit } = await run('git', ['rev-parse', '--short=9', 'HEAD'], { cwd: ROOT })
    const { stdout } = await minga('--version')
    assert.match(stdout, /^\d+\.\d+\.\d+ \(\w+\)\n$/)
    assert.ok(stdout.includes(commit.trim()))
  })

  test('it collects a site and lists what it has', async () => {
    const crawl = ['crawl', seed, '--delay', '0', '--allow-private-addresses', '--json']
    const { pages } = JSON.parse((await minga(...crawl)).stdout) as { pages: number }
    assert.equal(pages, 3)
    const { stdout } = await minga('archive', 'list')
    for (const page of [0, 1, 2]) assert.ok(stdout.includes(`${web.origin(0)}/p/${page}`), stdout)
  })

  test('the examples of the library run as they are written, and print nothing of their own', async () => {
    const text = readFileSync(join(ROOT, 'docs/library.md'), 'utf8')
    const examples = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code)
    const outputs: string[] = []
    for (const [i, code] of examples.entries()) {
      const here = code
        .replaceAll('https://example.org/', seed)
        .replace("contact: '", "allowPrivateAddresses: true, contact: '")
      const file = join(prefix, `example-${i + 1}.mjs`)
      writeFileSync(file, here)
      const { stdout, stderr } = await node(file)
      assert.equal(stderr, '')
      outputs.push(stdout.trim().split('\n').at(-1) ?? '')
    }
    const archive = join(home, 'work', 'my-archive', 'archive')
    assert.deepEqual(outputs, [`complete 3 ${archive}`, '3 pages'])
  })

  test('none of its processes and threads loads anything from elsewhere', () => {
    const modules = new Set(readFileSync(noted, 'utf8').trim().split('\n'))
    const own = pathToFileURL(prefix).href
    assert.ok([...modules].some((url) => url.endsWith('/coordinator-main.js')))
    assert.deepEqual(
      [...modules].filter((url) => !url.startsWith(`${own}/`)),
      [],
    )
    const names = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    const naming = names.filter(
      (name) => name.endsWith('.js') && readFileSync(join(installed, name), 'utf8').includes(ROOT),
    )
    assert.deepEqual(naming, [])
  })

  test('its types fit a program that uses them, and no other', async () => {
    const file = join(prefix, 'program.mts')
    writeFileSync(file, TYPED_PROGRAM)
    const flags = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--types', '']
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    await run(process.execPath, [tsc, ...flags, file], { cwd: prefix })
  })
})
