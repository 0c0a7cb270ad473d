// Goal: robots.txt means what RFC 9309 and its published examples say, whatever the bytes.
// Method: a table with one row per sentence of the RFC, published examples, properties and fuzz.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMs } from '@minga/testkit'
import * as fc from 'fast-check'
import { parseRobotsDirectives } from './robots-directives.ts'
import {
  compileRule,
  crawlDelayMsOf,
  isAllowedByRobots,
  matchesRule,
  parseRobots,
  robotsFromResponse,
} from './robots.ts'

const RUNS = process.env['MINGA_LONG'] === '1' ? 200_000 : 4_000
const TOKEN = 'MingaBot'

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function allowed(robots: string, path: string, token = TOKEN): boolean {
  return isAllowedByRobots(parseRobots(bytes(robots)), token, 'http://a.test' + path)
}

/** Sentence, file, path, allowed? */
const SENTENCES: [string, string, string, boolean][] = [
  ['2.2: without rules everything is allowed', '', '/x', true],
  ['2.2: rules before any user-agent line are ignored', 'Disallow: /\n', '/x', true],
  ['2.2.1: names match without regard to case', 'user-AGENT: mingabot\nDISALLOW: /', '/x', false],
  [
    '2.2.1: the own group is preferred to *',
    'User-agent: *\nDisallow: /\nUser-agent: MingaBot\nDisallow: /a',
    '/x',
    true,
  ],
  [
    '2.2.1: * counts when there is no own group',
    'User-agent: other\nAllow: /\n\nUser-agent: *\nDisallow: /',
    '/x',
    false,
  ],
  ['2.2.1: no group and no * allows', 'User-agent: other\nDisallow: /', '/x', true],
  [
    '2.2.1: several groups of one name are one',
    'User-agent: MingaBot\nDisallow: /a\n\nUser-agent: b\nDisallow: /\n\nUser-agent: mingabot\nDisallow: /c',
    '/c',
    false,
  ],
  [
    '2.2.1: several groups of one name are one (first)',
    'User-agent: MingaBot\nDisallow: /a\n\nUser-agent: mingabot\nDisallow: /c',
    '/a',
    false,
  ],
  [
    '2.2.1: several * groups are one',
    'User-agent: *\nDisallow: /a\nUser-agent: x\nDisallow: /\nUser-agent: *\nDisallow: /c',
    '/a',
    false,
  ],
  [
    '2.2.1: names in a row share the rules',
    'User-agent: a\nUser-agent: MingaBot\nUser-agent: b\nDisallow: /',
    '/x',
    false,
  ],
  [
    '2.2.1: a version after the name is decoration',
    'User-agent: MingaBot/1.0\nDisallow: /',
    '/x',
    false,
  ],
  ['2.2.1: a longer name is another name', 'User-agent: MingaBotImages\nDisallow: /', '/x', true],
  ['2.2.1: a shorter name is another name', 'User-agent: Minga\nDisallow: /', '/x', true],
  [
    '2.2.1: a group without rules allows',
    'User-agent: *\nDisallow: /\nUser-agent: MingaBot\n',
    '/x',
    true,
  ],
  [
    '2.2.2: a rule matches from the first octet',
    'User-agent: *\nDisallow: /fish',
    '/catfish',
    true,
  ],
  ['2.2.2: paths are case-sensitive', 'User-agent: *\nDisallow: /fish', '/Fish', true],
  ['2.2.2: the longest match decides', 'User-agent: *\nAllow: /p\nDisallow: /', '/page', true],
  [
    '2.2.2: the longest match decides (other order)',
    'User-agent: *\nDisallow: /\nAllow: /p',
    '/page',
    true,
  ],
  [
    '2.2.2: the longest match decides (forbids)',
    'User-agent: *\nAllow: /\nDisallow: /page',
    '/page1',
    false,
  ],
  [
    '2.2.2: allow wins ties',
    'User-agent: *\nDisallow: /folder\nAllow: /folder',
    '/folder/page',
    true,
  ],
  ['2.2.2: no match allows', 'User-agent: *\nDisallow: /a', '/b', true],
  ['2.2.2: /robots.txt is always allowed', 'User-agent: *\nDisallow: /', '/robots.txt', true],
  ['2.2.2: an empty disallow forbids nothing', 'User-agent: *\nDisallow:', '/x', true],
  ['2.2.2: an empty allow allows nothing', 'User-agent: *\nAllow:\nDisallow: /', '/x', false],
  [
    '2.2.2: the query is part of the path',
    'User-agent: *\nDisallow: /foo/bar?baz=quz',
    '/foo/bar?baz=quz',
    false,
  ],
  [
    '2.2.2: reserved characters in a query match their escapes',
    'User-agent: *\nDisallow: /foo/bar?baz=https://foo.bar',
    '/foo/bar?baz=https%3A%2F%2Ffoo.bar',
    false,
  ],
  [
    '2.2.2: escapes in a query match reserved characters',
    'User-agent: *\nDisallow: /foo/bar?baz=https%3a%2f%2Ffoo.bar',
    '/foo/bar?baz=https://foo.bar',
    false,
  ],
  [
    '2.2.2: octets beyond ASCII match their escapes',
    'User-agent: *\nDisallow: /foo/bar/ツ',
    '/foo/bar/%E3%83%84',
    false,
  ],
  [
    '2.2.2: escapes are compared without regard to case',
    'User-agent: *\nDisallow: /foo/bar/%e3%83%84',
    '/foo/bar/%E3%83%84',
    false,
  ],
  [
    '2.2.2: escaped unreserved characters are themselves',
    'User-agent: *\nDisallow: /foo/bar/%62%61%7A',
    '/foo/bar/baz',
    false,
  ],
  [
    '2.2.2: unreserved characters match their escapes',
    'User-agent: *\nDisallow: /foo/bar/baz',
    '/foo/bar/%62%61%7A',
    false,
  ],
  [
    '2.2.2: an escaped slash in a path is no slash',
    'User-agent: *\nDisallow: /a/b',
    '/a%2Fb',
    true,
  ],
  [
    '2.2.2: length is counted after unescaping',
    'User-agent: *\nDisallow: /%61%61\nAllow: /aaa',
    '/aaa',
    true,
  ],
  ['2.2.3: # starts a comment', 'User-agent: * # all\nDisallow: /a # not this', '/a', false],
  ['2.2.3: a comment line is nothing', '# x\nUser-agent: *\n# y\nDisallow: /a', '/a', false],
  ['2.2.3: $ ends the path', 'User-agent: *\nDisallow: /a$', '/a', false],
  ['2.2.3: $ ends the path (longer)', 'User-agent: *\nDisallow: /a$', '/ab', true],
  ['2.2.3: * stands for anything', 'User-agent: *\nDisallow: /a*z', '/a/b/c/z/q', false],
  ['2.2.3: * stands for nothing too', 'User-agent: *\nDisallow: /a*z', '/az', false],
  ['2.2.3: * and $ together', 'User-agent: *\nDisallow: /*.gif$', '/x/y.gif', false],
  ['2.2.3: * and $ together (longer)', 'User-agent: *\nDisallow: /*.gif$', '/x/y.gif?z', true],
  [
    '2.2.3: %2A is a star',
    'User-agent: *\nDisallow: /path/file-with-a-%2A.html',
    '/path/file-with-a-*.html',
    false,
  ],
  [
    '2.2.3: %2A is no wildcard',
    'User-agent: *\nDisallow: /path/file-with-a-%2A.html',
    '/path/file-with-a-x.html',
    true,
  ],
  ['2.2.3: %24 is a dollar', 'User-agent: *\nDisallow: /path/foo-%24', '/path/foo-$', false],
  ['2.2.3: $ elsewhere is a dollar', 'User-agent: *\nDisallow: /a$b', '/a$b/c', false],
  [
    '2.2.4: other records do not interfere',
    'User-agent: MingaBot\nSitemap: http://a.test/s\nUser-agent: b\nDisallow: /',
    '/x',
    false,
  ],
  [
    '2.2.4: unknown records do not interfere',
    'User-agent: MingaBot\nHost: a.test\nNoindex: /x\nDisallow: /',
    '/x',
    false,
  ],
  [
    '2.2: a line without colon is nothing',
    'User-agent: *\nDisallow /\nrubbish\nDisallow: /a',
    '/b',
    true,
  ],
  ['2.2: white space around is allowed', '  User-agent :\t* \n\tDisallow:\t /a  \n', '/a', false],
  ['2.2: CR ends a line', 'User-agent: *\rDisallow: /a\r', '/a', false],
  ['2.2: CR LF ends a line', 'User-agent: *\r\nDisallow: /a\r\n', '/a', false],
  ['2.2: empty lines do not end a group', 'User-agent: *\n\n\nDisallow: /a', '/a', false],
  ['2.3: a byte order mark is skipped', '\ufeffUser-agent: *\nDisallow: /a', '/a', false],
]

