/** Every exported function that reads a stranger's words, and how hostile text is given to it. */
import { readdirSync, readFileSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import * as archive from '@minga/archive'
import * as fleet from '@minga/fleet'
import * as forecast from '@minga/forecast'
import * as frontier from '@minga/frontier'
import * as lake from '@minga/lake'
import * as net from '@minga/net'
import * as partition from '@minga/partition'
import * as protocol from '@minga/protocol'
import { guardUrl } from '@minga/net/guard'
import * as wiki from '@minga/wiki'
import { decodeBatch } from '../../apps/coordinator/src/federation/member/exchange-batch.ts'
import { readLogIn, readToken } from '@minga/wiki/log-in'
import { SessionCookies } from '@minga/wiki/session-cookies'
import { repairCsv, noRepairs } from '../../packages/lake/src/split/repair-csv.ts'

/** All that packages offer to others, by the name of the package: what their other entries offer as well. */
export const ROOMS: Readonly<Record<string, object>> = await readRooms()

async function readRooms(): Promise<Record<string, object>> {
  const packages = new URL('../../packages/', import.meta.url)
  const rooms: Record<string, object> = {}
  for (const room of readdirSync(packages)) {
    if (room === 'testkit') continue
    const folder = new URL(`${room}/`, packages)
    const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
      exports: string | Record<string, string>
    }
    const entries = typeof exports === 'string' ? { '.': exports } : exports
    // A program, which begins to work when it is loaded.
    const files = Object.entries(entries).filter(([entry]) => entry !== './worker')
    const loaded = files.map(([, file]) => import(new URL(file, folder).href) as Promise<object>)
    rooms[room] = Object.assign({}, ...(await Promise.all(loaded)))
  }
  return rooms
}

/** What stands before a run of hostile text, and what stands behind it. */
export type Frame = readonly [before: string, after: string]

export interface HostileParser {
  parse: (text: string) => unknown
  /** Besides the bare run: what leads to the parts of the parser that lie deeper. */
  frames?: readonly Frame[]
  /** How long a run is at first, where the usual length takes long though it is read in linear time. */
  chars?: number
}

/** Of the value of a header: what is longer than 8,192 characters is cut, so that a larger n would tell nothing. */
const HEADER_CHARS = 900
const PAGE_URL = 'https://example.org/dir/'
const NOW = Date.UTC(2026, 0, 1)
const bytes = (text: string): Buffer => Buffer.from(text)

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  const all = bytes(text)
  for (let at = 0; at < all.length; at += 4_096) yield all.subarray(at, at + 4_096)
}

async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) void item
}

const page = (text: string, mime = 'text/html'): forecast.PageBody => ({
  url: PAGE_URL,
  mime,
  status: 200,
  body: bytes(text),
  charset: null,
  isTruncated: false,
})

function readReceived(text: string, headers: net.HeaderList = []): unknown {
  const body = bytes(text)
  return net.readPageContent({ url: PAGE_URL, kind: 'page', status: 200, headers, body }, 'minga')
}

const SITE = {
  name: 'W',
  dbName: null,
  base: PAGE_URL,
  generator: null,
  language: 'en',
  case: 'first-letter',
  namespaces: [{ id: 0, name: '', aliases: [], isCaseSensitive: false }],
  apiUrl: PAGE_URL,
  articlePath: null,
  rvLimit: 50,
  rights: { text: null, url: null },
}

/** The page of a history: what a closed wiki shows is read like a page. */
function readHistoryPage(text: string): unknown {
  const step = {
    kind: 'historyPage',
    index: `${PAGE_URL}index.php`,
    title: 'T',
    offset: null,
    limit: 50,
    since: null,
    ticket: { run: 1, task: 1, attempt: 0 },
  } as unknown as Parameters<typeof wiki.readAnswer>[0]
  const answer = { status: 200, headers: [], body: bytes(text), truncated: null }
  return wiki.readAnswer(step, answer, { site: SITE, now: NOW })
}

const wikiAnswer = (text: string): wiki.WikiAnswer => ({
  status: 200,
  headers: [['content-type', 'application/json']],
  body: bytes(text),
})

const SKETCH = forecast.sketchOf(page('<title>News</title><p>what the page said before</p>'), {
  include: [],
  exclude: [],
})

