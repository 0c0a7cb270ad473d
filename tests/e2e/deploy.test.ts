// Goal: what is in the repository is enough. Method: its files alone in a folder of their own, under an empty
// home, are started by the command that the README gives; packages are linked, since tests need no network.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { endAllProcesses, startProcess } from '@minga/testkit'

const ROOT = path.resolve(import.meta.dirname, '../..')
/** On the same disk as the packages, so that they can be linked instead of copied. */
const DIST = path.join(ROOT, 'dist')
await mkdir(DIST, { recursive: true })
const folder = await mkdtemp(path.join(DIST, 'deploy-'))
after(async () => {
  await endAllProcesses()
  await rm(folder, { recursive: true, maxRetries: 5 })
})

function listed(...args: string[]): string[] {
  const out = execFileSync('git', ['ls-files', '-z', ...args], { cwd: ROOT, encoding: 'utf8' })
  return out.split('\0').filter((name) => name !== '')
}

async function freshCopy(to: string): Promise<void> {
  const deleted = new Set(listed('--deleted'))
  for (const name of listed('--cached', '--others', '--exclude-standard')) {
    if (deleted.has(name)) continue
    await mkdir(path.dirname(path.join(to, name)), { recursive: true })
    await cp(path.join(ROOT, name), path.join(to, name))
  }
  await mkdir(path.join(to, 'node_modules'))
  execFileSync('sh', [
    '-c',
    'cd "$1" && find . -mindepth 1 -maxdepth 1 ! -name .cache -exec cp -al {} "$2" \\;',
    'sh',
    path.join(ROOT, 'node_modules'),
    path.join(to, 'node_modules'),
  ])
}

test('Reproducible deploy: the files of the repository and one command are a station that answers', async () => {
  const home = path.join(folder, 'home')
  const copy = path.join(folder, 'minga')
  await mkdir(home)
  await freshCopy(copy)
  const data = path.join(folder, 'data')
  const args = ['start', '--', '--no-agent', '--port', '0', '--data', data]
  const station = await startProcess('npm', args, { env: { HOME: home }, cwd: copy })
  const [, url] = await station.waitOutput(/is up at (http:\S+)/, 120_000)
  const page = await fetch(url!)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /<title>/)
  assert.equal((await fetch(new URL('/bot', url))).status, 200)
})
