// Goal: an export says everything that MediaWiki's own says, and nothing is lost on the way back. Method: the
// exact XML of one revision, and random histories written and read again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { SaxesParser } from 'saxes'
import type { EditorKind, Page, Revision, Slot } from '../model.ts'
import { combinedSha1, sha1Of } from '../api/revision-sha1.ts'
import { samplePage, sampleRevision, sampleSite, sampleSlot } from '../../test/dump/sample-dump.ts'
import { readDumpBody } from './xml-reader.ts'
import { writeDump, type DumpExportPage } from './xml-writer.ts'

const ATTRIBUTION = { source: 'https://wiki.example/', at: 0, licence: 'CC BY-SA 4.0' }

async function written(
  pages: DumpExportPage[],
  version: '0.11' | '0.10' = '0.11',
): Promise<Buffer> {
  const pieces = writeDump({ site: sampleSite(), pages, version, attribution: ATTRIBUTION })
  return Buffer.concat(await Array.fromAsync(pieces))
}

/** What the reader gives back, with whatever it complains of. */
function readBack(xml: Buffer): { pages: Page[]; revisions: Revision[]; troubles: string[] } {
  const items = readDumpBody(xml)
  return {
    pages: items.flatMap((item) => (item.type === 'page' ? [item.page] : [])),
    revisions: items.flatMap((item) => (item.type === 'revision' ? [item.revision] : [])),
    troubles: items.flatMap((item) => (item.type === 'trouble' ? [item.trouble.message] : [])),
  }
}

test('an export has the form of the exporter of MediaWiki, with the source and licence in its head', async () => {
  const revision = sampleRevision(4, 9, 'a <b> & "c"\n', { parentId: 8, isMinor: true })
  const page = { ...samplePage(4, 'A & B'), redirect: 'C "d"' }
  assert.equal(
    (await written([{ page, revisions: [revision] }])).toString(),
    `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.mediawiki.org/xml/export-0.11/ http://www.mediawiki.org/xml/export-0.11.xsd" version="0.11" xml:lang="en">
  <siteinfo>
    <!-- Source: https://wiki.example/, exported 1970-01-01. Licence: CC BY-SA 4.0. The authors are named with each revision. -->
    <sitename>Sample</sitename>
    <dbname>samplewiki</dbname>
    <base>https://wiki.example/wiki/Main_Page</base>
    <generator>MediaWiki 1.39.17</generator>
    <case>first-letter</case>
    <namespaces>
      <namespace key="-1" case="first-letter">Special</namespace>
      <namespace key="0" case="case-sensitive" />
      <namespace key="1" case="first-letter">Talk</namespace>
    </namespaces>
  </siteinfo>
  <page>
    <title>A &amp; B</title>
    <ns>0</ns>
    <id>4</id>
    <redirect title="C &quot;d&quot;" />
    <revision>
      <id>9</id>
      <parentid>8</parentid>
      <timestamp>2020-01-01T00:00:09Z</timestamp>
      <contributor>
        <username>Ana</username>
        <id>7</id>
      </contributor>
      <minor/>
      <comment>an edit</comment>
      <origin>9</origin>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="12" sha1="bk16u63uvsqn83f7erpzz90o16et0i4" xml:space="preserve">a &lt;b&gt; &amp; "c"
</text>
      <sha1>bk16u63uvsqn83f7erpzz90o16et0i4</sha1>
    </revision>
  </page>
</mediawiki>
`,
  )
})

test('hidden fields are marked as deleted, and no digest betrays a hidden text', async () => {
  const revision = sampleRevision(4, 9, '', {
    user: null,
    userId: null,
    editor: 'unknown',
    comment: null,
    sha1: null,
    size: 5,
    hidden: ['user', 'comment', 'text', 'sha1'],
    slots: [{ ...sampleSlot(null), size: 5 }],
  })
  const xml = await written([{ page: samplePage(4), revisions: [revision] }])
  assert.match(
    xml.toString(),
    /<contributor deleted="deleted" \/>\n {6}<comment deleted="deleted" \/>/,
  )
  assert.match(xml.toString(), /<text bytes="5" deleted="deleted" \/>\n {6}<sha1\/>/)
  assert.deepEqual(readBack(xml).revisions, [revision])
})

