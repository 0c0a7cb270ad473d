/**
 * What a package is made of, as a bill of materials that scanners of vulnerabilities read (CycloneDX 1.6, JSON).
 *   in:  the files that a bundle took in, what npm installs next to it, and package-lock.json, which knows versions,
 *        licences and digests
 *   out: the same bytes for the same input: no time, and a serial number that is a digest
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ROOT } from './commands.ts'
import { packageFolder } from './third-party-licences.ts'

export interface SbomOptions {
  name: string
  version: string
  /** Files of libraries, or their folders; our own files are left out. */
  sources: readonly string[]
  /** Packages that are installed next to the program, with all that they need. */
  installed?: readonly string[]
}

interface LockedPackage {
  version?: string
  integrity?: string
  license?: string
  optional?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export type LockedPackages = Readonly<Record<string, LockedPackage>>

export interface Component {
  type: 'library' | 'application'
  'bom-ref': string
  group?: string
  name: string
  version: string
  scope?: 'required' | 'optional'
  hashes?: { alg: 'SHA-512'; content: string }[]
  licenses?: ({ license: { id: string } } | { expression: string })[]
  purl: string
}

export interface Sbom {
  $schema: string
  bomFormat: 'CycloneDX'
  specVersion: '1.6'
  serialNumber: string
  version: 1
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const LICENCE = 'AGPL-3.0-or-later'

export function sbomFile(options: SbomOptions): Buffer {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: LockedPackages
  }
  return Buffer.from(`${JSON.stringify(makeSbom(options, lock.packages), null, 2)}\n`)
}

export function makeSbom(options: SbomOptions, locked: LockedPackages): Sbom {
  const { name, version, sources, installed = [] } = options
  const bundled = sources.flatMap((file) => {
    const folder = packageFolder(file)
    return folder === null ? [] : [relative(ROOT, folder).replaceAll(sep, '/')]
  })
  const direct = installed.map((each) => `node_modules/${each}`)
  const paths = new Set([...bundled, ...direct])
  for (const path of direct) addNeeded(path, paths, locked)
  const components = [...paths].map((path) => componentAt(path, locked))
  // Two paths with the same package and version are one component.
  const byRef = new Map(components.map((each) => [each['bom-ref'], each]))
  const sorted = [...byRef.values()].toSorted((a, b) => (a.purl < b.purl ? -1 : 1))
  const component = ownComponent(name, version)
  const serial = createHash('sha256')
    .update(JSON.stringify([component, sorted]))
    .digest('hex')
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(serial)}`,
    version: 1,
    metadata: { component },
    components: sorted,
    dependencies: dependenciesOf(component, [...paths], locked),
  }
}

/** What npm installs with it, the binaries of other systems included. */
function addNeeded(path: string, paths: Set<string>, locked: LockedPackages): void {
  for (const needed of neededBy(path, locked)) {
    if (paths.has(needed)) continue
    paths.add(needed)
    addNeeded(needed, paths, locked)
  }
}

function neededBy(path: string, locked: LockedPackages): string[] {
  const { dependencies = {}, optionalDependencies = {} } = locked[path] ?? {}
  const names = Object.keys({ ...dependencies, ...optionalDependencies })
  return names.flatMap((name) => resolved(path, name, locked) ?? [])
}

/** As Node looks for it: in the folder of the package, then in those above. */
function resolved(from: string, name: string, locked: LockedPackages): string | null {
  for (let folder = from; ;) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (locked[path] !== undefined) return path
    if (folder === '') return null
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  }
}

function componentAt(path: string, locked: LockedPackages): Component {
  const found = locked[path]
  if (found?.version === undefined) throw new Error(`package-lock.json does not know ${path}.`)
  const { version, integrity, license, optional = false } = found
  const name = nameAt(path)
  const [group, bare] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = purlOf(name, version)
  return {
    type: 'library',
    'bom-ref': purl,
    ...(group === undefined ? {} : { group }),
    name: bare ?? name,
    version,
    scope: optional ? 'optional' : 'required',
    ...(integrity === undefined ? {} : { hashes: hashesOf(integrity) }),
    ...(license === undefined ? {} : { licenses: [licenceOf(license)] }),
    purl,
  }
}

function dependenciesOf(
  own: Component,
  paths: readonly string[],
  locked: LockedPackages,
): Sbom['dependencies'] {
  const refs = new Map(paths.map((path) => [path, componentAt(path, locked)['bom-ref']]))
  const known = (path: string): string[] => {
    const ref = refs.get(path)
    return ref === undefined ? [] : [ref]
  }
  const needs = new Map<string, Set<string>>([[own['bom-ref'], new Set(refs.values())]])
  for (const [path, ref] of refs) {
    const before = needs.get(ref) ?? new Set()
    needs.set(ref, new Set([...before, ...neededBy(path, locked).flatMap(known)]))
  }
  return [...needs]
    .map(([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn].toSorted() }))
    .toSorted((a, b) => (a.ref < b.ref ? -1 : 1))
}

function ownComponent(name: string, version: string): Component {
  const purl = purlOf(name, version)
  const licenses = [licenceOf(LICENCE)]
  return { type: 'application', 'bom-ref': purl, name, version, licenses, purl }
}

/** The last `node_modules/NAME` of a path. */
const nameAt = (path: string): string => path.slice(path.lastIndexOf('node_modules/') + 13)

/** https://github.com/package-url/purl-spec: of a scope the sign is encoded. */
const purlOf = (name: string, version: string): string =>
  `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`

/** A single SPDX identifier, or an expression such as `MIT OR Apache-2.0`. */
const licenceOf = (text: string): { license: { id: string } } | { expression: string } =>
  /[ ()]/.test(text) ? { expression: text } : { license: { id: text } }

/** npm writes it as base64, CycloneDX as hexadecimal digits. */
function hashesOf(integrity: string): NonNullable<Component['hashes']> {
  const [, base64] = /sha512-([A-Za-z0-9+/=]+)/.exec(integrity) ?? []
  if (base64 === undefined) return []
  return [{ alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') }]
}

/** In the form of a random UUID (version 4), as the schema asks for. */
function uuidOf(hex: string): string {
  const digits = `${hex.slice(0, 12)}4${hex.slice(13, 16)}8${hex.slice(17, 32)}`
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
