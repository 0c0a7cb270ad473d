// Goal: a folder that cannot take answers is said to be so in one sentence, and a question that was refused leaves
// nothing in it. Method: folders of a temporary place, one of them a file.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { BadOption } from '../../../errors.ts'
import { QueryFolder } from './folder.ts'

const home = mkdtempSync(join(tmpdir(), 'minga-folder-'))
after(() => rmSync(home, { recursive: true }))

test('a file in the place of the folder is no place for answers', async () => {
  const out = join(home, 'taken')
  writeFileSync(out, '')
  await assert.rejects(
    QueryFolder.open(out, 'same', () => 'one'),
    { code: 'MINGA_UNWRITABLE_FOLDER' },
  )
})

test('a question that was refused leaves nothing, unless files were sent that the next one can use', async () => {
  const out = join(home, 'answers')
  const refuse = (): Promise<never> => Promise.reject(new BadOption('--type', 'a type', 'nope'))
  const refused = await QueryFolder.open(out, 'same', () => 'one')
  await assert.rejects(refused.submit(refuse), { code: 'MINGA_BAD_OPTION' })
  assert.ok(!existsSync(join(out, '.partial')))
  const next = await QueryFolder.open(out, 'same', () => 'two')
  assert.equal(next.id, 'two')
  const file = { input: 'books', path: '/books.csv', bytes: 1, changedAtMs: 1 }
  await next.noteUpload(file, 'inp_1')
  await assert.rejects(next.submit(refuse), { code: 'MINGA_BAD_OPTION' })
  const other = await QueryFolder.open(out, 'other', () => 'three')
  assert.equal(await other.uploadOf(file), 'inp_1')
})

test('two runs of one command in one folder both end with whole answers', async () => {
  const out = join(home, 'twice')
  const first = await QueryFolder.open(out, 'same', () => 'one')
  const second = await QueryFolder.open(out, 'same', () => 'two')
  assert.equal(second.id, 'one')
  const busy = join(out, '.partial', `books-1.csv.${process.ppid}.arriving`)
  writeFileSync(busy, 'half')
  writeFileSync(join(out, '.partial/books-1.csv.999999999.arriving'), 'of a dead one')
  await first.keep('books-1.csv', pieces('whole'))
  await first.forget()
  assert.deepEqual(readdirSync(join(out, '.partial')), [`books-1.csv.${process.ppid}.arriving`])
  rmSync(join(out, '.partial'), { recursive: true })
  await second.addRows({ query: 'books-1', columns: ['title'], rows: [['a']] })
  await second.keep('books-1.csv', pieces('whole'))
  await second.forget()
  assert.deepEqual(readdirSync(out), ['books-1.csv'])
  assert.equal(readFileSync(join(out, 'books-1.csv'), 'utf8'), 'whole')
})

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
