// Goal: what a volunteer installs is one small file that needs Node and nothing else, and it works.
// Method: built twice, then the line of the station's page is run as it stands, in an empty folder and without a
// registry; the station is real, its web is not.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { startProcess, type Child } from '@minga/testkit'
import { joinCommand } from '../../apps/dashboard/src/screens/agents/join-command.ts'
import { startVolunteering, until, WAIT_MS, type Volunteering } from './volunteer-fixture.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

interface JoinFacts {
  program: { path: string } | null
}

/** Twice what it has today; a database or a browser taken in by mistake is far beyond it. */
const TARBALL_BYTES_MAX = 1_200_000

describe('the tarball of the agent', () => {
  const home = mkdtempSync(join(tmpdir(), 'minga-volunteer-home-'))
  const prefix = join(home, 'prefix')
  /** Where the line is run; the agent makes its folder in it. */
  const folder = join(home, 'work')
  const data = join(folder, 'minga-agent')
  const installed = join(prefix, 'lib', 'node_modules', 'minga-agent')
  const program = [process.execPath, join(installed, 'bin', 'minga-agent.mjs')]
  /** Of a machine that reaches the station and nothing else. */
  const env = {
    HOME: home,
    PATH: `${join(prefix, 'bin')}${delimiter}${process.env['PATH']}`,
    npm_config_prefix: prefix,
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_registry: 'http://127.0.0.1:9/',
    npm_config_fetch_retries: '0',
    MINGA_ALLOW_PRIVATE_ADDRESSES: '1',
  }
  let tarball = ''
  let volunteering: Volunteering
  let agent: Child

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
    rmSync(home, { recursive: true, force: true })
  })

  test('the same sources give the same bytes, and few of them', async (t) => {
    const first = await build()
    assert.ok(first.equals(await build()))
    t.diagnostic(`${tarball.split(/[/\\]/).at(-1)}: ${first.length} bytes`)
    assert.ok(first.length < TARBALL_BYTES_MAX, `${first.length} bytes`)
  })

  test('the line of the page installs it from the station, and the machine joins', async () => {
    mkdirSync(folder)
    const { stationUrl: station } = volunteering
    const facts = await volunteering.ask<JoinFacts>('GET', '/join-facts')
    const { token } = await volunteering.ask<{ token: string }>('POST', '/join-tokens', {})
    const programPath = facts.program?.path ?? null
    const line = joinCommand({ station, programPath }, token)
    assert.match(line, /^npm install -g http/)
    agent = await startProcess('sh', ['-c', line], { env, cwd: folder })
    await agent.waitOutput(/http:\/\/127\.0\.0\.1:\d+\/\n/, WAIT_MS)
    const served = await fetch(`${station}${programPath}`)
    assert.ok(readFileSync(tarball).equals(Buffer.from(await served.arrayBuffer())))
  })

  test('it installs nothing but itself, with the licences of what it took in', () => {
    assert.deepEqual(readdirSync(join(prefix, 'lib', 'node_modules')), ['minga-agent'])
    assert.equal(statSync(join(prefix, 'bin', 'minga-agent')).isFile(), true)
    const licences = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8')
    for (const name of ['commander', 'undici']) {
      assert.match(licences, new RegExp(`^${name} \\d`, 'm'))
    }
    const sbom = JSON.parse(readFileSync(join(installed, 'sbom.cdx.json'), 'utf8')) as {
      components: { name: string }[]
    }
    const names = sbom.components.map(({ name }) => name)
    assert.ok(names.includes('commander') && names.includes('undici'))
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

  test('it works with its threads and its page, and leaves', async () => {
    await volunteering.collect()
    await until(() => (volunteering.web.hits().length > 30 ? true : null), 'pages fetched by it')
    const [, address] = await agent.waitOutput(/(http:\/\/127\.0\.0\.1:\d+)\/\n/, WAIT_MS)
    const page = await fetch(address!)
    assert.match(await page.text(), /<title>Minga<\/title>/)
    const [node, door] = program as [string, string]
    const { stdout } = await run(node, [door, 'status', '--data', data, '--json'])
    const status = JSON.parse(stdout) as { isRunning: boolean; condition: string }
    assert.equal(status.isRunning, true)
    // Between two blocks it waits for a moment.
    assert.match(status.condition, /^(working|waiting-for-work)$/)
    await run(node, [door, 'leave', '--data', data])
    assert.equal((await agent.waitExit(WAIT_MS)).code, 0)
    const log = await run(node, [door, 'log', '--data', data, '--jsonl', '--limit', '5'])
    assert.equal(log.stdout.trim().split('\n').length, 5)
  })

  test('joined again it needs no token, and keeps to a limit that it is given', async () => {
    const [node, door] = program as [string, string]
    const args = [door, 'join', volunteering.stationUrl, '--requests-per-second', '20']
    const again = await startProcess(node, args, { env, cwd: folder })
    await again.waitOutput(/http:\/\/127\.0\.0\.1:\d+\/\n/, WAIT_MS)
    const { stdout } = await run(node, [door, 'status', '--data', data, '--json'])
    const { limits } = JSON.parse(stdout) as { limits: { requestsPerSecond: number } }
    assert.equal(limits.requestsPerSecond, 20)
    await run(node, [door, 'leave', '--data', data])
    assert.equal((await again.waitExit(WAIT_MS)).code, 0)
  })

  test('code that took over the running agent reads no foreign file and starts no program', async () => {
    const stolen = join(home, 'taken-over')
    cpSync(installed, stolen, { recursive: true })
    const [secret, own] = [join(home, 'secret.txt'), join(home, 'own-folder')]
    writeFileSync(secret, 'a secret of who lends the machine')
    const running = join(stolen, 'lib', 'agent-lent-main.js')
    const attempts = takenOver(secret, join(own, 'attempts.json'))
    writeFileSync(running, `${attempts}\n${readFileSync(running, 'utf8')}`)
    const door = join(stolen, 'bin', 'minga-agent.mjs')
    const args = [door, 'join', 'http://127.0.0.1:9', '--token', 'none', '--data', own]
    const again = await startProcess(process.execPath, args, { env, cwd: folder })
    await again.waitOutput(/http:\/\/127\.0\.0\.1:\d+\/\n/, WAIT_MS)
    assert.deepEqual(JSON.parse(readFileSync(join(own, 'attempts.json'), 'utf8')), {
      read: 'ERR_ACCESS_DENIED',
      write: 'ERR_ACCESS_DENIED',
      start: 'ERR_ACCESS_DENIED',
      database: 'absent',
    })
    again.signal('SIGTERM')
    assert.equal((await again.waitExit(WAIT_MS)).code, 0)
  })

  test('its help names its own command', async () => {
    const [node, door] = program as [string, string]
    const { stdout } = await run(node, [door, 'join', '--help'])
    assert.match(stdout, /minga-agent join https:\/\/station\.example\//)
    assert.doesNotMatch(stdout, /minga agent/)
  })
})

/** JavaScript that notes what it is refused, to be put before the program of the agent. */
function takenOver(secret: string, notes: string): string {
  return `{
    const fs = process.getBuiltinModule('node:fs')
    const refusal = (attempt) => {
      try { return attempt() ?? 'allowed' } catch (error) { return error.code ?? error.message }
    }
    const secret = ${JSON.stringify(secret)}
    fs.writeFileSync(${JSON.stringify(notes)}, JSON.stringify({
      read: refusal(() => fs.readFileSync(secret, 'utf8')),
      write: refusal(() => fs.writeFileSync(secret, 'changed')),
      start: refusal(() => void process.getBuiltinModule('node:child_process').spawnSync('true')),
      database: process.getBuiltinModule('node:sqlite') === undefined ? 'absent' : 'there',
    }))
  }`
}
