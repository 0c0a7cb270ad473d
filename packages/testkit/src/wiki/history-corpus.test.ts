// Goal: the corpus is the same for everyone, has the size asked for, and is no easier to pack than
// a wiki. Method: small corpora are made twice, counted, and compressed.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import type { Revision } from '@minga/wiki'
import { corpusSite, historyCorpus, type HistoryCorpusSpec } from './history-corpus.ts'

const SPEC: HistoryCorpusSpec = { seed: 4, pages: 12, revisions: 3_000, rawBytes: 40_000_000 }

function textOf({ slots }: Revision): Uint8Array {
  return slots[0]!.text!
}

function allRevisions(spec: HistoryCorpusSpec): Revision[] {
  return [...historyCorpus(spec)].flatMap(({ revisions }) => [...revisions()])
}

test('the same seed gives the same history, each page also without the others', () => {
  const small = { ...SPEC, revisions: 300, rawBytes: 2_000_000 }
  const pages = [...historyCorpus(small)]
  const last = pages.at(-1)!
  assert.deepEqual([...last.revisions()], [...[...historyCorpus(small)].at(-1)!.revisions()])
  const other = [...historyCorpus({ ...small, seed: 5 })].at(-1)!
  assert.notEqual(last.page.title, other.page.title)
})

test('revisions are as many as asked for, bytes nearly, and pages of very different size', () => {
  const pages = [...historyCorpus(SPEC)]
  const revisions = allRevisions(SPEC)
  assert.equal(revisions.length, SPEC.revisions)
  const bytes = revisions.reduce((sum, revision) => sum + textOf(revision).length, 0)
  const ratio = bytes / SPEC.rawBytes
  assert.ok(ratio > 0.8 && ratio < 1.15, `${bytes} bytes`)
  const counts = pages.map(({ revisionCount }) => revisionCount)
  assert.ok(Math.max(...counts) > 4 * Math.min(...counts), counts.join(' '))
})

test('revisions are those of a wiki: ids rise with time, parents are right, hashes and sizes fit', () => {
  const ids = new Set<number>()
  for (const { page, revisions } of historyCorpus({
    ...SPEC,
    revisions: 500,
    rawBytes: 4_000_000,
  })) {
    let parent: { revId: number; at: number } = { revId: 0, at: 0 }
    for (const revision of revisions()) {
      const { pageId, revId, parentId, at, sha1, size } = revision
      assert.deepEqual([pageId, parentId], [page.pageId, parent.revId])
      assert.ok(revId > parent.revId && at > parent.at && at % 1000 === 0)
      assert.deepEqual([sha1, size], [hash('sha1', textOf(revision)), textOf(revision).length])
      ids.add(revId)
      parent = revision
    }
  }
  assert.equal(ids.size, 500)
  assert.ok(corpusSite().namespaces.some(({ id }) => id === 0))
})

test('there are vandals who blank pages, reverts to the very text before, bots and strangers', () => {
  const revisions = allRevisions(SPEC)
  const share = (has: (revision: Revision) => boolean): number =>
    revisions.filter(has).length / revisions.length
  const seen = new Set<string>()
  const isIdentical = ({ sha1 }: Revision): boolean => seen.size === seen.add(sha1!).size
  const again = share(isIdentical)
  assert.ok(again > 0.05 && again < 0.25, `${again} of all texts were there before`)
  assert.ok(revisions.some((revision) => textOf(revision).length === 0))
  assert.ok(share(({ editor }) => editor === 'anonymous') > 0.1)
  assert.ok(share(({ user }) => /bot/i.test(user ?? '')) > 0.05)
  assert.ok(share(({ isMinor }) => isMinor) > 0.1)
})

test('new text is as dense as prose, so that the corpus does not flatter a compressor', () => {
  // A first revision has no earlier one to lean on: what zstd cannot shorten is new.
  const firsts = [...historyCorpus({ ...SPEC, pages: 100, revisions: 100, rawBytes: 1e6 })]
  const texts = firsts.map(({ revisions }) => textOf([...revisions()][0]!))
  const raw = Buffer.concat(texts)
  const share = zstdCompressSync(raw).length / raw.length
  assert.ok(share > 0.3, `${share} of the raw bytes are left`)
})
