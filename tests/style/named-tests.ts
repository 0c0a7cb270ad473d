/** Documents name tests as `path/to/file.test.ts` “name of the test”: which of these are there, and which are not. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const NAMED = /`([\w./-]+\.test\.ts)` “([^”]+)”/g

/** The sections of a document by their titles, each with its title. */
export function readSections(path: string): Map<string, string> {
  const sections = readFileSync(join(ROOT, path), 'utf8').split(/^## /m).slice(1)
  return new Map(sections.map((text) => [text.slice(0, text.indexOf('\n')), text]))
}

/** The rows of the table of a section, without its head. */
export function tableRows(section: string): string[] {
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
}

/** What is missing: a row without a test, a file that is not there, a test that its file does not have. */
export function findMissingTests(rows: readonly string[]): string[] {
  return rows.flatMap((row) => {
    const named = row.matchAll(NAMED).toArray()
    if (named.length === 0) return [`no test: ${row}`]
    return named.flatMap(([, file = '', name = '']) => {
      const path = join(ROOT, file)
      if (!existsSync(path)) return [`no file ${file}`]
      return hasTest(readFileSync(path, 'utf8'), name) ? [] : [`${file} has no test “${name}”`]
    })
  })
}

/** `…` stands for what a test of a list fills in. */
export function hasTest(source: string, name: string): boolean {
  const pattern = name
    .split('…')
    .map((part) => RegExp.escape(part))
    .join('.*')
  return new RegExp(`['"\`]${pattern}['"\`]`).test(source)
}
