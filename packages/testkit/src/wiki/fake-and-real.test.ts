/**
 * The fake wiki is worth as much as it resembles the real one: the same operations are performed on
 * both, the same questions asked, and the answers must be equal, apart from the present time.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'

import { startFakeWiki, type FakeWiki } from './fake-wiki.ts'
import { noMediaWiki, startMediaWiki, type MediaWiki } from './mediawiki.ts'
import type { WikiOperation } from './operation.ts'

const PLAIN_TAGS = '$wgSoftwareTags = array_fill_keys( array_keys( $wgSoftwareTags ), false );'
const PROPS =
  'ids|flags|timestamp|user|userid|size|sha1|contentmodel|comment|parsedcomment|tags|slotsize|slotsha1|roles'
const EXPORTED = `<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en"><page><title>Imported</title><ns>0</ns><id>5</id>
<revision><id>10</id><timestamp>2010-05-05T00:00:00Z</timestamp><contributor><username>Old</username><id>3</id></contributor><comment>was &lt;there&gt;</comment><model>wikitext</model><format>text/x-wiki</format><text bytes="3" xml:space="preserve">old</text></revision>
<revision><id>11</id><timestamp>2010-05-06T00:00:00Z</timestamp><contributor><ip>192.0.2.9</ip></contributor><minor/><comment>2</comment><model>wikitext</model><format>text/x-wiki</format><text bytes="4" xml:space="preserve">old2</text></revision></page></mediawiki>`

/** Within the last ninety days, or else a real wiki forgets the changes. */
const start = Math.floor(Date.now() / 1000) * 1000 - 10 * 86_400_000
/** Main pages come before and after. */
const SPAN = {
  start: new Date(start).toISOString(),
  end: new Date(start + 86_400_000).toISOString(),
}

function history(): WikiOperation[] {
  let minutes = 0
  const at = (): string => {
    minutes += 1
    return `${new Date(start + minutes * 60_000).toISOString().slice(0, 19)}Z`
  }
  const edits = (title: string, texts: string[]): WikiOperation[] =>
    texts.map((text, index) => {
      const user = ['Jane', '192.0.2.7', 'Ünïcode Ω', '2001:DB8:0:0:0:0:0:1'][index % 4] ?? ''
      const comment = `edit ${index} of [[${title}]] & "more"`
      return { do: 'edit', title, text, user, comment, at: at(), minor: index % 3 === 2 }
    })
  return [
    ...edits('Alpha', [
      'one',
      'two',
      'three  \n\n',
      'one',
      'Straße 日本語 \u{1F600}',
      'six',
      'six',
    ]),
    ...edits('beta', [
      'b1 [[Category:Things]]',
      'b2 [[Category:Things|x]]',
      'b3 [[category:Things]]',
    ]),
    ...edits('Talk:Alpha', ['talk']),
    ...edits('Category:Sub things', ['[[Category:Things]]']),
    ...edits('Slots', ['s1']),
    { do: 'edit', title: 'Slots', text: 's2', slots: { aside: 'note' }, tags: ['mine'], at: at() },
    { do: 'edit', title: 'Slots', text: 's3', bot: true, user: 'Robot', at: at() },
    { do: 'edit', title: 'Here', text: '#REDIRECT [[Alpha#Part]]', at: at() },
    { do: 'edit', title: 'There', text: '#REDIRECT [[Here]]', at: at() },
    { do: 'move', title: 'Beta', to: 'Gamma', comment: 'why', at: at() },
    { do: 'move', title: 'Talk:Alpha', to: 'Talk:Omega', redirect: false, at: at() },
    { do: 'import', xml: EXPORTED, at: at() },
    { do: 'hide', title: 'Alpha', revids: [3], fields: ['text'], comment: 'bad', at: at() },
    { do: 'hide', title: 'Alpha', revids: [4], fields: ['user', 'comment'], at: at() },
    { do: 'hide', title: 'Alpha', revids: [5], fields: ['text', 'user', 'suppress'], at: at() },
    ...edits('Gone', ['g1', 'g2']),
    { do: 'delete', title: 'Gone', comment: 'spam', at: at() },
    ...edits('Back', ['k1', 'k2']),
    { do: 'delete', title: 'Back', at: at() },
    { do: 'undelete', title: 'Back', comment: 'mistake', at: at() },
    ...edits('Early', ['e1', 'e2']),
    ...edits('Late', ['l1']),
    { do: 'merge', title: 'Early', to: 'Late', at: at() },
  ]
}

