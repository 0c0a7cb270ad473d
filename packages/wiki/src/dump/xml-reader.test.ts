// Goal: every version of the export format is understood, and damage costs only what it touches. Method: small
// documents by hand, each with one peculiarity, read whole, in single bytes, and in random pieces.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { isMingaError } from '@minga/protocol'
import type { Page, Revision } from '../model.ts'
import { sha1Of } from '../api/revision-sha1.ts'
import { base36OfSha1 } from '../sha1-base36.ts'
import { dumpOf, pageXml, revisionXml } from '../../test/dump/sample-dump.ts'
import type { DumpItem, DumpTrouble } from './dump-model.ts'
import { DumpReader, SeenIds, readDump, readDumpBody } from './xml-reader.ts'

function revisionsOf(items: DumpItem[]): Revision[] {
  return items.flatMap((item) => (item.type === 'revision' ? [item.revision] : []))
}

function pagesOf(items: DumpItem[]): Page[] {
  return items.flatMap((item) => (item.type === 'page' ? [item.page] : []))
}

function troublesOf(items: DumpItem[]): DumpTrouble[] {
  return items.flatMap((item) => (item.type === 'trouble' ? [item.trouble] : []))
}

function codesOf(items: DumpItem[]): string[] {
  return troublesOf(items).map(({ code }) => code)
}

function textOf(revision: Revision | undefined, slot = 0): string | null {
  const text = revision?.slots[slot]?.text ?? null
  return text === null ? null : Buffer.from(text).toString()
}

/** One revision of one page with the given parts, in the given version. */
function readOne(parts: string, version = '0.11'): { revision: Revision; items: DumpItem[] } {
  const head = '<id>9</id><timestamp>2004-06-22T23:59:59Z</timestamp>'
  const items = readDumpBody(dumpOf(pageXml(`<revision>${head}${parts}</revision>`), version))
  const [revision] = revisionsOf(items)
  assert.ok(revision, JSON.stringify(troublesOf(items)))
  return { revision, items }
}

const ANA = '<contributor><username>Ana</username><id>7</id></contributor>'

test('a revision of 0.11 is read with its slots, their digests and the digest of all', () => {
  const main = base36OfSha1(sha1Of('main'))
  const aside = base36OfSha1(sha1Of('aside'))
  const { revision, items } = readOne(
    `<parentid>8</parentid>${ANA}<minor/><comment>why &amp; how</comment><origin>9</origin><model>wikitext</model><format>text/x-wiki</format>
     <text bytes="4" sha1="${main}" xml:space="preserve">main</text>
     <content><role>aside</role><origin>8</origin><model>json</model><format>application/json</format><text bytes="5" sha1="${aside}" xml:space="preserve">aside</text></content>
     <sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1>`,
  )
  assert.deepEqual(codesOf(items), [])
  assert.deepEqual(revision, {
    pageId: 1,
    revId: 9,
    parentId: 8,
    at: Date.UTC(2004, 5, 22, 23, 59, 59),
    user: 'Ana',
    userId: 7,
    editor: 'registered',
    isMinor: true,
    size: 9,
    sha1: sha1Of(''),
    comment: 'why & how',
    parsedComment: null,
    tags: [],
    hidden: [],
    isSuppressed: false,
    slots: [
      {
        role: 'main',
        model: 'wikitext',
        format: 'text/x-wiki',
        size: 4,
        sha1: sha1Of('main'),
        text: Buffer.from('main'),
      },
      {
        role: 'aside',
        model: 'json',
        format: 'application/json',
        size: 5,
        sha1: sha1Of('aside'),
        text: Buffer.from('aside'),
      },
    ],
  })
})

