/** The licence texts of what a bundle took in, as their authors ask for. */
import { existsSync, globSync, lstatSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './commands.ts'

interface Manifest {
  name: string
  version: string
  license?: string
  author?: string | { name: string }
  dependencies?: Record<string, string>
}

/** Of the packages that these files belong to, by name. Minga's own are left out. */
export function thirdPartyLicences(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
  const texts = [...folders].map((folder) => {
    const manifest = readManifest(folder)
    const title = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`
    return { title, text: licenceIn(folder, manifest) }
  })
  const sorted = texts.toSorted((one, other) => (one.title < other.title ? -1 : 1))
  return sorted
    .map(({ title, text }) => `${title}\n${'-'.repeat(title.length)}\n${text}\n`)
    .join('\n')
}

/** A file of every package that a workspace depends on, directly or not. */
export function dependencyFolders(workspace: string): string[] {
  const found = new Set<string>()
  const visit = (folder: string): void => {
    const { dependencies = {} } = readManifest(folder)
    for (const name of Object.keys(dependencies)) {
      const at = installedFolder(folder, name)
      if (at === null || found.has(at)) continue
      found.add(at)
      visit(at)
    }
  }
  visit(join(ROOT, workspace))
  return [...found]
}

/** Where Node would find the package; null for one of our own, which is a link. */
function installedFolder(from: string, name: string): string | null {
  const at = join(from, 'node_modules', name)
  if (existsSync(at)) return lstatSync(at).isSymbolicLink() ? null : at
  return dirname(from) === from ? null : installedFolder(dirname(from), name)
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** The last `node_modules/NAME` above a file; null for a file of our own. */
export function packageFolder(file: string): string | null {
  const found = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(file)
  if (found === null || !existsSync(join(found[0], 'package.json'))) return null
  return found[0]
}

function licenceIn(folder: string, { name: project, author, license = '' }: Manifest): string {
  const [name] = globSync('{LICENSE,LICENCE,license,License}*', { cwd: folder }).toSorted()
  if (name !== undefined) return readFileSync(join(folder, name), 'utf8').trim()
  const holder = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${project}`
  const text = USUAL[license]
  if (text === undefined) throw new Error(`${folder} has no licence text.`)
  return `Copyright (c) ${holder}\n\n${text}`
}

/** For packages that name their licence and forget its text. */
const USUAL: Record<string, string> = {
  ISC: `Permission to use, copy, modify, and/or distribute this software for any purpose with or
without fee is hereby granted, provided that the above copyright notice and this permission
notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS
SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE
AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE
OF THIS SOFTWARE.`,
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software
and associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM,
DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT
OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
}