for (const [sentence, robots, path, expected] of SENTENCES) {
  test(`RFC 9309 ${sentence}`, () => assert.equal(allowed(robots, path), expected))
}

/** Google's published table: rule → paths that match and paths that do not. */
const PUBLISHED: [string, string[], string[]][] = [
  [
    '/fish',
    [
      '/fish',
      '/fish.html',
      '/fish/salmon.html',
      '/fishheads',
      '/fishheads/yummy.html',
      '/fish.php?id=anything',
    ],
    ['/Fish.asp', '/catfish', '/?id=fish', '/desert/fish'],
  ],
  [
    '/fish*',
    ['/fish', '/fish.html', '/fishheads/yummy.html', '/fish.php?id=anything'],
    ['/Fish.asp', '/catfish', '/?id=fish'],
  ],
  [
    '/fish/',
    ['/fish/', '/fish/?id=anything', '/fish/salmon.htm'],
    ['/fish', '/fish.html', '/animals/fish/', '/Fish/Salmon.asp'],
  ],
  [
    '/*.php',
    [
      '/index.php',
      '/filename.php',
      '/folder/filename.php',
      '/folder/filename.php?parameters',
      '/folder/any.php.file.html',
      '/filename.php/',
    ],
    ['/', '/windows.PHP'],
  ],
  [
    '/*.php$',
    ['/filename.php', '/folder/filename.php'],
    ['/filename.php?parameters', '/filename.php/', '/filename.php5', '/windows.PHP'],
  ],
  ['/fish*.php', ['/fish.php', '/fishheads/catfish.php?parameters'], ['/Fish.PHP']],
]