const HTML: readonly Frame[] = [
  ['<img srcset="', 'x">'],
  ['<img srcset="a ', ' x">'],
  ['<a href="', 'x">'],
  ['<a rel="', 'x" href=y>'],
  ['<meta http-equiv=refresh content="1', 'x">'],
  ['<title>', 'x</title>'],
  ['<style>', 'x</style>'],
  ['<p style="background:url(', 'x">'],
  ['<html><body><p class="', 'x">a</p>'],
  ['<html><body><p>', 'x</p><p>y'],
]
const XML: readonly Frame[] = [
  ['<?xml version="1.0"?><rss><channel><item><title>', '</title></item></channel></rss>'],
  ['<?xml version="1.0"?><feed><link rel="hub" href="', '"/>'],
  ['<urlset><url><loc>', '</loc></url></urlset>'],
  ['<opml><body><outline text="', '"/>'],
]
const HEADER: readonly Frame[] = [
  ['text/html; charset=', 'x'],
  ['text/html; charset="', 'x'],
  ['<x>; rel="', 'x'],
]
const LINK: readonly Frame[] = [
  ['<x>; rel="', 'x'],
  ['<', '>; rel=next'],
]
const HTTP: readonly Frame[] = [
  ['HTTP/1.1 200 ', '\rx\n\n'],
  ['HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n', ''],
]
const DUMP: readonly Frame[] = [
  ['<mediawiki><page><title>T</title><id>1</id><redirect ', '/></page></mediawiki>'],
  ['<mediawiki><page><title>T</title><id>1</id><revision><text>', '</text></revision></page>'],
]

const BATCH_ROW = '{"collections":[]}\n{"seq":1,"kind":"over"'
const BATCH: readonly Frame[] = [
  ['{"collections":[{"identity":"a","spec":"', '"}]}'],
  ['{"collections":[{"identity":"a","shares":{', '}}]}'],
  [`${BATCH_ROW},"payload":{"hosts":[`, ']}}'],
  ['{"collections":[]}\n{"seq":1,"kind":"urls","payload":{"urls":[["http://', '"]]}}'],
]