const QUESTIONS: Record<string, string> = {
  'titles of every sort':
    'prop=info&titles=Alpha|beta|gamma|_alpha_|Nope|A[b|Special:Version|Category:Sub_things|talk:omega|:Late',
  'titles with redirects': 'prop=info&titles=Here|There|Alpha|Early&redirects=1&converttitles=1',
  'page ids': 'prop=info&pageids=2|3|999',
  'revision ids': 'prop=info&revids=2|3|9999',
  'the whole history of a page': `prop=info|revisions&pageids=2&rvlimit=max&rvdir=newer&rvslots=*&rvprop=${PROPS}|content`,
  'newest first': `prop=revisions&titles=Alpha&rvlimit=4&rvprop=${PROPS}&rvslots=*`,
  'without slots': `prop=revisions&titles=Slots&rvlimit=50&rvdir=newer&rvprop=${PROPS}|content`,
  'several slots': `prop=revisions&titles=Slots&rvlimit=50&rvdir=newer&rvslots=*&rvprop=${PROPS}|content`,
  'one slot of several': 'prop=revisions&titles=Slots&rvlimit=5&rvslots=main&rvprop=ids|content',
  'ids alone':
    'prop=info|revisions&pageids=2&rvlimit=500&rvdir=newer&rvprop=ids|timestamp|user|userid|comment|size|sha1',
  'revisions by their ids': `prop=revisions&revids=2|3|4|5|9|9999&rvslots=*&rvprop=${PROPS}|content`,
  'a page moved': `prop=revisions&titles=Gamma&rvlimit=50&rvdir=newer&rvslots=*&rvprop=${PROPS}|content`,
  'the redirect it left': `prop=revisions&titles=Beta&rvlimit=50&rvslots=*&rvprop=${PROPS}|content`,
  'a page imported': `prop=revisions&titles=Imported&rvlimit=50&rvdir=newer&rvslots=*&rvprop=${PROPS}|content`,
  'a page undeleted': `prop=revisions&titles=Back&rvlimit=50&rvdir=newer&rvslots=*&rvprop=${PROPS}|content`,
  'a page merged into': `prop=revisions&titles=Late&rvlimit=50&rvdir=newer&rvslots=*&rvprop=${PROPS}`,
  'a page merged away': `prop=revisions&titles=Early&rvlimit=50&rvdir=newer&rvslots=*&rvprop=${PROPS}|content`,
  'a page that is not there': 'prop=revisions&titles=Gone&rvlimit=5&rvslots=*',
  'the newest of several pages': 'prop=revisions&titles=Alpha|Gamma',
  'too high a limit': 'prop=revisions&titles=Gamma&rvlimit=501&rvprop=ids',
  'a bad continuation': 'prop=revisions&titles=Alpha&rvcontinue=rubbish&rvlimit=5',
  'unknown properties': 'prop=nothing&titles=Alpha',
  'too many titles': `prop=info&titles=${Array.from({ length: 52 }, (_, i) => `T${i}`).join('|')}`,
  'recent changes':
    'list=recentchanges&rclimit=500&rcdir=newer&rctype=edit|new|log&rcprop=ids|title|timestamp|user|userid|comment|flags|sizes|redirect|loginfo|tags|sha1',
  'recent changes, usual': `list=recentchanges&rclimit=5&rcdir=newer&rcstart=${SPAN.start}&rcend=${SPAN.end}`,
  'the logs':
    'list=logevents&lelimit=500&ledir=newer&leprop=ids|title|type|user|userid|timestamp|comment|details|tags',
  'one log of one title': 'list=logevents&lelimit=500&letype=move&letitle=beta',
  'all pages': 'list=allpages&aplimit=3&apnamespace=0',
  'all pages by generator': 'generator=allpages&gaplimit=4&gapnamespace=0&prop=info',
  'an empty namespace': 'generator=allpages&gaplimit=4&gapnamespace=12&prop=info',
  'a category': 'list=categorymembers&cmtitle=Category:Things&cmlimit=1',
  'a category by generator':
    'generator=categorymembers&gcmtitle=Category:Things&gcmlimit=1&gcmtype=page|subcat&prop=info',
  'subcategories alone':
    'list=categorymembers&cmtitle=Category:Things&cmtype=subcat&cmprop=ids|title|type',
  'namespaces and rights':
    'meta=siteinfo&siprop=namespaces|namespacealiases|rightsinfo&requestid=x.1',
  nothing: '',
}