test('the published examples of path matching hold', () => {
  for (const [rule, matching, others] of PUBLISHED) {
    const robots = `User-agent: *\nDisallow: ${rule}`
    for (const path of matching) assert.equal(allowed(robots, path), false, `${rule} ${path}`)
    for (const path of others) assert.equal(allowed(robots, path), true, `${rule} ${path}`)
  }
})

test('the published examples of precedence hold', () => {
  const cases: [string, string, string, boolean][] = [
    ['/p', '/', '/page', true],
    ['/folder', '/folder', '/folder/page', true],
    ['/page', '/*.htm', '/page.htm', false],
    ['/page', '/*.ph', '/page.php5', true],
    ['/$', '/', '/', true],
    ['/$', '/', '/page.htm', false],
  ]
  for (const [allow, disallow, path, expected] of cases) {
    const robots = `User-agent: *\nAllow: ${allow}\nDisallow: ${disallow}`
    assert.equal(allowed(robots, path), expected, `${allow} ${disallow} ${path}`)
  }
})

test('the example of RFC 9309 5.1 holds', () => {
  const robots = `User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
`
  assert.equal(allowed(robots, '/a.gif', 'x'), false)
  assert.equal(allowed(robots, '/example/', 'x'), false)
  assert.equal(allowed(robots, '/publications/', 'x'), true)
  assert.equal(allowed(robots, '/example/page.html', 'foobot'), true)
  assert.equal(allowed(robots, '/example/other', 'foobot'), false)
  assert.equal(allowed(robots, '/example/page.html', 'bazbot'), false)
  assert.equal(allowed(robots, '/example/', 'barbot'), true)
  assert.equal(allowed(robots, '/example/page.html', 'quxbot'), true)
})