test('the early draft of 0.11 without slots and with aliases of namespaces is read as well', () => {
  const items = readDumpBody(
    dumpOf(`<siteinfo><sitename>W</sitename><base>http://w.example/</base><case>case-sensitive</case>
      <namespaces><namespace key="0" case="case-sensitive"/><namespace key="1" case="first-letter">Talk</namespace></namespaces>
      <namespacealiases><namespace key="1">Chat</namespace></namespacealiases></siteinfo>${pageXml(revisionXml(3))}`),
  )
  assert.deepEqual(codesOf(items), [])
  const [site] = items.flatMap((item) => (item.type === 'site' ? [item.site] : []))
  assert.deepEqual(site?.namespaces, [
    { id: 0, name: '', aliases: [], isCaseSensitive: true },
    { id: 1, name: 'Talk', aliases: ['Chat'], isCaseSensitive: false },
  ])
  assert.deepEqual(
    [site?.name, site?.dbName, site?.case, site?.language],
    ['W', null, 'case-sensitive', 'en'],
  )
  assert.equal(textOf(revisionsOf(items)[0]), 'text 3')
})

test('dumps up to 0.6 say nothing of parents, later ones say when there is none', () => {
  for (const [version, parent] of [
    ['0.3', null],
    ['0.6', null],
    ['0.7', 0],
    ['0.11', 0],
  ] as const) {
    assert.equal(readOne(`${ANA}<text>a</text>`, version).revision.parentId, parent, version)
  }
})

test('a dump of 0.3 names its namespaces in titles, and they are found', () => {
  const site =
    '<siteinfo><namespaces><namespace key="0"/><namespace key="3">Benutzer Diskussion</namespace></namespaces></siteinfo>'
  const page = (id: number, title: string): string =>
    `<page><title>${title}</title><id>${id}</id></page>`
  const items = readDumpBody(
    dumpOf(
      `${site}${page(1, 'Benutzer Diskussion:Ä')}${page(2, 'A: b')}${page(3, 'Plain')}`,
      '0.3',
    ),
  )
  assert.deepEqual(
    pagesOf(items).map(({ ns, title }) => [ns, title]),
    [
      [3, 'Benutzer Diskussion:Ä'],
      [0, 'A: b'],
      [0, 'Plain'],
    ],
  )
})

test('hidden fields are null and named, and a text that is hidden takes its digest with it', () => {
  const { revision } = readOne(
    '<contributor deleted="deleted" /><comment deleted="deleted" /><text bytes="12" sha1="phoiac9h4m842xq45sp7s6u21eteeq1" deleted="deleted" /><sha1/>',
  )
  assert.deepEqual(revision.hidden, ['user', 'comment', 'text', 'sha1'])
  assert.deepEqual([revision.user, revision.comment, revision.sha1], [null, null, null])
  const [slot] = revision.slots
  assert.deepEqual([slot?.text, slot?.sha1, slot?.size], [null, null, 12])
})

test('a size of -1, as exports of Wikimedia have it, is an unknown size and no trouble', () => {
  const { revision, items } = readOne(`${ANA}<text bytes="-1" deleted="deleted" /><sha1/>`)
  assert.deepEqual([revision.size, revision.hidden], [null, ['text', 'sha1']])
  assert.deepEqual(codesOf(items), [])
})

test('a text that was left out is distinguished from one that is empty', () => {
  const cases: [string, string | null][] = [
    ['<text bytes="0" xml:space="preserve" />', ''],
    ['<text xml:space="preserve" />', ''],
    ['<text xml:space="preserve"></text>', ''],
    ['<text></text>', ''],
    ['<text bytes="0" id="5" />', ''],
    ['<text bytes="7" id="5" />', null],
    ['<text id="5" />', null],
    ['<text bytes="7" location="tt:5" id="5" />', null],
    ['<text bytes="7" sha1="phoiac9h4m842xq45sp7s6u21eteeq1" xml:space="preserve" />', ''],
    ['<text bytes="0" /><sha1>0000000000000000000000000000001</sha1>', null],
    ['<text />', null],
    ['<text />\n<sha1>phoiac9h4m842xq45sp7s6u21eteeq1</sha1>', ''],
  ]
  for (const [xml, text] of cases) {
    assert.equal(textOf(readOne(ANA + xml).revision), text, xml)
  }
})

