/**
 * Builds the volunteer's program as a package of its own.
 *   in:  apps/minga/src/agent-main.ts and all it imports, libraries included
 *   out: dist/minga-agent-VERSION.tgz, for `npm install -g`, which downloads nothing more; stations
 *        serve it. dist/minga-agent-built-from.txt, a hash of the sources. With MINGA_SIGNING_KEY, the file of an
 *        Ed25519 key, also a manifest of the tarball and its signature
 * The same sources give the same bytes.
 */
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './commands.ts'
import { sbomFile } from './sbom.ts'
import { signRelease } from './sign-release.ts'
import { tarball, type PackedFile } from './tarball.ts'
import { thirdPartyLicences } from './third-party-licences.ts'

export const AGENT_ENTRY = 'apps/minga/src/agent-main.ts'
const DIST = join(ROOT, 'dist')
const STAMP = join(DIST, 'minga-agent-built-from.txt')
const SOURCES = [
  '{apps/{agent,minga},packages/*}/{package.json,src/**/*.{ts,html,css,js}}',
  'scripts/{*.ts,agent-package/*}',
  'docs/for-volunteers.md',
  'package-lock.json',
  'LICENSE',
]

if (import.meta.main) process.stdout.write(`${await buildAgent()}\n`)

/** Answers the path of the tarball, which is built when the sources changed since the last time. */
export async function buildStaleAgent(): Promise<string> {
  const isFresh = existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint()
  if (isFresh && existsSync(agentFile())) return signedAgent()
  process.stderr.write('minga: building the program for volunteers\n')
  return buildAgent()
}

/** With a manifest and a signature next to it when a key is given. */
function signedAgent(): string {
  const { MINGA_SIGNING_KEY: keyFile } = process.env
  if (keyFile) signRelease(agentFile(), { version: agentVersion(), keyFile })
  return agentFile()
}

/** Answers the path of the tarball. */
async function buildAgent(): Promise<string> {
  // Loaded only when needed: the bundler takes longer than everything else here.
  const { bundle } = await import('./bundle.ts')
  const version = agentVersion()
  const entries = { 'agent-main': AGENT_ENTRY }
  // Without the commit: volunteers compare the bytes of a release.
  const { files: bundled, sources } = await bundle(entries, {
    version,
    commit: null,
    isCompact: false,
  })
  const files: PackedFile[] = [
    ...bundled.map(({ path, body }) => ({ path: `lib/${path}`, body })),
    {
      path: 'bin/minga-agent.mjs',
      body: read('scripts/agent-package/minga-agent.mjs'),
      isExecutable: true,
    },
    { path: 'package.json', body: manifest(version) },
    { path: 'README.md', body: read('docs/for-volunteers.md') },
    { path: 'LICENSE', body: read('LICENSE') },
    { path: 'THIRD-PARTY-LICENSES', body: Buffer.from(thirdPartyLicences(sources)) },
    { path: 'sbom.cdx.json', body: sbomFile({ name: 'minga-agent', version, sources }) },
  ]
  mkdirSync(DIST, { recursive: true })
  writeIfChanged(agentFile(), tarball(files))
  writeFileSync(STAMP, fingerprint())
  return signedAgent()
}

/**
 * A bundle that holds the same bytes stays fresh, and so does their signature. Former versions would be packed with this
 * one, and a former signature would be of other bytes.
 */
function writeIfChanged(out: string, body: Buffer): void {
  if (existsSync(out) && readFileSync(out).equals(body)) return
  for (const name of globSync('minga-agent-*.tgz*', { cwd: DIST })) rmSync(join(DIST, name))
  writeFileSync(out, body)
}

function agentVersion(): string {
  const { version } = JSON.parse(String(read('apps/agent/package.json'))) as { version: string }
  return version
}

function agentFile(): string {
  return join(DIST, `minga-agent-${agentVersion()}.tgz`)
}

function fingerprint(): string {
  const hash = createHash('sha256')
  for (const file of globSync(SOURCES, { cwd: ROOT }).toSorted()) {
    if (!file.endsWith('.test.ts')) hash.update(`${file}\n`).update(read(file))
  }
  return hash.digest('hex')
}

function manifest(version: string): Buffer {
  const fields = {
    name: 'minga-agent',
    version,
    description: 'Lends this machine to a Minga station, within the limits that its owner sets.',
    license: 'AGPL-3.0-or-later',
    type: 'module',
    bin: { 'minga-agent': 'bin/minga-agent.mjs' },
    engines: { node: '>=24' },
  }
  return Buffer.from(`${JSON.stringify(fields, null, 2)}\n`)
}

function read(path: string): Buffer {
  return readFileSync(join(ROOT, path))
}
