// Goal: graphs are read as their format says, and what is wrong in a file is named with its line. Method: small
// texts in awkward chunks; each broken file must fail with the code, the line and the reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { graphOf } from '../../test/graph-fixture.ts'
import type { Graph } from '../graph/graph.ts'
import { readEdges } from './read-edges.ts'
import { readMetis } from './read-metis.ts'
import { readTable } from './read-table.ts'

/** The text in chunks of so many bytes, as a slow pipe would bring it. */
async function* chunked(text: string, size = 3): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

function edgesOf({ vertices, starts, heads, edgeWeights }: Graph): string[] {
  const found: string[] = []
  for (let v = 0; v < vertices; v++) {
    for (let a = starts[v]!; a < starts[v + 1]!; a++) {
      if (heads[a]! > v) found.push(`${v}-${heads[a]}:${edgeWeights[a]}`)
    }
  }
  return found.toSorted()
}

test('a plain METIS graph with comments, blank lines and no last line end is read', async () => {
  const text = '% made by hand\n4 2\n2 3\n1\n% in between\n\n1'
  const { graph, repairs } = await readMetis('a.graph', chunked(text.replace('2 3', '2 4')))
  assert.deepEqual(edgesOf(graph), ['0-1:1', '0-3:1'])
  assert.equal(graph.vertices, 4)
  assert.equal(repairs.loops, 0)
})

test('all fmt codes of METIS are understood: sizes, several weights, weights of edges', async () => {
  const read = async (text: string): Promise<Awaited<ReturnType<typeof readMetis>>> =>
    readMetis('a.graph', chunked(text))
  const edges = await read('2 1 1\n2 7\n1 7\n')
  assert.deepEqual(edgesOf(edges.graph), ['0-1:7'])
  const weights = await read('2 1 10\n5 2\n6 1\n')
  assert.deepEqual([...weights.graph.vertexWeights], [5, 6])
  const several = await read('2 1 010 3\n1 2 3 2\n4 5 6 1\n')
  assert.equal(several.graph.constraints, 3)
  assert.deepEqual([...several.graph.vertexWeights], [1, 2, 3, 4, 5, 6])
  const sizes = await read('2 1 100\n9 2\n8 1\n')
  assert.deepEqual([...sizes.sizes!], [9, 8])
  const all = await read('2 1 111 2\n9 1 2 2 4\n8 3 4 1 4\n')
  assert.deepEqual(
    [[...all.sizes!], [...all.graph.vertexWeights], edgesOf(all.graph)],
    [[9, 8], [1, 2, 3, 4], ['0-1:4']],
  )
})

test('loops, duplicates, one-way arcs and different weights are repaired and counted', async () => {
  const text = '4 4 001\n1 5 2 1 2 2\n1 4 3 1\n2 1 4 2\n\n'
  const { graph, repairs } = await readMetis('a.graph', chunked(text))
  assert.deepEqual(edgesOf(graph), ['0-1:4', '1-2:1', '2-3:2'])
  assert.deepEqual(repairs, { loops: 1, duplicates: 1, asymmetric: 2, weightless: 0 })
})

test('files that lie, break off or are no text are refused with their line', async () => {
  const cases: [text: string, line: number, reason: RegExp][] = [
    ['', 1, /empty/],
    ['% only a comment\n', 1, /no header/],
    ['3 2\n2\n1 3\n', 3, /promises 3 vertices, the file ends after 2/],
    ['2 1\n2\n1\n1\n', 4, /one more/],
    ['3 9\n2\n1 3\n2\n', 1, /promises 9 edges, the lines hold 4/],
    ['2 1\n3\n1\n', 2, /3 is no vertex; they are 1 to 2/],
    ['2 1\n0\n1\n', 2, /0 is no vertex/],
    ['2 1 001\n2 5 1\n1 5\n', 2, /has no weight/],
    ['2 1 010\n-3 2\n1 1\n', 2, /negative/],
    ['2 1\nx\n1\n', 2, /"x" is no part of a number/],
    ['2 1 7\n2\n1\n', 1, /fmt is 7/],
    ['2 1 010 0\n2\n1\n', 1, /0 constraints/],
    ['1\n', 1, /two to four/],
    ['999999999999 3\n', 1, /more vertices/],
    ['\u0000\u0001\u0002', 1, /the byte 0/],
    ['2 1\n1e999\n1\n', 2, /is no number/],
    ['2 1\n99999999999999999999\n1\n', 2, /larger than 2\^53/],
  ]
  for (const [text, line, reason] of cases) {
    await assert.rejects(readMetis('g', chunked(text)), (error: Error & { code: string }) => {
      assert.equal(error.code, 'MINGA_BAD_GRAPH_FILE')
      assert.match(error.message, new RegExp(`^g, line ${line}: `), JSON.stringify(text))
      assert.match(error.message, reason)
      return true
    })
  }
})

