/**
 * What is wrong with a screen as it stands, whatever it shows: judged in the browser in one go, one line for
 * each fault. What only axe can say is asked of axe.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const CATALOGUE = join(import.meta.dirname, '../../apps/dashboard/src/locales/en')

/** The first words of all keys: a text that begins with one of them and goes on with dots was not translated. */
const FIRST_WORDS = readdirSync(CATALOGUE).flatMap((file) =>
  Object.keys(JSON.parse(readFileSync(join(CATALOGUE, file), 'utf8')) as object),
)

interface LookOptions {
  /** Of a station that answers with errors, where a box that says so is what is wanted. */
  mayFail?: boolean
}

export async function faultsOf(
  page: Page,
  { mayFail = false }: LookOptions = {},
): Promise<string[]> {
  return page.evaluate<string[]>(`(${LOOK})(${JSON.stringify({ FIRST_WORDS, mayFail })})`)
}

/** Runs in the page, which knows nothing of this file. */
const LOOK = `({ FIRST_WORDS, mayFail }) => {
  const faults = []
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) {
    const wide = [...document.querySelectorAll('main *')].filter((element) => {
      const box = element.getBoundingClientRect()
      return box.width > 0 && box.right > root.clientWidth + 1
    })
    const names = wide.slice(0, 3).map((element) => element.tagName.toLowerCase() + '.' + element.className)
    faults.push('scrolls sideways: ' + root.scrollWidth + ' of ' + root.clientWidth + ' px, ' + names.join(', '))
  }
  const headings = [...document.querySelectorAll('h1')].map((heading) => heading.textContent.trim())
  if (headings.length !== 1 || headings[0] === '') faults.push('headings: ' + JSON.stringify(headings))
  if (!document.title.startsWith(headings[0] + ' · ')) faults.push('title: ' + document.title)

  const first = new Set(FIRST_WORDS)
  const isKey = (text) => {
    const words = /^([A-Za-z][\\w-]*)(\\.[\\w/-]+)+$/.exec(text)
    return words !== null && first.has(words[1]) && !/\\.(test|example|org)$/.test(text)
  }
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.parentElement.closest('code, pre, textarea, script, svg title') === null) texts.push(node.data.trim())
  }
  for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-description']) {
    for (const element of document.querySelectorAll('[' + name + ']')) texts.push(element.getAttribute(name))
  }
  for (const text of new Set(texts)) {
    if (isKey(text)) faults.push('not translated: ' + text)
    if (/\\{\\{|\\}\\}/.test(text)) faults.push('a hole that was not filled: ' + text)
    if (/\\b(undefined|NaN|\\[object \\w+\\]|Invalid Date)\\b/.test(text) && text.length < 80) {
      faults.push('not for people: ' + text)
    }
  }
  if (!mayFail) {
    for (const box of document.querySelectorAll('main .banner.error, main [role=alert]')) {
      if (box.textContent.trim() !== '') faults.push('error: ' + box.textContent.trim().slice(0, 200))
    }
    for (const still of document.querySelectorAll('main .skeleton')) {
      faults.push('still loading: ' + still.textContent.trim())
    }
  }
  return faults
}`
