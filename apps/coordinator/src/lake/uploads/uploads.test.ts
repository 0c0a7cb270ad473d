// Goal: a file that is uploaded in parts arrives unaltered, whatever breaks on the way, and no
// client sees another's. Method: real files in a temporary folder on a virtual clock; parts lost,
// doubled, broken and cut in their middle.
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isMingaError, type UploadView } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import * as fc from 'fast-check'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { UploadOffset } from '../lake-errors.ts'
import { Uploads } from './uploads.ts'

const START = Date.UTC(2026, 4, 6)
const DAY_MS = 86_400_000

function openUploads({ folder = temporaryFolder(), bytesMax = 10_000 } = {}) {
  const clock = createVirtualClock(START)
  let ids = 0
  const newId = (): string => `00000000-${String(++ids).padStart(4, '0')}`
  const limits = () => ({ readerBytesMax: 1e9, bytesMax, keptMs: DAY_MS })
  return { folder, clock, uploads: new Uploads({ folder, clock, limits, newId }) }
}

const sha = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const part = (bytes: Buffer, offset: number) => ({ bytes, offset, digest: sha(bytes) })

async function code(work: Promise<unknown>): Promise<string> {
  try {
    return `done ${JSON.stringify(await work)}`
  } catch (error) {
    assert.ok(isMingaError(error), String(error))
    return error.code
  }
}

test('parts make the file as it was, however they are cut, lost and sent again', async () => {
  const { uploads, folder } = openUploads({ bytesMax: 1e9 })
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 3_000 }),
      fc.array(fc.tuple(fc.integer({ min: 1, max: 700 }), fc.constantFrom('', 'again', 'torn'))),
      async (raw, steps) => {
        const bytes = Buffer.from(raw)
        const { id } = await uploads.begin('ana', { name: 'some.csv', bytes: bytes.length })
        const data = join(folder, 'inputs', id, 'data.csv')
        let at = 0
        for (const [length, trouble] of [...steps, [bytes.length, ''] as const]) {
          const piece = bytes.subarray(at, at + length)
          if (piece.length === 0) break
          // Killed while it wrote: some of the part is there, and its client gets no answer.
          if (trouble === 'torn') appendFileSync(data, piece.subarray(0, piece.length >> 1))
          else await uploads.append('ana', id, part(piece, at))
          if (trouble === 'again') {
            await assert.rejects(uploads.append('ana', id, part(piece, at)), UploadOffset)
          }
          at = (await uploads.view('ana', id)).received
        }
        if (at < bytes.length) await uploads.append('ana', id, part(bytes.subarray(at), at))
        const { state } = await uploads.finish('ana', id, sha(bytes))
        assert.equal(state, 'ready')
        assert.deepEqual(readFileSync(data), bytes)
      },
    ),
    { numRuns: 60, seed: 7 },
  )
})

test('broken parts, missing digests and more than was announced change nothing', async () => {
  const { uploads } = openUploads()
  const { id } = await uploads.begin('ana', { name: 'some.csv', bytes: 10 })
  const bytes = Buffer.from('0123456789')
  const wrong = [
    { ...part(bytes, 0), digest: sha(Buffer.from('other')) },
    { ...part(bytes, 0), digest: undefined },
    part(Buffer.from('0123456789x'), 0),
  ]
  for (const one of wrong)
    assert.equal(await code(uploads.append('ana', id, one)), 'MINGA_BAD_PART')
  assert.equal(await code(uploads.append('ana', id, part(bytes, 3))), 'MINGA_BAD_PART')
  const late = part(Buffer.from('3456789'), 3)
  assert.equal(await code(uploads.append('ana', id, late)), 'MINGA_UPLOAD_OFFSET')
  assert.equal(await code(uploads.finish('ana', id)), 'MINGA_UPLOAD_OPEN')
  assert.equal(await code(uploads.ready('ana', id)), 'MINGA_UPLOAD_OPEN')
  await uploads.append('ana', id, part(bytes, 0))
  assert.equal(await code(uploads.finish('ana', id, sha(Buffer.from('else')))), 'MINGA_BAD_PART')
  assert.equal((await uploads.finish('ana', id, sha(bytes))).state, 'ready')
})

