// Goal: the tables that the station fills by itself agree with the world outside: captures with the archive's list,
// links with what the pages say, requests with the log of the web. Method: the real command line crawls the fake web
// and scrapes it, then asks in SQL; every page is read again without Minga.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { startFakeWeb } from '@minga/testkit'
import { listCaptures, mingaOutput } from './run-minga.ts'

async function ask(data: string, sql: string): Promise<unknown[][]> {
  const answer = JSON.parse(await mingaOutput('sql', sql, '--json', '--data', data)) as {
    rows: unknown[][]
  }
  return answer.rows
}

test('after a crawl the tables say what the archive, the pages and the log of the web say', async (t) => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-tables-'))
  const web = await startFakeWeb({ hosts: 2, pagesPerHost: 12, linksPerPage: 6 })
  t.after(() => web.close())
  const rules = path.join(data, 'rules.json')
  const extract = {
    table: 'titles',
    match: { mime: 'html' },
    rules: [{ field: 'title', from: 'css', select: 'title', isRequired: true }],
  }
  fs.writeFileSync(rules, JSON.stringify(extract))
  const folder = ['--data', path.join(data, 'station')]
  const station = folder[1]!
  const options = ['--scope', 'any', '--delay', '0', '--allow-private-addresses', '--no-embeds']
  await mingaOutput('crawl', ...web.seeds, ...options, '--extract', rules, ...folder)
  const hits = web.hits().map(({ url }) => url)

  const listed = await listCaptures(station)
  const captures = await ask(station, 'SELECT url, status FROM captures ORDER BY url')
  assert.deepEqual(captures, listed.map(({ url, status }) => [url, status]).toSorted(byUrl))

  const requests = await ask(station, 'SELECT url FROM requests ORDER BY url')
  assert.deepEqual(requests.flat(), hits.toSorted())

  const pages = listed.filter(({ mime, status }) => mime === 'text/html' && status === 200)
  const expected = (await Promise.all(pages.map(({ url }) => linksOn(url)))).flat()
  const links = await ask(
    station,
    `SELECT url, to_url FROM links WHERE kind = 'link' ORDER BY 1, 2`,
  )
  assert.deepEqual(
    links.map((row) => row.join(' ')),
    expected.toSorted(),
  )
  const titles = await ask(station, 'SELECT count(*), count(DISTINCT url) FROM titles')
  assert.deepEqual(titles, [[pages.length, pages.length]])
})

const byUrl = (a: (string | number)[], b: (string | number)[]): number => (a[0]! < b[0]! ? -1 : 1)

/** What a page links to, each once, read without Minga. */
async function linksOn(url: string): Promise<string[]> {
  const html = await (await fetch(url)).text()
  const found = [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href]) => {
    const to = new URL(href!.replaceAll('&amp;', '&'), url)
    to.hash = ''
    return to.href
  })
  return [...new Set(found)].map((to) => `${url} ${to}`)
}
