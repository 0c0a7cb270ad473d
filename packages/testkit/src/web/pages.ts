/**
 * The ordinary pages `/p/N`. Two trees hold the web together — pages of a host below its `/p/0`,
 * first pages of hosts below host 0 — and random links go on top, so every page can be reached.
 * A body is links plus a slice of text made once: a few microseconds, so that the fake web is
 * never what a benchmark measures.
 */

import { mixed, mixedFraction, seededRandom } from '../random.ts'
import type { Site, Sites } from './site.ts'
import type { FullSpec } from './spec.ts'

/** Children of a node in either tree. Eight keep 4,000 hosts within four hops. */
const TREE_CHILDREN = 8
const FILLER_BYTES = 1_048_576
const IMAGES_PER_HOST = 16

export interface Pages {
  /** Links of a page, features of the host not included. */
  linksOf(site: Site, page: number): string[]
  embedsOf(page: number): string[]
  body(site: Site, page: number, furtherLinks: string[]): Buffer
}

export function makePages(spec: FullSpec, sites: Sites): Pages {
  const filler = makeFiller(spec.seed)
  const linksOf = (site: Site, page: number): string[] => {
    const links = treeLinks({ spec, sites, site, page })
    for (let n = links.length; n < spec.linksPerPage; n += 1) {
      const draw = (purpose: number): number =>
        mixedFraction(spec.seed, site.index, page, n, purpose)
      const path = `/p/${Math.floor(draw(1) * spec.pagesPerHost)}`
      const leaves = draw(2) < spec.crossHostShare
      links.push(leaves ? sites.at(Math.floor(draw(3) * sites.count)).origin + path : path)
    }
    return links
  }
  const embedsOf = (page: number): string[] =>
    spec.embeds ? ['/style.css', '/script.js', `/img/${page % IMAGES_PER_HOST}.png`] : []

  return {
    linksOf,
    embedsOf,
    body: (site, page, furtherLinks) => {
      const links = [...linksOf(site, page), ...furtherLinks]
      const opening = openingOf({ site, page, links, embeds: embedsOf(page) })
      const u = mixedFraction(spec.seed, site.index, page, 4)
      // 0.25 + 2.25·u² has mean 1 and, as real pages do, many small values and few large ones.
      const sizeBytes = Math.round(spec.bytesPerPage * (0.25 + 2.25 * u * u))
      const from = mixed(spec.seed, site.index, page, 5) % (FILLER_BYTES / 2)
      return assemble({ opening, filler, from, sizeBytes })
    },
  }
}

function treeLinks(where: { spec: FullSpec; sites: Sites; site: Site; page: number }): string[] {
  const { spec, sites, site, page } = where
  const links = childrenOf(page, spec.pagesPerHost).map((child) => `/p/${child}`)
  if (page > 0) return links
  return [...links, ...childrenOf(site.index, sites.count).map((h) => `${sites.at(h).origin}/p/0`)]
}

function childrenOf(node: number, count: number): number[] {
  const children: number[] = []
  const first = node * TREE_CHILDREN + 1
  for (let child = first; child < Math.min(first + TREE_CHILDREN, count); child += 1) {
    children.push(child)
  }
  return children
}

function openingOf(parts: { site: Site; page: number; links: string[]; embeds: string[] }): string {
  const { site, page, links, embeds } = parts
  const title = `Host ${site.index}, page ${page}`
  const [style, script, image] = embeds
  const inHead =
    style === undefined
      ? ''
      : `<link rel="stylesheet" href="${style}"><script src="${script}"></script>`
  const figure = image === undefined ? '' : `<img src="${image}" alt="">`
  let list = ''
  for (const link of links) list += `<li><a href="${link}">${link}</a>\n`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${inHead}</head><body><h1>${title}</h1>${figure}<ul>\n${list}</ul><p>`
}

const CLOSING = '</p></body></html>\n'

function assemble(parts: {
  opening: string
  filler: Buffer
  from: number
  sizeBytes: number
}): Buffer {
  const { opening, filler, from, sizeBytes } = parts
  const textBytes = Math.min(
    Math.max(0, sizeBytes - opening.length - CLOSING.length),
    FILLER_BYTES / 2,
  )
  const body = Buffer.allocUnsafe(opening.length + textBytes + CLOSING.length)
  body.write(opening, 0, 'latin1')
  filler.copy(body, opening.length, from, from + textBytes)
  body.write(CLOSING, opening.length + textBytes, 'latin1')
  return body
}

const SYLLABLES = 'ma ri no ta ke lu so pa wi chu ya qui na'.split(' ')

function makeFiller(seed: number): Buffer {
  const random = seededRandom(mixed(seed, 99))
  const words = Array.from({ length: 2000 }, () =>
    Array.from({ length: 1 + random.integer(4) }, () => random.pick(SYLLABLES)).join(''),
  )
  let text = ''
  while (text.length < FILLER_BYTES) text += random.pick(words) + (random.chance(0.1) ? '. ' : ' ')
  return Buffer.from(text.slice(0, FILLER_BYTES), 'latin1')
}

/** A one-pixel PNG; bytes after its end are legal and make each image different. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

export function imageBytes(site: Site, image: string): Buffer {
  return Buffer.concat([PIXEL, Buffer.from(`host ${site.index} image ${image}`)])
}
