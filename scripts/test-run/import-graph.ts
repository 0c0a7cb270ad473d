/**
 * Which file needs which. Every text in a file that names another one counts: imports, threads and
 * processes are all started by such a text, and one name too many only runs a test too many.
 */
import path from 'node:path/posix'

/** Of a workspace: what its names stand for, as `@minga/store/errors` for `packages/store/src/errors.ts`. */
export type Exports = ReadonlyMap<string, string>

const TEXTS =
  /['"`]((?:\.{1,2}\/|@minga\/|(?:apps|packages|tests|simulate|scripts|bench)\/)[^'"`\s]+)['"`]/g

/** Paths from the root; those that name no file are harmless. */
export function importsOf(file: string, text: string, exports: Exports = new Map()): string[] {
  const named = [...text.matchAll(TEXTS)].map(([, name = '']) => {
    if (name.startsWith('@minga/')) return exports.get(name) ?? ''
    return name.startsWith('.') ? path.join(path.dirname(file), name) : name
  })
  return [...new Set(named.filter((name) => name !== ''))]
}

/** Every file that one of these reaches: itself, and whatever names it, directly or not. */
export function reachedBy(
  changed: Iterable<string>,
  imports: ReadonlyMap<string, readonly string[]>,
): Set<string> {
  const users = Map.groupBy(
    [...imports].flatMap(([file, named]) => named.map((name) => ({ file, name }))),
    ({ name }) => name,
  )
  const reached = new Set(changed)
  // A set that grows while it is walked through: each file is visited once.
  for (const file of reached) for (const user of users.get(file) ?? []) reached.add(user.file)
  return reached
}
