// Goal: every word of a page is given to who wrote it. Method: hand-made histories with the authors a reader would
// name; loops that know the answer for simple texts; properties that hold for any history.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { historyCorpus } from '@minga/testkit'
import { followPage } from './follow-page.ts'
import { TextHistory } from './text-history.ts'
import { tokenise } from './tokenise.ts'

type Step = [user: string | null, text: string | null]

function historyOf(steps: readonly Step[]): TextHistory {
  const history = new TextHistory()
  steps.forEach(([user, text], i) => history.add({ revId: i + 1, user, text }))
  return history
}

/** As in `Ada:The cat Bo:sat`. */
function authorsOf(steps: readonly Step[]): string {
  const runs: { user: string | null; words: string[] }[] = []
  for (const { user, text } of historyOf(steps).current()) {
    const last = runs.at(-1)
    if (last?.user === user) last.words.push(text)
    else runs.push({ user, words: [text] })
  }
  return runs.map(({ user, words }) => `${user}:${words.join(' ')}`).join(' ')
}

const FIRST = 'The quick brown fox jumps over the lazy dog.'
const SECOND = 'A wizard sings of quartz and judges vows.'

test('what is inserted belongs to who inserted it, what stays to who wrote it', () => {
  const steps: Step[] = [
    ['Ada', 'The fox jumps.'],
    ['Bo', 'The brown fox jumps high.'],
  ]
  assert.equal(authorsOf(steps), 'Ada:The Bo:brown Ada:fox jumps Bo:high Ada:.')
})

test('deleted text does not change the authorship of the rest', () => {
  assert.equal(
    authorsOf([
      ['Ada', FIRST],
      ['Bo', 'The fox jumps over the dog.'],
    ]),
    'Ada:The fox jumps over the dog .',
  )
})

test('a paragraph or a sentence that is moved keeps its author', () => {
  const moved: Step[] = [
    ['Ada', `${FIRST}\n${SECOND}`],
    ['Bo', `${SECOND}\n${FIRST}`],
  ]
  assert.deepEqual(
    new Set(
      historyOf(moved)
        .current()
        .map(({ user }) => user),
    ),
    new Set(['Ada']),
  )
  const swapped: Step[] = [
    ['Ada', `${FIRST} ${SECOND} End`],
    ['Bo', `${SECOND} ${FIRST} End`],
  ]
  assert.deepEqual(
    new Set(
      historyOf(swapped)
        .current()
        .map(({ user }) => user),
    ),
    new Set(['Ada']),
  )
})

test('vandalism takes nothing from the authors once it is undone', () => {
  const steps: Step[] = [
    ['Ada', FIRST],
    ['Bo', `${FIRST}\n${SECOND}`],
    ['Eve', 'LOL'],
    ['Eve', ''],
    ['Cy', `${FIRST}\n${SECOND}`],
  ]
  assert.equal(
    authorsOf(steps),
    `Ada:${tokenise(FIRST).join(' ')} Bo:${tokenise(SECOND).join(' ')}`,
  )
})

test('a repair that changes a word on the way gives the repairer only that word', () => {
  const steps: Step[] = [
    ['Ada', `${FIRST}\n${SECOND}`],
    ['Eve', 'junk'],
    ['Cy', `${FIRST.replace('quick', 'swift')}\n${SECOND}`],
  ]
  const own = historyOf(steps)
    .current()
    .filter(({ user }) => user !== 'Ada')
  assert.deepEqual(
    own.map(({ user, text }) => [user, text]),
    [['Cy', 'swift']],
  )
})

test('a copy belongs to who copied, and the original stays the author’s when the copy goes', () => {
  const steps: Step[] = [
    ['Ada', FIRST],
    ['Bo', `${FIRST}\n${FIRST}`],
  ]
  const half = tokenise(FIRST).join(' ')
  assert.equal(authorsOf(steps), `Ada:${half} Bo:${half}`)
  assert.equal(authorsOf([...steps, ['Cy', FIRST]]), `Ada:${half}`)
  assert.equal(
    authorsOf([...steps, ['Cy', `New.\n${FIRST}\n${FIRST}`]]),
    `Cy:New . Ada:${half} Bo:${half}`,
  )
})

test('a hidden text is passed over and a hidden editor is an author without a name', () => {
  assert.equal(
    authorsOf([
      ['Ada', 'One two.'],
      ['Bo', null],
      ['Cy', 'One two.'],
    ]),
    'Ada:One two .',
  )
  assert.equal(
    authorsOf([
      [null, 'One'],
      ['Bo', 'One two'],
    ]),
    'null:One Bo:two',
  )
})

test('words are followed through the revisions of others', () => {
  const history = historyOf([
    ['Ada', 'alpha'],
    ['Ada', 'alpha beta'],
    ['Bo', 'alpha beta gamma'],
    ['Cy', 'beta gamma'],
  ])
  const kept = history
    .current()
    .map(({ text, revId, revisionsKept, keptByOthers }) => [
      text,
      revId,
      revisionsKept,
      keptByOthers,
    ])
  assert.deepEqual(kept, [
    ['beta', 2, 2, 2],
    ['gamma', 3, 1, 1],
  ])
  assert.deepEqual(history.editors(), [
    { user: 'Ada', added: 2, present: 1, share: 0.5, keptByOthers: 3, rejected: 0 },
    { user: 'Bo', added: 1, present: 1, share: 0.5, keptByOthers: 1, rejected: 0 },
  ])
})

