/**
 * How people change a page: mostly a few words in one paragraph, sometimes a sentence, a paragraph, a section,
 * a move; bots touch many places a little; vandals blank or scribble. A page is a list of blocks whose bytes
 * are kept, so that a revision of 100 kB costs one copy.
 */
import type { SeededRandom } from '../random.ts'
import type { Prose } from './corpus-words.ts'

interface Block {
  text: string
  bytes: Buffer
}

/** Never changed in place: an older revision is the list it was. */
export type Blocks = readonly Block[]

export interface Edit {
  blocks: Blocks
  comment: string
}

export interface Editing {
  random: SeededRandom
  prose: Prose
}

const BLOCK_CHARACTERS = 500
const JUNK = 'aaaasdfghjklqwertyuiop!!!1 '.split('')

function block(text: string): Block {
  return { text, bytes: Buffer.from(`${text}\n\n`) }
}

export function sizeOf(blocks: Blocks): number {
  return blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

export function textOf(blocks: Blocks): Buffer {
  return Buffer.concat(blocks.map(({ bytes }) => bytes))
}

export function firstBlocks({ random, prose }: Editing, bytes: number): Blocks {
  const blocks = [block(`'''${prose.name()}''' ${prose.paragraph(BLOCK_CHARACTERS / 2)}`)]
  if (bytes > 2_000) blocks.unshift(block(prose.infobox()))
  while (sizeOf(blocks) < bytes) {
    if (blocks.length > 3 && random.chance(0.2)) blocks.push(block(prose.heading()))
    blocks.push(block(prose.paragraph(Math.min(BLOCK_CHARACTERS, bytes))))
  }
  blocks.push(
    block(Array.from({ length: 1 + random.integer(6) }, () => prose.category()).join('\n')),
  )
  return blocks
}

/** An ordinary edit; `deficit` is how many bytes the page lacks of its usual size by then. */
export function edited(editing: Editing, blocks: Blocks, deficit: number): Edit {
  const { random } = editing
  const usual = BLOCK_CHARACTERS * (0.5 + random.next() * 3)
  if (blocks.length === 0) return { blocks: firstBlocks(editing, 600), comment: 'start again' }
  if (deficit > usual && random.chance(0.7)) return enlarged(editing, blocks, deficit)
  if (deficit < -usual && random.chance(0.5)) return shortened(editing, blocks)
  const kind = random.next()
  if (kind < 0.04) return movedBlock(editing, blocks)
  if (kind < 0.16) return copyEdited(editing, blocks)
  if (kind < 0.3) return rewritten(editing, blocks)
  return reworded(editing, blocks)
}

export function botEdited({ random, prose }: Editing, blocks: Blocks): Edit {
  if (random.chance(0.4) && blocks.length > 0) {
    const last = blocks.length - 1
    const text = `${blocks[last]?.text ?? ''}\n${prose.category()}`
    return { blocks: blocks.with(last, block(text)), comment: 'Robot: adding category' }
  }
  const [from, to] = random.pick([
    ['accessdate=', 'access-date='],
    [' |publisher=', ' | publisher='],
    ['access-date=', 'accessdate='],
    ['http://www.', 'https://www.'],
  ])
  // Bots work through a page piece by piece: not every place is changed by one run.
  const changed = blocks.map((one) =>
    one.text.includes(from) && random.chance(0.5) ? block(one.text.replace(from, to)) : one,
  )
  return { blocks: changed, comment: `Bot: ${from} to ${to} (task ${random.integer(20)})` }
}

export function vandalised({ random, prose }: Editing, blocks: Blocks): Edit {
  const kind = random.next()
  if (kind < 0.25) return { blocks: [], comment: '' }
  if (kind < 0.4) return { blocks: [block(junk(random))], comment: 'lol' }
  const at = random.integer(Math.max(1, blocks.length))
  if (kind < 0.6) return { blocks: blocks.slice(0, at), comment: `removed ${prose.word()}` }
  const marred = [...blocks]
  marred.splice(at, random.integer(2), block(junk(random)))
  return { blocks: marred, comment: '' }
}

function junk(random: SeededRandom): string {
  const letters = Array.from({ length: 5 + random.integer(200) }, () => random.pick(JUNK))
  return letters.join('')
}

function enlarged({ random, prose }: Editing, blocks: Blocks, deficit: number): Edit {
  const added: Block[] = []
  const wanted = Math.min(deficit, BLOCK_CHARACTERS * (1 + random.integer(6)))
  const startsSection = random.chance(0.25)
  if (startsSection) added.push(block(prose.heading()))
  while (sizeOf(added) < wanted) added.push(block(prose.paragraph(BLOCK_CHARACTERS)))
  const at = 1 + random.integer(blocks.length)
  const comment = startsSection
    ? `new section on ${prose.word()}`
    : sectionComment(blocks, at, 'more')
  return { blocks: blocks.toSpliced(at, 0, ...added), comment }
}

function shortened({ random }: Editing, blocks: Blocks): Edit {
  const at = random.integer(blocks.length)
  const comment = sectionComment(blocks, at, 'remove what has no source')
  return { blocks: blocks.toSpliced(at, 1 + random.integer(2)), comment }
}

function movedBlock({ random }: Editing, blocks: Blocks): Edit {
  const from = random.integer(blocks.length)
  const rest = blocks.toSpliced(from, 1)
  const to = random.integer(rest.length + 1)
  return { blocks: rest.toSpliced(to, 0, ...blocks.slice(from, from + 1)), comment: 'rearranged' }
}

function copyEdited(editing: Editing, blocks: Blocks): Edit {
  let changed = blocks
  for (let places = 2 + editing.random.integer(10); places > 0; places -= 1) {
    changed = reworded(editing, changed).blocks
  }
  return { blocks: changed, comment: 'copyedit' }
}

/** A rewritten paragraph: about half of its sentences stay. */
function rewritten({ random, prose }: Editing, blocks: Blocks): Edit {
  const at = random.integer(blocks.length)
  const sentences = (blocks[at]?.text ?? '').split('. ')
  const said = sentences.map((old) => (random.chance(0.5) ? old : prose.sentence().slice(0, -1)))
  const comment = sectionComment(blocks, at, `rewritten, see ${prose.word()}`)
  return { blocks: blocks.with(at, block(said.join('. '))), comment }
}

function reworded(editing: Editing, blocks: Blocks): Edit {
  const at = editing.random.integer(blocks.length)
  const tokens = (blocks[at]?.text ?? '').split(' ')
  const where = editing.random.integer(tokens.length)
  const [remove, insert, say] = changeOfWords(editing, tokens[where] ?? '')
  tokens.splice(where, remove, ...insert)
  return {
    blocks: blocks.with(at, block(tokens.join(' '))),
    comment: sectionComment(blocks, at, say),
  }
}

/** How many words go, which come instead, and what the editor says of it. */
function changeOfWords({ random, prose }: Editing, old: string): [number, string[], string] {
  const kind = random.next()
  if (kind < 0.15) return [1, [old.slice(0, -1) + prose.word().slice(0, 2)], 'typo']
  if (kind < 0.3) return [0, [prose.reference()], 'ref']
  if (kind < 0.6) return [0, [prose.sentence()], `${prose.word()} ${prose.word()}`]
  if (kind < 0.7) return [1 + random.integer(12), [], 'shorter']
  const count = 1 + random.integer(5)
  return [random.integer(3), Array.from({ length: count }, () => prose.word()), prose.word()]
}

/** MediaWiki's editor begins the summary with the section that was edited. */
function sectionComment(blocks: Blocks, at: number, say: string): string {
  const heading = blocks.slice(0, at).findLast(({ text }) => text.startsWith('== '))
  return heading === undefined ? say : `/* ${heading.text.slice(3, -3)} */ ${say}`
}
