import type { PageBody } from '../../src/detect/page-body.ts'
import { htmlPage } from './page-pairs-fixture.ts'

/** A page of about so many bytes, in boxes with a link and a paragraph; `edited` changes one word of it. */
export function largePage(bytes: number, { isEdited = false } = {}): PageBody {
  const words = Array.from({ length: 60 }, (_, index) => `word${(index * 7_919) % 1_000}`).join(' ')
  const boxes: string[] = []
  let length = 0
  for (let index = 0; length < bytes; index++) {
    const text = isEdited && index === 1_000 ? words.replace('word', 'wurd') : words
    const box = `<div class="c${index % 50}"><a href="/x/${index}">link</a><p>${text} n${index}</p></div>\n`
    boxes.push(box)
    length += box.length
  }
  return htmlPage(`<!doctype html><html><body>${boxes.join('')}</body></html>`)
}
