/** The page's words in the reader's language, put where `data-text` asks for them. */
const texts = await (await fetch('/texts.json')).json()
const REMEMBERED = 'minga-language'

export let language = chosen()

function chosen() {
  const remembered = localStorage.getItem(REMEMBERED)
  if (remembered !== null && Object.hasOwn(texts, remembered)) return remembered
  const known = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase())
  return known.find((tag) => Object.hasOwn(texts, tag)) ?? 'en'
}

export function speak(next) {
  language = next
  localStorage.setItem(REMEMBERED, next)
  translate()
}

export function word(key, values = {}) {
  const text = texts[language][key] ?? key
  return text.replaceAll(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole))
}

export function translate() {
  document.documentElement.lang = language
  document.title = word('title')
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = word(element.dataset.text)
  }
}
