/**
 * The documents as a static site: a page for each, with navigation, a search by titles and headings, light
 * and dark. Nothing is asked of another machine, and it also works from a folder without a server.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix, relative } from 'node:path'
import { escapeHtml, renderMarkdown, type Heading } from './markdown.ts'
import { SEARCH_SCRIPT, SITE_STYLE } from './site-assets.ts'

interface Document {
  /** Below docs/, as in `guides/first-collection.md`. */
  path: string
  title: string
  html: string
  headings: Heading[]
}

interface Section {
  title: string
  holds: (path: string) => boolean
}

/** In the order of the navigation; a document stands in the first that holds it. */
const SECTIONS: readonly Section[] = [
  { title: 'Start', holds: (path) => /^index(\.\w\w)?\.md$/.test(path) },
  { title: 'Guides', holds: (path) => path.startsWith('guides/') },
  { title: 'For everybody', holds: (path) => path.startsWith('for-') },
  { title: 'Reference', holds: (path) => path.startsWith('reference/') },
  { title: 'Decisions', holds: (path) => path.startsWith('adr/') },
  { title: 'How it works', holds: () => true },
]

const LANGUAGES: Record<string, string> = { 'index.es.md': 'es', 'index.pt.md': 'pt' }
/** Three pages have the name of the product as their title; the navigation tells them apart. */
const NAMES: Record<string, string> = {
  'index.md': 'English',
  'index.es.md': 'Español',
  'index.pt.md': 'Português',
}

export interface SiteFacts {
  pages: number
  images: number
}

export async function buildDocsSite(docs: string, out: string): Promise<SiteFacts> {
  const files = (await readdir(docs, { recursive: true })).map((file) => file.replaceAll('\\', '/'))
  const documents = await Promise.all(
    files
      .filter((file) => file.endsWith('.md'))
      .toSorted()
      .map((path) => readDocument(docs, path)),
  )
  await rm(out, { recursive: true, force: true })
  const put = async (path: string, text: string): Promise<void> => {
    const file = join(out, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  for (const document of documents) {
    await put(htmlPath(document.path), pageOf(document, documents))
  }
  await put('style.css', SITE_STYLE)
  await put(
    'search.js',
    `const PAGES = ${JSON.stringify(searchIndex(documents))}\n${SEARCH_SCRIPT}`,
  )
  const images = files.filter((file) => /\.(png|svg|jpg)$/.test(file))
  for (const image of images) {
    await mkdir(dirname(join(out, image)), { recursive: true })
    await copyFile(join(docs, image), join(out, image))
  }
  return { pages: documents.length, images: images.length }
}

async function readDocument(docs: string, path: string): Promise<Document> {
  const text = await readFile(join(docs, path), 'utf8')
  const { html, headings } = renderMarkdown(text, (target) => siteLink(path, target))
  return { path, title: headings[0]?.text ?? path, html, headings }
}

/** Documents lead to each other's pages; what is outside docs/ is also outside the site. */
export function siteLink(from: string, target: string): string {
  if (/^[a-z]+:/i.test(target) || target.startsWith('#')) return target
  const [file = '', hash] = target.split('#')
  const path = posix.normalize(posix.join(posix.dirname(from), file))
  if (path.startsWith('../')) return target
  const link = relativeTo(from, file.endsWith('.md') ? htmlPath(path) : path)
  return hash === undefined ? link : `${link}#${hash}`
}

const htmlPath = (path: string): string => path.replace(/\.md$/, '.html')

function relativeTo(from: string, to: string): string {
  return relative(dirname(`/${from}`), `/${to}`).replaceAll('\\', '/')
}

function searchIndex(documents: readonly Document[]): [string, string, string[]][] {
  return documents.map(({ path, title, headings }) => [
    htmlPath(path),
    title,
    headings.slice(1).map(({ text }) => text),
  ])
}

function pageOf(document: Document, all: readonly Document[]): string {
  const root = relativeTo(document.path, 'index.html').replace(/index\.html$/, '')
  return `<!doctype html>
<html lang="${LANGUAGES[document.path] ?? 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(document.title)} · Minga</title>
<link rel="stylesheet" href="${root}style.css">
<script src="${root}search.js" defer></script>
</head>
<body data-root="${root}">
<a class="skip" href="#content">Skip to the text</a>
<header class="bar"><a class="brand" href="${root}index.html">Minga</a>
<p class="languages"><a href="${root}index.html" lang="en">English</a> <a href="${root}index.es.html" lang="es">Español</a> <a href="${root}index.pt.html" lang="pt">Português</a></p>
<button type="button" id="theme" hidden>Light or dark</button></header>
<div class="frame">
<nav aria-label="Documents">
<div role="search"><label for="search">Search titles</label><input id="search" type="search" autocomplete="off"></div>
<ul id="found" aria-live="polite" hidden></ul>
<div id="sections">${SECTIONS.map((section) => sectionHtml(section, document, all)).join('\n')}</div>
</nav>
<main id="content">
${document.html}
</main>
</div>
</body>
</html>
`
}

function sectionHtml(section: Section, current: Document, all: readonly Document[]): string {
  const own = all.filter(({ path }) => SECTIONS.find(({ holds }) => holds(path)) === section)
  if (own.length === 0) return ''
  const items = own.map(({ path, title }) => {
    const mark = path === current.path ? ' aria-current="page"' : ''
    return `<li><a href="${relativeTo(current.path, htmlPath(path))}"${mark}>${escapeHtml(NAMES[path] ?? title)}</a></li>`
  })
  const isOpen = own.includes(current) || section.title === 'Guides' || section.title === 'Start'
  return `<details${isOpen ? ' open' : ''}><summary>${section.title}</summary><ul>${items.join('')}</ul></details>`
}
