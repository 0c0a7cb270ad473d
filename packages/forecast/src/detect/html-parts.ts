/**
 * HTML to parts: one text per block of text (a paragraph, an item, a table row), the targets of
 * links, the pictures, the tree, the look. Advertisements, scripts and invisible elements are
 * skipped.
 */
import {
  isInvented,
  isUnseen,
  lastingClass,
  noiseOf,
  placeName,
  type ElementNoise,
} from './element-noise.ts'
import { hashOf, joinedHash, stirred } from './hash.ts'
import type { HtmlAttributes, HtmlHandler } from './html-events.ts'
import { assetSource, isAdHost, linkTarget, styleSource } from './link-noise.ts'
import { placeOf, sentencesOf, type PartsSink } from './page-parts.ts'
import { plainText, withoutNoise } from './text-noise.ts'

const tags = (list: string): Set<string> => new Set(list.split(/\s+/))

const BLOCKS = tags(
  `address article aside blockquote body button caption center dd details dialog div dl dt fieldset
   figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe label legend li main menu
   nav ol optgroup option p pre section select summary table tbody textarea tfoot thead title tr ul`,
)
const CELLS = tags('td th')
const ITEMS = tags('li tr article option dd')
/** A date alone in one of them is information, wherever it stands. */
const TABULAR = tags('td th tr li dd dt h1 h2 h3 h4 h5 h6 option caption')
const EDGES = tags('header footer nav')
const OPAQUE = tags('svg math textarea iframe canvas')
const FIELDS = tags('input select textarea button')
const LAYOUT = ['align', 'valign', 'bgcolor', 'color', 'border', 'face', 'size', 'width', 'height']
const FLEETING_STYLE =
  /(?:^|;) ?(?:display|opacity|visibility|transform|transition|will-change|animation[\w-]*) ?:[^;]{0,200}/g

const HEADING_EMPHASIS = 3
const FIELD_WEIGHT = 5
const PICTURE_WEIGHT = 4
/** Megabytes without a tag are taken in pieces. */
const LONGEST_BLOCK = 65_536
/** A text inside a place of its own, such as an alternative text, tells nothing about noise. */
const ORDINARY = { isTime: false, isCounter: false, isEdge: false }

interface Frame {
  name: string
  /** Of its name, id and class. */
  step: number
  place: number
  noise: ElementNoise
  isTabular: boolean
  isEdge: boolean
  /** An item has a head and a foot of its own. */
  isInItem: boolean
  isHeading: boolean
  isBanner: boolean
  /** Hash of the nearest id above: two lists in two boxes are two places. */
  anchor: number
  /** Of the parts inside, in any order. */
  sum: number
  /** Where its text begins in the block at hand. */
  textStart: number
}

export class HtmlParts implements HtmlHandler {
  readonly #sink: PartsSink
  readonly #base: string
  readonly #frames: Frame[] = [rootFrame()]
  /** How many elements deep we are in something that is passed over. */
  #passed = 0
  /** A heading of the text itself has come: what stands above is the frame of the page. */
  #hasHeading = false
  #raw = ''
  #text = ''

  constructor(base: string, sink: PartsSink) {
    this.#base = base
    this.#sink = sink
  }

