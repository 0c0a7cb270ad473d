// Goal: scores are VADER's, whatever is written. Method: the npm port of VADER scores the same
// texts, made by hand and by chance; for the other languages, what anyone would say of a sentence.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import { scorerOf } from './scorers.ts'
import { createScorer } from './scorer.ts'
import { englishRules } from './english.ts'

interface Port {
  SentimentIntensityAnalyzer: { polarity_scores(text: string): { compound: number } }
}
const port = createRequire(import.meta.url)('vader-sentiment') as Port
const portScore = (text: string): number =>
  Math.round(port.SentimentIntensityAnalyzer.polarity_scores(text).compound * 10_000)

const LEXICON = readFileSync(
  fileURLToPath(import.meta.resolve('vader-sentiment/vader_lexicon.txt')),
  'utf8',
)
const score = scorerOf('en')

const BY_HAND = [
  '',
  ' ',
  'a',
  'good',
  'The book was good.',
  'The book was very good!',
  'The book was VERY GOOD!!!',
  'The book was kind of good.',
  'The plot was good, but the characters are uncompelling and the dialog is not great.',
  'At least it isn’t a horrible book.',
  "At least it isn't a horrible book.",
  'the least good book, the very least good',
  'Today SUX!',
  'It was never so good, never this bad',
  'this is the shit, and the book is the bomb and it really does cut the mustard',
  'Make sure you :) or :D today!',
  'Catch utf-8 emoji such as 💘 and 💋 and 😁, naïve ÉTÉ',
  'not bad at all, without any problem, nothing wrong',
  'NOT GOOD AT ALL',
  'why?? why??? really?!?!',
  'just enough good for me, sort of nice, a kiss of death',
  'BUT I loved it. But he hated it.',
  '"wonderful" \'wonderful\' (wonderful) wonderful... wonderful, -wonderful',
  'one\u00a0good\u2003book\nwith\tspaces\u3000of every kind',
]

describe('Sentiment of English texts', () => {
  test('texts made by hand score exactly as the port of VADER scores them', () => {
    for (const text of BY_HAND) assert.equal(score(text), portScore(text), JSON.stringify(text))
  })

  test('texts made by chance from the lexicon and its rules score exactly as the port does', () => {
    fc.assert(
      fc.property(texts(), (text) => assert.equal(score(text), portScore(text))),
      { numRuns: 1_500, seed: 20_261_116 },
    )
  })

  test('any text at all gets the score of the port, and leaves no trace in the next', () => {
    const any = fc.string({ unit: 'binary', maxLength: 200 })
    fc.assert(
      fc.property(any, (text) => {
        assert.equal(score(text), portScore(text))
        assert.equal(score('The book was very good!'), 5_400)
      }),
      { numRuns: 500, seed: 7 },
    )
  })

  test('a text of a million words is scored, within the bounds of the scale', () => {
    assert.equal(score('good '.repeat(1_000_000)), 10_000)
    assert.equal(score(':) '.repeat(200_000)), 10_000)
    assert.equal(score('x'.repeat(5_000_000)), 0)
  })
})

describe('Sentiment of other languages', () => {
  test('Spanish and Portuguese know good from bad, negations and degrees', () => {
    const spanish = scorerOf('es')
    assert.ok(spanish('Un libro excelente, maravilloso') > 0)
    assert.ok(spanish('Un libro horrible y aburrido') < 0)
    assert.ok(spanish('No es bueno') < spanish('Es bueno'))
    assert.ok(spanish('Es muy bueno') > spanish('Es bueno'))
    const portuguese = scorerOf('pt')
    assert.ok(portuguese('Um livro excelente, maravilhoso') > 0)
    assert.ok(portuguese('Um livro horrível') < 0)
    assert.ok(portuguese('Não é bom, não é excelente') < portuguese('É bom, é excelente'))
  })

  test('a language of one’s own is a value: its words, and nothing else, carry a valence', () => {
    const rules = { ...englishRules(LEXICON), valences: new Map([['minga', 3]]) }
    const own = createScorer(rules)
    assert.ok(own('a very minga day') > own('a minga day'))
    assert.equal(own('a good day'), 0)
  })
})

const WORDS_OF_RULES =
  `the book is was I it this so never very really not don't Not kind of sort least at but BUT But
  just enough shit bomb bad ass yeah right cut mustard kiss death hand to mouth naïve ÉTÉ without nothing isn't Isn't
  ISN'T hardly VERY most no ok x 5`.split(/\s+/)
const MARKS = `. ! ? , ; : - ' " !! !!! ?? ??? ?!? !?! ?!?! !?!? ... !!!! ), *`.split(' ')

function texts(): fc.Arbitrary<string> {
  const valued = LEXICON.split('\n').map((line) => line.split('\t')[0]!)
  const bare = fc.oneof(
    fc.constantFrom(...valued.filter((word) => word !== '')),
    fc.constantFrom(...WORDS_OF_RULES),
  )
  const shapes = [
    (word: string) => word,
    (word: string) => word.toUpperCase(),
    (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`,
  ]
  const mark = fc.oneof({ weight: 3, arbitrary: fc.constant('') }, fc.constantFrom(...MARKS))
  const word = fc
    .tuple(mark, bare, fc.constantFrom(...shapes), mark)
    .map(([before, text, shape, after]) => `${before}${shape(text)}${after}`)
  return fc
    .tuple(fc.array(word, { maxLength: 14 }), fc.constantFrom(' ', '  ', '\n', '\t', '\u00a0'))
    .map(([words, space]) => words.join(space))
}