test('two parts that come at once are taken one after the other, and one of them counts', async () => {
  const { uploads } = openUploads()
  const { id } = await uploads.begin('ana', { name: 'some.csv', bytes: 4_000 })
  const bytes = randomBytes(4_000)
  const both = [1, 2].map(() => code(uploads.append('ana', id, part(bytes, 0))))
  const said = await Promise.all(both)
  assert.equal(said.filter((one) => one.startsWith('done')).length, 1)
  assert.equal(said.filter((one) => one === 'MINGA_UPLOAD_OFFSET').length, 1)
})

test('no user can see, extend or remove the upload of another, except one who may see all', async () => {
  const { uploads } = openUploads()
  const { id } = await uploads.begin('ana', { name: 'some.csv', bytes: 1 })
  const piece = part(Buffer.from('x'), 0)
  for (const work of [
    () => uploads.view('bea', id),
    () => uploads.append('bea', id, piece),
    () => uploads.finish('bea', id),
    () => uploads.remove('bea', id),
    () => uploads.ready('bea', id),
  ]) {
    assert.equal(await code(work()), 'MINGA_NO_SUCH_UPLOAD')
  }
  assert.deepEqual(await uploads.list('bea'), [])
  assert.equal((await uploads.list(null)).length, 1)
  assert.equal((await uploads.view(null, id)).owner, 'ana')
})

test('ids lead nowhere but to uploads', async () => {
  const { uploads, folder } = openUploads()
  mkdirSync(join(folder, 'inputs'), { recursive: true })
  for (const id of ['', '.', '..', '../..', 'inp_../../x', 'inp_00000000/../..', 'about.json']) {
    assert.equal(await code(uploads.view(null, id)), 'MINGA_NO_SUCH_UPLOAD', id)
    assert.equal(await code(uploads.remove(null, id)), 'MINGA_NO_SUCH_UPLOAD', id)
  }
})

test('an account has no more than its quota, counted as announced; another has its own', async () => {
  const { uploads } = openUploads({ bytesMax: 100 })
  const begin = (owner: string, bytes: number) =>
    code(uploads.begin(owner, { name: 'some.csv', bytes }))
  assert.match(await begin('ana', 60), /^done/)
  const two = await Promise.all([begin('ana', 30), begin('ana', 30)])
  assert.deepEqual(two.map((one) => one.slice(0, 4)).toSorted(), ['MING', 'done'])
  assert.equal(await begin('ana', 41), 'MINGA_UPLOAD_QUOTA')
  assert.match(await begin('bea', 100), /^done/)
})

test('an upload whose time is over is removed, unless a query reads it', async () => {
  const { uploads, clock, folder } = openUploads()
  const made: UploadView[] = []
  for (const name of ['gone.csv', 'read.csv', 'kept.csv']) {
    made.push(await uploads.begin('ana', { name, bytes: 1 }))
  }
  const [gone, read, kept] = made.map(({ id }) => id) as [string, string, string]
  await clock.advance(DAY_MS - 1)
  await uploads.append('ana', kept, part(Buffer.from('x'), 0))
  await clock.advance(1)
  await uploads.sweep(new Set([read]))
  const left = (await uploads.list('ana')).map(({ id }) => id)
  assert.deepEqual(left.toSorted(), [read, kept].toSorted())
  assert.ok(!existsSync(join(folder, 'inputs', gone)))
})

test('after the folder is opened again the position of each upload is known', async () => {
  const { uploads, folder } = openUploads()
  const bytes = Buffer.from('0123456789')
  const { id } = await uploads.begin('ana', { name: 'some.tsv.gz', bytes: 10 })
  await uploads.append('ana', id, part(bytes.subarray(0, 6), 0))
  // A crash of the machine took the end of what was written.
  truncateSync(join(folder, 'inputs', id, 'data.tsv.gz'), 4)
  const again = openUploads({ folder }).uploads
  assert.equal((await again.view('ana', id)).received, 4)
  await again.append('ana', id, part(bytes.subarray(4), 4))
  await again.finish('ana', id, sha(bytes))
  assert.deepEqual(await again.ready('ana', id), {
    file: `inputs/${id}/data.tsv.gz`,
    name: 'some.tsv.gz',
    bytes: 10,
  })
})