test('text that no other editor kept counts as rejected', () => {
  const [ada, eve] = historyOf([
    ['Ada', 'good text'],
    ['Eve', 'bad'],
    ['Ada', 'good text'],
    ['Bo', 'good text .'],
  ])
    .editors()
    .filter(({ user }) => user !== 'Bo')
  assert.deepEqual(
    [ada!.user, ada!.rejected, eve!.user, eve!.rejected, eve!.added],
    ['Ada', 0, 'Eve', 1, 1],
  )
})

const WORDS = ['ant', 'bee', 'cat', 'dog', 'eel', 'fox']
const USERS = ['Ada', 'Bo', 'Cy']

test('with every word on a separate line, the author is the editor who wrote the word first', () => {
  const step = fc.tuple(fc.constantFrom(...USERS), fc.shuffledSubarray(WORDS))
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (drawn) => {
      const steps = drawn.map(([user, words]): Step => [user, words.join('\n')])
      const expected = drawn
        .at(-1)![1]
        .map((word) => drawn.findIndex(([, words]) => words.includes(word)) + 1)
      assert.deepEqual(
        historyOf(steps)
          .current()
          .map(({ revId }) => revId),
        expected,
      )
    }),
    { numRuns: 300, seed: 6 },
  )
})

const line = fc
  .array(fc.constantFrom('ant ', 'bee ', 'cat. ', 'Dog ', 'fox! '), { maxLength: 5 })
  .map((words) => words.join(''))
const text = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'))

test('in any history the tokens are those of the newest text and each one’s revision has the word', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.constantFrom(...USERS), text), { minLength: 1, maxLength: 10 }),
      (steps) => {
        const tokens = historyOf(steps).current()
        assert.deepEqual(
          tokens.map((token) => token.text),
          tokenise(steps.at(-1)![1]),
        )
        for (const { text: word, revId, user } of tokens) {
          const [author, origin] = steps[revId - 1]!
          assert.equal(user, author)
          assert.ok(tokenise(origin).includes(word))
        }
        const counts = Map.groupBy(tokens, ({ text: word, revId }) => `${revId} ${word}`)
        for (const [key, same] of counts) {
          const [revId, word] = [Number(key.split(' ')[0]), key.split(' ')[1]]
          const inOrigin = tokenise(steps[revId - 1]![1]).filter((token) => token === word).length
          assert.ok(same.length <= inOrigin, `${same.length} times ${word} from revision ${revId}`)
        }
      },
    ),
    { numRuns: 500, seed: 6 },
  )
})

test('in any history a revert gives every token back to the author it had', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom(...USERS), text), { minLength: 2, maxLength: 8 })
  fc.assert(
    fc.property(steps, fc.nat(), (drawn, at) => {
      const target = at % drawn.length
      const origins = (history: TextHistory) => history.current().map(({ revId }) => revId)
      const before = origins(historyOf(drawn.slice(0, target + 1)))
      const after = origins(historyOf([...drawn, ['Zoe', drawn[target]![1]]]))
      assert.deepEqual(after, before)
    }),
    { numRuns: 300, seed: 6 },
  )
})

test('a realistic page is followed to its newest text, and most of it is older than its last editors', async () => {
  for (const { revisions } of historyCorpus({ seed: 6, pages: 1, revisions: 300, rawBytes: 3e6 })) {
    const all = [...revisions()]
    const history = await followPage(all)
    const newest = all.findLast(({ slots }) => slots[0]?.text)!
    const newestText = new TextDecoder().decode(newest.slots[0]?.text ?? undefined)
    const tokens = history.current()
    assert.deepEqual(
      tokens.map((token) => token.text),
      tokenise(newestText),
    )
    const texts = new Map(
      all.map(({ revId, slots }) => [revId, new TextDecoder().decode(slots[0]?.text ?? undefined)]),
    )
    for (const { text: word, revId } of tokens) assert.ok(texts.get(revId)!.includes(word))
    const shares = history.editors().map(({ share }) => share)
    assert.ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9)
    const recent = new Set(all.slice(-10).map(({ revId }) => revId))
    assert.ok(tokens.filter(({ revId }) => recent.has(revId)).length < tokens.length / 2)
  }
})

test('a first edit of a text keeps as many words as any comparison could', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(words, words, (before, after) => {
      const tokens = historyOf([
        ['Ada', before.join(' ')],
        ['Bo', after.join(' ')],
      ]).current()
      assert.equal(tokens.filter(({ user }) => user === 'Ada').length, longest(before, after))
    }),
    { numRuns: 300, seed: 6 },
  )
})

/** Straight from the definition, for a dozen words. */
function longest(a: readonly string[], b: readonly string[]): number {
  const known = new Map<string, number>()
  const from = (i: number, j: number): number => {
    if (i === a.length || j === b.length) return 0
    const key = `${i} ${j}`
    const answer =
      known.get(key) ??
      (a[i] === b[j] ? 1 + from(i + 1, j + 1) : Math.max(from(i + 1, j), from(i, j + 1)))
    known.set(key, answer)
    return answer
  }
  return from(0, 0)
}