test('editors are distinguished as accounts, addresses, temporary, imported and unknown ones', () => {
  const cases: [string, string, string | null, number | null][] = [
    ['<username>Ana</username><id>7</id>', 'registered', 'Ana', 7],
    ['<username>Ana</username>', 'registered', 'Ana', null],
    ['<ip>2001:db8::1</ip>', 'anonymous', '2001:db8::1', 0],
    ['<username>192.0.2.7</username><id>0</id>', 'anonymous', '192.0.2.7', 0],
    ['<username>192.0.2.xxx</username><id>0</id>', 'anonymous', '192.0.2.xxx', 0],
    ['<username>~2026-31</username><id>12</id>', 'temporary', '~2026-31', 12],
    ['<username>w&gt;Ana</username><id>0</id>', 'imported', 'w>Ana', 0],
    ['<username>Conversion script</username><id>0</id>', 'unknown', 'Conversion script', 0],
    ['<username /><id>0</id>', 'unknown', null, 0],
  ]
  for (const [inside, editor, user, userId] of cases) {
    const { revision } = readOne(`<contributor>${inside}</contributor><text>a</text>`)
    assert.deepEqual([revision.editor, revision.user, revision.userId], [editor, user, userId])
    assert.deepEqual(revision.hidden, [])
  }
})

test('references, text in brackets, comments and line ends come out byte for byte', () => {
  const { revision, items } = readOne(
    `${ANA}<text xml:space="preserve">a&lt;b&gt;&amp;amp;&quot;&apos;&#233;&#x1F600;&#13;\r\n<![CDATA[<x>&amp;]]>z<!-- <text>no</text> -->!</text>`,
  )
  assert.equal(textOf(revision), 'a<b>&amp;"\'é😀\r\r\n<x>&amp;z!')
  assert.deepEqual(codesOf(items), [])
})

test('an entity bomb is refused before anything of it is expanded', () => {
  const bomb = `<?xml version="1.0"?>\n<!DOCTYPE lolz [<!ENTITY lol "lol">]>\n${dumpOf(pageXml(revisionXml(1, '&lol;'))).toString()}`
  assert.throws(
    () => readDumpBody(Buffer.from(bomb)),
    (error) =>
      isMingaError(error) && error.code === 'MINGA_DUMP_REFUSED' && /line 2/.test(error.message),
  )
})

test('what is read before a document is refused is handed over', async () => {
  const inside = `${pageXml(revisionXml(1))}<!DOCTYPE a>${pageXml(revisionXml(2), 2)}`
  const items: DumpItem[] = []
  await assert.rejects(async () => {
    for await (const item of readDump(
      (async function* () {
        yield dumpOf(inside)
      })(),
    )) {
      items.push(item)
    }
  }, /document type/)
  assert.deepEqual(
    revisionsOf(items).map(({ revId }) => revId),
    [1],
  )
})

test('references that mean nothing stay as they stand and are reported once per text', () => {
  const { revision, items } = readOne(
    `${ANA}<text>a &nbsp; b &#0; &#xD800; &#1114112; R&D &</text>`,
  )
  assert.equal(textOf(revision), 'a &nbsp; b &#0; &#xD800; &#1114112; R&D &')
  assert.deepEqual(codesOf(items), ['bad-reference'])
})

test('pages of HTML, JSON, other XML, UTF-16 and nothing at all are refused with a reason', () => {
  const wrong: [string | Buffer, RegExp][] = [
    ['<!DOCTYPE html><html></html>', /document type/],
    ['<html><body>502</body></html>', /begins with <html>/],
    ['{"error": "no"}', /no XML/],
    ['', /empty/],
    ['<?xml version="1.0" encoding="ISO-8859-1"?><mediawiki version="0.11"/>', /ISO-8859-1/],
    [Buffer.from('\ufeff<mediawiki/>', 'utf16le'), /UTF-16/],
    ['plain text', /no XML/],
  ]
  for (const [body, reason] of wrong) assert.throws(() => readDumpBody(Buffer.from(body)), reason)
})

