/** Who reads the dump, each as a process of its own: bare passes of parsers, which keep nothing, and Minga. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { measure, type Measured } from './measured-process.ts'

export interface WikiPeer {
  name: string
  program: string
  args: (dump: string, data: string) => string[]
}

const TIMEOUT_MS = 30 * 60_000
const MINGA_DOOR = '../apps/minga/bin/minga.mjs'

/** What mwxml does beneath, without its objects: elements are made and thrown away. */
const ITERPARSE = `
import sys
from xml.etree.ElementTree import iterparse
revisions = characters = 0
for _, element in iterparse(sys.argv[1]):
    name = element.tag.rpartition("}")[2]
    if name == "text":
        characters += len(element.text or "")
    elif name == "revision":
        revisions += 1
    elif name != "page":
        continue
    if name != "text":
        element.clear()
print(revisions, characters)
`

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const pass = (parser: string) => (dump: string) => [here('wiki-pass-main.ts'), parser, dump]

export const SAXES: WikiPeer = {
  name: 'saxes, bare pass',
  program: process.execPath,
  args: pass('saxes'),
}

export const MINGA: WikiPeer = {
  name: '**minga wiki import**',
  program: process.execPath,
  args: (dump, data) => [here(MINGA_DOOR), 'wiki', 'import', dump, '--data', data, '--json'],
}

const OTHERS: readonly WikiPeer[] = [
  { name: 'htmlparser2, bare pass', program: process.execPath, args: pass('htmlparser2') },
  {
    name: 'Python iterparse, bare pass',
    program: 'python3',
    args: (dump) => ['-c', ITERPARSE, dump],
  },
]

/** In the order of the table. Those whose program is not here are left out. */
export function peersHere(): WikiPeer[] {
  return [SAXES, ...OTHERS.filter(({ program }) => isHere(program)), MINGA]
}

export function runPeer(peer: WikiPeer, dump: string, data: string): Promise<Measured> {
  return measure({ program: peer.program, args: peer.args(dump, data), timeoutMs: TIMEOUT_MS })
}

export interface StoredWiki {
  wiki: string
  pages: number
  revisions: number
  rawBytes: number
  storedBytes: number
}

export async function storedWiki(data: string): Promise<StoredWiki> {
  const args = [here(MINGA_DOOR), 'wiki', 'stats', '--data', data, '--json']
  const { stdout } = await measure({ program: process.execPath, args, timeoutMs: TIMEOUT_MS })
  const { wikis } = JSON.parse(stdout) as { wikis: StoredWiki[] }
  if (wikis.length !== 1) throw new Error(`The dump became ${wikis.length} wikis.`)
  return wikis[0]!
}

/** Reading is a process of its own, so that nothing of the import is in memory. */
export async function readWiki<T>(data: string, wiki: string): Promise<T> {
  const args = [here('wiki-reads-main.ts'), data, wiki]
  const { stdout } = await measure({ program: process.execPath, args, timeoutMs: TIMEOUT_MS })
  return JSON.parse(stdout) as T
}

export function isHere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
