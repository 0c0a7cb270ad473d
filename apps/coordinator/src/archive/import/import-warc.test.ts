// Goal: a foreign file comes in whole, once, under one name, or not at all. Method: files that are good,
// plain, damaged, empty or missing, imported into a station's archive over its API.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { verifyWarc } from '@minga/archive'
import {
  collect,
  sampleArchive,
  sampleWarcinfo,
} from '../../../../../packages/archive/test/sample-exchange.ts'
import { ENGINES, temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import type { ImportAnswer } from './import-warc.ts'
import { assertRefused, openStation } from '../../../test/station-fixture.ts'

const folder = temporaryFolder()

function fileWith(name: string, bytes: Buffer | string): string {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

/** Different content for every test. */
function archiveOf(...bodies: string[]): Buffer {
  return sampleArchive(bodies.map((body) => Buffer.from(body)))
}

for (const engine of ENGINES) {
  describe(`An import on ${engine.name}`, { skip: engine.skip }, async () => {
    const station = await openStation({ engine })
    const archive = join(station.data, 'archive')
    const ask = (file: string) => station.post('/archive/import', { file })
    const take = async (file: string): Promise<ImportAnswer> => {
      const { status, body } = await ask(file)
      assert.equal(status, 200, JSON.stringify(body))
      return body as ImportAnswer
    }

    test('copies a good file byte by byte and indexes what it holds', async () => {
      const bytes = archiveOf('one', 'two')
      const answer = await take(fileWith('good file (1).warc.gz', bytes))
      assert.match(answer.file, /^import-[0-9a-f]{16}-good_file_1_\.warc\.gz$/)
      const { captures, already, repacked, findingCount } = answer
      assert.deepEqual(
        { captures, already, repacked, findingCount },
        { captures: 2, already: false, repacked: false, findingCount: 0 },
      )
      assert.deepEqual(readFileSync(join(archive, answer.file)), bytes)
      assert.equal(String((await station.content('http://example.org/1')).body), 'two')
    })

    test('of the same content adds nothing, under whatever name and however many at once', async () => {
      const bytes = archiveOf('same')
      const files = ['a', 'b', 'c'].map((name) => fileWith(`${name}.warc.gz`, bytes))
      const answers = await Promise.all(files.map(take))
      assert.deepEqual(
        answers.map(({ already }) => already),
        [false, true, true],
      )
      assert.equal(new Set(answers.map(({ file }) => file)).size, 1)
      const rows = (await station.captures()).filter(({ file }) => file === answers[0]!.file)
      assert.equal(rows.length, 1)
    })

    test('of a plain file, or of one that cannot be sought in, packs it again', async () => {
      const plain = gunzipSync(archiveOf('plain', 'file'))
      for (const [name, bytes] of [
        ['plain.warc', plain],
        ['solid.warc.gz', gzipSync(plain)],
      ] as const) {
        const answer = await take(fileWith(name, bytes))
        assert.deepEqual([answer.repacked, answer.captures], [true, 2], name)
        const findings = await collect(verifyWarc(join(archive, answer.file)))
        assert.deepEqual(findings, [], name)
        assert.equal(String((await station.content('http://example.org/0')).body), 'plain')
      }
    })

    test('of a damaged file says where and keeps what can be read', async () => {
      const bytes = archiveOf('first', 'second', 'third')
      const cut = await take(fileWith('cut.warc.gz', bytes.subarray(0, -30)))
      assert.equal(cut.repacked, true)
      assert.ok(cut.findingCount >= 1)
      assert.equal(cut.captures, 3)
      const second = sampleArchive([Buffer.from('first')]).length
      const holed = Buffer.from(bytes)
      holed.fill(0, second + 20, second + 60)
      const answer = await take(fileWith('holed.warc.gz', holed))
      assert.equal(answer.captures, 2)
      assert.ok(answer.findings[0]!.offset >= second)
      assert.deepEqual(await collect(verifyWarc(join(archive, answer.file))), [])
    })

    test('of nothing that can be read is refused and leaves the archive as it was', async () => {
      const before = readdirSync(archive).toSorted()
      mkdirSync(join(folder, 'a folder'), { recursive: true })
      const bad: [file: string, problem: RegExp][] = [
        [
          join(folder, 'missing.warc.gz'),
          /missing\.warc\.gz was not imported: there is no such file/,
        ],
        [join(folder, 'a folder'), /a folder was not imported: it is not a file/],
        [join(folder, 'x'.repeat(5_000)), /its name is too long/],
        [join(folder, 'a\0b'), /its name has a null byte/],
        [join(fileWith('file', ''), 'below'), /there is no such file/],
        [fileWith('empty.warc.gz', ''), /\/empty\.warc\.gz was not imported: it holds no capture/],
        [fileWith('noise.warc.gz', 'no records here'), /it holds no capture/],
        [fileWith('info.warc.gz', sampleWarcinfo()), /it holds no capture/],
        [fileWith('bytes.gz', gzipSync('GIF89a')), /it holds no capture/],
      ]
      for (const [file, problem] of bad) {
        assertRefused(await ask(file), '400 MINGA_BAD_IMPORT', problem)
      }
      assert.deepEqual(readdirSync(archive).toSorted(), before)
    })

    test('without the name of a file is refused by the field', async () => {
      for (const body of [{}, { file: '' }, { file: 7 }]) {
        const said = await station.post('/archive/import', body)
        assertRefused(said, '400 MINGA_BAD_MESSAGE', /file: /)
      }
    })

    test('that was killed between rename and index resumes where it was', async () => {
      const bytes = archiveOf('killed', 'then')
      const first = await take(fileWith('whole.warc.gz', bytes))
      const rows = (await station.captures()).filter(({ file }) => file === first.file)
      // As if only the first of two steps had been committed.
      const name = `import:${first.file}`
      await station.store.call('writeFact', { name, value: String(rows[1]!.offset) })
      writeFileSync(join(archive, 'incoming.part'), 'what the crash left')
      const again = await take(fileWith('again.warc.gz', bytes))
      assert.deepEqual([again.file, again.captures, again.already], [first.file, 2, false])
      const after = (await station.captures()).filter(({ file }) => file === first.file)
      assert.deepEqual(after, rows)
      assert.ok(!readdirSync(archive).includes('incoming.part'))
    })
  })
}

const isRoot = process.getuid?.() === 0 ? 'root may read everything' : false

test('a file that may not be read is refused with the reason', { skip: isRoot }, async () => {
  const station = await openStation()
  const file = fileWith('secret.warc.gz', archiveOf('secret'))
  chmodSync(file, 0)
  const said = await station.post('/archive/import', { file })
  assertRefused(said, '400 MINGA_BAD_IMPORT', /it may not be read/)
})
