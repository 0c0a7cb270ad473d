// Goal: pages read as browsers read them, in any charset, and no bytes or labels break it.
// Method: examples for each step of the order of precedence, round trips, fuzz.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { decodeText } from './charset.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 200_000 : 4_000

function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

test('the byte order mark wins over the header, the header over the document, the document over a guess', () => {
  const meta = '<meta charset="koi8-r">\xe9'
  const cases: [Uint8Array, string | undefined, string, string][] = [
    [latin1('\xef\xbb\xbf\xc3\xa9'), 'text/html; charset=koi8-r', 'utf-8', 'é'],
    [latin1('\xff\xfea\x00'), 'text/html; charset=utf-8', 'utf-16le', 'a'],
    [latin1('\xfe\xff\x00a'), undefined, 'utf-16be', 'a'],
    [latin1(meta), 'text/html; charset=iso-8859-1', 'windows-1252', '<meta charset="koi8-r">é'],
    [latin1(meta), 'text/html', 'koi8-r', '<meta charset="koi8-r">И'],
    [latin1(meta), 'text/html; charset=nonsense', 'koi8-r', '<meta charset="koi8-r">И'],
    [latin1('\xc3\xa9'), undefined, 'utf-8', 'é'],
    [latin1('\x80\xe9'), undefined, 'windows-1252', '€é'],
    [latin1('plain'), 'text/plain', 'utf-8', 'plain'],
    [latin1(''), undefined, 'utf-8', ''],
    [latin1('\x83\x65'), 'text/html;charset="Shift_JIS"', 'shift_jis', 'テ'],
    [latin1('\xe9'), "text/html; charset='latin1'; x=y", 'windows-1252', 'é'],
    [latin1('\xff'), 'text/html; charset=utf-8', 'utf-8', '\ufffd'],
  ]
  for (const [bytes, contentType, charset, text] of cases) {
    assert.deepEqual(decodeText(bytes, contentType), { text, charset }, `${contentType} ${text}`)
  }
})

test('the declarations of documents are found as browsers find them', () => {
  const cases: [string, string][] = [
    ['<meta charset=euc-jp>', 'euc-jp'],
    ["<META  CHARSET='GBK' />", 'gbk'],
    ['<meta http-equiv="Content-Type" content="text/html; charset=big5">', 'big5'],
    ['<?xml version="1.0" encoding="ISO-8859-2"?><html>', 'iso-8859-2'],
    ['<!-- <meta charset=koi8-r> --><meta charset=euc-kr>', 'euc-kr'],
    ['<!-- <meta charset=koi8-r> ', 'utf-8'],
    ['<meta charset=utf-16>', 'utf-8'],
    ['<meta charset=x-user-defined>', 'windows-1252'],
    ['<meta charset=bogus>', 'utf-8'],
    ['<metacharset=koi8-r>', 'utf-8'],
    [' '.repeat(1_100) + '<meta charset=koi8-r>', 'utf-8'],
  ]
  for (const [html, charset] of cases) {
    assert.equal(decodeText(latin1(html), undefined).charset, charset, html.trim())
  }
})

test('UTF-8 text comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = Buffer.from(text)
      const known = bytes.toString()
      if (known.startsWith('\ufeff')) return
      assert.equal(decodeText(bytes, 'text/html; charset=utf-8').text, known)
    }),
    { numRuns: RUNS },
  )
})

test('no bytes and no header make it fail', () => {
  const label = fc.constantFrom(
    'utf-8',
    'utf-7',
    'iso-2022-jp',
    'gb18030',
    'replacement',
    'utf-16',
    '\0',
  )
  const header = fc.oneof(
    fc.string(),
    label.map((name) => `text/html; charset=${name}`),
  )
  const page = fc.tuple(label, fc.uint8Array()).map(([name, rest]) => {
    return Buffer.concat([Buffer.from(`<meta charset=${name}>`), rest])
  })
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array(), page),
      fc.option(header, { nil: undefined }),
      (bytes, type) => {
        const { text, charset } = decodeText(bytes, type)
        assert.equal(typeof text, 'string')
        assert.equal(new TextDecoder(charset).encoding, charset)
      },
    ),
    { numRuns: RUNS },
  )
})