test('a text that is not there does not come back as an empty one', async () => {
  const absent = sampleRevision(4, 9, '', {
    size: null,
    sha1: null,
    slots: [sampleSlot(null)],
  })
  const sized = sampleRevision(4, 10, '', {
    size: 3,
    sha1: null,
    slots: [{ ...sampleSlot(null), size: 3 }],
  })
  const empty = sampleRevision(4, 11, '')
  const xml = await written([{ page: samplePage(4), revisions: [absent, sized, empty] }])
  const texts = readBack(xml).revisions.map(({ slots }) => slots[0]!.text?.length ?? null)
  assert.deepEqual(texts, [null, null, 0])
})

test('0.10 has one slot and no digest of it, as its schema wants', async () => {
  const slots = [sampleSlot('main'), sampleSlot('aside', 'aside')]
  const revision = sampleRevision(4, 9, 'main', { slots, size: 9, sha1: combinedSha1(slots) })
  const xml = (await written([{ page: samplePage(4), revisions: [revision] }], '0.10')).toString()
  assert.match(xml, /<text bytes="4" xml:space="preserve">main<\/text>/)
  assert.doesNotMatch(xml, /origin|content>|aside/)
})

test('what XML cannot hold becomes the replacement character, as in MediaWiki, and the rest is exact', async () => {
  const text = 'a\u0000\u0008\u001fb\ufffe\uffffc\r\n\td]]>\u007f\u0085'
  const broken = Buffer.concat([Buffer.from('x'), Buffer.from([0xed, 0xa0, 0x80, 0xff])])
  const xml = await written([
    {
      page: samplePage(4),
      revisions: [
        sampleRevision(4, 9, text, { comment: 'c\u0007\r' }),
        sampleRevision(4, 10, broken),
      ],
    },
  ])
  const back = readBack(xml)
  assert.deepEqual(back.troubles, [])
  const [first, second] = back.revisions.map(({ slots }) => Buffer.from(slots[0]!.text!).toString())
  assert.equal(first, 'a\ufffd\ufffd\ufffdb\ufffd\ufffdc\r\n\td]]>\u007f\u0085')
  assert.match(second!, /^x\ufffd+$/)
  assert.equal(back.revisions[0]!.comment, 'c\ufffd\r')
})

test('the head of an export cannot be broken by what a wiki calls itself', async () => {
  const site = { ...sampleSite(), name: '</sitename> --> & ', language: '"><x' }
  const attribution = { source: 'a -- b --> </siteinfo>', at: 0, licence: null }
  const xml = await Array.fromAsync(writeDump({ site, pages: [], attribution }))
  const [head] = readDumpBody(Buffer.concat(xml))
  assert.equal(head?.type === 'site' ? head.site.name : '', '</sitename> --> & ')
  assert.equal(head?.type === 'site' ? head.site.language : '', '"><x')
})

/** Of the control characters XML holds three, and those beyond ASCII. */
function keptControl(character: string): string {
  return /[\t\n\r\u{7f}-\u{9f}]/u.test(character) ? character : ''
}

/** Characters that XML can hold. */
const character = fc
  .oneof(
    fc.constantFrom(
      ...'<>&"\'\r\n\t -'.split(''),
      'é',
      '—',
      '日',
      '😀',
      '&amp;',
      '<!--',
      ']]>',
      '&#13;',
      '</text>',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }),
  )
  .map((text) => text.replace(/[\p{Cc}\ufffe\uffff]/gu, keptControl).toWellFormed())
const line = fc.array(character, { maxLength: 12 }).map((parts) => parts.join(''))
const name = line.map((text) => `N${text}`)