test('a byte order mark and a declaration of UTF-8 are passed over', () => {
  const head = '\ufeff<?xml version="1.0" encoding="utf-8" ?>\n<!-- made by hand -->\n'
  const items = readDumpBody(Buffer.concat([Buffer.from(head), dumpOf(pageXml(revisionXml(4)))]))
  assert.deepEqual(codesOf(items), [])
  assert.equal(revisionsOf(items).length, 1)
})

test('newer and unknown versions are read with a warning', () => {
  for (const version of ['0.12', '1.0', '', '0.2']) {
    const items = readDumpBody(dumpOf(pageXml(revisionXml(1)), version))
    assert.deepEqual(codesOf(items), ['unknown-version'], version)
    assert.equal(revisionsOf(items).length, 1)
  }
})

test('ids that are missing, too large or no numbers cost that item and are reported with its line', () => {
  const broken = (id: string): string => revisionXml(5).replace('<id>5</id>', id)
  const items = readDumpBody(
    dumpOf(
      pageXml(
        [
          revisionXml(1),
          broken(''),
          broken('<id>99999999999999999999</id>'),
          broken('<id>-4</id>'),
          broken('<id>1e3</id>'),
          revisionXml(6),
        ].join('\n'),
      ),
    ),
  )
  assert.deepEqual(
    revisionsOf(items).map(({ revId }) => revId),
    [1, 6],
  )
  const missing = troublesOf(items).filter(({ code }) => code === 'missing-id')
  assert.deepEqual(
    missing.map(({ line, pageId }) => [line, pageId]),
    [
      [4, 1],
      [5, 1],
      [6, 1],
      [7, 1],
    ],
  )
  const end = items.find((item) => item.type === 'pageEnd')
  assert.deepEqual([end?.revisions, end?.isWhole], [2, false])
})

test('a page without an id is named and its revisions are left out, the next page is not', () => {
  const items = readDumpBody(
    dumpOf(`${pageXml(revisionXml(1)).replace('<id>1</id>\n', '')}${pageXml(revisionXml(2), 2)}`),
  )
  assert.deepEqual(
    revisionsOf(items).map(({ revId }) => revId),
    [2],
  )
  assert.match(troublesOf(items)[0]!.message, /"Page 1" has no id/)
  const ends = items.flatMap((item) =>
    item.type === 'pageEnd' ? [[item.pageId, item.isWhole]] : [],
  )
  assert.deepEqual(ends, [
    [null, false],
    [2, true],
  ])
})

test('ids that come twice are kept once and reported, new revisions of a page that comes again are kept', () => {
  const items = readDumpBody(
    dumpOf(
      `${pageXml(revisionXml(1, 'first') + revisionXml(1, 'second'))}${pageXml(revisionXml(2) + revisionXml(1))}`,
    ),
  )
  assert.deepEqual(
    revisionsOf(items).map((revision) => [revision.revId, textOf(revision)]),
    [
      [1, 'first'],
      [2, 'text 2'],
    ],
  )
  assert.deepEqual(codesOf(items), ['duplicate-revision', 'duplicate-page', 'duplicate-revision'])
})

test('bytes that are no UTF-8 are kept as they came and reported', () => {
  const [before, after] = dumpOf(pageXml(revisionXml(1, 'X')))
    .toString()
    .split('>X<')
  const text = Buffer.from([0x61, 0xff, 0xc3, 0x28])
  const items = readDumpBody(
    Buffer.concat([Buffer.from(`${before}>`), text, Buffer.from(`<${after}`)]),
  )
  assert.deepEqual(Buffer.from(revisionsOf(items)[0]!.slots[0]!.text!), text)
  assert.deepEqual(
    troublesOf(items).map(({ code, revId, pageId }) => [code, revId, pageId]),
    [['invalid-utf8', 1, 1]],
  )
})

