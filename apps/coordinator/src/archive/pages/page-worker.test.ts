// Goal: what a thread reads from a page is what would be read in place. Method: each job on a page that is too long
// for in place, compared with the job itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { PageBody } from '@minga/forecast'
import { PageTooSlow, PageUnreadable } from './errors.ts'
import { doPageJob, type PageJobArgs, type PageJobName } from './page-jobs.ts'
import { pageWorker } from './page-worker.ts'

const url = 'http://a.test/'
const PADDING = 'many words of a long page '.repeat(1_000)
const pageOf = (text: string): PageBody => ({
  url,
  mime: 'text/html',
  status: 200,
  body: Buffer.from(`<title>News</title><p>${text}</p><a href="/b">b</a><p>${PADDING}</p>`),
  charset: null,
  isTruncated: false,
})
const page = pageOf('one')
const { body } = page
const selectors = { include: ['p'], exclude: [] }
const rss = `<rss><channel><item><link>${url}c</link><title>c</title></item></channel></rss>`
const map = `<urlset><url><loc>${url}d</loc></url></urlset>`

test('a thread reads from a page what would be read in place', async () => {
  const same = async <N extends PageJobName>(name: N, args: PageJobArgs<N>): Promise<void> => {
    const [there, here] = [await pageWorker.run(name, args), doPageJob(name, args)]
    assert.deepEqual(structuredClone(there), structuredClone(here), name)
    assert.notDeepEqual(there, null, name)
  }
  await same('visit', { page, selectors, before: doPageJob('sketch', { page, selectors }) })
  await same('sketch', { page, selectors })
  await same('twin', { page, selectors, first: pageOf('two') })
  await same('diff', { page, selectors, first: pageOf('two'), mask: null })
  await same('text', { page })
  await same('links', { url, body, most: 10 })
  const received = { url, kind: 'document' as const, status: 200, headers: [], body }
  await same('facts', { ...received, digest: 'sha1:A' })
  await same('feed', { url, body: Buffer.from(rss + PADDING), options: { now: 0 } })
  await same('sitemap', { url, body: Buffer.from(map + PADDING) })
  await same('sources', { url, body, contentType: 'text/html', linkHeaders: [] })
})

test('a file whose size says nothing of what is in it is read in the thread, however small', async () => {
  const packed = gzipSync(`<urlset>${'<q>'.repeat(1_000_000)}`)
  assert.ok(packed.length < 16_384)
  let isFree = false
  setImmediate(() => (isFree = true))
  const { entries, problems } = await pageWorker.run('sitemap', { url, body: packed })
  assert.ok(isFree, 'the main loop had no turn')
  assert.deepEqual([entries, problems], [[], ['its elements are nested too deeply']])
})

test('a selector that is none makes a page unreadable, and the next page is read', async () => {
  const wrong = { include: ['p['], exclude: [] }
  await assert.rejects(pageWorker.run('sketch', { page, selectors: wrong }), PageUnreadable)
  assert.deepEqual(await pageWorker.run('links', { url, body, most: 10 }), [`${url}b`])
})

test('selectors that take for ever on a large page end at the short deadline', async () => {
  const large = { ...page, body: Buffer.from('<p>x</p>'.repeat(40_000)) }
  const nested = { include: ['p:has(~ p:has(~ p:has(~ b)))'], exclude: [] }
  const began = performance.now()
  await assert.rejects(pageWorker.run('sketch', { page: large, selectors: nested }), PageTooSlow)
  const tookMs = performance.now() - began
  assert.ok(tookMs < 40_000, `${Math.round(tookMs)} ms, starting a thread included`)
})

test('a small page whose reading fails in place is unreadable, as it is in the thread', async () => {
  const broken = {
    url,
    body: Buffer.from('<p>small</p>'),
    get most(): number {
      throw new RangeError('of the reader')
    },
  }
  await assert.rejects(pageWorker.run('links', broken), (error) => {
    assert.ok(error instanceof PageUnreadable)
    assert.match(error.message, /of the reader/)
    return true
  })
})
