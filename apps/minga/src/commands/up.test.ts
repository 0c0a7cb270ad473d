// Goal: a station that cannot be as it was asked to be says why and ends with the code of its kind; a policy
// written by the operator plans visits, and is missed without harm. Method: the real command line as processes.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { ForecastView } from '@minga/protocol'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { runMinga } from '../../test/commands/minga-fixture.ts'

const MINGA = path.resolve(import.meta.dirname, '../../bin/minga.mjs')
const folder = await mkdtemp(path.join(tmpdir(), 'minga-up-'))
after(async () => {
  await endAllProcesses()
  await rm(folder, { recursive: true })
})

test('a file of countries that is not there is a mistake of the user who named it', async () => {
  const file = path.join(folder, 'nowhere.mmdb')
  const args = ['up', '--no-agent', '--port', '0', '--data', path.join(folder, 'data')]
  const child = await startProcess(process.execPath, [MINGA, ...args, '--geoip', file])
  const { code } = await child.waitExit(30_000)
  assert.equal(code, 2)
  assert.match(child.stderr(), /nowhere\.mmdb cannot be read.*MINGA_BAD_GEOIP/s)
})

test('a station listens beyond this machine with https, behind a proxy, or when that was accepted', async () => {
  const args = ['up', '--no-agent', '--port', '0', '--data', path.join(folder, 'data')]
  const plain = await runMinga([...args, '--listen', '0.0.0.0'])
  assert.equal(plain.code, 2)
  assert.match(plain.err, /plain text.*--tls-cert.*--behind-proxy.*--insecure.*MINGA_PLAIN_LISTEN/s)
  // What is checked next refuses these: they got past the check.
  for (const accepted of [['--insecure'], ['--behind-proxy', '127.0.0.1']]) {
    const policy = ['--policy', path.join(folder, 'nowhere.ts')]
    const { err } = await runMinga([...args, '--listen', '0.0.0.0', ...accepted, ...policy])
    assert.match(err, /MINGA_BAD_POLICY/)
  }
  const odd = await runMinga([...args, '--behind-proxy', '10.0.0.0/99'])
  assert.match(odd.err, /--behind-proxy takes an address or a block/)
})

test('a station that runs writes its keys into no output and no file but its own', async () => {
  const site = createServer((_, response) => response.end('<p>a page</p>'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  after(() => site.close())
  const page = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const data = path.join(folder, 'keys')
  const args = ['up', '--port', '0', '--allow-private-addresses', '--verbose', '--data', data]
  const child = await startProcess(process.execPath, [MINGA, ...args])
  await child.waitOutput(/is up at/, 60_000)
  const { url, ...station } = JSON.parse(
    await readFile(path.join(data, 'station.json'), 'utf8'),
  ) as {
    url: string
  } & Record<'apiKey' | 'joinToken' | 'workerToken', string>
  const keys = [station.apiKey, station.joinToken, station.workerToken]
  // Used well, used wrongly, and in a place where it does not belong.
  const headers = { authorization: `Bearer ${station.apiKey}` }
  for (const call of ['/api/me', '/api/nowhere', `/api/collections?key=${station.apiKey}`]) {
    await (await fetch(`${url}${call}`, { headers })).text()
  }
  assert.equal((await runMinga(['watch', 'add', page, '--data', data])).code, 0)
  assert.equal((await runMinga(['watch', 'run', '--once', '--data', data])).code, 0)
  child.signal('SIGINT')
  assert.equal((await child.waitExit(60_000)).code, 0)
  const written = new Map([['output', child.stdout() + child.stderr()]])
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    if (entry.isFile() && file !== path.join(data, 'station.json')) {
      written.set(file, await readFile(file, 'latin1'))
    }
  }
  assert.ok(written.size > 3)
  for (const [where, text] of written) {
    for (const key of keys) assert.ok(!text.includes(key), where)
  }
})

test('a policy that cannot be loaded is a mistake of the user who chose it', async () => {
  const args = ['up', '--no-agent', '--port', '0', '--data', path.join(folder, 'data')]
  const { code, err } = await runMinga([...args, '--policy', path.join(folder, 'nowhere.ts')])
  assert.equal(code, 2)
  assert.match(err, /nowhere\.ts cannot be loaded.*MINGA_BAD_POLICY/s)
})

test('an operator’s own policy plans a watch, and without it Minga’s does', async () => {
  const mine = path.join(folder, 'mine.ts')
  await writeFile(
    mine,
    `export default { name: 'mine', usesBudget: false, next: (known: unknown, seen: { at: number }) => ({
      at: seen.at + 172_800_000, state: null,
      why: { policy: 'mine', rule: 'by taste', chance: null, perDay: null, low: null, high: null, price: null } }) }`,
  )
  const site = createServer((_, response) => response.end('<p>a page that stays as it is</p>'))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  after(() => site.close())
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`
  const data = ['--data', path.join(folder, 'planned')]
  const up = async (...more: string[]): Promise<() => Promise<unknown>> => {
    const args = ['up', '--port', '0', '--allow-private-addresses', ...data, ...more]
    const child = await startProcess(process.execPath, [MINGA, ...args])
    await child.waitOutput(/is up at/, 60_000)
    return async () => {
      child.signal('SIGINT')
      assert.equal((await child.waitExit(60_000)).code, 0)
    }
  }
  const plan = async (): Promise<string> => {
    const ran = await runMinga(['watch', 'run', '--once', '--json', ...data])
    assert.equal(ran.code, 0, ran.err)
    const { out } = await runMinga(['watch', 'forecast', '--json', ...data])
    return (JSON.parse(out) as { visits: ForecastView[] }).visits[0]!.plan!.text
  }
  const stop = await up('--policy', mine)
  assert.equal((await runMinga(['watch', 'add', url, ...data])).code, 0)
  assert.equal((await runMinga(['watch', 'set', '1', '--policy', 'mine', ...data])).code, 0)
  assert.match(await plan(), /learning, \d of 3 visits \(mine\)$/)
  assert.equal((await runMinga(['watch', 'set', '1', '--policy', 'yours', ...data])).code, 2)
  await stop()
  const stopAgain = await up()
  assert.match(await plan(), /\(minga: The policy mine is not loaded \(MINGA_POLICY_ABSENT\)\)$/)
  await stopAgain()
})