test('a revision of 50 MB is read in linear time, and one beyond the limit is left out alone', () => {
  const huge = Buffer.alloc(50e6, 'Lorem &amp; ipsum ')
  const [before, after] = dumpOf(pageXml(revisionXml(1, 'X') + revisionXml(2)))
    .toString()
    .split('>X<')
  const read = (textBytesMax?: number): DumpItem[] => {
    const reader = new DumpReader(textBytesMax === undefined ? {} : { textBytesMax })
    const items = reader.push(Buffer.from(`${before}>`))
    for (let at = 0; at < huge.length; at += 65_536) {
      items.push(...reader.push(huge.subarray(at, at + 65_536)))
    }
    return [...items, ...reader.push(Buffer.from(`<${after}`)), ...reader.end()]
  }
  const whole = revisionsOf(read())
  assert.equal(
    whole[0]!.slots[0]!.text!.length,
    huge.toString('latin1').replaceAll('&amp;', '&').length,
  )
  const limited = read(1e6)
  assert.deepEqual(
    revisionsOf(limited).map((revision) => textOf(revision)),
    [null, 'text 2'],
  )
  assert.deepEqual(codesOf(limited), ['too-large'])
})

test('titles in every script and beyond the basic plane come out as they are', () => {
  const titles = ['Ünïcødé', '日本語:話', 'العربية', 'עברית', '𐍈𐌰𐌹', '👩‍👩‍👧', 'नमस्ते', 'A&B "q" <r>']
  const escape = (title: string): string =>
    title
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  const pages = titles.map(
    (title, index) =>
      `<page><title>${escape(title)}</title><ns>0</ns><id>${index + 1}</id><redirect title="${escape(title)}" /></page>`,
  )
  const read = pagesOf(readDumpBody(dumpOf(pages.join(''))))
  assert.deepEqual(
    read.map(({ title }) => title),
    titles,
  )
  assert.deepEqual(
    read.map(({ redirect }) => redirect),
    titles,
  )
})

test('log items are read, uploads are counted, unknown elements are named once', () => {
  const upload =
    '<upload><timestamp>2020-01-01T00:00:00Z</timestamp><filename>A.png</filename><contents encoding="base64">AAAA</contents></upload>'
  const log = `<logitem><id>5</id><timestamp>2020-01-01T00:00:00Z</timestamp>${ANA}<comment deleted="deleted" /><type>delete</type><action>revision</action><logtitle>Page 1</logtitle><params xml:space="preserve">a&#10;b</params></logitem>`
  const items = readDumpBody(
    dumpOf(
      `${pageXml(`${revisionXml(1, 'a', '<new><deep/></new><new/>')}${upload}${upload}`)}${log}`,
    ),
  )
  assert.deepEqual(codesOf(items), ['unknown-element'])
  assert.equal(items.filter(({ type }) => type === 'upload').length, 2)
  const [item] = items.flatMap((one) => (one.type === 'log' ? [one.log] : []))
  assert.deepEqual(item, {
    logId: 5,
    at: Date.UTC(2020, 0, 1),
    user: 'Ana',
    userId: 7,
    comment: null,
    kind: 'delete',
    action: 'revision',
    title: 'Page 1',
    params: 'a\nb',
  })
})

test('broken markup costs the revision it stands in and no other', () => {
  const damages: [string, string][] = [
    ['</text>', '</tezt>'],
    ['<text xml:space="preserve">', '<text xml:space="preserve>'],
    ['<text xml', '4text xml'],
    ['</contributor>', '</contributos>'],
    ['</revision>', ''],
    ['text 2', 'te<xt 2'],
    ['text 2', 'te< 2'],
    ['text 2', 'te<b>bold</b>'],
    ['<id>2</id>', '<id>2</di>'],
  ]
  for (const [good, bad] of damages) {
    const page = pageXml([1, 2, 3].map((id) => revisionXml(id)).join('\n'))
    const second = page.indexOf(good, page.indexOf('<revision><id>2'))
    const broken = page.slice(0, second) + bad + page.slice(second + good.length)
    const items = readDumpBody(dumpOf(`${broken}${pageXml(revisionXml(9), 2)}`))
    assert.deepEqual(
      revisionsOf(items).map(({ revId }) => revId),
      [1, 3, 9],
      bad,
    )
    const troubles = troublesOf(items)
    assert.ok(
      troubles.some(({ code }) => code === 'malformed'),
      bad,
    )
    assert.ok(
      troubles.some(({ code }) => code === 'damaged-item'),
      bad,
    )
    assert.ok(
      troubles.every(({ line }) => line >= 3 && line <= 5),
      bad,
    )
  }
})

