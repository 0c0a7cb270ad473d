/** How the site of documents looks, and the little that it does by itself. */

export const SITE_STYLE = `:root {
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
export const SEARCH_SCRIPT = `const root = document.body.dataset.root
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
