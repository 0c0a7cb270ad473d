// Goal: documents read the same in the site as in a viewer of Markdown, and no link of them leads nowhere.
// Method: small texts are rendered; the real documents are built into a folder, and every link and picture is followed.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { buildDocsSite, siteLink } from './docs-site.ts'
import { renderMarkdown } from './markdown.ts'

const ROOT = join(import.meta.dirname, '../..')

test('headings, lists, tables and code become their elements', () => {
  const { html, headings } = renderMarkdown(
    '# Title `x`\n\nText with **weight**, _stress_ and `a|b`.\n\n- one\n- two\n  more\n\n1. first\n\n| A | B |\n| --- | --- |\n| `x|y` | \\| |\n\n```sh\nls <dir>\n```\n',
  )
  assert.deepEqual(headings, [{ level: 1, text: 'Title x', id: 'title-x' }])
  assert.match(html, /<h1 id="title-x">Title <code>x<\/code><\/h1>/)
  assert.match(html, /<strong>weight<\/strong>, <em>stress<\/em> and <code>a\|b<\/code>/)
  assert.match(html, /<ul>\n<li>one<\/li>\n<li>two\nmore<\/li>\n<\/ul>/)
  assert.match(html, /<ol>\n<li>first<\/li>/)
  assert.match(html, /<td><code>x\|y<\/code><\/td><td>\|<\/td>/)
  assert.match(html, /<code>ls &lt;dir&gt;<\/code>/)
})

test('what looks like HTML stays text, and an address that runs a script leads nowhere', () => {
  const { html } = renderMarkdown('<b onclick="x()">hi</b> [go](javascript:alert(1))')
  assert.doesNotMatch(html, /<b|javascript/)
})

test('links between documents lead to pages, and those to the outside stay', () => {
  assert.equal(siteLink('guides/a.md', '../queries.md#steps'), '../queries.html#steps')
  assert.equal(siteLink('index.md', 'images/overview.png'), 'images/overview.png')
  assert.equal(siteLink('index.md', 'https://example.org/a.md'), 'https://example.org/a.md')
  assert.equal(siteLink('for-clients.md', '../README.md'), '../README.md')
})

test('the site of all documents is built, and each of its links and pictures is there', async () => {
  const out = await mkdtemp(join(tmpdir(), 'minga-docs-'))
  try {
    const facts = await buildDocsSite(join(ROOT, 'docs'), out)
    const files = new Set(await readdir(out, { recursive: true }))
    const pages = [...files].filter((file) => file.endsWith('.html'))
    assert.equal(pages.length, facts.pages)
    const ids = new Map<string, Set<string>>()
    const texts = new Map<string, string>()
    for (const page of pages) {
      const text = await readFile(join(out, page), 'utf8')
      texts.set(page, text)
      ids.set(page, new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)))
    }
    const lost = [...texts].flatMap(([page, text]) => lostLinks(page, text, { files, ids }))
    assert.deepEqual(lost, [])
  } finally {
    await rm(out, { recursive: true })
  }
})

interface Known {
  files: ReadonlySet<string>
  ids: ReadonlyMap<string, ReadonlySet<string>>
}

function lostLinks(page: string, text: string, { files, ids }: Known): string[] {
  return [...text.matchAll(/ (?:href|src)="([^"]+)"/g)].flatMap(([, target = '']) => {
    if (/^(https?|mailto):/.test(target)) return []
    const [file = '', hash] = target.split('#')
    const path = file === '' ? page : join(dirname(page), file)
    const isOutside = path.startsWith('..')
    const isThere = isOutside || files.has(path)
    const isPlace = hash === undefined || isOutside || (ids.get(path)?.has(hash) ?? false)
    return isThere && isPlace ? [] : [`${page} → ${target}`]
  })
}

test('a page of the site asks nothing of another machine', async () => {
  const out = await mkdtemp(join(tmpdir(), 'minga-docs-'))
  try {
    await buildDocsSite(join(ROOT, 'docs'), out)
    const text = await readFile(join(out, 'index.html'), 'utf8')
    assert.deepEqual(text.match(/(?:src|<link[^>]*href)="https?:[^"]*"/g), null)
  } finally {
    await rm(out, { recursive: true })
  }
})
