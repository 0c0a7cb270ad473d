// Goal: a wiki that shows nothing to strangers is kept byte for byte by a station that has a bot password, at
// the wiki's pace, and nothing of the sessions stays behind. Method: stations and agents as processes, against
// the fake wiki's log and against a real MediaWiki that is closed to readers.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WikiTaskView } from '@minga/protocol'
import {
  endAllProcesses,
  noMediaWiki,
  startFakeWiki,
  startMediaWiki,
  type MediaWiki,
  type WikiOperation,
} from '@minga/testkit'
import { filesWith } from '../../apps/coordinator/test/archive/takedown/traces-fixture.ts'
import { mingaOutput, runMinga } from './run-minga.ts'
import { callStation, joinStation, startStation, type Station } from './station-process.ts'
import { assertSameHistories, readXml } from './wiki-dump.ts'
import { DECOMPOSED, history } from './wiki-history.ts'

const DELAY_MS = 120
const PASSWORD = 'f4c1d2e3b5a697887766554433221100'
/** Closed to readers; every log-in leaves a line. */
const CLOSED = `$wgGroupPermissions['*']['read'] = false;
if ( ( $_SERVER['REQUEST_METHOD'] ?? '' ) === 'POST' ) {
	file_put_contents( __DIR__ . '/posts.log', "post\n", FILE_APPEND );
}`
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-wiki-log-in-'))

after(async () => {
  await endAllProcesses()
  fs.rmSync(folder, { recursive: true, force: true })
})

function edits(title: string, count: number): WikiOperation[] {
  return Array.from({ length: count }, (_, i) => ({ do: 'edit', title, text: `${title} ${i}` }))
}

async function untilOver(
  station: Station,
  id: number,
  look: (task: WikiTaskView) => void = () => {},
): Promise<WikiTaskView> {
  for (let looks = 0; looks < 600; looks++) {
    const task = await callStation<WikiTaskView>(station, ['GET', `/wikis/tasks/${id}`])
    if (task.state !== 'running' && task.state !== 'waiting') return task
    look(task)
    await sleep(50)
  }
  assert.fail('the task does not end')
}

test('two agents log in at a closed wiki at its pace, also when its sessions end half-way', async (t) => {
  const bot = { user: 'Ana@minga', password: PASSWORD }
  const titles = ['Llama', 'Alpaca', 'Vicuna', 'Guanaco']
  const pages = titles.flatMap((title) => edits(title, 60))
  const wiki = await startFakeWiki({ bots: [bot], isClosed: true, history: pages })
  t.after(() => wiki.close())
  const station = await startStation(path.join(folder, 'station'))
  for (const name of ['a1', 'a2']) {
    await joinStation(station, path.join(folder, name), ['--wiki-log-ins'])
  }
  const route = `/wikis/${encodeURIComponent(wiki.apiUrl)}/bot-password`
  await callStation(station, ['PUT', route], { logIn: bot })
  const { id } = await callStation<WikiTaskView>(station, ['POST', '/wikis'], {
    address: wiki.apiUrl,
    namespaces: [0],
    delayMs: DELAY_MS,
  })
  let isEnded = false
  const task = await untilOver(station, id, ({ progress }) => {
    if (isEnded || progress.revisions < 100) return
    isEnded = true
    wiki.endSessions()
  })
  // The wiki's own main page is there, too.
  assert.deepEqual([task.state, task.progress.revisions, task.failed], ['done', 241, 0])
  assert.ok(isEnded)
  const logIns = wiki.logIns()
  assert.ok(logIns.every(({ result }) => result === 'Success'))
  assert.ok(logIns.length >= 2 && logIns.length <= 6, `${logIns.length} log-ins`)
  assert.deepEqual(wiki.violations({ delayMs: DELAY_MS, per: 'host' }), [])
  assert.equal(wiki.concurrencyMax('host'), 1)
})

describe('a real MediaWiki that is closed to readers', { skip: noMediaWiki() }, () => {
  let wiki: MediaWiki
  const data = path.join(folder, 'closed')
  const secret = path.join(folder, 'secret.txt')
  const bot = ['--bot', 'Admin@minga', '--bot-password-file', secret]
  const haste = ['--delay', '0', '--data', data, '--wait', '--allow-private-addresses', '--json']

  const posts = (): number =>
    fs.readFileSync(path.join(wiki.folder, 'posts.log'), 'utf8').split('\n').length - 1

  before(async () => {
    wiki = await startMediaWiki({ settings: CLOSED })
    wiki.perform(history())
    const rights = ['--appid', 'minga', '--grants', 'basic']
    wiki.maintain('createBotPassword.php', [...rights, 'Admin', PASSWORD])
  })

  after(() => wiki?.stop())

  test('a wrong password ends the task with a code and a sentence, and is shown to the wiki once', async () => {
    fs.writeFileSync(secret, 'f'.repeat(32))
    const ended = await runMinga('wiki', 'add', wiki.apiUrl, '--all', ...bot, ...haste)
    assert.equal(ended.code, 1)
    const told = JSON.parse(ended.stdout.toString()) as {
      failures: { code: string }[]
      warnings: string[]
    }
    assert.deepEqual(
      told.failures.map(({ code }) => code),
      ['MINGA_WIKI_LOG_IN_REFUSED'],
    )
    assert.match(
      told.warnings.join(),
      /Admin@minga \(wrongpassword\): look at Special:BotPasswords/,
    )
    assert.equal(posts(), 1)
  })

  test('with the right one every page is kept as its own dumpBackup.php --full has it', async () => {
    fs.writeFileSync(secret, `${PASSWORD}\n`)
    const choice = ['--all', '--keep-warc', ...bot]
    const told = JSON.parse(await mingaOutput('wiki', 'add', wiki.apiUrl, ...choice, ...haste)) as {
      state: string
      wiki: string
      gaps: number
    }
    assert.equal(told.state, 'done')
    const out = path.join(folder, 'export.xml')
    await mingaOutput('wiki', 'export', told.wiki, '--data', data, '--out', out)
    const dumped = readXml(wiki.dumpBackup())
    assertSameHistories(readXml(fs.readFileSync(out)), dumped)
    const page = [...dumped.pages.values()].find(({ title }) => title === 'Decomposed')
    const [revision] = [...dumped.revisions.values()].filter(
      ({ pageId }) => pageId === page?.pageId,
    )
    const text = await mingaOutput('wiki', 'text', told.wiki, `${revision?.revId}`, '--data', data)
    assert.equal(text, DECOMPOSED)
    assert.equal(told.gaps, 0)
    assert.equal(posts(), 2)
  })

  test('cookies, tokens and the password stand in no file', async () => {
    for (const trace of ['BPsession', 'wiki_session', 'logintoken', 'lgpassword', 'assert=user']) {
      assert.deepEqual(await filesWith(data, trace), [], trace)
    }
    assert.deepEqual(await filesWith(data, PASSWORD), [], 'in the database it is encrypted')
  })
})