test('edge lists take comments, commas and weights, and add up both directions', async () => {
  const text = '# from to weight\n0,1,2.5\n1 0 1.5\r\n\n3\t1\n2 2\n0 3 0\n'
  const { graph, repairs } = await readEdges('a.edges', chunked(text))
  assert.equal(graph.vertices, 4)
  assert.deepEqual(edgesOf(graph), ['0-1:4', '1-3:1'])
  assert.deepEqual(repairs, { loops: 1, duplicates: 1, asymmetric: 0, weightless: 1 })
})

test('edge lists that are none are refused with their line', async () => {
  const cases: [text: string, line: number][] = [
    ['', 1],
    ['0 1\n5\n', 2],
    ['0 1 2 3\n', 1],
    ['0 1\n0 -1\n', 2],
    ['0 1.5\n', 1],
    ['0 1 -2\n', 1],
    ['0 4000000000\n', 1],
  ]
  for (const [text, line] of cases) {
    await assert.rejects(readEdges('e', chunked(text)), {
      code: 'MINGA_BAD_GRAPH_FILE',
      message: new RegExp(`^e, line ${line}: `),
    })
  }
})

test('a table has a line per vertex and parts that exist', async () => {
  const parts = { rows: 3, columns: 1, within: { least: -1, most: 1 } }
  assert.deepEqual([...(await readTable('p', chunked('0\n-1\n1\n'), parts))], [0, -1, 1])
  for (const [text, line] of [
    ['0\n1\n', 2],
    ['0\n1\n1\n0\n', 4],
    ['0\n2\n0\n', 2],
    ['0\n0 1\n0\n', 2],
  ] as const) {
    await assert.rejects(readTable('p', chunked(text), parts), {
      message: new RegExp(`^p, line ${line}: `),
    })
  }
  const costs = await readTable('c', chunked('1.5 2\n-3e1 4\n'), {
    rows: 2,
    columns: 2,
    within: null,
  })
  assert.deepEqual([...costs], [1.5, 2, -30, 4])
})

test('any graph written as METIS or as edges is read back the same, whatever the chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.tuple(fc.nat(11), fc.nat(11), fc.integer({ min: 1, max: 9 })), { maxLength: 30 }),
      fc.integer({ min: 1, max: 50 }),
      async (vertices, drawn, size) => {
        const edges = drawn.map(([a, b, weight]) => [a % vertices, b % vertices, weight])
        const graph = graphOf(vertices, [...edges, [vertices - 1, vertices - 1]])
        const rows = Array.from({ length: vertices }, (_, v) => {
          const arcs = Array.from(
            { length: graph.starts[v + 1]! - graph.starts[v]! },
            (_a, i) => graph.starts[v]! + i,
          )
          return arcs.map((a) => `${graph.heads[a]! + 1} ${graph.edgeWeights[a]}`).join(' ')
        })
        const metis = `${vertices} ${graph.heads.length / 2} 001\n${rows.join('\n')}\n`
        assert.deepEqual(
          edgesOf((await readMetis('g', chunked(metis, size))).graph),
          edgesOf(graph),
        )
        const list = [...edges, [vertices - 1, vertices - 1, 1]]
          .map((edge) => edge.join(' '))
          .join('\n')
        assert.deepEqual(edgesOf((await readEdges('e', chunked(list, size))).graph), edgesOf(graph))
      },
    ),
    { numRuns: 100, seed: 1 },
  )
})
