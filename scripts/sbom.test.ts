// Goal: the bill of materials has what CycloneDX 1.6 requires, names all that a package brings, and is the same for the
// same sources. Method: made of the real lockfile, and of a small one by hand where packages hide in each other.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './commands.ts'
import { makeSbom, sbomFile, type Component, type Sbom } from './sbom.ts'
import { dependencyFolders } from './third-party-licences.ts'

const OPTIONS = {
  name: 'minga',
  version: '1.2.3',
  sources: [...dependencyFolders('apps/dashboard'), join(ROOT, 'apps/minga/src/main.ts')],
  installed: ['@duckdb/node-api'],
}

/** What the schema of CycloneDX 1.6 requires of a document, and of a component of ours. */
function problemsOf(sbom: Sbom): string[] {
  const all = [sbom.metadata.component, ...sbom.components]
  const refs = all.map((component) => component['bom-ref'])
  const linked = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
  return [
    ...(sbom.bomFormat === 'CycloneDX' && sbom.specVersion === '1.6' ? [] : ['format']),
    ...(/^urn:uuid:[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(sbom.serialNumber)
      ? []
      : ['serial']),
    ...(Number.isInteger(sbom.version) && sbom.version >= 1 ? [] : ['version']),
    ...(new Set(refs).size === refs.length ? [] : ['a reference that is not unique']),
    ...linked.filter((ref) => !refs.includes(ref)).map((ref) => `nothing is ${ref}`),
    ...all.flatMap(componentProblems),
  ]
}

function componentProblems(component: Component): string[] {
  const { type, name, version, purl, hashes = [], licenses = [] } = component
  return [
    ...(type === 'library' || type === 'application' ? [] : [`type ${String(type)}`]),
    ...(name === '' || name.includes('/') ? [`name ${name}`] : []),
    ...(purl.endsWith(`@${encodeURIComponent(version)}`) ? [] : [purl]),
    ...(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@[\w.%+-]+$/.test(purl) ? [] : [purl]),
    ...hashes.filter(({ content }) => !/^[\da-f]{128}$/.test(content)).map(() => `hash of ${name}`),
    ...(licenses.length === 0 ? [`no licence of ${name}`] : []),
  ]
}

test('the bill of the package has every required field, and names what is bundled and installed', () => {
  const sbom = JSON.parse(String(sbomFile(OPTIONS))) as Sbom
  assert.deepEqual(problemsOf(sbom), [])
  const names = sbom.components.map(({ group, name }) => (group ? `${group}/${name}` : name))
  for (const name of ['react', '@duckdb/node-api', '@duckdb/node-bindings-linux-x64']) {
    assert.ok(names.includes(name), name)
  }
  assert.ok(!names.some((name) => name.startsWith('@minga/')))
  const optional = sbom.components.filter(({ scope }) => scope === 'optional')
  assert.ok(optional.every(({ group }) => group === '@duckdb'))
  assert.ok(sbom.components.every(({ hashes }) => hashes?.length === 1))
})

test('the same sources give the same bytes, others another serial number', () => {
  assert.ok(sbomFile(OPTIONS).equals(sbomFile(OPTIONS)))
  const other = JSON.parse(String(sbomFile({ ...OPTIONS, version: '1.2.4' }))) as Sbom
  const first = JSON.parse(String(sbomFile(OPTIONS))) as Sbom
  assert.notEqual(other.serialNumber, first.serialNumber)
})

test('a package inside of another is found before one above it, and both are listed', () => {
  const locked = {
    'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '^1.0.0' } },
    'node_modules/a/node_modules/b': { version: '1.5.0', license: '(MIT OR Apache-2.0)' },
    'node_modules/b': { version: '2.0.0', license: 'ISC' },
    'node_modules/c': { version: '3.0.0', license: 'MIT', dependencies: { b: '^2.0.0' } },
  }
  const sbom = makeSbom({ name: 'x', version: '1.0.0', sources: [], installed: ['a', 'c'] }, locked)
  assert.deepEqual(problemsOf(sbom), [])
  assert.deepEqual(
    sbom.components.map(({ purl }) => purl),
    ['pkg:npm/a@1.0.0', 'pkg:npm/b@1.5.0', 'pkg:npm/b@2.0.0', 'pkg:npm/c@3.0.0'],
  )
  const needs = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  assert.deepEqual(needs.get('pkg:npm/a@1.0.0'), ['pkg:npm/b@1.5.0'])
  assert.deepEqual(needs.get('pkg:npm/c@3.0.0'), ['pkg:npm/b@2.0.0'])
  assert.deepEqual(sbom.components[1]!.licenses, [{ expression: '(MIT OR Apache-2.0)' }])
})

test('a package that the lockfile does not know ends the build', () => {
  const unknown = { name: 'x', version: '1.0.0', sources: [], installed: ['absent'] }
  assert.throws(() => makeSbom(unknown, {}), /does not know node_modules\/absent/)
})