export const PARSERS: Readonly<Record<string, HostileParser>> = {
  'protocol.readManifest': {
    parse: (text) => protocol.readManifest(zstdCompressSync(bytes(text))),
    frames: [['{"boot":"b","results":[', ']}']],
  },
  'protocol.decodeUpload': {
    parse: (text) => {
      const head = Buffer.alloc(4)
      head.writeUInt32BE(Buffer.byteLength(text))
      return protocol.decodeUpload(Buffer.concat([head, bytes(text)]))
    },
  },

  'coordinator.decodeBatch': {
    parse: (text) => decodeBatch(zstdCompressSync(bytes(text))),
    frames: BATCH,
  },

  'net.canonicalUrl': {
    parse: (text) => net.canonicalUrl(text, PAGE_URL),
    frames: [
      ['http://', '/'],
      ['http://example.org/', ''],
      ['http://example.org/?', ''],
    ],
  },
  // No pattern has more than a thousand characters.
  'net.checkPatterns': { parse: (text) => net.checkPatterns({ include: [text] }), chars: 120 },
  'net.compileScope': {
    parse: (text) =>
      net.compileScope({ kind: 'any', seeds: [], include: ['a*b.*c$'] })(`http://${text}`),
  },
  'net.compileUrlPattern': {
    parse: (text) => net.compileUrlPattern('(?:a|b)*a[ab]{9}c').test(text),
  },
  'net.decodeContent': {
    parse: (text) => net.decodeContent(bytes('x'), text, net.DEFAULT_DECODING_LIMITS),
    chars: HEADER_CHARS,
  },
  'net.decodeText': {
    parse: (text) => net.decodeText(bytes(text), undefined),
    frames: [
      ['<meta charset=', '>'],
      ['<?xml encoding=', '>'],
    ],
  },
  'net.decodeText of a type': {
    parse: (text) => net.decodeText(bytes('x'), text),
    frames: HEADER,
    chars: HEADER_CHARS,
  },
  'net.discoverSources': {
    parse: (text) => net.discoverSources({ text, url: PAGE_URL, linkHeaders: [] }),
    frames: [['<link rel=alternate type="', '" href=x>']],
  },
  'net.discoverSources of a header': {
    parse: (text) => net.discoverSources({ text: '', url: PAGE_URL, linkHeaders: [text] }),
    frames: LINK,
    chars: HEADER_CHARS,
  },
  'net.extractCssLinks': {
    parse: (text) => net.extractCssLinks(text, PAGE_URL),
    frames: [
      ['url(', 'x'],
      ['@import ', 'x'],
    ],
  },
  'net.extractLinks': {
    parse: (text) => net.extractLinks({ text, url: PAGE_URL, linkHeaders: [], charset: 'gbk' }),
    frames: HTML,
  },
  'net.extractLinks of a header': {
    parse: (text) => net.extractLinks({ text: '', url: PAGE_URL, linkHeaders: [text] }),
    frames: LINK,
    chars: HEADER_CHARS,
  },
  'net.parseFeed': {
    parse: (text) => net.parseFeed(bytes(text), PAGE_URL, { now: NOW }),
    frames: XML,
  },
  'net.parseOpml': { parse: net.parseOpml, frames: XML },
  'net.parseRobots': {
    parse: (text) => net.isAllowedByRobots(net.parseRobots(bytes(text)), 'minga', PAGE_URL),
    frames: [
      ['User-agent: *\nCrawl-delay: ', 'x'],
      ['User-agent: *\nDisallow: /', 'x$'],
      ['User-agent: ', 'x'],
      ['Sitemap: ', 'x'],
    ],
  },
  'net.parseRobotsDirectives': {
    parse: (text) => net.parseRobotsDirectives([text], 'minga'),
    chars: HEADER_CHARS,
  },
  'net.parseSitemap': { parse: (text) => net.parseSitemap(bytes(text)), frames: XML },
  'net.readPageContent': { parse: (text) => readReceived(text), frames: HTML },
  'net.readPageContent of headers': {
    parse: (text) =>
      ['content-type', 'content-encoding', 'link', 'x-robots-tag', 'refresh'].map((name) =>
        readReceived('<p>', [[name, text]]),
      ),
    frames: [...HEADER, ['0; url=', 'x']],
    chars: HEADER_CHARS,
  },
  'net.redirectTarget': {
    parse: (text) => net.redirectTarget(PAGE_URL, text),
    frames: [
      ['http://', '/'],
      ['/a?', ''],
    ],
    chars: HEADER_CHARS,
  },
  'net.registrableDomainOf': { parse: net.registrableDomainOf },
  'net.retryAfterMs': {
    parse: (text) => net.retryAfterMs([['Retry-After', text]], NOW),
    chars: HEADER_CHARS,
    frames: [['Mon, ', ' 12:00x']],
  },
  'net.surt': {
    parse: net.surt,
    frames: [
      ['http://', '/'],
      ['http://a/?', ''],
    ],
  },
  'net.guardUrl': {
    parse: (text) => guardUrl(text, { allowPrivateAddresses: false }),
    frames: [
      ['http://', '/'],
      ['http://[', ']/'],
    ],
  },
  'net.unpackWhole': {
    parse: (text) => net.unpackWhole(bytes('x'), text, net.DEFAULT_DECODING_LIMITS),
    chars: HEADER_CHARS,
  },
  'net.webDate': { parse: (text) => net.webDate(text, NOW), frames: [['Mon, 1 Jan 2020 ', 'x']] },

  'archive.dechunk': { parse: (text) => archive.dechunk(bytes(text)), frames: [['1\na\n', '']] },
  'archive.decodeMember': { parse: (text) => archive.decodeMember(bytes(text), 1_000_000) },
  'archive.mediaType': { parse: (text) => archive.mediaType([['Content-Type', text]]) },
  'archive.unpackMember': { parse: (text) => archive.unpackMember(bytes(text), 1_000_000) },
  'archive.findHeadEnd': { parse: (text) => archive.findHeadEnd(bytes(text)) },
  'archive.parseCdxQuery': {
    parse: (text) => archive.parseCdxQuery(new URLSearchParams({ url: 'a.test', filter: text })),
    frames: [
      ['original:', ''],
      ['=original:', ''],
    ],
  },
  'archive.parseCdxjLine': {
    parse: archive.parseCdxjLine,
    frames: [
      ['com,a)/ 20260101000000 {', 'x'],
      ['com,a)/ 20260101000000 {"url":"', '"}'],
    ],
  },
  'archive.parseDigest': { parse: archive.parseDigest, frames: [['sha1:', 'x']] },
  'archive.parseHttpBlock': { parse: (text) => archive.parseHttpBlock(bytes(text)), frames: HTTP },
  'archive.parseHttpDate': { parse: archive.parseHttpDate },
  'archive.parseMementoTime': { parse: archive.parseMementoTime },
  'archive.parseRecordHead': {
    parse: (text) => archive.parseRecordHead(bytes(text)),
    frames: [['WARC/1.1\nWARC-Target-URI: ', 'x']],
  },
  'archive.parseTimestamp': { parse: archive.parseTimestamp },
  'archive.readRecords': {
    parse: (text) => drain(archive.readRecords(chunksOf(text))),
    frames: [
      ['WARC/1.1\r\n', ''],
      ['WARC/1.1\r\nContent-Length: 5\r\n\r\n', ''],
    ],
    chars: 3_000,
  },

  'partition.decodeDelta': { parse: (text) => partition.decodeDelta(bytes(text)) },
  'partition.decodeMap': { parse: (text) => partition.decodeMap(bytes(text)) },
  'partition.parseDnsLoc': { parse: partition.parseDnsLoc, frames: [['1 2 3', 'x']] },
  'partition.parseHopLists': { parse: (text) => partition.parseHopLists('x', text.split('\n')) },
  'partition.readEdges': { parse: (text) => partition.readEdges('x', chunksOf(text)) },
  'partition.readMetis': { parse: (text) => partition.readMetis('x', chunksOf(text)) },
  'partition.readTable': {
    parse: (text) =>
      partition.readTable('x', chunksOf(text), { rows: 9, columns: 1, within: null }),
  },

  // No selector has more than five hundred characters.
  'forecast.checkSelectors': {
    parse: (text) => forecast.checkSelectors({ include: [text], exclude: [] }),
    chars: 60,
  },
  'forecast.judgePage': {
    parse: (text) => {
      const given = page(text)
      const sketch = forecast.sketchOf(given, { include: [], exclude: [] })
      return forecast.judgePage(given, sketch, SKETCH)
    },
    frames: HTML.slice(-3),
  },
  'forecast.decodeBelief': { parse: (text) => forecast.decodeBelief(bytes(text)) },
  'forecast.decodeNoise': { parse: forecast.decodeNoise, frames: [['{"regions":[', ']}']] },
  'forecast.decodeSketch': { parse: (text) => forecast.decodeSketch(bytes(text)) },
  'forecast.diffPages': {
    parse: (text) =>
      forecast.diffPages(page(text), page(`<p>x</p>${text}<p>y`), {
        selectors: { include: [], exclude: [] },
      }),
    frames: HTML.slice(-2),
    chars: 2_000,
  },
  'forecast.pageText': { parse: (text) => forecast.pageText(page(text)), frames: HTML },
  'forecast.sketchOf': {
    parse: (text) => forecast.sketchOf(page(text), { include: [], exclude: [] }),
    frames: HTML,
  },
  'forecast.sketchOf of JSON': {
    parse: (text) =>
      forecast.sketchOf(page(text, 'application/json'), { include: [], exclude: [] }),
    frames: [
      ['["', '"]'],
      ['[', ']'],
    ],
  },
  'forecast.sketchOf of XML': {
    parse: (text) => forecast.sketchOf(page(text, 'text/xml'), { include: [], exclude: [] }),
    frames: XML,
  },
  'forecast.sketchOf of text': {
    parse: (text) => forecast.sketchOf(page(text, 'text/plain'), { include: [], exclude: [] }),
  },

  'frontier.parseHostRule': { parse: frontier.parseHostRule },
  'frontier.parseSpec': { parse: frontier.parseSpec, frames: [['{"seeds":["', '"]}']] },

  'fleet.abuseIn': {
    parse: fleet.abuseIn,
    frames: [
      ['http://a.test/', 'x'],
      ['http://a.test/?a=', 'x'],
      ["http://a.test/?a='--", 'x'],
      ['http://a.test/?a=..%2f<', 'x'],
    ],
    // No address is longer than eight times this.
    chars: 1_000,
  },
  'fleet.contentFingerprint': {
    parse: (text) => fleet.contentFingerprint(text, 'text/html'),
    chars: 2_000,
    frames: [
      ['<input name="csrf" value="', 'x">'],
      ['nonce="', 'x'],
      ['1', 'x'],
    ],
  },
  'fleet.contentFingerprint of a type': {
    parse: (text) => fleet.contentFingerprint('x', text),
    chars: HEADER_CHARS,
  },
  'fleet.headersFingerprint': { parse: (text) => fleet.headersFingerprint(() => [text]) },
  'fleet.isInFile': { parse: (text) => fleet.isInFile('minga-token', text) },
  'fleet.compare': {
    // Where an answer leads is an address, and no longer than one.
    parse: (text) => {
      const facts = { status: 301, digest: '', fingerprint: null, location: PAGE_URL + text }
      return fleet.compare(facts, { ...facts, location: `${PAGE_URL}${text}1` })
    },
    frames: [['?a=', 'x']],
    chars: HEADER_CHARS,
  },

  'wiki.EventStreamReader': {
    parse: (text) => {
      const reader = new wiki.EventStreamReader()
      for (let at = 0; at < text.length; at += 16) reader.push(bytes(text.slice(at, at + 16)))
    },
    frames: [['data: ', '\n\n']],
  },
  'wiki.TextHistory': {
    parse: (text) => {
      const history = new wiki.TextHistory()
      for (const [revId, own] of [text, `x ${text}`, `${text}y`].entries()) {
        history.add({ revId, user: 'u', text: own })
      }
      return history.current()
    },
    chars: 1_500,
  },
  'wiki.diffTexts': {
    parse: (text) => wiki.diffTexts(`a ${text}`, `${text} b ${text}`),
    chars: 1_500,
  },
  'wiki.newsOfEvent': {
    parse: (data) => wiki.newsOfEvent({ type: 'message', data, id: '' }, 'w.test'),
    frames: [['{"meta":{"domain":"w.test"},"title":"', '"}']],
  },
  'wiki.normaliseTitle': { parse: (text) => wiki.normaliseTitle(text, SITE) },
  'wiki.readAnswer': {
    parse: readHistoryPage,
    frames: [
      ['<li data-mw-revid=1><a class="mw-changeslist-date">', 'x'],
      ['"wgPageName":"', 'x'],
    ],
  },
  'wiki.readDump': {
    parse: (text) => drain(wiki.readDump(chunksOf(text))),
    frames: DUMP,
    chars: 2_000,
  },
  'wiki.readDumpBody': { parse: (text) => wiki.readDumpBody(bytes(text)), frames: DUMP },
  'wiki.readWikiAddress': {
    parse: (text) => wiki.readWikiAddress(text),
    frames: [['https://w.test/wiki/', 'x']],
  },
  'wiki.readLogIn': {
    parse: (text) => readLogIn(wikiAnswer(text), { user: 'u', now: NOW }),
    frames: [['{"login":{"result":"', '"}}']],
  },
  'wiki.readToken': {
    parse: (text) => readToken(wikiAnswer(text), NOW),
    frames: [['{"query":{"tokens":{"logintoken":"', '"}}}']],
  },
  'wiki.SessionCookies': {
    parse: (text) => {
      const cookies = new SessionCookies()
      cookies.keep(PAGE_URL, [['set-cookie', text]], NOW)
      return cookies.header(PAGE_URL, NOW)
    },
    frames: [
      ['a=', ''],
      ['a=b; domain=', ''],
      ['a=b; expires=', ''],
    ],
    // Longer cookies are none.
    chars: 500,
  },
  'wiki.tokenise': { parse: wiki.tokenise, frames: [['a', 'x']] },

  'lake.repairCsv': {
    parse: (text) => drain(repairCsv(chunksOf(text), { delimiter: ',', fields: 3 }, noRepairs())),
    frames: [
      ['', '\r\n'],
      ['a,b\n', '\n"'],
    ],
  },
  'lake.pythonList': {
    parse: lake.pythonList,
    frames: [
      ['[', ']'],
      ["['", "']"],
    ],
  },
  'lake.trimmed': { parse: lake.trimmed },
}

