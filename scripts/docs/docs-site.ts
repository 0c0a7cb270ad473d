/**
 * The documents as a static site: a page for each, with navigation, a search by titles and headings, light
 * and dark. Nothing is asked of another machine, and it also works from a folder without a server.
 */
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, posix, relative } from 'node:path'
import { escapeHtml, renderMarkdown, type Heading } from './markdown.ts'

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

const SITE_STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1f2a25, #e4ebe7);
  --soft: light-dark(#55635c, #a3b1a9);
  --paper: light-dark(#fdfdfb, #141a17);
  --panel: light-dark(#f1f4f1, #1c2420);
  --line: light-dark(#d5ddd8, #34403a);
  --link: light-dark(#0f6b4f, #7fd1b0);
}
:root[data-theme='light'] { color-scheme: light }
:root[data-theme='dark'] { color-scheme: dark }
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.65 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
a { color: var(--link) }
a:focus-visible, button:focus-visible, input:focus-visible, summary:focus-visible, [tabindex]:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -999px }
.skip:focus { left: 1rem; top: 0.5rem; background: var(--paper); padding: 0.5rem }
.bar { display: flex; gap: 1.5rem; align-items: center; padding: 0.75rem 1.5rem; border-bottom: 1px solid var(--line); flex-wrap: wrap }
.brand { font-weight: 700; font-size: 1.2rem; text-decoration: none; color: var(--ink) }
.languages { margin: 0 0 0 auto; display: flex; gap: 0.75rem }
button { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 0.3rem 0.8rem; cursor: pointer }
.frame { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 80rem; margin: 0 auto }
nav { padding: 1.25rem; border-right: 1px solid var(--line); font-size: 0.95rem }
nav ul { list-style: none; margin: 0.25rem 0 0.75rem; padding: 0 0 0 0.5rem }
nav li { margin: 0.2rem 0 }
nav a { text-decoration: none }
nav a[aria-current] { font-weight: 700; color: var(--ink) }
summary { font-weight: 600; cursor: pointer; padding: 0.2rem 0 }
label { display: block; font-size: 0.85rem; color: var(--soft) }
input { width: 100%; font: inherit; padding: 0.4rem 0.6rem; margin-bottom: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel); color: inherit }
main { padding: 1.5rem 2.5rem 4rem; max-width: 56rem; min-width: 0 }
h1 { line-height: 1.2; margin-top: 0.5rem }
h2 { margin-top: 2.5rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line) }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: 10px }
code { font: 0.92em ui-monospace, monospace; background: var(--panel); padding: 0.1em 0.3em; border-radius: 4px; overflow-wrap: anywhere }
pre { background: var(--panel); padding: 1rem; border-radius: 10px; overflow-x: auto }
pre code { background: none; padding: 0; overflow-wrap: normal }
.wide { overflow-x: auto }
td code { overflow-wrap: normal }
table { border-collapse: collapse; font-size: 0.95rem }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.75rem; border-bottom: 1px solid var(--line) }
blockquote { margin: 0; padding-left: 1rem; border-left: 4px solid var(--line); color: var(--soft) }
@media (max-width: 56rem) {
  .frame { display: block }
  nav { border-right: 0; border-bottom: 1px solid var(--line) }
  main { padding: 1rem 1.25rem 3rem }
}
@media print { nav, .bar { display: none } .frame { display: block } }
`

/** Follows PAGES, a list of address, title and headings. Without scripts the navigation is all there. */
const SEARCH_SCRIPT = `const root = document.body.dataset.root
const field = document.getElementById('search')
const found = document.getElementById('found')
const sections = document.getElementById('sections')
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
  found.hidden = words.length === 0
  sections.hidden = words.length > 0
  const fits = (text) => words.every((word) => text.toLowerCase().includes(word))
  const hits = PAGES.flatMap(([path, title, headings]) => {
    const heading = headings.find((text) => fits(title + ' ' + text))
    return fits(title) ? [[path, title]] : heading === undefined ? [] : [[path, title + ' – ' + heading]]
  }).slice(0, 20)
  found.replaceChildren(...hits.map(([path, text]) => {
    const item = document.createElement('li')
    const link = document.createElement('a')
    link.href = root + path
    link.textContent = text
    item.append(link)
    return item
  }))
  if (words.length > 0 && hits.length === 0) found.textContent = 'Nothing has this in its title.'
})
const button = document.getElementById('theme')
const dress = (theme) => { document.documentElement.dataset.theme = theme }
try { const kept = localStorage.getItem('theme'); if (kept) dress(kept) } catch { /* no memory, no harm */ }
button.hidden = false
button.addEventListener('click', () => {
  const isDark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches
  dress(isDark ? 'light' : 'dark')
  try { localStorage.setItem('theme', isDark ? 'light' : 'dark') } catch { /* as above */ }
})
`
