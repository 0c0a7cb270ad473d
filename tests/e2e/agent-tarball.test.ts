// Goal: what a volunteer installs is one small file that needs Node and nothing else, and it works.
// Method: built twice, installed by npm without a network, joined to a real station with a fake web.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startVolunteering, until, WAIT_MS, type Volunteering } from './volunteer-fixture.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

/** Twice what it has today; a database or a browser taken in by mistake is far beyond it. */
const TARBALL_BYTES_MAX = 1_200_000

describe('the tarball of the agent', () => {
  const prefix = mkdtempSync(join(tmpdir(), 'minga-installed-'))
  const installed = join(prefix, 'lib', 'node_modules', 'minga-agent')
  const program = [process.execPath, join(installed, 'bin', 'minga-agent.mjs')]
  let tarball = ''
  let volunteering: Volunteering

  const build = async (): Promise<Buffer> => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'scripts/build-agent.ts')])
    tarball = stdout.trim()
    return readFileSync(tarball)
  }

  before(async () => {
    volunteering = await startVolunteering()
  })
  after(async () => {
    await volunteering?.end()
    rmSync(prefix, { recursive: true, force: true })
  })

  test('the same sources give the same bytes, and few of them', async (t) => {
    const first = await build()
    assert.ok(first.equals(await build()))
    t.diagnostic(`${tarball.split(/[/\\]/).at(-1)}: ${first.length} bytes`)
    assert.ok(first.length < TARBALL_BYTES_MAX, `${first.length} bytes`)
  })

  test('npm installs it without a network, and nothing beside it', async () => {
    const options = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund']
    await run('npm', ['install', '--global', '--prefix', prefix, ...options, tarball])
    assert.deepEqual(readdirSync(join(prefix, 'lib', 'node_modules')), ['minga-agent'])
    assert.equal(statSync(join(prefix, 'bin', 'minga-agent')).isFile(), true)
    const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8')
    for (const name of ['commander', 'undici', 'zod']) {
      assert.match(licences, new RegExp(`^${name} \\d`, 'm'))
    }
  })

  test('nothing of a station is in it, and everything is JavaScript', () => {
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    assert.deepEqual(
      files.filter((name) => name.endsWith('.ts')),
      [],
    )
    const code = files
      .filter((name) => /^lib[/\\][^/\\]+\.js$/.test(name))
      .map((name) => readFileSync(join(installed, name), 'utf8'))
      .join('\n')
    // The bundler names the file that each part came from.
    const sources = code.matchAll(/^\/\/(?:#region)? ((?:apps|packages)\/[\w-]+)\//gm)
    const rooms = new Set(sources.map(([, room]) => room))
    const own = ['apps/agent', 'apps/minga', 'packages/archive', 'packages/net']
    assert.deepEqual(rooms, new Set([...own, 'packages/protocol', 'packages/wiki']))
    // Of wikis it knows how they are asked, and nothing of how histories are kept.
    assert.doesNotMatch(code, /^\/\/(?:#region)? packages\/wiki\/src\/(?!api\/)/m)
    assert.doesNotMatch(code, /^import .* from ['"](?!node:|\.\/)/m)
  })

  test('it joins, works with its threads and its page, and leaves', async () => {
    const agent = await volunteering.join(program, '--requests-per-second', '20')
    await volunteering.collect()
    await until(() => (volunteering.web.hits().length > 30 ? true : null), 'pages fetched by it')
    const page = await fetch(agent.url)
    assert.match(await page.text(), /<title>Minga<\/title>/)
    const [node, door] = program as [string, string]
    const { stdout } = await run(node, [door, 'status', '--data', agent.data, '--json'])
    const status = JSON.parse(stdout) as { isRunning: boolean; limits: object; condition: string }
    assert.equal(status.isRunning, true)
    assert.equal(status.condition, 'working')
    assert.deepEqual({ ...status.limits, requestsPerSecond: 20 }, status.limits)
    await run(node, [door, 'leave', '--data', agent.data])
    assert.equal((await agent.child.waitExit(WAIT_MS)).code, 0)
    const log = await run(node, [door, 'log', '--data', agent.data, '--jsonl', '--limit', '5'])
    assert.equal(log.stdout.trim().split('\n').length, 5)
  })

  test('its help names its own command', async () => {
    const [node, door] = program as [string, string]
    const { stdout } = await run(node, [door, 'join', '--help'])
    assert.match(stdout, /minga-agent join https:\/\/station\.example\//)
    assert.doesNotMatch(stdout, /minga agent/)
  })
})
