// Goal: a place that cannot be written to is found before the work, by every command, in the same words and with the
// code for usage; one that can is left as it was. Method: places of a temporary folder and of /proc, and the commands
// as processes of their own.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { runMinga } from '../test/commands/minga-fixture.ts'
import { makeFolder, requireFile, requireFolder, writeWhole } from './output-place.ts'

const home = mkdtempSync(join(tmpdir(), 'minga-place-'))
after(() => rmSync(home, { recursive: true }))
const at = (name: string): string => join(home, name)
const UNWRITABLE = 'MINGA_UNWRITABLE_FOLDER'

test('a file that can be written is not made by the trial, and one that is there is not touched', async () => {
  await requireFile('--out', at('new'))
  assert.ok(!existsSync(at('new')))
  writeFileSync(at('old'), 'as it was')
  await requireFile('--out', at('old'))
  assert.equal(readFileSync(at('old'), 'utf8'), 'as it was')
  await requireFile('--out', '/dev/null')
})

test('a folder, a missing folder, a file as a folder and /proc are no place for a file', async () => {
  writeFileSync(at('file'), '')
  for (const [file, message] of [
    [home, /it is a folder/],
    [at('none/x'), /its folder does not exist/],
    [at('file/x'), /a file stands where its folder should be/],
    ['/proc/x', /nothing can be made in its folder/],
  ] as const) {
    await assert.rejects(requireFile('--out', file), { code: UNWRITABLE, message })
  }
  await assert.rejects(requireFile('--wacz', '-'), { code: 'MINGA_BAD_OPTION' })
})

test('folders are made with those above them, and where nothing can be made that is said at once', async () => {
  await requireFolder('--out', at('a/b/c'))
  assert.deepEqual(readdirSync(at('a/b/c')), [])
  await makeFolder(at('a/b/c'))
  for (const folder of ['/proc/x', '/proc/x/y/z', at('file')]) {
    await assert.rejects(requireFolder('--out', folder), { code: UNWRITABLE })
  }
})

test('a device that is written to stays a device', async () => {
  await writeWhole('/dev/null', [Buffer.from('gone')])
  assert.ok(!existsSync('/dev/null.arriving'))
  await writeWhole(at('whole'), [Buffer.from('all')])
  assert.equal(readFileSync(at('whole'), 'utf8'), 'all')
})

test('every command says the same of such a place, before its work', async () => {
  writeFileSync(at('g.graph'), '2 1\n2\n1\n')
  writeFileSync(at('books.csv'), 'Title\nx\n')
  const data = ['--data', at('data')]
  for (const args of [
    ['query', 'run', 'books-1', '--input', `books=${at('books.csv')}`, '--out', '/proc/x', ...data],
    ['sql', 'SELECT 1', '--csv', '/proc/x', ...data],
    ['request', 'https://a.example/', '--out', '/proc/x', ...data],
    ['request', 'https://a.example/', '--warc', '/proc/x', ...data],
    ['wiki', 'export', 'a.example', '--out', '/proc/x', ...data],
    ['partition', at('g.graph'), '-k', '2', '--out', '/proc/x'],
    ['simulate', 'fleet', '--out', '/proc/x'],
    ['simulate', 'partition', '--out', '/proc/x'],
    ['simulate', 'revisit', '--plot', '/proc/x'],
    ['table', 'generate', 'books', '--out', '/proc/x'],
    ['crawl', 'https://a.example/', '--data', '/proc/x'],
    ['agent', 'join', 'https://a.example/', '--data', '/proc/x'],
  ]) {
    const { code, err } = await runMinga(args)
    assert.equal(code, 2, `${args.join(' ')}: ${err}`)
    assert.match(
      err,
      /Nothing can be written to \/proc\/x: nothing can be made in its folder; choose/,
    )
  }
  assert.ok(!existsSync(at('data')))
})

test('an address that is none, and a file that is not there, end with the code for usage', async () => {
  const data = ['--data', at('nowhere')]
  for (const [args, message] of [
    [['crawl', '', ...data], /crawl takes addresses such as/],
    [['crawl', 'https://a.example/', 'notaurl', ...data], /crawl takes addresses.*"notaurl"/],
    [['request', 'notaurl', ...data], /request takes addresses/],
    [['watch', 'add', 'notaurl', ...data], /watch add takes addresses/],
    [['watch', 'add', 'a.example', '--feed', 'x', ...data], /--feed takes addresses/],
    [['watch', 'add', 'http://127.0.0.1/', ...data], /loopback.* --allow-private-addresses/],
    [['wiki', 'add', 'ftp://a.example/', ...data], /wiki add takes addresses/],
    [['archive', 'get', 'notaurl', ...data], /archive get takes addresses/],
    [['archive', 'list', ...data], /Nothing collected here yet.*minga crawl/],
    [['watch', 'list', ...data], /Nothing collected here yet.*minga crawl/],
    [['sql', 'SELECT 1', ...data], /Nothing collected here yet.*minga crawl/],
    [['table', 'list', ...data], /Nothing collected here yet.*minga crawl/],
    [['foo', ...data], /unknown command 'foo'\n`minga --help` lists the commands/],
    [['sql', 'SELECT 1', '--station', 'notaurl', '--key', 'k'], /--station takes an address/],
    [['worker', 'run', '--station', 'notaurl', '--key', 'k'], /--station takes an address/],
    [['archive', 'import', at('none.warc'), ...data], /MINGA_UNREADABLE_FILE/],
    [['archive', 'verify', at('none.warc'), ...data], /MINGA_UNREADABLE_FILE/],
    [['query', 'run', at('none.ts'), ...data], /MINGA_UNREADABLE_FILE/],
    [['up', '--port', '99999', ...data], /a whole number from 0 to 65535/],
    [['up', '--tls-cert', at('c'), '--tls-key', at('k'), ...data], /MINGA_UNREADABLE_FILE/],
  ] as const) {
    const { code, err } = await runMinga(args)
    assert.equal(code, 2, `${args.join(' ')}: ${err}`)
    assert.match(err, message)
  }
  assert.ok(!existsSync(at('nowhere')))
})

test('an address that may not be requested fails with its remedy and leaves no folder', async () => {
  const data = ['--data', at('nowhere')]
  const open = '--allow-private-addresses'
  for (const [args, message] of [
    [['crawl', 'http://127.0.0.1:8080/', ...data], /loopback.* need --allow-private-addresses/],
    [['crawl', 'http://127.0.0.1:1/', open, ...data], /port 1 is not allowed/],
    [['request', 'http://127.0.0.1/', ...data], /loopback.* need --allow-private-addresses/],
    [['wiki', 'add', 'http://127.0.0.1/', ...data], /loopback.* need --allow-private-addresses/],
  ] as const) {
    const { code, err } = await runMinga(args)
    assert.equal(code, 1, `${args.join(' ')}: ${err}`)
    assert.match(err, message)
  }
  assert.ok(!existsSync(at('nowhere')))
})