const OF_STATION = 'It takes the parsed JSON of the station that an agent joined, by a schema.'

/** Exports whose names sound like parsers, and why they need no test here. */
export const NO_PARSERS: Readonly<Record<string, string>> = {
  'archive.httpDate': 'It writes a number.',
  'archive.warcDate': 'It writes a number.',
  'archive.writableDate': 'It takes a number.',
  'archive.readRecordAt': 'It reads one record of an own file by readRecords.',
  'archive.readRecordWithin': 'It reads one record of an own file by readRecords.',
  'fleet.checkPassword': 'It takes a field of bounded length.',
  'fleet.checkRestrictions': 'It reads the store.',
  'fleet.findingsText': 'It writes what the station found.',
  'fleet.reportText': 'It writes what the station measured.',
  'fleet.split': 'It divides numbers.',
  'fleet.findDevice': 'It reads the store.',
  'fleet.findDevices': 'It reads the store.',
  'fleet.findFlags': 'It reads the store.',
  'fleet.findStatementLines': 'It reads the store.',
  'fleet.findTotpStep': 'It compares a code of at most fifty characters with three others.',
  'forecast.compareSketches': 'It takes sketches, which are bounded; sketchOf makes them.',
  'forecast.compareVisited': 'It compares numbers.',
  'forecast.compareWithFixed': 'It compares numbers.',
  'forecast.judgeVisit': 'It takes sketches, which are bounded; sketchOf makes them.',
  'forecast.lastModified': 'It estimates a rate from numbers.',
  'forecast.policyIn': "It takes a module of the operator's own.",
  'forecast.decodePriorTree': 'Its bytes are written by the station itself.',
  'forecast.decodeWeightsInto': 'Its bytes are written by the station itself.',
  'forecast.diffAsHtml': 'It writes what diffPages found.',
  'forecast.diffAsText': 'It writes what diffPages found.',
  'forecast.diffSideBySide': 'It writes what diffPages found.',
  'frontier.discover': 'It takes URLs that are canonical already.',
  'frontier.filterIn': 'Its text was written by the station itself.',
  'frontier.findHostTarget': 'It reads the store.',
  'frontier.findOriginal': 'It reads the store.',
  'frontier.readRobots': 'It reads the store.',
  'frontier.readStatuses': 'It reads the store.',
  'lake.checkLakeName': 'It refuses what is longer than a name.',
  'lake.checkQuery': 'It takes an object of bounded size from an authorised caller.',
  'lake.readQueries': "It reads the operator's own files.",
  'lake.scan': 'It builds a step of a query.',
  'net.compileRule': 'It takes one rule of a robots.txt, which parseRobots has read.',
  'net.guardAddress': 'It takes an address that was resolved.',
  'net.headerValues': 'It compares names.',
  'net.unpackContent': 'It is what unpackWhole collects.',
  'partition.blockText': 'It writes numbers.',
  'partition.checkDelta': 'It compares numbers of a placement that was read.',
  'partition.checkGroups': 'It compares numbers.',
  'partition.judge': 'It compares facts of bounded length with rules.',
  'partition.splitSpace': 'It divides numbers.',
  'protocol.learningText': 'It writes numbers.',
  'protocol.readChallenge': OF_STATION,
  'protocol.readEnrolment': OF_STATION,
  'protocol.readLease': OF_STATION,
  'protocol.readLoadOrder': OF_STATION,
  'protocol.readUploaded': OF_STATION,
  'protocol.readWelcome': OF_STATION,
  'protocol.plainText': 'Its text is cut to its length before it is used.',
  'protocol.spanText': 'It writes a number.',
  'protocol.splitUpload': 'It divides bytes at a place that they name.',
  'net.parseOverrides': "It reads the operator's own options.",
  'store.readAudit': 'It reads the store.',
  'store.readSortedPage': 'It reads the store.',
  'wiki.checkHistory': 'It takes rows, which readAnswer has read.',
  'wiki.checkUrl': 'It builds an address.',
  'wiki.compareEditors': 'It asks DuckDB.',
  'wiki.comparePages': 'It asks DuckDB.',
  'wiki.compileFilter': 'It takes what readFilter has checked.',
  'wiki.compileQuery': 'It takes an object of bounded size from an authorised caller.',
  'wiki.findWiki':
    'It reads the store; its text is a parameter of an address, at most 2,000 characters.',
  'wiki.readFailure': 'It takes a code of the agent.',
  'wiki.readFilter': 'It takes parameters of bounded size from an authorised caller.',
  'wiki.readLogInFailure': 'It takes a code of the agent.',
  'wiki.readModeAttribute': 'It compares with a fixed list.',
  'wiki.readTask': 'It reads the store.',
}