describe('the fake wiki against the real one', { skip: noMediaWiki() }, () => {
  let real: MediaWiki
  let fake: FakeWiki

  before(async () => {
    real = await startMediaWiki({ settings: PLAIN_TAGS })
    fake = await startFakeWiki()
    const operations = history()
    const told = real.perform(operations).map(({ revid, pageid }) => ({ revid, pageid }))
    const faked = fake.perform(operations).map(({ revid, pageid }) => ({ revid, pageid }))
    const edits = (results: typeof told): typeof told =>
      results.filter((_, index) => operations[index]?.do === 'edit')
    assert.deepEqual(edits(faked), edits(told))
  })

  after(async () => {
    await real?.stop()
    await fake?.close()
  })

  for (const [name, question] of Object.entries(QUESTIONS)) {
    test(`both say the same of ${name}`, async () => {
      const query = `action=query&format=json&formatversion=2&${question}`
      assert.deepEqual(await ask(fake, query), await ask(real, query))
    })
  }

  test('both go on in the same places until the history is whole', async () => {
    const question = `prop=info|revisions&pageids=2&rvlimit=2&rvdir=newer&rvslots=*&rvprop=${PROPS}`
    assert.deepEqual(await askAll(fake, question), await askAll(real, question))
    const logs = `list=logevents&lelimit=3&ledir=newer&lestart=${SPAN.start}&leend=${SPAN.end}`
    assert.deepEqual(await askAll(fake, logs), await askAll(real, logs))
    const changes = `list=recentchanges&rclimit=4&rcdir=newer&rcprop=ids|title&rcstart=${SPAN.start}&rcend=${SPAN.end}`
    assert.deepEqual(await askAll(fake, changes), await askAll(real, changes))
  })

  test('both speak the older format alike', async () => {
    const question = `prop=info|revisions&pageids=2&rvlimit=50&rvdir=newer&rvprop=${PROPS}|content`
    const query = `action=query&format=json&${question}`
    assert.deepEqual(await ask(fake, query), await ask(real, query))
  })

  test('both tell the same of the site', async () => {
    const query = 'action=query&format=json&formatversion=2&meta=siteinfo|userinfo'
    const [mine, theirs] = [generalOf(await ask(fake, query)), generalOf(await ask(real, query))]
    for (const [key, value] of Object.entries(mine)) {
      if (key !== 'time') assert.deepEqual([key, theirs[key]], [key, value])
    }
  })

  test('both export the same XML, element by element', async () => {
    for (const title of ['Alpha', 'Slots', 'Late', 'Imported', 'Nope']) {
      const path = `/w/index.php?title=Special:Export/${title}&history=1`
      assert.equal(await pageText(fake, path), await pageText(real, path))
    }
    const newest = '/w/index.php?title=Special:Export&pages=Alpha'
    assert.equal(await pageText(fake, newest), await pageText(real, newest))
  })

  test('both give the raw text, and refuse it where it is hidden', async () => {
    for (const id of [2, 3, 4, 6, 9999]) {
      const path = `/w/index.php?title=Alpha&action=raw&oldid=${id}`
      const [mine, theirs] = [await fetch(fake.url + path), await fetch(real.url + path)]
      assert.deepEqual([mine.status, await mine.text()], [theirs.status, await theirs.text()])
      assert.equal(mine.headers.get('last-modified'), theirs.headers.get('last-modified'))
    }
  })

  test('both show history pages with the same entries and the same next page', async () => {
    const path = '/w/index.php?title=Alpha&action=history&limit=4&uselang=en'
    assert.deepEqual(entriesOf(await pageText(fake, path)), entriesOf(await pageText(real, path)))
  })
})

