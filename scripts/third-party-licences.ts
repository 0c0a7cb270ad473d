/** The licence texts of what a bundle took in, as their authors ask for. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  name: string
  version: string
  license?: string
  author?: string | { name: string }
}

/** Of the packages that these files belong to, by name. Minga's own are left out. */
export function thirdPartyLicences(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
  const texts = [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    const title = `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`
    return { title, text: licenceIn(folder, manifest) }
  })
  const sorted = texts.toSorted((one, other) => (one.title < other.title ? -1 : 1))
  return sorted
    .map(({ title, text }) => `${title}\n${'-'.repeat(title.length)}\n${text}\n`)
    .join('\n')
}

/** The last `node_modules/NAME` above a file; null for a file of our own. */
function packageFolder(file: string): string | null {
  const found = /^.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+/.exec(file)
  if (found === null || !existsSync(join(found[0], 'package.json'))) return null
  return found[0]
}

function licenceIn(folder: string, { author, license = '' }: Manifest): string {
  const [name] = globSync('{LICENSE,LICENCE,license,License}*', { cwd: folder }).toSorted()
  if (name !== undefined) return readFileSync(join(folder, name), 'utf8').trim()
  const holder = typeof author === 'string' ? author : author?.name
  const text = USUAL[license]
  if (text === undefined || holder === undefined) throw new Error(`${folder} has no licence text.`)
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
}
