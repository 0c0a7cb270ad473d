// Goal: the words of the questions about books hold at their edges: white space of every kind, partial dates, odd list
// literals, scores at their bounds, bytes beyond the first plane. Method: small files byte for byte as they could come,
// cut anywhere; the answers are written out by hand.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { inspectFile } from '../bind/inspect-file.ts'
import { field, PlanBench } from '../../test/plan/plan-fixture.ts'
import { planQueries } from '../plan/plan-queries.ts'
import { shippedQueries } from '../plan/query-files.ts'

const bench = new PlanBench()
const shipped = await shippedQueries()

const computers = "['Computers']"
const fiction = "['Fiction']"

/** Not in the order of the public set. */
const BOOK_HEADER = ['categories', 'publisher', 'publishedDate', 'Title', 'authors']

/** Title, authors, date, categories. */
const BOOKS = [
  ['\u3000distributed\u0085', `["O'B", 'a\\x41\\u00e9\\'', 'Li, Wei',]`, '2003-05', computers],
  [' distributed\u2028', "['second row']", '1999', fiction],
  ['\u{1F600} Distributed', "[' ', None, 'u' \"v\"]", 'c2000', "['x', ' Computers ']"],
  ['\uffff DISTRIBUTED', "['broken", '20239', computers],
  ['\ufeffdistributed', '[]', '2023*', computers],
  ['\x1cdistributed', "['[b]', '\\\\']", '2000\n', '["Computers"]'],
  ['distributed too old', "['a']", '19992000', computers],
  ['distributed without year', "['a']", '٢٠٠٣', computers],
  ['distributed in other case', "['a']", '2003', "['computers']"],
  ['distributed nested', "['a']", '2003', "[['Computers']]"],
  ['\u2003\u00a0', "['nobody']", '2003', computers],
  ['nineties', "['a', 'b']", 'x1990-1', fiction],
  ['end, of the "nineties"', "['c']", '1999', fiction],
  ['eighties', "['d']", '1989', fiction],
]

/** Title, score, text. */
const REVIEWS = [
  ['nineties', ' 5 ', 'good'],
  ['\tnineties', '1e0', 'bad\r\nbad'],
  ['nineties\u00a0', '4.199999809265137', ''],
  ['nineties', '5.000000000000001', 'great'],
  ['nineties', '0.99', 'great'],
  ['nineties', 'NaN', 'great'],
  ['end, of the "nineties"', '3.000001', ' '],
  ['end, of the "nineties"', '3', 'I love it, "really"'],
  ['eighties', '5.0', 'I hate it'],
  ['eighties', '', 'I love it'],
]

const EXPECTED = {
  'books-1': `title,authors,publisher
\x1cdistributed,[b]; \\,P
distributed,"O'B; aAé'; Li, Wei",P
\ufeffdistributed,,P
\uffff DISTRIBUTED,,P
\u{1F600} Distributed,uv,P
`,
  'books-2': `author\na\n`,
  'books-3': `title,authors\n"end, of the ""nineties""",c\nnineties,a; b\n`,
  // 3.0000005 lies between two numbers of six decimals: the even one.
  'books-4': `title,rating\nnineties,3.400000\n"end, of the ""nineties""",3.000000\n`,
  'books-5': `title,sentiment\n"end, of the ""nineties""",0.318450\n`,
}

const PARAMETERS: Record<string, Record<string, number>> = {
  'books-2': { decades: 2 },
  'books-3': { least: 2 },
  'books-4': { least: 2 },
}

function write(name: string, header: string[], rows: string[][], lineEnd: string): string {
  const file = path.join(bench.folder, name)
  const lines = [header, ...rows].map((fields) => fields.map(field).join(','))
  // A mark of byte order before, no end of line behind.
  writeFileSync(file, `\ufeff${lines.join(lineEnd)}`)
  return file
}

test('Five queries, together or selected: odd titles, dates, lists, scores and texts mean what is written, wherever the files are cut', async () => {
  const asked = Object.keys(EXPECTED).map((name) => ({
    query: shipped.get(name)!,
    parameters: PARAMETERS[name] ?? {},
  }))
  for (const lineEnd of ['\n', '\r\n']) {
    const bookRows = BOOKS.map(([title = '', authors = '', date = '', categories = '']) => [
      categories,
      'P',
      date,
      title,
      authors,
    ])
    const books = write('b.csv', BOOK_HEADER, bookRows, lineEnd)
    const reviews = write('r.csv', ['Title', 'review/score', 'review/text'], REVIEWS, lineEnd)
    for (const unitBytes of [70, 1_000_000]) {
      const bindings = {
        books: await inspectFile({ path: books }, { unitBytes: unitBytes * 3 }),
        reviews: await inspectFile({ path: reviews }, { unitBytes }),
      }
      const plan = await planQueries(asked, bindings, { format: 'csv', partitions: 2 })
      assert.deepEqual(await bench.run(plan), EXPECTED)
    }
  }
})