type Wiki = { url: string }
type Said = Record<string, unknown>

/** Addresses, the times at which caches were touched, and the order of pages and roles are their own. */
async function ask(wiki: Wiki, query: string): Promise<Said> {
  const body = await pageText(wiki, `/w/api.php?${query}`)
  const said: Said = JSON.parse(body, (key, value: unknown) => {
    if (key === 'touched') return ''
    const isUnordered = (key === 'pages' || key === 'roles') && Array.isArray(value)
    return isUnordered ? value.map((item) => JSON.stringify(item, sortedKeys)).toSorted() : value
  })
  return withoutMainPage(said)
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

async function askAll(wiki: Wiki, question: string): Promise<Said[]> {
  const answers: Said[] = []
  let more: Record<string, string> = {}
  do {
    const next = new URLSearchParams(more).toString()
    const query = `action=query&format=json&formatversion=2&${question}&${next}`
    const answer = await ask(wiki, query)
    answers.push(answer)
    const { continue: place } = answer
    more = typeof place === 'object' && place !== null ? { ...place } : {}
  } while (Object.keys(more).length > 0 && answers.length < 100)
  return answers
}

async function pageText(wiki: Wiki, path: string): Promise<string> {
  const response = await fetch(wiki.url + path)
  return (await response.text()).replaceAll(wiki.url, 'http://wiki')
}

/** Installed with the real one at the present time, and with another text. */
function withoutMainPage(said: Said): Said {
  const isOther = (item: unknown): boolean => !JSON.stringify(item).includes('"Main Page"')
  const { query } = said
  if (typeof query !== 'object' || query === null) return said
  const parts = Object.entries(query).map(([name, part]: [string, unknown]) => {
    return [name, Array.isArray(part) ? part.filter(isOther) : part]
  })
  return { ...said, query: Object.fromEntries(parts) }
}

function generalOf(said: Said): Said {
  const { query } = said
  if (typeof query !== 'object' || query === null || !('general' in query)) return {}
  return typeof query.general === 'object' ? { ...query.general } : {}
}

function entriesOf(html: string): unknown {
  const items = [...html.matchAll(/<li data-mw-revid="(\d+)".*?<\/li>/gs)].map(([item, id]) => ({
    id,
    date: /mw-changeslist-date"[^>]*>([^<]*)</.exec(item)?.[1],
    user: /<bdi>(.*?)<\/bdi>/.exec(item)?.[1],
    isMinor: item.includes('minoredit'),
    bytes: /data-mw-bytes="(\d+)"/.exec(item)?.[1],
    comment: /<span class="comment[^"]*">(.*?)<\/span>/.exec(item)?.[1],
    hidden: [...item.matchAll(/history-deleted ([\w-]+)/g)].map(([, what]) => what),
  }))
  return { items, next: /<a href="([^"]*)" rel="next" class="mw-nextlink"/.exec(html)?.[1] }
}