const editor: fc.Arbitrary<Pick<Revision, 'user' | 'userId' | 'editor'>> = fc.oneof(
  fc.record({
    user: name.map((text) => text.replaceAll('>', '')),
    userId: fc.integer({ min: 1, max: 1e9 }),
    editor: fc.constant<EditorKind>('registered'),
  }),
  fc.record({
    user: fc.ipV4(),
    userId: fc.constant(0),
    editor: fc.constant<EditorKind>('anonymous'),
  }),
)

const revision = fc
  .record({
    who: editor,
    texts: fc.array(line, { minLength: 1, maxLength: 3 }),
    comment: line,
    isMinor: fc.boolean(),
    parentId: fc.nat(),
    at: fc.integer({ min: 0, max: 2e9 }),
  })
  .map(({ who, texts, at, ...rest }) => {
    const slots: Slot[] = texts.map((text, index) =>
      sampleSlot(text, ['main', 'aside', 'zeta'][index]),
    )
    const sha1 = combinedSha1(slots)
    const size = slots.reduce((sum, slot) => sum + slot.size!, 0)
    return { ...sampleRevision(0, 0, ''), ...rest, ...who, at: at * 1000, slots, sha1, size }
  })

test('random histories come back from XML exactly as they were written', async () => {
  const history = fc.array(fc.tuple(name, fc.array(revision, { maxLength: 4 })), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(history, async (pages) => {
      let revId = 0
      const given = pages.map(([title, revisions], index) => {
        const page = { ...samplePage(index + 1, title), redirect: index % 2 === 0 ? title : null }
        const numbered = revisions.map((one) => ({ ...one, pageId: page.pageId, revId: ++revId }))
        return { page, revisions: numbered }
      })
      const back = readBack(await written(given))
      assert.deepEqual(back.troubles, [])
      assert.deepEqual(
        back.pages,
        given.map(({ page }) => page),
      )
      assert.deepEqual(
        back.revisions,
        given.flatMap(({ revisions }) => revisions),
      )
    }),
    { seed: 6, numRuns: 150 },
  )
})

test('a strict parser of XML finds the same texts in an export', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (texts) => {
      const revisions = texts.map((text, index) =>
        sampleRevision(1, index + 1, text, { comment: text, user: `U${text}` }),
      )
      const xml = await written([{ page: samplePage(1, `T${texts.join('')}`), revisions }])
      const found: Record<string, string[]> = { text: [], username: [], title: [] }
      const parser = new SaxesParser({ xmlns: true })
      let inside = ''
      parser.on('error', (error) => assert.fail(error))
      parser.on('opentag', ({ name: tag }) => {
        inside = tag
        found[inside]?.push('')
      })
      parser.on('text', (piece) => {
        const open = found[inside]
        open?.push((open.pop() ?? '') + piece)
      })
      parser.on('closetag', () => {
        inside = ''
      })
      parser.write(xml.toString()).close()
      assert.deepEqual(found, {
        text: texts,
        username: texts.map((text) => `U${text}`),
        title: [`T${texts.join('')}`],
      })
    }),
    { seed: 7, numRuns: 100 },
  )
})

test('a history larger than a chunk is written piece by piece', async () => {
  const text = 'x'.repeat(50_000)
  let made = 0
  function* revisions(): Generator<Revision> {
    for (made = 1; made <= 40; made += 1) yield sampleRevision(1, made, text)
  }
  const pages = [{ page: samplePage(1), revisions: revisions() }]
  const pieces = writeDump({ site: sampleSite(), pages, attribution: ATTRIBUTION })
  const first = await pieces.next()
  assert.ok(made < 5, `${made} revisions were made for the first piece`)
  assert.ok(first.value!.length < 200_000)
  const rest = await Array.fromAsync(pieces)
  const back = readBack(Buffer.concat([first.value!, ...rest]))
  assert.equal(back.revisions.length, 40)
  assert.equal(back.revisions[39]!.sha1, sha1Of(text))
})