test('the example of RFC 9309 5.2 (longest match) holds', () => {
  const robots =
    'User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n'
  assert.equal(allowed(robots, '/example/page/disallowed.gif', 'foobot'), false)
  assert.equal(allowed(robots, '/example/page/', 'foobot'), true)
})

test('RFC 9309 2.5: 500 KiB are read, and a line cut there is dropped', () => {
  const head = 'User-agent: *\n'
  const filler = (length: number): string => head + '#'.repeat(length - head.length - 1) + '\n'
  const limit = 500 * 1024
  assert.equal(allowed(filler(limit - 13) + 'Disallow: /ab', '/ab'), false)
  assert.equal(allowed(filler(limit - 13) + 'Disallow: /ab\nAllow: /ab', '/ab'), false)
  assert.equal(allowed(filler(limit - 12) + 'Disallow: /ab', '/a'), true)
  assert.equal(allowed(filler(limit) + 'Disallow: /', '/'), true)
})

test('RFC 9309 2.3.1: each kind of answer has its meaning', () => {
  for (const status of [200, 204, 206]) assert.equal(robotsFromResponse(status), 'rules')
  for (const status of [301, 302, 308, 400, 401, 403, 404, 410, 451]) {
    assert.equal(robotsFromResponse(status), 'allow-all')
  }
  for (const status of [429, 500, 503, 599, 0, 100, 999, 'network-failure'] as const) {
    assert.equal(robotsFromResponse(status), 'forbid-all')
  }
})

test('the crawl delay is the longest that concerns us, a day at most', () => {
  const delay = (robots: string): number | null => crawlDelayMsOf(parseRobots(bytes(robots)), TOKEN)
  assert.equal(delay('User-agent: *\nCrawl-delay: 2.5'), 2500)
  assert.equal(delay('User-agent: *\nCrawl-delay: 10\nUser-agent: MingaBot\nDisallow:'), 10_000)
  assert.equal(
    delay('User-agent: *\nCrawl-delay: 10\nDisallow:\nUser-agent: MingaBot\nDisallow:'),
    null,
  )
  assert.equal(delay('User-agent: *\nCrawl-delay: 1\nCrawl-delay: 3\nCrawl-delay: 2'), 3000)
  assert.equal(delay('User-agent: *\nCrawl-delay: 1e9'), null)
  assert.equal(delay('User-agent: *\nCrawl-delay: 99999999'), 86_400_000)
  for (const odd of ['-1', 'abc', '', '1,5', 'Infinity', 'NaN']) {
    assert.equal(delay(`User-agent: *\nCrawl-delay: ${odd}`), null, odd)
  }
})

test('a crawl delay that outlasts the memory of the rules forbids everything but robots.txt', () => {
  const isAllowed = (seconds: number, path: string): boolean => {
    const rules = parseRobots(bytes(`User-agent: *\nAllow: /a\nCrawl-delay: ${seconds}`))
    return isAllowedByRobots(rules, TOKEN, `http://example.org${path}`)
  }
  assert.deepEqual([isAllowed(86_399, '/a'), isAllowed(86_399, '/')], [true, true])
  assert.deepEqual([isAllowed(86_400, '/a'), isAllowed(999_999_999, '/')], [false, false])
  assert.equal(isAllowed(86_400, '/robots.txt'), true)
})

test('sitemaps are collected wherever they stand, a thousand at most', () => {
  const rules = parseRobots(
    bytes('Sitemap: http://a.test/ü.xml\nUser-agent: *\nsitemap: /b\nSitemap:\n'),
  )
  assert.deepEqual(rules.sitemaps, ['http://a.test/ü.xml', '/b'])
  assert.equal(parseRobots(bytes('Sitemap: /s\n'.repeat(2_000))).sitemaps.length, 1_000)
})

test('rules survive a trip through JSON', () => {
  const rules = parseRobots(bytes('User-agent: *\nDisallow: /ü*$\nCrawl-delay: 1\nSitemap: /s'))
  assert.deepEqual(JSON.parse(JSON.stringify(rules)), rules)
})