test('a dump that ends early gives all that was complete and says that it ended', () => {
  const whole = dumpOf(pageXml([1, 2, 3].map((id) => revisionXml(id)).join('\n'))).toString()
  const cut = whole.slice(0, whole.indexOf('text 3') + 2)
  const items = readDumpBody(Buffer.from(cut))
  assert.deepEqual(
    revisionsOf(items).map(({ revId }) => revId),
    [1, 2],
  )
  assert.deepEqual(codesOf(items), ['damaged-item', 'truncated'])
  const end = items.find((item) => item.type === 'pageEnd')
  assert.deepEqual([end?.revisions, end?.isWhole], [2, false])
})

test('elements without end that lie ever deeper are refused before they fill the memory', () => {
  const deep = Buffer.from(`<mediawiki version="0.11">${'<a>'.repeat(1e5)}`)
  assert.throws(() => readDumpBody(deep), /deep/)
})

test('a document of stray brackets is read in linear time', () => {
  const items = readDumpBody(dumpOf(pageXml(`${'<'.repeat(200_000)}${revisionXml(1)}`)))
  assert.equal(revisionsOf(items).length, 1)
})

test('however the bytes are cut, the same items come out', () => {
  const dump = dumpOf(
    `${pageXml(revisionXml(1, 'a&lt;b&gt;é&#x1F600;<![CDATA[ü]]]]>x<!-- c -->') + revisionXml(2))}<?pi some?>${pageXml(`${revisionXml(3, '&bad;')}<x>`, 2)}`,
  )
  const whole = JSON.stringify(readDumpBody(dump))
  const inPieces = (cuts: number[]): string => {
    const reader = new DumpReader()
    const items: DumpItem[] = []
    let at = 0
    for (const cut of [...cuts, dump.length]) {
      items.push(...reader.push(Buffer.from(dump.subarray(at, cut))))
      at = cut
    }
    return JSON.stringify([...items, ...reader.end()])
  }
  assert.equal(inPieces(Array.from({ length: dump.length }, (_, index) => index)), whole)
  const cuts = fc.array(fc.nat({ max: dump.length }), { maxLength: 20 })
  fc.assert(
    fc.property(cuts, (places) => {
      assert.equal(inPieces(places.toSorted((a, b) => a - b)), whole)
    }),
    { seed: 11, numRuns: 200 },
  )
})

// Goal: ids that come again are noticed, in bounded memory. Method: against a plain set, and beyond the limit.

test('an id is new exactly once, also beyond 32 bits', () => {
  const id = fc.oneof(fc.nat({ max: 300 }), fc.maxSafeNat())
  fc.assert(
    fc.property(fc.array(id, { maxLength: 200 }), (ids) => {
      const seen = new SeenIds(1000)
      const known = new Set<number>()
      for (const one of ids) {
        assert.equal(seen.add(one), !known.has(one))
        known.add(one)
      }
    }),
    { seed: 3 },
  )
})

test('beyond its limit the oldest ids are forgotten and the latest are not', () => {
  const seen = new SeenIds(2)
  for (const id of [1, 100_000, 200_000]) assert.equal(seen.add(id), true)
  assert.equal(seen.add(200_000), false)
  assert.equal(seen.add(100_000), false)
  assert.equal(seen.add(1), true)
})
