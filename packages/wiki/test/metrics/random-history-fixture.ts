/** Small histories in which everything that metrics look for happens often: reverts, wars, sessions, unknown sizes. */
import * as fc from 'fast-check'
import { fixtureRevision, type FixturePage, type FixtureRevision } from './history-fixture.ts'

export const RANDOM_PAGES: FixturePage[] = [
  { wiki: 'v', pageId: 1, ns: 0, title: 'One' },
  { wiki: 'w', pageId: 1, ns: 0, title: 'One' },
  { wiki: 'w', pageId: 2, ns: 4, title: 'Wiki:Two' },
]

const EDITORS = [
  { user: 'Ada', editor: 'registered' },
  { user: 'Bo', editor: 'registered' },
  { user: 'CleanBot', editor: 'registered' },
  { user: '192.0.2.1', editor: 'anonymous' },
  { user: '~2026-1', editor: 'temporary' },
  { user: null, editor: 'unknown' },
]

/** Gaps around the hour that ends a session, and the same second twice. */
const GAPS_MS = [0, 1000, 60_000, 3_600_000, 3_601_000, 90_000_000]

export const randomHistories: fc.Arbitrary<FixtureRevision[]> = fc
  .array(
    fc.record({
      page: fc.constantFrom(...RANDOM_PAGES),
      who: fc.constantFrom(...EDITORS),
      gapMs: fc.constantFrom(...GAPS_MS),
      sha1: fc.constantFrom('a', 'b', 'c', 'd', null),
      size: fc.constantFrom(0, 10, 25, 400, null),
      isMinor: fc.boolean(),
      tags: fc.subarray(['undo', 'mobile edit']),
      parentId: fc.constantFrom(0, 1, null),
    }),
    { maxLength: 60 },
  )
  .map((drawn) => {
    let at = Date.parse('2020-02-28T20:00:00Z')
    return drawn.map(({ page, who, gapMs, ...rest }, i) => {
      at += gapMs
      return fixtureRevision({
        revId: i + 1,
        at,
        wiki: page.wiki,
        pageId: page.pageId,
        ...who,
        ...rest,
      })
    })
  })

/** By page, oldest first; times rise with the ids in these histories. */
export function pagesOf(revisions: readonly FixtureRevision[]): FixtureRevision[][] {
  return [...Map.groupBy(revisions, ({ wiki, pageId }) => `${wiki} ${pageId}`).values()]
}