/** The obvious exponential definition, for short inputs. */
function naiveMatch(rule: string, path: string): boolean {
  if (rule === '') return true
  if (rule === '$') return path === ''
  if (rule.startsWith('*')) {
    return naiveMatch(rule.slice(1), path) || (path !== '' && naiveMatch(rule, path.slice(1)))
  }
  return path !== '' && rule[0] === path[0] && naiveMatch(rule.slice(1), path.slice(1))
}

test('matching piece by piece equals trying everything', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 12 })
  const rule = fc
    .tuple(
      fc.string({ unit: fc.constantFrom('a', 'b', '/', '*'), maxLength: 8 }),
      fc.constantFrom('', '$'),
    )
    .map(([path, end]) => path + end)
  fc.assert(
    fc.property(rule, text, (path, url) => {
      assert.equal(matchesRule(compileRule({ allow: true, path }), url), naiveMatch(path, url))
    }),
    { numRuns: RUNS },
  )
})

test('a rule of a thousand stars takes no noticeable time', () => {
  const robots = `User-agent: *\nDisallow: /${'*a'.repeat(4_000)}*b$`
  const start = threadMs()
  assert.equal(allowed(robots, '/' + 'a'.repeat(8_000)), true)
  assert.ok(threadMs() - start < 1_000)
})

test('a file whose rules would take seconds to search for in a long address forbids it, and no other', () => {
  const rules = parseRobots(bytes('User-agent: *\n' + 'Disallow: /*aaab\n'.repeat(25_000)))
  const asked = (path: string): boolean => isAllowedByRobots(rules, TOKEN, 'http://a.test' + path)
  assert.deepEqual([asked('/' + 'a'.repeat(60)), asked('/' + 'a'.repeat(8_000))], [true, false])
})

test('a file with countless agents and rules is read in linear time', () => {
  const robots =
    'User-agent: x\n'.repeat(10_000) + 'User-agent: *\n' + 'Disallow: /a\n'.repeat(20_000)
  const start = threadMs()
  assert.equal(allowed(robots, '/a'), false)
  assert.ok(threadMs() - start < 2_000)
})

test('no bytes make the parser or the questions fail', () => {
  const line = fc.constantFrom(
    ...[
      ['User-agent: *', 'User-agent:', 'User-agent: __proto__', 'Disallow: /%', 'Disallow: %zz*$$'],
      [
        'Allow: *',
        'Allow: $',
        'Crawl-delay: 9',
        'Sitemap: x',
        ':',
        '#',
        '\0',
        '\r',
        '\ufeff',
        '::: :',
      ],
    ].flat(),
  )
  const file = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(line, { maxLength: 12 }).map((lines) => bytes(lines.join('\n'))),
  )
  fc.assert(
    fc.property(
      file,
      fc.string(),
      fc.webUrl({ withQueryParameters: true }),
      (robots, token, url) => {
        const rules = parseRobots(robots)
        assert.equal(typeof isAllowedByRobots(rules, token, url), 'boolean')
        const delayMs = crawlDelayMsOf(rules, token)
        assert.ok(delayMs === null || (delayMs >= 0 && delayMs <= 86_400_000))
      },
    ),
    { numRuns: RUNS },
  )
})

test('page directives are read for everyone and for us by name', () => {
  const cases: [string[], boolean, boolean][] = [
    [[], false, false],
    [['noindex'], true, false],
    [['NOFOLLOW, noarchive'], false, true],
    [['none'], true, true],
    [['all', 'index,follow'], false, false],
    [['mingabot: noindex, nofollow'], true, true],
    [['otherbot: noindex, nofollow'], false, false],
    [['otherbot: noindex, mingabot: nofollow'], false, true],
    [['noindex, otherbot: nofollow'], true, false],
    [['unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow'], false, true],
    [['max-snippet:-1, noindex'], true, false],
    [['otherbot: none', 'nofollow'], false, true],
  ]
  for (const [values, noindex, nofollow] of cases) {
    assert.deepEqual(
      parseRobotsDirectives(values, TOKEN),
      { noindex, nofollow },
      values.join(' | '),
    )
  }
  fc.assert(
    fc.property(fc.array(fc.string()), (values) => void parseRobotsDirectives(values, TOKEN)),
  )
})
