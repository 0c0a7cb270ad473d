/** Lists of feeds as OPML 1.0 and 2.0: a tree of outlines with attributes. */
import { LenientXmlParser } from './lenient-xml.ts'

export interface Outline {
  /** Where its tag ends in the file. */
  line: number
  attributes: ReadonlyMap<string, string>
  children: Outline[]
}

export interface Opml {
  outlines: Outline[]
  problems: { line: number; message: string }[]
}

const MAX_PROBLEMS = 20
const MAX_OUTLINES = 100_000
/** Deeper ones are read as if they were at this level: no honest file nests so deep. */
const MAX_DEPTH = 50

/** Attributes whose case people write as they like; others are taken as they are. */
const KNOWN = ['text', 'title', 'type', 'xmlUrl', 'htmlUrl', 'url'] as const
const BY_LOWER = new Map(KNOWN.map((name) => [name.toLowerCase(), name]))

/** Never throws: any text gives a list, at worst an empty one with problems. */
export function parseOpml(text: string): Opml {
  const opml: Opml = { outlines: [], problems: [] }
  const problem = (message: string): void => {
    if (opml.problems.length < MAX_PROBLEMS) opml.problems.push({ line: parser.line, message })
  }
  const parser = new LenientXmlParser(problem)
  const open: Outline[] = []
  let count = 0
  parser.on('opentag', ({ name, attributes }) => {
    if (name.toLowerCase() !== 'outline') return
    const outline: Outline = { line: parser.line, attributes: named(attributes), children: [] }
    if (++count === MAX_OUTLINES + 1) problem(`only the first ${MAX_OUTLINES} outlines were read`)
    if (count <= MAX_OUTLINES) {
      const parent = open[Math.min(open.length, MAX_DEPTH) - 1]
      ;(parent?.children ?? opml.outlines).push(outline)
    }
    open.push(outline)
  })
  parser.on('closetag', ({ name }) => {
    if (name.toLowerCase() === 'outline') open.pop()
  })
  try {
    parser.write(text.replace(/^\uFEFF/, '').trimStart()).close()
  } catch (error) {
    problem(`the XML could not be read to the end: ${String(error)}`)
  }
  return opml
}

function named(attributes: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(attributes).map(([name, value]) => [
      BY_LOWER.get(name.toLowerCase()) ?? name,
      value,
    ]),
  )
}