  open(name: string, attributes: HtmlAttributes): void {
    if (this.#passed > 0) this.#passed += 1
    else if (isUnseen(name)) this.#openUnseen(name, attributes)
    else this.#openSeen(name, attributes)
  }

  text(data: string): void {
    if (this.#passed > 0) return
    this.#raw += data
    this.#text += data
    if (this.#raw.length > LONGEST_BLOCK) this.#endBlock()
  }

  close(name: string): void {
    if (this.#passed > 0) {
      this.#passed -= 1
      if (this.#passed > 0 || !OPAQUE.has(name) || this.#top.name !== name) return
    }
    if (this.#frames.length === 1) return
    if (BLOCKS.has(name)) this.#endBlock()
    else this.#endInline()
    const frame = this.#frames.pop()!
    const outer = this.#top
    this.#hasHeading ||= /^h[1-3]$/.test(name) && !frame.isEdge
    outer.sum = (outer.sum + frame.sum) >>> 0
    if (ITEMS.has(frame.name) && frame.sum !== 0) this.#sink.item(frame.place, stirred(frame.sum))
  }

  /** Text after the last tag. */
  end(): void {
    this.#endBlock()
  }

  get #top(): Frame {
    return this.#frames.at(-1)!
  }

  #openUnseen(name: string, attributes: HtmlAttributes): void {
    this.#passed = 1
    if (name === 'link' && /\bstylesheet\b/i.test(attributes['rel'] ?? '')) {
      const source = styleSource(attributes['href'] ?? '', this.#base)
      if (source !== null) this.#sink.look(this.#top.place, hashOf(`sheet ${source}`), 1)
    }
    if (name === 'meta' && /^description$/i.test(attributes['name'] ?? '')) {
      this.#addText('text', attributes['content'] ?? '')
    }
  }

  #openSeen(name: string, attributes: HtmlAttributes): void {
    const noise = noiseOf(name, attributes)
    if (noise.isAd || isPassedOver(name, attributes)) {
      this.#passed = 1
      return
    }
    if (BLOCKS.has(name)) this.#endBlock()
    else if (CELLS.has(name) && this.#raw.trim() !== '') this.text(' | ')
    else if (name === 'br') this.text(' ')
    const frame = this.#frameOf(name, attributes, noise)
    this.#frames.push(frame)
    this.#addShape(frame, attributes)
    this.#addLook(frame, attributes)
    this.#addContent(frame, attributes)
    if (OPAQUE.has(name)) this.#passed = 1
  }

  #frameOf(name: string, attributes: HtmlAttributes, noise: ElementNoise): Frame {
    const outer = this.#top
    const id = placeName(attributes['id'] ?? '')
    const firstClass = (attributes['class'] ?? '').slice(0, 200).trim().split(/\s+/, 1)[0] ?? ''
    const step = hashOf(`${name}#${id}.${placeName(firstClass)}`)
    const anchor = id === '' ? outer.anchor : hashOf(id)
    const above = this.#frames.at(-2)?.step ?? 0
    const isBlock = BLOCKS.has(name) || CELLS.has(name)
    return {
      name,
      step,
      // What stands in a line belongs to the place of the block around it.
      place: isBlock
        ? placeOf(joinedHash(joinedHash(joinedHash(step, outer.step), above), anchor))
        : outer.place,
      noise,
      isTabular: isBlock
        ? TABULAR.has(name) || (outer.isTabular && name !== 'div')
        : outer.isTabular,
      isEdge: outer.isEdge || (!outer.isInItem && (noise.isEdge || EDGES.has(name))),
      isInItem: outer.isInItem || ITEMS.has(name),
      isHeading: /^(?:h[1-3]|title)$/.test(name) || (!isBlock && outer.isHeading),
      isBanner: noise.isBanner || outer.isBanner,
      anchor,
      sum: 0,
      textStart: this.#text.length,
    }
  }

  #addShape(frame: Frame, attributes: HtmlAttributes): void {
    const { name, place } = frame
    const path = `${name}<${this.#frames.at(-2)?.name}<${this.#frames.at(-3)?.name}`
    const parent = this.#frames.findLast((outer) => outer.place !== place)?.place ?? 0
    this.#sink.shape(place, parent, hashOf(path), 1)
    if (!FIELDS.has(name)) return
    const called = attributes['name'] ?? ''
    const field = `${name} ${attributes['type'] ?? ''} ${isInvented(called) ? '' : called}`
    this.#sink.shape(place, parent, hashOf(field), FIELD_WEIGHT)
  }

  #addLook(frame: Frame, attributes: HtmlAttributes): void {
    const { name, place } = frame
    const classes = attributes['class']
    if (classes !== undefined) {
      for (const token of new Set(classes.slice(0, 1_000).split(/\s+/))) {
        const lasting = token === '' ? null : lastingClass(token)
        if (lasting !== null) this.#sink.look(place, hashOf(`${name}.${lasting}`), 1)
      }
    }
    const style = attributes['style']
    if (style !== undefined) {
      const lasting = plainText(style.slice(0, 2_000).toLowerCase())
        .replace(FLEETING_STYLE, '')
        .replace(/\?[^)"']*/g, '')
      if (lasting !== '') this.#sink.look(place, hashOf(`${name} ${lasting}`), 1)
    }
    for (const layout of LAYOUT) {
      const value = attributes[layout]
      if (value !== undefined) this.#sink.look(place, hashOf(`${name} ${layout}=${value}`), 1)
    }
  }

  #addContent(frame: Frame, attributes: HtmlAttributes): void {
    const { name, place } = frame
    if (name === 'a' && !frame.isBanner) {
      const target = linkTarget(attributes['href'] ?? '', this.#base)
      if (target !== null) this.#addPart('link', target, target)
    } else if (name === 'img' || name === 'video' || name === 'embed' || name === 'iframe') {
      const source = attributes['data-src'] ?? attributes['src'] ?? attributes['poster'] ?? ''
      const address = assetSource(source, this.#base)
      if (address !== null && !frame.isBanner) {
        this.#sink.look(place, hashOf(`picture ${address}`), PICTURE_WEIGHT)
      }
      if (!frame.isBanner) this.#addText('image', attributes['alt'] ?? '')
    } else if (name === 'input') {
      if (/^(?:submit|button|reset)$/i.test(attributes['type'] ?? '')) {
        this.#addText('text', attributes['value'] ?? '')
      }
      this.#addText('text', attributes['placeholder'] ?? '')
    }
  }

  #addText(kind: 'text' | 'image', value: string): void {
    const raw = plainText(value.slice(0, 4_000))
    if (raw !== '') this.#addPart(kind, raw, withoutNoise(raw, ORDINARY))
  }

  #addPart(kind: 'text' | 'link' | 'image', raw: string, text: string): void {
    const top = this.#top
    const emphasis = top.isHeading && kind === 'text' ? HEADING_EMPHASIS : 1
    const hash = this.#sink.text({ kind, place: top.place, raw, text, emphasis })
    top.sum = (top.sum + hash) >>> 0
  }

  /** A counter or a clock inside a sentence: its element tells more than its words. */
  #endInline(): void {
    const { noise, textStart } = this.#top
    if (!noise.isCounter && !noise.isTime) return
    const inner = plainText(this.#text.slice(textStart))
    if (inner.length > 80) return
    const { isTime, isCounter } = noise
    this.#text =
      this.#text.slice(0, textStart) + withoutNoise(inner, { isTime, isCounter, isEdge: false })
  }

  #endBlock(): void {
    if (this.#raw === '') return
    const [rawAll, isSame] = [plainText(this.#raw), this.#raw === this.#text]
    const textAll = isSame ? rawAll : plainText(this.#text)
    this.#raw = ''
    this.#text = ''
    if (textAll === '') return
    const block = this.#blockFrame()
    const { isTime, isCounter } = block.noise
    const isEdge = !block.isTabular && (block.isEdge || !this.#hasHeading)
    const place = { isTime, isCounter, isEdge }
    const raws = sentencesOf(rawAll)
    const texts = isSame ? raws : sentencesOf(textAll)
    for (const [index, text] of texts.entries()) {
      const hash = this.#sink.text({
        kind: 'text',
        place: block.place,
        raw: texts.length === raws.length ? raws[index]! : text,
        text: withoutNoise(text, place),
        emphasis: block.isHeading ? HEADING_EMPHASIS : 1,
      })
      this.#top.sum = (this.#top.sum + hash) >>> 0
    }
  }

  /** The nearest element that begins a block; a row stands for its cells. */
  #blockFrame(): Frame {
    for (let i = this.#frames.length - 1; i > 0; i--) {
      if (BLOCKS.has(this.#frames[i]!.name)) return this.#frames[i]!
    }
    return this.#frames[0]!
  }
}

function rootFrame(): Frame {
  const noise = { isAd: false, isBanner: false, isTime: false, isCounter: false, isEdge: false }
  const flags = {
    isTabular: false,
    isEdge: false,
    isInItem: false,
    isHeading: false,
    isBanner: false,
  }
  return { name: '', step: 0, place: 0, noise, ...flags, anchor: 0, sum: 0, textStart: 0 }
}

function isPassedOver(name: string, attributes: HtmlAttributes): boolean {
  if (name === 'input') return /^hidden$/i.test(attributes['type'] ?? '')
  if (name === 'iframe' || name === 'img') {
    const source = attributes['src'] ?? ''
    if (/^(?:https?:)?\/\//i.test(source) && isAdHost(source)) return true
    return isDot(attributes['width']) && isDot(attributes['height'])
  }
  return false
}

/** Pixels that count readers. */
function isDot(size: string | undefined): boolean {
  return size !== undefined && /^\s*[01](?:px)?\s*$/.test(size)
}
