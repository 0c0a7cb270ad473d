// Goal: the fast scanner sees the same tags and attributes as a full HTML tokenizer.
// Method: random and broken HTML, compared with htmlparser2; examples where browsers and it differ.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMs } from '@minga/testkit'
import * as fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { Attributes, scanHtml } from './html-scan.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 500_000 : 8_000

type Tag = [name: string, attributes: [string, string][]]

function scanned(html: string): Tag[] {
  const tags: Tag[] = []
  const visitor = {
    open: (name: string, attributes: Attributes) => void tags.push([name, attributes.entries()]),
    close: () => undefined,
    text: () => undefined,
  }
  scanHtml(html, new Attributes(), visitor)
  return tags
}

function parsed(html: string): Tag[] {
  const tags: Tag[] = []
  const parser = new Parser(
    {
      onopentag(name, attributes, isImplied) {
        if (!isImplied) tags.push([name, Object.entries(attributes)])
      },
    },
    { decodeEntities: false },
  )
  parser.end(html)
  return tags
}

const piece = fc.constantFrom(
  ...[
    [
      '<a href="x">',
      "<a href='y'",
      '<a href=z>',
      '<A HREF = "q" href=w>',
      '</a>',
      '<p>',
      '</p >',
      '<br/>',
    ],
    [
      '<img src=a/b/>',
      '<img src = >',
      '<img =x>',
      '<img src',
      '<div class="a>b" id=c/>',
      '<x-y z>',
      '<a"b>',
    ],
    [
      '<!-- <a href=1> -->',
      '<!--',
      '-->',
      '--!>',
      '<!-->',
      '<!--->',
      '<!doctype html>',
      '<!x>',
      '<?php ?>',
    ],
    [
      '<script>',
      '</script>',
      '<script>if (a<b) "<a href=2>"</script >',
      '</scripty>',
      '</SCRIPT\n>',
      '</script/>',
    ],
    [
      '<style>a{}</style>',
      '<title>',
      '</title>',
      '<textarea><a>',
      '</textarea>',
      '<iframe><a></iframe>',
    ],
    [
      '<noscript>',
      '</noscript>',
      '<template>',
      '</template>',
      '<![CDATA[ x ]]>',
      '<xmp>',
      '</xmp>',
    ],
    [
      'text',
      ' ',
      '\n',
      '\t',
      '<',
      '>',
      '/',
      '=',
      '"',
      "'",
      '< a>',
      '</ a>',
      '</>',
      '<3',
      '&amp;',
      'é',
      '\0',
    ],
  ].flat(),
)
const html = fc.array(piece, { maxLength: 20, size: 'max' }).map((pieces) => pieces.join(''))

test('random and broken HTML has the same tags as for htmlparser2', () => {
  fc.assert(
    fc.property(html, (text) => assert.deepEqual(scanned(text), parsed(text))),
    { numRuns: RUNS },
  )
})

test('no text makes the scanner fail', () => {
  const unit = fc.constantFrom(...'<>/="\'!-?a \n&;'.split(''))
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit })), (text) => void scanned(text)),
    { numRuns: RUNS },
  )
})

test('only wanted attributes are kept, the first of equal names', () => {
  const seen: [string, string][] = []
  const visitor = {
    open: (_: string, attributes: Attributes) => void seen.push(...attributes.entries()),
    close: () => undefined,
    text: () => undefined,
  }
  scanHtml('<a class=x HREF=1 href=2 id=3 rel="a b">', new Attributes(['href', 'rel']), visitor)
  assert.deepEqual(seen, [
    ['href', '1'],
    ['rel', 'a b'],
  ])
})

test('hostile documents take linear time', () => {
  const start = threadMs()
  const times = 300_000
  for (const part of [
    '<',
    '<a ',
    '<!--',
    '<!',
    '</',
    '<a b="',
    '<script>',
    '</script',
    '<a b=c ',
    '<a href',
    '--',
  ]) {
    scanned(part.repeat(times))
    scanned('<script>' + part.repeat(times))
    scanned('<!--' + part.repeat(times))
    scanned('<a ' + part.repeat(times))
  }
  assert.ok(threadMs() - start < 20_000)
})
