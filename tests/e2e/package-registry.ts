/**
 * An npm registry on loopback whose packages are those that are installed here: set-up can be tested for real without
 * the internet. A package for another platform is known by name, as in a real registry, and has no file.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'

/** A package as the lockfile and its own package.json describe it. */
export interface LockedPackage {
  version: string
  os?: string[]
  cpu?: string[]
  optional?: boolean
  link?: boolean
  [field: string]: unknown
}

export type LockedPackages = Record<string, LockedPackage>

export interface PackageRegistry {
  url: string
  /** Names of the packages whose files were fetched. */
  fetched: ReadonlySet<string>
  close: () => void
}

interface Published {
  manifest: Record<string, unknown>
  /** Null: for another platform. */
  folder: string | null
}

const NODE_MODULES = 'node_modules/'

/** Of the packages in a lockfile, whose files are below `root`. */
export async function openPackageRegistry(
  root: string,
  packages: LockedPackages,
): Promise<PackageRegistry> {
  const published = publishedOf(root, packages)
  const fetched = new Set<string>()
  const server = createServer((request, response) => {
    const asked = decodeURIComponent(request.url ?? '').slice(1)
    const [name = '', version] = asked.split('/-/')
    const versions = published.get(name)
    if (versions === undefined) return void response.writeHead(404).end('{}')
    if (version === undefined) return sendDocument(response, { url, name, versions })
    const folder = versions.get(version)?.folder ?? null
    if (folder === null) return void response.writeHead(404).end()
    fetched.add(name)
    sendFolder(response, folder)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url, fetched, close }
}

function publishedOf(root: string, packages: LockedPackages): Map<string, Map<string, Published>> {
  const published = new Map<string, Map<string, Published>>()
  const publish = (name: string, version: string, found: Published): void => {
    published.set(name, (published.get(name) ?? new Map<string, Published>()).set(version, found))
  }
  for (const [at, locked] of Object.entries(packages)) {
    if (!at.includes(NODE_MODULES) || locked.link) continue
    const name = at.slice(at.lastIndexOf(NODE_MODULES) + NODE_MODULES.length)
    const file = path.join(root, at, 'package.json')
    const own = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as object) : null
    const folder = own === null ? null : path.join(root, at)
    publish(name, locked.version, { manifest: { ...locked, ...own, name }, folder })
  }
  publishNode(root, publish)
  return published
}

/** npm's `node` fetches the platform's own package by a script of its own. */
function publishNode(
  root: string,
  publish: (name: string, version: string, found: Published) => void,
): void {
  const folder = path.join(root, 'node_modules/node')
  const file = path.join(folder, 'package.json')
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
  const name = `node-${process.platform}-${process.arch}`
  const manifest = { name, version, bin: { node: 'bin/node' } }
  publish(name, version, { manifest, folder })
}

function sendDocument(
  response: ServerResponse,
  { url, name, versions }: { url: string; name: string; versions: Map<string, Published> },
): void {
  const listed = [...versions].map(([version, { manifest }]) => {
    const dist = { tarball: `${url}/${name}/-/${version}` }
    return [version, { ...manifest, version, dist }] as const
  })
  const latest = listed.at(-1)![0]
  const document = { name, 'dist-tags': { latest }, versions: Object.fromEntries(listed) }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
}

/** As a tar file without compression, which npm reads as well. */
function sendFolder(response: ServerResponse, folder: string): void {
  const args = ['-C', folder, '--exclude=./node_modules', '--transform=s,^\\.,package,', '-cf', '-']
  const tar = spawn('tar', [...args, '.'], { stdio: ['ignore', 'pipe', 'ignore'] })
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  tar.stdout.pipe(response)
}
