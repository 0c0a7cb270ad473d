// Goal: alerts are made, listed, tried and removed from the command line, and mistakes are reported without
// a password. Method: the real command line as processes on a folder, with a receiver on loopback.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { AlertView, DeliveryView, NewAlertView } from '@minga/protocol'
import { endAllProcesses, startProcess } from '@minga/testkit'
import { MINGA, runMinga, type Ended } from '../../../test/commands/minga-fixture.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'minga-alerts-'))
const there = ['--data', path.join(folder, 'data')]
after(async () => {
  await endAllProcesses()
  rmSync(folder, { recursive: true, force: true })
})

const watch = (args: string[], env: Record<string, string> = {}): Promise<Ended> =>
  runMinga(['watch', ...args, ...there], env)

async function json<T>(...args: string[]): Promise<T> {
  const { out, err } = await watch([...args, '--json'])
  assert.equal(err, '')
  return JSON.parse(out) as T
}

test('alerts are added, listed, tested and removed at the command line', async () => {
  await watch(['add', 'https://a.test/'])
  const heard: string[] = []
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text: string) => heard.push(text))
    request.on('end', () => response.writeHead(204).end())
  })
  after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const kinds = ['--changes', 'all', '--failures', '3', '--back', '--quiet', '22:00-07:00']
  const open = '--allow-private-addresses'
  const made = await json<NewAlertView>('alerts', 'add', '1', '--webhook', hook, ...kinds, open)
  assert.match(made.secret!, /^[\da-f]{64}$/)
  assert.deepEqual(
    [made.watchId, made.changes, made.failuresInRow, made.tellsBack, made.quiet],
    [1, 'all', 3, true, { from: '22:00', to: '07:00' }],
  )
  const tested = await json<DeliveryView>('alerts', 'test', made.id, open)
  assert.equal(tested.state, 'sent')
  assert.match(heard.join(''), /"event":"watch\.test"/)
  const guarded = await watch(['alerts', 'test', made.id])
  assert.equal(guarded.code, 1)
  assert.match(guarded.err, /not sent: .*address/)

  const feed = await json<NewAlertView>('alerts', 'add', '--feed')
  assert.match(feed.feedUrl!, /^\/api\/alerts\/alr_\w+\/feed\/[\w-]{43}$/)
  const shown = (await watch(['alerts', 'list'])).out
  assert.match(shown, /alr_\w+ +all +feed +important +at-once +0 +\/api\/alerts/)
  assert.match(shown, /alr_\w+ +1 +webhook +all, 3 failures, back +at-once, not 22:00-07:00/)
  assert.match(shown, /Last messages:\n+.* test +(sent|failed), 1 tries/)
  await watch(['alerts', 'remove', feed.id])
  const { alerts } = await json<{ alerts: AlertView[] }>('alerts', 'list')
  assert.deepEqual(
    alerts.map(({ id }) => id),
    [made.id],
  )
})

test('mistakes about alerts end with a word about what was expected, and never with a password', async () => {
  const wrong = { MINGA_SMTP_URL: 'mail.test:s3cret', MINGA_MAIL_FROM: 'a@b.test' }
  const { code: refused, err: why } = await watch(['alerts', 'list'], wrong)
  assert.equal(refused, 2)
  assert.match(why, /MINGA_SMTP_URL takes smtp:\/\//)
  assert.ok(!why.includes('s3cret'))
  // The rest is asked of a station: to open the folder by itself takes a command several times as long.
  const up = await startProcess(process.execPath, [
    MINGA,
    'up',
    '--no-agent',
    '--port',
    '0',
    ...there,
  ])
  await up.waitOutput(/is up at/, 60_000)
  const cases: [string[], number, RegExp][] = [
    [['add'], 2, /one of --webhook, --email and --feed/],
    [['add', '--feed', '--email', 'a@b.test'], 2, /one of --webhook, --email and --feed/],
    [['add', '--webhook', 'http://127.0.0.1/'], 1, /MINGA_ALERT_REFUSED/],
    [['add', '--email', 'a@b.test'], 1, /MINGA_NO_MAIL_SERVER/],
    [['add', '--feed', '--quiet', 'night'], 2, /as in 22:00-07:00/],
    [['remove', 'alr_none'], 1, /MINGA_NO_SUCH_ALERT/],
  ]
  for (const [args, code, message] of cases) {
    const ended = await watch(['alerts', ...args])
    assert.equal(ended.code, code, args.join(' '))
    assert.match(ended.err, message)
  }
})

test('the address of a feed is whole where a station without a public one was asked', async () => {
  const feedUrl = '/api/alerts/alr_1/feed/x'
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'alr_1', feedUrl, secret: null }))
  })
  after(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made = await runMinga(['watch', 'alerts', 'add', '--feed', '--station', url, '--key', 'k'])
  assert.ok(made.err.includes(`the feed: ${url}${feedUrl}`), made.err)
})
